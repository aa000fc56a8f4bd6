import assert from 'node:assert/strict';
import type { NvidiaCompilation } from '../../../server/src/targets/nvidia/compile.js';
import { nvidia } from '../../../server/src/targets/nvidia/index.js';
import { ptxSnapshot } from '../../support/ptx.js';

describe('nvidia listing with its text', () => {
  it('shows constants, names and special registers as they are written', () => {
    // the fence keeps the branch: a side with one is not predicated
    const text = `.version 8.0
.target sm_80
.address_size 64
.shared .b32 sh[32];
.entry k(.param .u64 p)
{
.reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>; .reg .pred %p<3>;
ld.param.u64 %rd1, [p];
mov.u32 %r1, %tid.x;
setp.gt.u32 %p1, %r1, 0x1f;
@!%p1 bra L;
ld.global.f32 %f1, [%rd1+16];
fma.rn.f32 %f1, %f1, 0f3FC00000, %f1;
st.shared.f32 [sh+4], %f1;
membar.cta;
ld.shared.f32 %f1, [sh+4];
st.global.f32 [%rd1+-4], %f1;
L: ret;
}
`;
    const snapshot = ptxSnapshot(text, nvidia);
    const unit = snapshot.units.find((u) => u.compilation !== undefined)!;
    const compilation = unit.compilation as NvidiaCompilation;
    const listing = nvidia.listing(compilation, text.slice(unit.start, unit.end));
    const out = listing.lines.join('\n');
    for (const line of [
      /LDC +R\d+, \[p\] /,
      /MOV +R\d+, %tid\.x /,
      /ISETP +P0, R\d+, 0x1f /,
      /@!P0 BRA +L /,
      /LDG +R\d+, \[R\d+\+16\] /,
      /FFMA +R\d+, R\d+, 0f3FC00000, R\d+ /,
      /STS +\[sh\+4\], R\d+ /,
      /STG +\[R\d+-4\], R\d+ /,
    ])
      assert.match(out, line);
    assert.doesNotMatch(out, /\b(imm|sym|SR|label)\b/);
  });
});
