import assert from 'node:assert/strict';
import { ptxHead } from '../../../support/ptx.js';
import { stagesOf } from '../../../support/machine-code.js';
import { unitsOf } from '../../../support/ptx-run.js';

/** Temporaries of the only instruction between two moves. */
function temporariesOf(instruction: string): number {
  const units = unitsOf(`${ptxHead}.visible .entry k(.param .u64 p) {
    .reg .pred %q; .reg .b16 %h<3>; .reg .b32 %r<3>; .reg .b64 %d<3>; .reg .f32 %f<3>; .reg .f64 %g<3>; .reg .b64 %out;
    ld.param.u64 %out, [p];
    ld.global.b32 %r1, [%out]; ld.global.b32 %r2, [%out+4]; ld.global.b64 %d1, [%out+8]; ld.global.b64 %d2, [%out+16];
    ld.global.f32 %f1, [%out]; ld.global.f32 %f2, [%out+4]; ld.global.f64 %g1, [%out+8]; ld.global.f64 %g2, [%out+16];
    setp.ne.u32 %q, %r1, %r2;
    ${instruction}
    st.global.b32 [%out], %r0; st.global.b64 [%out+8], %d0; st.global.f32 [%out+16], %f0; st.global.f64 [%out+24], %g0;
    ret; }`);
  const stage = stagesOf(units, 'k').find(({ pass }) => pass === 'sequences');
  assert.ok(stage);
  const { f, temporaries } = stage.code;
  const root = instruction.replace(/^@\S+ /, '').split(' ')[0];
  const at = Array.from(f.opcode).findIndex((opcode) => f.opcodes.text(opcode) === root);
  assert.ok(at >= 0, root);
  return temporaries[at];
}

describe('temporaries of software sequences', () => {
  it('one machine instruction needs none', () => {
    for (const text of [
      'add.u32 %r0, %r1, %r2;',
      'rcp.approx.ftz.f32 %f0, %f1;',
      'fma.rn.f64 %g0, %g1, %g2, %g1;',
    ])
      assert.equal(temporariesOf(text), 0, text);
  });

  // figures of ptxas 13.0: by how much `.maxnreg` must be raised over a kernel with a `mov` there
  for (const [text, registers] of [
    ['div.s32 %r0, %r1, %r2;', 4],
    ['rem.u32 %r0, %r1, %r2;', 3],
    ['div.s64 %d0, %d1, %d2;', 8],
    ['rem.u64 %d0, %d1, %d2;', 6],
    ['div.rn.f32 %f0, %f1, %f2;', 6],
    ['div.full.f32 %f0, %f1, %f2;', 0],
    ['rcp.rn.f32 %f0, %f1;', 4],
    ['sqrt.rn.f32 %f0, %f1;', 3],
    ['div.rn.f64 %g0, %g1, %g2;', 11],
    ['rcp.rn.f64 %g0, %g1;', 6],
    ['sqrt.rn.f64 %g0, %g1;', 12],
    ['mul.lo.s64 %d0, %d1, %d2;', 2],
    ['mul.hi.u64 %d0, %d1, %d2;', 4],
    ['atom.shared::cta.add.f32 %f0, [%r1], %f2;', 2],
    ['atom.shared.exch.b64 %d0, [%r1], %d2;', 0],
    ['atom.add.f64 %g0, [%d1], %g2;', 3],
    ['atom.global.add.f64 %g0, [%d1], %g2;', 0],
    ['min.f64 %g0, %g1, %g2;', 1],
  ] as const)
    it(`${text} ${registers}`, () => assert.equal(temporariesOf(text), registers));

  it('what is known of a constant divisor needs no register, with a guard too', () => {
    assert.equal(temporariesOf('div.s32 %r0, %r1, 7;'), 2);
    assert.equal(temporariesOf('@%q div.s32 %r0, %r1, 7;'), 2);
    assert.equal(temporariesOf('@%q div.s32 %r0, %r1, %r2;'), 4);
    assert.equal(temporariesOf('div.s32 %r0, 7, %r2;'), 4);
  });
});
