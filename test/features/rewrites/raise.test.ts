import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { raiseRewrites } from '../../../server/src/features/rewrites/raise.js';
import { runs } from '../../support/fuzz.js';
import { randomKernel } from '../../support/random-ptx.js';
import { assertSameResults, peakAsWritten, raises, rewritesAt, triedIn } from '../../support/rewrites.js';

/** Pairs are loaded, a loop that needs twelve values runs, and `behind` uses the pairs up. */
const kernel = (pairs: number, behind: (k: number) => string, inFront = ''): string => `.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p, .param .u32 n)
{
    .reg .b32 %r<4>;
    .reg .f32 %f<99>;
    .reg .b64 %d<4>;
    .reg .pred %q<3>;
    ld.param.u64 %d1, [p];
    ld.param.u32 %r1, [n];
${Array.from({ length: 2 * pairs }, (_, k) => `    ld.global.f32 %f${k + 50}, [%d1+${4 * k}];`).join('\n')}
${Array.from({ length: 12 }, (_, k) => `    ld.global.f32 %f${k}, [%d1+${4 * k + 400}];`).join('\n')}
    mov.u32 %r2, 0;
${inFront}
LOOP:
${Array.from({ length: 12 }, (_, k) => `    fma.rn.f32 %f${k}, %f${k}, %f${(k + 1) % 12}, %f${(k + 5) % 12};`).join('\n')}
    add.u32 %r2, %r2, 1;
    setp.lt.u32 %q1, %r2, %r1;
    @%q1 bra LOOP;
${Array.from({ length: pairs }, (_, k) => behind(k)).join('\n')}
${Array.from({ length: 12 }, (_, k) => `    st.global.f32 [%d1+${4 * k + 800}], %f${k};`).join('\n')}
    ret;
}
`;
const product = (k: number): string =>
  `    mul.f32 %f${k + 80}, %f${2 * k + 50}, %f${2 * k + 51};\n    st.global.f32 [%d1+${4 * k + 600}], %f${k + 80};`;

const onName = (text: string): ReturnType<typeof rewritesAt> =>
  rewritesAt(text.replace('k(.param', '$0k(.param'));
const titles = (text: string): string[] =>
  onName(text)
    .actions.map((a) => a.title)
    .filter((t) => t.startsWith('Raise'));

describe('raise', function () {
  this.timeout(60_000);

  it('takes what ends two values from behind a loop to where they are made', () => {
    const { text, apply } = onName(kernel(1, product));
    const after = apply(/^Raise `%f80` to line 14: .*peak as written 18 → 17/);
    assert.match(after, /%f51, \[%d1\+4\];\n {4}mul\.f32 %f80, %f50, %f51;\n/);
    // twelve values, the pair, the counter, its limit, and the address in two registers
    assert.deepEqual([peakAsWritten(text), peakAsWritten(after)], [18, 17]);
  });

  it('takes all of them together', () => {
    const { text, apply } = onName(kernel(8, product));
    const after = apply(/^Raise `%f80` and 7 others over the peak: registers \d+ → \d+, peak as compiled/);
    assert.deepEqual([peakAsWritten(text), peakAsWritten(after)], [32, 24]);
    assert.ok(after.lastIndexOf('mul.f32') < after.indexOf('LOOP:'));
  });

  it('is offered wherever as many registers are held as at the peak', () => {
    const text = kernel(8, product);
    const at = (place: string): number =>
      rewritesAt(text.replace(place, `$0${place}`)).actions.filter((a) => a.title.includes('7 others'))
        .length;
    for (const place of ['mov.u32 %r2, 0', 'fma.rn.f32 %f5, %f5', '@%q1 bra'])
      assert.equal(at(place), 1, place);
    for (const place of ['ld.param.u32', 'ret;']) assert.equal(at(place), 0, place);
  });

  it('takes two that read one value together, and neither alone', () => {
    const text = kernel(
      1,
      () =>
        '    setp.lt.f32 %q2, %f50, %f51;\n    mul.f32 %f80, %f50, %f51;\n    selp.f32 %f80, %f80, 0f00000000, %q2;\n    st.global.f32 [%d1], %f80;',
    )
      .replace('mul.f32 %f80, %f50', 'mul.f32 %f81, %f50')
      .replace('%f80, %f80, 0f', '%f80, %f81, 0f');
    const found = triedIn(text, raiseRewrites).map(({ title }) => title);
    assert.ok(
      found.some((t) => /^Raise `%q2` and 1 other over the peak/.test(t)),
      found.join('; '),
    );
    assert.deepEqual(
      found.filter((t) => t.includes('to line')),
      [],
    );
  });

  const refused: Readonly<Record<string, string>> = {
    'what it reads is wanted later': kernel(
      1,
      (k) => `${product(k)}\n    st.global.f32 [%d1], %f50;\n    st.global.f32 [%d1], %f51;`,
    ),
    'what it reads is written twice': kernel(1, product, '    add.f32 %f50, %f50, %f50;'),
    'its result is written twice': kernel(1, product, '    mov.f32 %f80, %f51;'),
    'not every thread comes to it': kernel(1, (k) => `    @%q1 bra OUT;\n${product(k)}\nOUT:`),
    'it has a guard': kernel(1, (k) => product(k).replace('mul', '@%q1 mul')),
  };
  for (const [why, text] of Object.entries(refused))
    it(`is not offered where ${why}`, () => {
      assert.deepEqual(
        titles(text).filter((t) => t.includes('%f80')),
        [],
      );
    });

  it('keeps what examples compute', () => {
    let count = 0;
    for (const file of readdirSync('examples').filter(
      (name) => name.endsWith('.ptx') && name !== 'broken.ptx',
    ))
      count += assertSameResults(readFileSync(`examples/${file}`, 'utf8'), raises, 8);
    assert.ok(count >= 10, `${count} instructions were raised`);
  });

  it('keeps what random kernels compute', () => {
    let count = 0;
    fc.assert(
      fc.property(randomKernel, (text) => {
        count += assertSameResults(text, raises, 8);
      }),
      { numRuns: runs(12) },
    );
    assert.ok(count > 40, `${count} instructions were raised`);
  });
});
