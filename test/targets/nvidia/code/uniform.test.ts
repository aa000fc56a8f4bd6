import assert from 'node:assert/strict';
import { UNIFORM } from '../../../../server/src/targets/nvidia/code/code.js';
import { stagesOf } from '../../../support/machine-code.js';
import { ptxHead } from '../../../support/ptx.js';
import { unitsOf } from '../../../support/ptx-run.js';

/** Names of the registers that live in uniform registers; `t` differs between lanes, `s` is loaded at it. */
function uniformOf(body: string, arch = 'sm_80', pattern = /^[a-z]$/): string[] {
  const units =
    unitsOf(`${ptxHead}.visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n, .param .u32 m) {
    .reg .pred %p, %q; .reg .b32 n, m, t, s, x, y, z, i, b; .reg .b64 a, o, u, v, w; .reg .f32 g;
    .shared .align 4 .b8 mem[1024];
    ld.param.u64 a, [in]; ld.param.u64 o, [out]; ld.param.u32 n, [n]; ld.param.u32 m, [m];
    mov.u32 t, %tid.x; mul.wide.u32 w, t, 4; add.s64 v, a, w; ld.global.u32 s, [v]; add.s64 o, o, w;
    ${body.replace('L: ', 'L: .pragma "nounroll"; ')}
    st.global.u32 [o], s;
    ret; }`);
  const stage = stagesOf(units, 'k', { arch }).find(({ pass }) => pass === 'uniform');
  assert.ok(stage);
  const { f } = stage.code;
  const names = f.registerNames.filter((name, r) => f.registerClass[r] === UNIFORM && pattern.test(name));
  return [...new Set(names)].sort();
}

// verdicts of ptxas 13.0 on these bodies for sm_80, read off the disassembly
describe('values of the whole warp', () => {
  for (const [why, body, expected] of [
    [
      'a product of parameters that one vector instruction reads',
      'mul.lo.u32 x, n, m; mul.lo.u32 s, s, x;',
      'x',
    ],
    [
      'what comes from %ctaid, through logic, shifts and bit counts',
      'mov.u32 b, %ctaid.x; shl.b32 x, b, 7; xor.b32 x, x, b; popc.b32 y, x; xor.b32 s, s, y;',
      'b x y',
    ],
    ['not what differs between lanes', 'mul.lo.u32 x, t, m; mul.lo.u32 s, s, x;', ''],
    ['not what is stored', 'mul.lo.u32 x, n, m; st.global.u32 [o+4], x; mul.lo.u32 s, s, x;', ''],
    ['not beside a constant in its reader', 'mul.lo.u32 x, n, m; mad.lo.u32 s, s, x, 7;', ''],
    ['not beside a parameter in its reader', 'mul.lo.u32 x, n, m; mad.lo.u32 s, s, x, m;', ''],
    ['not two in one reader', 'mul.lo.u32 x, n, m; sub.u32 y, n, m; mad.lo.u32 s, s, x, y;', ''],
    ['not a value that is shifted by a vector', 'mul.lo.u32 x, n, m; and.b32 y, s, 7; shl.b32 s, x, y;', ''],
    [
      'but a distance that a vector is shifted by',
      'mul.lo.u32 x, n, m; and.b32 y, x, 7; shl.b32 s, s, y;',
      'x y',
    ],
    ['not the operands of a division', 'shr.u32 x, n, 1; div.s32 s, s, x;', ''],
    [
      'not what is computed from a value in a vector register',
      'mul.lo.u32 x, n, m; add.u32 y, x, 1; st.global.u32 [o+4], x; mul.lo.u32 s, s, y;',
      '',
    ],
    [
      'a loop counter that a vector instruction reads and a register bounds',
      'mov.u32 i, 2; L: add.u32 s, s, i; add.u32 i, i, 2; sub.u32 x, s, i; setp.ne.u32 %p, x, t; @%p bra L;',
      '',
    ],
    [
      'not a counter that is compared with a parameter',
      'mov.u32 i, 0; L: add.u32 s, s, i; add.u32 i, i, 1; setp.lt.u32 %p, i, n; @%p bra L;',
      '',
    ],
    [
      'not a counter of a loop that lanes leave at different times',
      'mov.u32 i, 0; mov.u32 y, t; L: xor.b32 s, s, i; add.u32 i, i, 3; add.u32 y, y, 32; setp.lt.u32 %p, y, n; @%p bra L;',
      '',
    ],
    [
      'where some lanes are elsewhere',
      `setp.lt.s32 %p, s, 4; @%p bra L; mul.lo.u32 x, n, m; mul.lo.u32 s, s, x; ${'mul.lo.u32 s, s, s; xor.b32 s, s, t; '.repeat(20)} L: xor.b32 s, s, 1;`,
      'x',
    ],
    [
      'not in a small branch that becomes predicated',
      'setp.lt.s32 %p, s, 4; @%p bra L; mul.lo.u32 x, n, m; mul.lo.u32 s, s, x; L: xor.b32 s, s, 1;',
      '',
    ],
    [
      'though a predicated instruction reads it',
      'sub.u32 x, n, 1; xor.b32 y, t, x; setp.lt.s32 %p, s, 4; @%p bra L; and.b32 s, s, x; L: xor.b32 s, s, y;',
      'x',
    ],
    [
      'a pointer that the loop begins with a parameter, read before',
      'ld.global.u32 y, [a+8]; mov.u64 u, a; ld.global.u32 z, [u+12]; mul.wide.u32 w, t, 4; add.s64 w, u, w; ld.global.u32 i, [w]; add.u32 s, s, i; mov.u32 i, 0; L: ld.global.u32 y, [u]; xor.b32 s, s, y; add.s64 u, u, 4; add.u32 i, i, 1; setp.lt.u32 %p, i, n; @%p bra L;',
      'u',
    ],
    [
      'not what lanes define at different places',
      'setp.lt.s32 %p, s, 4; mov.u32 x, 1; @%p bra L; mov.u32 x, 2; L: mul.lo.u32 s, s, x;',
      '',
    ],
    [
      'a choice that all lanes make alike',
      'setp.lt.s32 %p, n, m; selp.b32 x, n, m, %p; add.u32 x, x, 5; mul.lo.u32 s, s, x;',
      'x',
    ],
    [
      'a pointer that a loop moves on, with one access',
      'mov.u64 u, a; mov.u32 i, 0; L: ld.global.u32 y, [u]; xor.b32 s, s, y; add.s64 u, u, 4; add.u32 i, i, 1; setp.lt.u32 %p, i, n; @%p bra L;',
      'u',
    ],
    [
      'not with two accesses, which would be four moves',
      'mov.u64 u, a; mov.u32 i, 0; L: ld.global.u32 y, [u]; ld.global.u32 z, [u+4]; mad.lo.u32 s, s, y, z; add.s64 u, u, 8; add.u32 i, i, 1; setp.lt.u32 %p, i, n; @%p bra L;',
      '',
    ],
  ] as const)
    it(why, () => assert.equal(uniformOf(body).join(' '), expected));

  it('no more at once than there are uniform registers', () => {
    const names = Array.from({ length: 70 }, (_, k) => `c${k}`);
    const body = `.reg .b32 ${names.join(', ')};
      ${names.map((c, k) => `mad.lo.u32 ${c}, n, ${k + 3}, m;`).join(' ')} bar.sync 0;
      ${names.map((c) => `mul.lo.u32 s, s, ${c};`).join(' ')}`;
    assert.deepEqual(uniformOf(body, 'sm_80', /^c\d+$/), []);
    const few = body.replaceAll(/\b(?:mad|mul)\S* [^;]*c[3-6]\d[^;]*;/g, '');
    assert.ok(uniformOf(few, 'sm_80', /^c\d+$/).length > 20);
  });

  it('sm_75 takes an address from a uniform register as it is', () => {
    const body =
      'mov.u64 u, a; mov.u32 i, 0; L: ld.global.u32 y, [u]; ld.global.u32 z, [u+4]; mad.lo.u32 s, s, y, z; add.s64 u, u, 8; add.u32 i, i, 1; setp.lt.u32 %p, i, n; @%p bra L;';
    assert.deepEqual(uniformOf(body, 'sm_75'), ['u']);
  });
});
