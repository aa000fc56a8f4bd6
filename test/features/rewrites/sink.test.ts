import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { runs } from '../../support/fuzz.js';
import { randomKernel } from '../../support/random-ptx.js';
import { assertSameResults, peakAsWritten, sinks, rewritesAt } from '../../support/rewrites.js';

const kernel = (body: string, declarations = ''): string => `.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p)
{
    .reg .b32 %r<20>;
    .reg .b64 %d<4>;
    ${declarations}
    ld.param.u64 %d1, [p];
    ld.global.u32 %r1, [%d1+64];
${body}
    ret;
}
`;

/** Eight values, all needed at once, in the middle of it. */
const CROWD = [
  ...Array.from({ length: 8 }, (_, k) => `    ld.global.u32 %r${k + 4}, [%d1+${4 * k}];`),
  ...Array.from({ length: 7 }, (_, k) => `    add.u32 %r4, %r4, %r${k + 5};`),
].join('\n');
const USE = '    mul.lo.u32 %r2, %r1, %r4;\n    st.global.u32 [%d1], %r2;';

const titles = (marked: string): string[] =>
  rewritesAt(marked)
    .actions.map((a) => a.title)
    .filter((title) => title.startsWith('Sink'));

describe('sink', function () {
  this.timeout(60_000);

  it('takes a load from over the peak to its use, and says what that is worth', () => {
    const marked = kernel(`${CROWD}\n${USE}`).replace('ld.global.u32 %r1,', 'ld.global.u32 $0%r1,');
    const { text, apply, actions } = rewritesAt(marked);
    const after = apply(/^Sink `%r1` to its use: /);
    assert.match(after, /add\.u32 %r4, %r4, %r11;\n {4}ld\.global\.u32 %r1, \[%d1\+64\];\n {4}mul\.lo/);
    // eight values and the address, without what is used behind them
    assert.deepEqual([peakAsWritten(text), peakAsWritten(after)], [11, 10]);
    const title = actions.find((a) => a.title.startsWith('Sink `%r1`'))?.title ?? '';
    assert.match(title, /peak as written 11 → 10/);
  });

  it('is offered at the use, at the peak and on the name, and nowhere else', () => {
    const text = kernel(`${CROWD}\n${USE}`);
    const at = (place: string): string[] =>
      titles(text.replace(place, `$0${place}`)).filter((t) => t.includes('`%r1`'));
    for (const place of ['%r2, %r1', 'k(.param', '%r11, [%d1+28]']) assert.equal(at(place).length, 1, place);
    for (const place of ['%r6, [%d1+8]', 'ret;', '.target']) assert.deepEqual(at(place), [], place);
  });

  it('takes the comment on the line along', () => {
    const text = kernel(`${CROWD}\n${USE}`)
      .replace('ld.global.u32 %r1,', 'ld.global.u32 $0%r1,')
      .replace('[%d1+64];', '[%d1+64]; // the scale');
    assert.match(rewritesAt(text).apply(/^Sink/), /\[%d1\+64\]; \/\/ the scale\n {4}mul/);
  });

  const refused: Readonly<Record<string, (text: string) => string>> = {
    'over a store that may write what it reads': (text) =>
      text.replace(
        '    add.u32 %r4, %r4, %r11;',
        '    st.global.u32 [%d1+4], %r4;\n    add.u32 %r4, %r4, %r11;',
      ),
    'over a barrier': (text) =>
      text.replace('    add.u32 %r4, %r4, %r11;', '    bar.sync 0;\n    add.u32 %r4, %r4, %r11;'),
    'of a volatile load': (text) => text.replace('ld.global.u32 %r1,', 'ld.volatile.global.u32 %r1,'),
    'of the clock': (text) => text.replace(/ld\.global\.u32 %r1, .*/, 'mov.u32 %r1, %clock;'),
    'of one of two statements on a line': (text) =>
      text.replace('ld.global.u32 %r1, [%d1+64];', 'mov.u32 %r3, 1; ld.global.u32 %r1, [%d1+64];'),
    'that costs as much as it saves': (text) =>
      text.replace('ld.global.u32 %r1, [%d1+64];', 'mov.u32 %r3, %clock;\n    add.u32 %r1, %r3, 7;'),
    'in a function with errors': (text) => text.replace('    ret;', '    frobnicate;\n    ret;'),
  };
  for (const [what, change] of Object.entries(refused))
    it(`is not offered: ${what}`, () => {
      const text = change(kernel(`${CROWD}\n${USE}`));
      const sunk = titles(text.replace('k(.param', '$0k(.param')).filter((t) =>
        t.includes('`%r1` to its use'),
      );
      assert.deepEqual(sunk, []);
    });

  it('takes a constant to a later block, not into a loop', () => {
    const body = `    mov.u32 %r3, 77;
${CROWD}
    setp.eq.u32 %q, %r4, 0;
    @%q bra DONE;
    add.u32 %r4, %r4, %r3;
DONE:
${USE}`;
    const text = kernel(body, '.reg .pred %q;').replace('k(.param', '$0k(.param');
    assert.match(rewritesAt(text).apply(/^Sink `%r3`/), /bra DONE;\n {4}mov\.u32 %r3, 77;\n {4}add\.u32/);
    const loop = body
      .replace('    add.u32 %r4, %r4, %r3;\nDONE:', 'DONE:\n    add.u32 %r4, %r4, %r3;')
      .replace('    setp.eq.u32 %q, %r4, 0;\n    @%q bra DONE;\n', '')
      .replace(USE, `    setp.lt.u32 %q, %r4, 900;\n    @%q bra DONE;\n${USE}`);
    const inLoop = kernel(loop, '.reg .pred %q;').replace('k(.param', '$0k(.param');
    assert.deepEqual(
      titles(inLoop).filter((t) => t.includes('%r3')),
      [],
    );
  });

  it('refuses where a name means something else at the use', () => {
    const text = kernel(`    mov.u32 %r3, 77;
${CROWD}
    {
        .reg .b32 %r3;
        mov.u32 %r3, 5;
        st.global.u32 [%d1], %r3;
    }
    st.global.u32 [%d1+4], %r3;`);
    const after = rewritesAt(text.replace('k(.param', '$0k(.param')).actions.filter((a) =>
      a.title.includes('%r3'),
    );
    for (const { edits } of after) assert.ok(edits[1].range.start.line > 30);
  });

  it('keeps what examples compute', () => {
    for (const file of readdirSync('examples').filter(
      (name) => name.endsWith('.ptx') && name !== 'broken.ptx',
    ))
      assert.ok(assertSameResults(readFileSync(`examples/${file}`, 'utf8'), sinks, 8) > 0, file);
  });

  it('keeps what random kernels compute', () => {
    let count = 0;
    fc.assert(
      fc.property(randomKernel, (text) => {
        count += assertSameResults(text, sinks, 8);
      }),
      { numRuns: runs(12) },
    );
    assert.ok(count > 40, `${count} rewrites were tried`);
  });
});
