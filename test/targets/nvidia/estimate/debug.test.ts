import assert from 'node:assert/strict';
import { nvidia } from '../../../../server/src/targets/nvidia/index.js';
import { unitsOf } from '../../../support/ptx-run.js';

/** The shape of what nvcc -G writes: every value copied, every address computed again. */
const text = (target: string): string => `
.version 8.0
.target ${target}
.address_size 64
.visible .entry k(.param .u64 a, .param .u32 n)
{
  .reg .b32 %r<6>;
  .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [a];
  ld.param.u32 %r1, [n];
  mov.u32 %r2, %tid.x;
  mov.b32 %r3, %r2;
  cvt.u64.u32 %rd2, %r3;
  shl.b64 %rd3, %rd2, 2;
  add.s64 %rd4, %rd1, %rd3;
  ld.u32 %r4, [%rd4];
  add.s32 %r5, %r4, %r1;
  cvt.u64.u32 %rd5, %r3;
  shl.b64 %rd6, %rd5, 2;
  add.s64 %rd7, %rd1, %rd6;
  st.u32 [%rd7], %r5;
  ret;
}
`;

const statsOf = (target: string): ReturnType<typeof nvidia.compile> => {
  const f = unitsOf(text(target)).find((unit) => unit.function !== undefined)?.function;
  assert(f);
  return nvidia.compile(f, {});
};

describe('code for debugging', () => {
  // what ptxas 13.0 printed for the same instructions with the debug sections of nvcc -G
  for (const [arch, printed] of [
    ['sm_75', 9],
    ['sm_80', 11],
    ['sm_90', 11],
  ] as const)
    it(`is compiled as it is written: ${arch}`, () => {
      const { stats, assumptions } = statsOf(`${arch}, debug`);
      assert.equal(stats.instructions, 14);
      const registers = stats.registers.general;
      assert(Math.abs(registers - printed) <= 1, `${registers} for ${printed}`);
      assert(assumptions?.some((each) => each.startsWith('.target debug')));
    });

  it('is folded where the target is not for debugging', () => {
    const { stats, assumptions } = statsOf('sm_80');
    assert(stats.instructions < 10);
    assert(!assumptions?.some((each) => each.startsWith('.target debug')));
  });
});
