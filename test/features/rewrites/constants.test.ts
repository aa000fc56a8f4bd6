import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { constantRewrites } from '../../../server/src/features/rewrites/constants.js';
import { runs } from '../../support/fuzz.js';
import { randomKernel } from '../../support/random-ptx.js';
import { assertSameResults, constants, peakAsWritten, rewritesAt, triedIn } from '../../support/rewrites.js';

/** Eight values needed at once, between the constant `%r1` and its last use. */
const kernel = (first: string, near: string, last: string): string => `.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p, .param .u32 n)
{
    .reg .b32 %r<20>;
    .reg .b64 %d<4>;
    .reg .pred %q;
    ld.param.u64 %d1, [p];
    ${first}
    ${near}
${Array.from({ length: 8 }, (_, k) => `    ld.global.u32 %r${k + 4}, [%d1+${4 * k + 64}];`).join('\n')}
${Array.from({ length: 7 }, (_, k) => `    add.u32 %r4, %r4, %r${k + 5};`).join('\n')}
    ${last}
    st.global.u32 [%d1], %r4;
    ret;
}
`;
const LOAD = 'ld.param.u32 %r1, [n];';
const NEAR = 'st.global.u32 [%d1+4], %r1;';
const LAST = 'mul.lo.u32 %r4, %r4, %r1;';

const onName = (text: string): ReturnType<typeof rewritesAt> =>
  rewritesAt(text.replace('k(.param', '$0k(.param'));
const titles = (text: string): string[] =>
  onName(text)
    .actions.map((a) => a.title)
    .filter((t) => t.startsWith('Compute `%r1`'));

describe('constants computed again', function () {
  this.timeout(60_000);

  it('are repeated before a distant use, and the title says what that is worth', () => {
    const { text, apply } = onName(kernel(LOAD, NEAR, LAST));
    const after = apply(/^Compute `%r1` again in line 27 instead of keeping it: .*peak as written 11 → 10/);
    assert.match(after, /%r11;\n {4}ld\.param\.u32 %r1, \[n\];\n {4}mul\.lo\.u32 %r4, %r4, %r1;/);
    assert.equal(after.split(LOAD).length, 3);
    // eight values, the constant, and the address in two registers
    assert.deepEqual([peakAsWritten(text), peakAsWritten(after)], [11, 10]);
  });

  it('are moved when no use stays near', () => {
    const { apply } = onName(kernel(LOAD, '', LAST));
    const after = apply(/^Compute `%r1` again/);
    assert.equal(after.split(LOAD).length, 2);
    assert.ok(after.indexOf(LOAD) > after.indexOf('%r11;'));
  });

  it('are repeated in each block that reads them', () => {
    const last = `setp.eq.u32 %q, %r4, 0;\n    @%q bra DONE;\n    ${LAST}\nDONE:\n    add.u32 %r4, %r4, %r1;`;
    const found = triedIn(kernel(LOAD, NEAR, last), constantRewrites);
    const after = found.find(({ title }) => /^Compute `%r1` again in lines 29, 31/.test(title))?.after ?? '';
    assert.equal(after.split(LOAD).length, 4);
    assert.match(after, /DONE:\n {4}ld\.param\.u32 %r1, \[n\];\n {4}add\.u32/);
  });

  const refused: Readonly<Record<string, string>> = {
    'they come from memory': kernel('ld.global.u32 %r1, [%d1+4];', NEAR, LAST),
    'there are two definitions': kernel(`${LOAD}\n    mov.u32 %r1, 2;`, NEAR, LAST),
    'they are made under a guard': kernel(`setp.eq.u64 %q, %d1, 0;\n    @%q ${LOAD}`, NEAR, LAST),
    'a name means something else there': kernel(
      '.shared .u32 x;\n    mov.u32 %r1, x;',
      NEAR,
      `{ .shared .u32 x;\n    st.shared.u32 [x], %r1;\n    ${LAST} }`,
    ),
    'the use is at the peak': kernel(LOAD, NEAR, '').replace(
      'add.u32 %r4, %r4, %r5;',
      'add.u32 %r4, %r4, %r1;',
    ),
  };
  for (const [why, text] of Object.entries(refused))
    it(`are not offered where ${why}`, () => {
      assert.deepEqual(titles(text), []);
    });

  it('are offered where the name is another one', () => {
    const hidden = refused['a name means something else there'];
    assert.equal(
      titles(hidden.replace('{ .shared .u32 x', '{ .shared .u32 y').replace('[x], %r1', '[y], %r1')).length,
      1,
    );
  });

  it('keep what examples compute', () => {
    let count = 0;
    for (const file of readdirSync('examples').filter(
      (name) => name.endsWith('.ptx') && name !== 'broken.ptx',
    ))
      count += assertSameResults(readFileSync(`examples/${file}`, 'utf8'), constants, 6);
    assert.ok(count >= 10, `${count} constants were made again`);
  });

  it('keep what random kernels compute', () => {
    let count = 0;
    fc.assert(
      fc.property(randomKernel, (text) => {
        count += assertSameResults(text, constants, 8);
      }),
      { numRuns: runs(12) },
    );
    assert.ok(count > 20, `${count} constants were made again`);
  });
});
