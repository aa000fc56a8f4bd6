import assert from 'node:assert/strict';
import { poolSlots, type PoolOperand } from '../../../../server/src/targets/gen/scalar/pool-slots.js';

const dword = (width: number): PoolOperand => ({ isQword: false, registers: Math.max(1, width / 8) });
const qword = (width: number): PoolOperand => ({ isQword: true, registers: Math.max(1, width / 4) });
const times = (n: number, operand: PoolOperand): PoolOperand[] => new Array<PoolOperand>(n).fill(operand);

describe('F22 slots of the spill pool', () => {
  // facts A.14: width, operands, final offset, does it fit 8
  const rows: readonly [string, number, readonly PoolOperand[], number][] = [
    ['SIMD8, 3 dword sources and 1 dword destination', 8, times(4, dword(8)), 5],
    ['SIMD8, 7 dwords', 8, times(7, dword(8)), 8],
    ['SIMD8, 8 dwords', 8, times(8, dword(8)), 9],
    ['SIMD8, 3 qwords', 8, times(3, qword(8)), 8],
    ['SIMD8, 3 qwords and 1 dword', 8, [...times(3, qword(8)), dword(8)], 9],
    ['SIMD16, 3 dwords', 16, times(3, dword(16)), 7],
    ['SIMD16, 4 dwords', 16, times(4, dword(16)), 9],
    ['SIMD16, 1 qword', 16, times(1, qword(16)), 7],
    ['SIMD16, 2 qwords', 16, times(2, qword(16)), 11],
  ];
  for (const [name, width, operands, end] of rows)
    it(`${name}: ${end}, ${end <= 8 ? 'fits' : 'does not fit'} a pool of 8`, () => {
      assert.equal(poolSlots(operands, width).end, end);
    });

  it('7 dwords lie in pool registers 1 to 7', () => {
    assert.deepEqual(poolSlots(times(7, dword(8)), 8).slots, [1, 2, 3, 4, 5, 6, 7]);
  });

  it('the first qword leaves register 1 to the gathering of halves', () => {
    assert.deepEqual(poolSlots(times(3, qword(8)), 8).slots, [2, 4, 6]);
    assert.deepEqual(poolSlots([dword(8), qword(8)], 8).slots, [1, 3]);
  });

  it('operands of an instruction of one lane never share a slot, where an eighth of the width is none', () => {
    const vector = { isQword: false, registers: 1 };
    assert.deepEqual(poolSlots([vector, vector, vector], 1), { slots: [1, 2, 3], end: 4 });
  });
});
