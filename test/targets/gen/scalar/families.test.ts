import assert from 'node:assert/strict';
import type { Family } from '../../../../server/src/targets/gen/program.js';
import {
  registerAlignment,
  registerBytes,
  slotBytes,
} from '../../../../server/src/targets/gen/scalar/families.js';

describe('register families of the scalar back-end', () => {
  // the table of facts A.6, in bytes: SIMD8, SIMD16, uniform
  const sizes: readonly [Family, number, number, number][] = [
    ['bool', 16, 32, 2],
    ['byte', 16, 32, 2],
    ['word', 16, 32, 2],
    ['dword', 32, 64, 4],
    ['qword', 64, 128, 8],
    ['oword', 128, 256, 16],
    ['hword', 256, 512, 32],
    ['reg', 32, 32, 32],
  ];
  for (const [family, simd8, simd16, uniform] of sizes)
    it(`F15 ${family} takes ${simd8}, ${simd16} and ${uniform} bytes`, () => {
      assert.equal(registerBytes(family, false, 8), simd8);
      assert.equal(registerBytes(family, false, 16), simd16);
      assert.equal(registerBytes(family, true, 8), uniform);
      assert.equal(registerBytes(family, true, 16), uniform);
    });

  it('aligns a uniform word to four bytes, others to their size', () => {
    assert.equal(registerAlignment(2), 4);
    assert.equal(registerAlignment(64), 64);
  });

  it('counts a slot in scratch by the size in memory: a byte is one byte there', () => {
    assert.equal(slotBytes('dword', 8), 32);
    assert.equal(slotBytes('dword', 16), 64);
    assert.equal(slotBytes('qword', 8), 64);
    assert.equal(slotBytes('qword', 16), 128);
    assert.equal(slotBytes('byte', 16), 16);
  });
});
