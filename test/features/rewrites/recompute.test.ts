import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { runs } from '../../support/fuzz.js';
import { randomKernel } from '../../support/random-ptx.js';
import { assertSameResults, peakAsWritten, recomputations, rewritesAt } from '../../support/rewrites.js';

/** `%r3` is used at the top and at the end, and what it is made of too. */
const KERNEL = `.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p)
{
    .reg .b32 %r<20>;
    .reg .b64 %d<4>;
    ld.param.u64 %d1, [p];
    ld.global.u32 %r1, [%d1];
    ld.global.u32 %r2, [%d1+4];
    xor.b32 %r3, %r1, %r2; // the mask
    st.global.u32 [%d1+8], %r3;
${Array.from({ length: 8 }, (_, k) => `    ld.global.u32 %r${k + 4}, [%d1+${4 * k + 64}];`).join('\n')}
${Array.from({ length: 7 }, (_, k) => `    add.u32 %r4, %r4, %r${k + 5};`).join('\n')}
    and.b32 %r4, %r4, %r3;
    st.global.u32 [%d1], %r4;
    st.global.u32 [%d1+12], %r1;
    st.global.u32 [%d1+16], %r2;
    ret;
}
`;
const onName = (text: string): string => text.replace('k(.param', '$0k(.param');
const titles = (text: string): string[] =>
  rewritesAt(onName(text))
    .actions.map((a) => a.title)
    .filter((t) => t.startsWith('Compute `%r3`'));

describe('recompute', function () {
  this.timeout(60_000);

  it('makes a value again before a use beyond the peak', () => {
    const { text, apply } = rewritesAt(onName(KERNEL));
    const after = apply(/^Compute `%r3` again in line 28: .*peak as written 13 → 12/);
    assert.match(after, /%r11;\n {4}xor\.b32 %r3, %r1, %r2;\n {4}and\.b32 %r4, %r4, %r3;/);
    // eight values, two that are kept, the mask, and the address in two registers
    assert.deepEqual([peakAsWritten(text), peakAsWritten(after)], [13, 12]);
  });

  const refused: Readonly<Record<string, (text: string) => string>> = {
    'what is read is changed in between': (text) =>
      text.replace('    and.b32', '    add.u32 %r1, %r1, 1;\n    and.b32'),
    'what is read would have to be kept for it': (text) =>
      text.replace('    st.global.u32 [%d1+12], %r1;\n    st.global.u32 [%d1+16], %r2;\n', ''),
    'it comes from memory': (text) => text.replace('xor.b32 %r3, %r1, %r2', 'ld.global.u32 %r3, [%d1+4]'),
    'it is made under a guard': (text) =>
      text
        .replace('xor.b32', '@%q xor.b32')
        .replace(
          '    ld.param',
          '    .reg .pred %q;\n    mov.u32 %r3, 0;\n    setp.eq.u32 %q, %r3, 1;\n    ld.param',
        ),
    'the use is in another block': (text) => text.replace('    and.b32', 'NEXT:\n    and.b32'),
  };
  for (const [why, change] of Object.entries(refused))
    it(`is not offered where ${why}`, () => {
      assert.equal(titles(KERNEL).length, 1);
      assert.deepEqual(titles(change(KERNEL)), []);
    });

  it('keeps what examples compute', () => {
    let count = 0;
    for (const file of readdirSync('examples').filter(
      (name) => name.endsWith('.ptx') && name !== 'broken.ptx',
    ))
      count += assertSameResults(readFileSync(`examples/${file}`, 'utf8'), recomputations, 6);
    assert.ok(count >= 10, `${count} values were made again`);
  });

  it('keeps what random kernels compute', () => {
    let count = 0;
    fc.assert(
      fc.property(randomKernel, (text) => {
        count += assertSameResults(text, recomputations, 8);
      }),
      { numRuns: runs(12) },
    );
    assert.ok(count > 20, `${count} values were made again`);
  });
});
