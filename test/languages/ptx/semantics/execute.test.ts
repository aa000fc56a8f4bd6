import assert from 'node:assert/strict';
import { evaluate, runKernel, unitsOf } from '../../../support/ptx-run.js';

const f32 = (n: number): bigint => BigInt(new Uint32Array(new Float32Array([n]).buffer)[0]);
const f64 = (n: number): bigint => new BigUint64Array(new Float64Array([n]).buffer)[0];

/** Body, results as `type register`, the expected patterns; each worked out by hand from the PTX ISA manual. */
const cases: readonly (readonly [string, string, readonly string[], readonly bigint[]])[] = [
  ['add wraps', 'mov.u32 %r0, 0xffffffff; add.u32 %r1, %r0, 2;', ['u32 %r1'], [1n]],
  [
    'a carry chain adds 64 bits',
    'add.cc.u32 %r0, 0xffffffff, 1; addc.u32 %r1, 5, 6;',
    ['u32 %r0', 'u32 %r1'],
    [0n, 12n],
  ],
  ['a borrow chain', 'sub.cc.u32 %r0, 0, 1; subc.u32 %r1, 5, 2;', ['u32 %r0', 'u32 %r1'], [0xffff_ffffn, 2n]],
  ['mul.wide.s32', 'mov.u32 %r0, -3; mul.wide.s32 %rd0, %r0, 5;', ['u64 %rd0'], [0xffff_ffff_ffff_fff1n]],
  ['mul.hi.u32', 'mov.u32 %r0, 0x80000000; mul.hi.u32 %r1, %r0, 6;', ['u32 %r1'], [3n]],
  ['mad.lo.s32', 'mov.u32 %r0, -3; mad.lo.s32 %r1, %r0, 5, 20;', ['u32 %r1'], [5n]],
  ['mul.wide.u16', 'mov.u16 %h0, 0xffff; mul.wide.u16 %r0, %h0, %h0;', ['u32 %r0'], [0xfffe_0001n]],
  [
    'a guard that fails writes nothing',
    'mov.u32 %r0, 1; setp.eq.u32 %p0, %r0, 2; mov.u32 %r1, 7; @%p0 mov.u32 %r1, 8; @!%p0 mov.u32 %r2, 9;',
    ['u32 %r1', 'u32 %r2'],
    [7n, 9n],
  ],
  [
    'setp with a second predicate and a combination',
    'mov.u32 %r0, 3; setp.lt.u32 %p0|%p1, %r0, 5; setp.gt.and.u32 %p2, %r0, 1, !%p0; selp.u32 %r1, 1, 2, %p1; selp.u32 %r2, 1, 2, %p2;',
    ['u32 %r1', 'u32 %r2'],
    [2n, 2n],
  ],
  ['pack', 'mov.u32 %r0, 1; mov.u32 %r1, 2; mov.b64 %rd0, {%r0, %r1};', ['u64 %rd0'], [0x2_0000_0001n]],
  ['unpack with a sink', 'mov.u64 %rd0, 0x500000007; mov.b64 {_, %r1}, %rd0;', ['u32 %r1'], [5n]],
  [
    'pack halves',
    'mov.u16 %h0, 0x1234; mov.u16 %h1, 0xabcd; mov.b32 %r0, {%h0, %h1};',
    ['u32 %r0'],
    [0xabcd_1234n],
  ],
  [
    'fma rounds once',
    'mov.f32 %f0, 0f3F800800; fma.rn.f32 %f1, %f0, %f0, 0fBF801000;',
    ['f32 %f1'],
    [f32(2 ** -24)],
  ],
  [
    'f64',
    'mov.f64 %fd0, 0d3FF0000000000000; div.rn.f64 %fd1, %fd0, 0d4008000000000000;',
    ['f64 %fd1'],
    [f64(1 / 3)],
  ],
  ['a decimal constant is rounded to f32', 'mov.f32 %f0, 0.1;', ['f32 %f0'], [f32(0.1)]],
  ['cvt.rzi', 'mov.f32 %f0, 0fC0200000; cvt.rzi.s32.f32 %r0, %f0;', ['u32 %r0'], [0xffff_fffen]],
  ['cvt s8 extends in the register', 'mov.u32 %r0, 0x80; cvt.s32.s8 %r1, %r0;', ['u32 %r1'], [0xffff_ff80n]],
  [
    'cvt.rn.f16x2.f32 puts a above b',
    'mov.f32 %f0, 0f3F800000; mov.f32 %f1, 0f40000000; cvt.rn.f16x2.f32 %r0, %f0, %f1;',
    ['u32 %r0'],
    [0x3c00_4000n],
  ],
  ['add.f16x2 by halves', 'mov.b32 %r0, 0x3C004000; add.f16x2 %r1, %r0, %r0;', ['u32 %r1'], [0x4000_4400n]],
  [
    'set of halves gives 1.0 each',
    'mov.b32 %r0, 0x3C004000; mov.b32 %r1, 0x40003C00; set.lt.f16x2.f16x2 %r2, %r0, %r1;',
    ['u32 %r2'],
    [0x3c00_0000n],
  ],
  ['set gives all ones', 'mov.u32 %r0, 3; set.lt.u32.u32 %r1, %r0, 5;', ['u32 %r1'], [0xffff_ffffn]],
  [
    'a loop',
    'mov.u32 %r0, 0; mov.u32 %r1, 0; LOOP: add.u32 %r1, %r1, %r0; add.u32 %r0, %r0, 1; setp.lt.u32 %p0, %r0, 10; @%p0 bra LOOP;',
    ['u32 %r1'],
    [45n],
  ],
  [
    'brx.idx takes the listed label',
    'mov.u32 %r0, 1; mov.u32 %r1, 0; T: .branchtargets A, B, C; brx.idx %r0, T; A: add.u32 %r1, %r1, 1; B: add.u32 %r1, %r1, 10; C: add.u32 %r1, %r1, 100;',
    ['u32 %r1'],
    [110n],
  ],
  [
    'local memory and generic addresses',
    '.local .align 8 .b8 buf[16]; mov.u64 %rd0, buf; cvta.local.u64 %rd1, %rd0; mov.u32 %r0, 77; st.u32 [%rd1+4], %r0; ld.local.u32 %r1, [%rd0+4]; mov.u32 %r2, 0xfe; st.local.u8 [buf+8], %r2; ld.local.s8 %r3, [%rd0+8];',
    ['u32 %r1', 'u32 %r3'],
    [77n, 0xffff_fffen],
  ],
  [
    'shared atomics give the old value',
    '.shared .align 4 .b32 s; mov.u32 %r0, 5; st.shared.u32 [s], %r0; atom.shared.add.u32 %r1, [s], 3; atom.shared.cas.b32 %r2, [s], 8, 100; ld.shared.u32 %r3, [s];',
    ['u32 %r1', 'u32 %r2', 'u32 %r3'],
    [5n, 8n, 100n],
  ],
  [
    'scalar video instructions: one more operation behind the first',
    'mov.u32 %r0, 5; mov.s32 %r1, -7; vadd.u32.u32.u32.add %r2, %r0, %r0, %r0; vsub.s32.u32.s32.sat.max %r3, %r0, %r1, 20; vabsdiff.u32.s32.s32 %r4, %r1, %r0;',
    ['u32 %r2', 'u32 %r3', 'u32 %r4'],
    [15n, 20n, 12n],
  ],
  [
    'a warp of one lane',
    'setp.eq.u32 %p0, 0, 0; vote.sync.ballot.b32 %r0, %p0, 0xffffffff; mov.u32 %r9, 4; shfl.sync.idx.b32 %r1|%p1, %r9, 3, 31, -1; selp.u32 %r2, 1, 0, %p1;',
    ['u32 %r0', 'u32 %r1', 'u32 %r2'],
    [1n, 4n, 0n],
  ],
];

describe('PTX execution', () => {
  for (const [why, body, results, expected] of cases) {
    it(why, () => {
      assert.deepEqual(evaluate(body, ...results).slice(-results.length), expected);
    });
  }

  const head = '.version 8.0\n.target sm_90\n.address_size 64\n';

  it('calls a function through parameter memory, and one with register parameters', () => {
    const units = unitsOf(`${head}
      .func (.param .b32 ret) square(.param .b32 x) {
        .reg .b32 %r<3>; ld.param.u32 %r1, [x]; mul.lo.u32 %r2, %r1, %r1; st.param.b32 [ret], %r2; ret; }
      .func (.reg .b32 d) twice(.reg .b32 a) { add.u32 d, a, a; ret; }
      .visible .entry k(.param .u64 p) {
        .reg .b64 %rd<2>; .reg .b32 %r<5>;
        ld.param.u64 %rd1, [p]; mov.u32 %r1, 12;
        { .param .b32 a; .param .b32 r; st.param.b32 [a], %r1; call.uni (r), square, (a); ld.param.b32 %r2, [r]; }
        call (%r3), twice, (%r2);
        st.global.u32 [%rd1], %r3; ret; }`);
    const { run, memory } = runKernel(units, 'k');
    assert.equal(run.message, '');
    assert.equal(run.end, 'left');
    assert.deepEqual(
      memory.log.map((w) => w.value),
      [288n],
    );
  });

  it('reads initialised module variables', () => {
    const units = unitsOf(`${head}
      .const .align 4 .b32 table[3] = {10, 20, 30};
      .global .align 8 .u64 pointer = generic(table);
      .visible .entry k(.param .u64 p) {
        .reg .b64 %rd<4>; .reg .b32 %r<3>;
        ld.param.u64 %rd1, [p]; ld.global.u64 %rd2, [pointer]; ld.u32 %r1, [%rd2+4]; ld.const.u32 %r2, [table+8];
        st.global.v2.u32 [%rd1], {%r1, %r2}; ret; }`);
    const { run, memory } = runKernel(units, 'k');
    assert.equal(run.message, '');
    assert.deepEqual(
      memory.log.map((w) => w.value),
      [20n, 30n],
    );
  });

  it('reports a value that was never written when it reaches memory or a branch, and names what it cannot do', () => {
    const stop = (body: string): string => {
      const text = `${head}.visible .entry k(.param .u64 p) { .reg .b64 %rd<3>; .reg .b32 %r<9>; .reg .pred %p<3>;
        ld.param.u64 %rd1, [p]; ${body} ret; }`;
      return runKernel(unitsOf(text), 'k').run.message;
    };
    assert.match(stop('add.u32 %r1, %r2, 1; st.global.u32 [%rd1], %r1;'), /never written/);
    assert.match(stop('@%p1 bra L; L:'), /guard of bra was never written/);
    assert.match(stop('st.global.u32 [%rd1+2], 0;'), /not aligned/);
    assert.match(stop('wgmma.fence.sync.aligned;'), /cannot execute wgmma/);
    assert.equal(stop('add.u32 %r1, %r2, 1; mov.u32 %r1, 4; st.global.u32 [%rd1], %r1;'), '');
  });
});
