import assert from 'node:assert/strict';
import { bindText, problemsOf } from '../bound.js';

/** Every text was put to ptxas 13.0.88, which wants `.version` and `.target` at the start, even of an empty file. */

const errors = (text: string): string[] =>
  problemsOf(text)
    .filter((p) => p.severity === 'error')
    .map(
      ({ line, code, message }) =>
        `${line} ${code} ${/\.version, before|is missing|directly after/.exec(message)?.[0] ?? message}`,
    );

describe('PTX header', () => {
  for (const text of ['', '\n\n', '  ', '// nothing\n', '/* nothing */'])
    it(`wants a version in ${JSON.stringify(text)}`, () => {
      assert.deepEqual(errors(text), ['1 isa/header .version, before']);
      const [problem] = bindText(text)[0].bound.problems;
      const [edit] = problem.fixes![0].edits;
      assert.deepEqual(errors(edit.newText + text), []);
    });

  for (const rest of [
    '',
    '// nothing\n',
    '.address_size 64\n',
    '.address_size 64\n.visible .entry k() { ret; }\n',
    '.entry a() { ret; }\n.entry b() { ret; }\n',
  ])
    it(`wants a target, once, before ${JSON.stringify(rest)}`, () => {
      const text = `.version 7.0\n${rest}`;
      assert.deepEqual(errors(text), ['1 isa/header is missing']);
      const [{ span, newText }] = bindText(text)[0].bound.problems[0].fixes![0].edits;
      assert.equal(
        text.slice(0, span.start) + newText + text.slice(span.end),
        `.version 7.0\n.target sm_75\n${rest}`,
      );
    });

  it('wants the target directly after the version', () => {
    const text = '.version 7.0\n.address_size 64\n.entry a() { ret; }\n.target sm_80\n.entry b() { ret; }\n';
    assert.deepEqual(errors(text), ['2 isa/header directly after']);
  });

  it('takes a byte order mark out', () => {
    const text = '\ufeff.version 7.0\n.target sm_80\n';
    const [problem, ...others] = problemsOf(text);
    assert.deepEqual(others, []);
    assert.equal(problem.code, 'syntax/non-ascii');
    assert.deepEqual(problem.fixes![0].edits, [{ span: { start: 0, end: 1 }, newText: '' }]);
  });

  it('says where a carriage return alone does not end a comment', () => {
    const header = '.version 7.0\r.target sm_80\r';
    assert.deepEqual(errors(`${header}.entry k() { ret; }`), []);
    assert.deepEqual(errors(`${header}.entry k() { ret; } // end\r`), []);
    assert.deepEqual(errors('.version 7.0\r\n.target sm_80 // a\r\n.entry k() { ret; }'), []);
    const swallowed = problemsOf(`${header}.entry k() { // a\r mov.u32 %r1, 1; // b\r ret; }`);
    assert.deepEqual(
      swallowed.filter((p) => p.code === 'syntax/line-end').map((p) => p.message.slice(0, 17)),
      ['a carriage return'],
    );
  });
});
