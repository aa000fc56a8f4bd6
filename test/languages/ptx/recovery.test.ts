import assert from 'node:assert/strict';
import { bindText, problemsOf, type PlacedProblem } from './bound.js';

/** One mistake gives one problem on its own line, and what follows it is read as if it were not there. */

const head = [
  '.version 8.0',
  '.target sm_80',
  '.address_size 64',
  '.visible .entry k(.param .u64 p)',
  '{',
  '\t.reg .pred %p<4>;',
  '\t.reg .b32 %r<20>;',
  '\t.reg .f32 %f<9>;',
  '\t.reg .b64 %rd<15>;',
];
/** Number of the first line of `lines` in the text of `kernel`. */
const FIRST = head.length + 1;
const kernel = (...lines: string[]): string =>
  [...head, ...lines, '\tst.global.u32 [%rd1], %r2;', 'DONE:', '\tret;', '}', ''].join('\n');

const errors = (text: string): PlacedProblem[] => problemsOf(text).filter((p) => p.severity === 'error');

const shown = (problems: readonly PlacedProblem[]): string[] =>
  problems.map(({ line, code, message }) => `${line} ${code} ${message}`);

/** The only error of `text`. */
function only(text: string): PlacedProblem {
  const found = errors(text);
  assert.equal(found.length, 1, `${text}\n${shown(found).join('\n')}`);
  return found[0];
}

/** The opcodes that reached the code, faulty instructions left out. */
const opcodes = (text: string): string[] =>
  bindText(text).flatMap(({ bound }) => bound.functions.flatMap((f) => f.code.opcodes.map(String)));

describe('PTX recovery', () => {
  describe('a line that breaks off', () => {
    const broken: readonly (readonly [line: string, message: RegExp])[] = [
      ['add.u32 %r2, %r1, -', /operand expected after '-'/],
      ['add.u32 %r2, %r1, !', /operand expected after '!'/],
      ['add.u32 %r2, %r1, ~', /operand expected after '~'/],
      ['add.u32 %r2, %r1, 4 +', /operand expected after '\+'/],
      ['add.u32 %r2, %r1, 4 <<', /operand expected after '<<'/],
      ['add.u32 %r2, %r1, (4 *', /operand expected after '\*'/],
      ['add.u32 %r2, %r1, (.s64)', /operand expected after '\)'/],
      ['add.u32 %r2, %r1, 1 ?', /operand expected after '\?'/],
      ['add.u32 %r2, %r1, 1 ? 2 :', /operand expected after ':'/],
      ['add.u32 %r2, %r1,', /operand expected after ','/],
      ['setp.eq.u32 %p1|', /operand expected after '\|'/],
      ['mov.b64 %rd1, {%r1,', /operand expected after ','/],
      ['mov.u64 %rd1, p+', /offset expected after '\+'/],
      ['mov.u64 %rd1, p-', /operand expected after '-'/],
      ['mov.u64 %rd1, p[', /index expected after '\['/],
      ['mov.u32 %r1, %tid.', /component such as x expected/],
      ['ld.global.u32 %r2, [', /address expected/],
      ['ld.global.u32 %r2, [%rd3', /never closed/],
      ['ld.global.u32 %r2, [%rd3+', /offset expected after '\+'/],
      ['ld.global.u32 %r2, [%rd3-', /operand expected after '-'/],
      ['ld.global.u32 %r2, [%rd3,', /operand expected after ','/],
      ['@', /predicate register expected/],
      ['T: .branchtargets DONE,', /label expected/],
      ['.global .u32 g =', /initial value expected after '='/],
      ['.reg .b32', /name expected/],
      ['.reg .b32 %x,', /name expected/],
      ['mo', /no whole instruction/],
      ['mov', /no whole instruction/],
    ];
    const next = [
      'st.global.u32 [%rd1], %r2;',
      '@%p1 bra DONE;',
      'L0: bra L0;',
      '.reg .b32 other;',
      'bra DONE;',
    ];
    for (const [line, message] of broken)
      it(`'${line}' leaves the next one alone`, () => {
        for (const following of next) {
          const problem = only(kernel(`\t${line}`, `\t${following}`));
          assert.equal(problem.line, FIRST, following);
          assert.match(problem.message, message);
        }
      });

    for (const line of ['ld.global.u32 %r2, [%rd2]', 'mov.b32 %r2', 'add.s32 %r2, %r1,', 'bra DONE'])
      it(`'${line}' does not take the block behind it for a vector`, () => {
        for (const block of [
          ['{', '.reg .b16 %lo, %hi;', 'mov.b32 {%lo, %hi}, %r1;', '}'],
          ['{max.s32 %r4, %r1, %r1;', '}'],
        ]) {
          const problem = only(kernel(line, ...block));
          assert.equal(problem.line, FIRST);
          assert.match(problem.message, /missing ';'|expected after ','/);
        }
      });

    it('still lets operands go on in the next line', () => {
      const text = kernel(
        '\tadd.u32 %r2, %r1, -',
        '\t\t(4 +',
        '\t\t5);',
        '\tld.global.u32 %r1, [%rd1 +',
        '8];',
      );
      assert.deepEqual(shown(errors(text)), []);
    });
  });

  describe("a vector whose '{' is missing", () => {
    const rows: readonly (readonly [line: string, fixed: string, certain: boolean])[] = [
      [
        'ld.global.v4.f32 %f1, %f2, %f3, %f4}, [%rd1];',
        'ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1];',
        true,
      ],
      ['st.global.v2.f32 [%rd1], %f1, %f2};', 'st.global.v2.f32 [%rd1], {%f1, %f2};', true],
      ['mov.b64 %rd1, %r1, %r2};', 'mov.b64 %rd1, {%r1, %r2};', false],
      ['mov.b64 %r1, %r2}, %rd1;', 'mov.b64 {%r1, %r2}, %rd1;', false],
    ];
    for (const [line, fixed, certain] of rows)
      it(line, () => {
        const text = kernel(line, '\tadd.f32 %f1, %f1, %f2;');
        const problem = only(text);
        assert.equal(problem.line, FIRST);
        assert.match(problem.message, /missing '\{' before/);
        const [repair] = problem.fixes ?? [];
        assert.equal(repair.preferred === true, certain);
        const at = text.indexOf(line) + fixed.indexOf('{');
        assert.equal(problem.span.start, at);
        assert.deepEqual(
          repair.edits.map((edit) => edit.newText),
          ['{'],
        );
        assert.equal(bindText(text).length, 4, 'the function is one unit');
      });

    it('does not take the end of a block for one', () => {
      for (const body of ['ret }', 'mov.u32 %r1, %r2 }', 'bra L; L: }', '{ mov.u32 %r1, %r2; } }'])
        assert.equal(bindText(`.version 8.0\n.entry k() { ${body}\n.entry l() { ret; }\n`).length, 3, body);
      const nested = kernel('\t.global .b32 t[2][2] = {{1, 2}, {3, 4}};', '\t{ mov.b64 {%r1, %r2}, %rd1; }');
      assert.deepEqual(shown(errors(nested)), []);
    });
  });

  describe('one mistake is told once', () => {
    const rows: readonly (readonly [line: string, message: RegExp])[] = [
      ['setp.lt.s32 %p2, ,, %r12;', /operand expected before ','/],
      ['mov.u32 %r9, %rd10.x;', /has no components/],
      ['.global.nc.u32 %r9,[%rd9];', /opcode expected/],
      ['.global.u32 [%rd9], %r9;', /opcode expected/],
      ['L_1', /missing ':'/],
    ];
    for (const [line, message] of rows)
      it(line, () => {
        const problem = only(kernel(line, '\tmov.u32 %r1, 1;'));
        assert.equal(problem.line, FIRST);
        assert.match(problem.message, message);
      });

    it('a version without its minor number', () => {
      for (const version of ['7', '7.']) {
        const problem = only(`.version ${version}\n.target sm_80\n`);
        assert.match(problem.message, /has the form 8.0/);
        assert.deepEqual(
          problem.fixes?.map((fix) => fix.edits[0].newText),
          ['7.0'],
        );
      }
    });
  });

  describe('a declaration that cannot be read', () => {
    const used = ['\tld.global.u32 %q1, [%rd1];', '\tadd.u32 %q2, %q1, %q1;', '\t@%q3 mov.u32 %q0, 1;'];
    const rows: readonly (readonly [line: string, fixed: string | undefined])[] = [
      ['.b32 %q<9>;', '.reg .b32 %q<9>;'],
      ['reg .b32 %q<9>;', '.reg .b32 %q<9>;'],
      ['.rge .b32 %q<9>;', undefined],
      ['.reg .b23 %q<9>;', undefined],
      ['.reg %q<9>;', undefined],
      ['.reg .b32 %q<9', undefined],
      ['.reg .b32 %q<', undefined],
      ['.reg .b32 %q', undefined],
      ['.reg .b32', undefined],
      ['.reg .b32 %q3>;', undefined],
      ['.reg', undefined],
      ['.re', undefined],
    ];
    for (const [line, fixed] of rows)
      it(`'${line}' is the only problem`, () => {
        const text = kernel(line, ...used.slice(0, line.includes('.b32') ? 2 : 3));
        const problem = only(text);
        assert.equal(problem.line, FIRST);
        if (fixed === undefined) return;
        const [repair] = problem.fixes ?? [];
        assert.equal(repair.preferred, true);
        const { start } = bindText(text)[3];
        const [{ span, newText }] = repair.edits;
        const repaired = text.slice(0, start + span.start) + newText + text.slice(start + span.end);
        assert.equal(repaired.split('\n')[FIRST - 1], fixed);
        assert.deepEqual(shown(errors(repaired)), []);
      });

    it('hides no other name', () => {
      const text = kernel('.b32 %q<9>;', '\tmov.u32 %q1, %x1;');
      assert.deepEqual(
        errors(text).map(({ line, code }) => `${line} ${code}`),
        [`${FIRST} syntax/declaration`, `${FIRST + 1} name/undeclared`],
      );
    });

    // ptxas: `Constant overflow`, and a parsing error near the name.
    for (const [line, message] of [
      ['.reg .b64 %q<4294967296>;', /less than 2\^32/],
      ['.reg .b64 _<5>;', /cannot be a name/],
      ['.reg .b64 $;', /cannot be a name/],
    ] as const)
      it(line, () => assert.match(only(kernel(line)).message, message));
    it('.reg .b64 %q<4294967295>;', () => assert.deepEqual(errors(kernel('.reg .b64 %q<4294967295>;')), []));
  });

  describe('a head that cannot be read', () => {
    const rest = [
      '\t.param .u64 p',
      ')',
      '{',
      '\t.reg .b64 %rd<2>;',
      '\tld.param.u64 %rd1, [p];',
      '\tret;',
      '}',
      '',
    ];
    for (const line of [
      '.visible (',
      '.visible .e (',
      '.visible .e k(',
      '.visible k(',
      '.entri k(',
      '.visible .entry (',
    ])
      it(`'${line}' leaves the body a body`, () => {
        const text = [...head.slice(0, 3), line, ...rest, '.entry next() { ret; }', ''].join('\n');
        assert.equal(only(text).line, 4);
        assert.deepEqual(opcodes(text), ['ld.param.u64', 'ret', 'ret']);
      });
  });

  it("a wrong character for the '{' leaves the body a body", () => {
    const text = kernel('\tmov.u32 %r1, 1;').replace('\n{\n', '\n>\n');
    assert.equal(only(text).line, 4);
    assert.deepEqual(opcodes(text), ['mov.u32', 'st.global.u32', 'ret']);
  });

  it('takes special registers for addresses as ptxas does', () => {
    assert.deepEqual(
      shown(errors(kernel('\tld.global.u32 %r1, [%clock64+4];', '\tst.shared.u32 [%laneid], %r1;'))),
      [],
    );
    // Illegal operand type for address; a parsing error near '.x'.
    for (const base of ['%tid', '%tid.x', '%is_explicit_cluster'])
      only(kernel(`\tld.global.u32 %r1, [${base}];`));
  });

  it('no line that is complete has an error while the next one is typed', () => {
    const text = typed();
    for (let end = 0; end <= text.length; end++) {
      const current = text.slice(0, end).split('\n').length;
      const wrong = errors(text.slice(0, end)).filter((p) => p.line < current && !isOpen(p));
      assert.deepEqual(shown(wrong), [], text.slice(0, end).split('\n').at(-1));
    }
    assert.ok(opcodes(text).includes('mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32'));
  });

  it('no line has an error because another one of the body is being typed', () => {
    const lines = typed().split('\n');
    const body = lines.indexOf('{');
    for (let i = body + 1; i < lines.length - 2; i++)
      for (let end = 0; end < lines[i].length; end++) {
        const begun = lines[i].slice(0, end);
        const beside = errors(lines.with(i, begun).join('\n')).filter(
          (p) => p.line !== i + 1 && !isAbsence(p, lines[i], begun),
        );
        assert.deepEqual(shown(beside), [], begun);
      }
  });
});

/** What is still to come: the end of a block, the body of a head, a target, a label further down. */
const isOpen = (p: PlacedProblem): boolean =>
  ['syntax/unclosed-block', 'syntax/unclosed', 'isa/header'].includes(p.code) ||
  p.message.includes('or its body') ||
  p.code === 'name/unknown-label';

/** The line that is being typed is to declare a name, and does not say so yet. */
const isAbsence = (p: PlacedProblem, line: string, begun: string): boolean =>
  p.code.startsWith('name/') && (line.endsWith(':') || begun.trim().length < 2);

const typed = (): string =>
  [
    '.version 8.0',
    '.target sm_80',
    '.address_size 64',
    '.global .align 4 .f32 table[2] = {0f3F800000, 0f40000000};',
    '.visible .entry scale(',
    '\t.param .u64 p,',
    '\t.param .u32 n',
    ')',
    '{',
    '\t.reg .pred %p<2>;',
    '\t.reg .b32 %r<20>;',
    '\t.reg .f32 %f<9>;',
    '\t.reg .b64 %rd<4>;',
    '\tld.param.u64 %rd1, [p];',
    '\tld.param.u32 %r1, [n];',
    '\tmov.u32 %r2, %tid.x;',
    '\tsetp.ge.s32 %p1, %r2, %r1;',
    '\t@%p1 bra DONE;',
    '\tmul.wide.s32 %rd2, %r2, (4 << 2);',
    '\tadd.s64 %rd3, %rd1, %rd2;',
    '\tld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd3+16];',
    '\tmov.u32 %r3, -1;',
    '\tmma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r3, %r3, %r3, %r3}, {%r3, %r3}, {%f1, %f2, %f3, %f4};',
    '\tst.global.v4.f32 [%rd3], {%f1, %f2, %f3, %f4};',
    'DONE:',
    '\tret;',
    '}',
    '',
  ].join('\n');
