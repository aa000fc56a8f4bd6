import assert from 'node:assert/strict';
import { nvidia } from '../../../../server/src/targets/nvidia/index.js';
import { unitsOf } from '../../../support/ptx-run.js';

describe('narrowed values', () => {
  it('the low half of a value that stays wide is no copy of it', () => {
    const text = `
.version 8.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 p)
{
  .reg .b64 %rd<5>;
  .reg .b32 %r<3>;
  ld.param.u64 %rd1, [p];
  ld.volatile.global.u64 %rd2, [%rd1];
  mov.u64 %rd3, %rd2;
  cvt.u32.u64 %r1, %rd3;
  add.u32 %r2, %r1, 1;
  bar.sync 0;
  st.volatile.global.u64 [%rd1+8], %rd2;
  st.volatile.global.u32 [%rd1+16], %r2;
  st.volatile.global.u32 [%rd1+20], %r1;
  ret;
}
`;
    const f = unitsOf(text).find((unit) => unit.function !== undefined)?.function;
    assert(f);
    const compilation = nvidia.compile(f, {});
    assert.deepEqual(nvidia.verify?.(compilation), []);
  });
});
