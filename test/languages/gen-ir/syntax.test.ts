import assert from 'node:assert/strict';
import { genIr } from '../../../server/src/languages/gen-ir/index.js';
import { unitEnd } from '../../../server/src/languages/gen-ir/split.js';
import { maskOf, swizzleOf } from '../../../server/src/languages/gen-ir/tree.js';
import { bound, canonical, check, instructionsOf, lowered, problemsOf } from './support.js';

describe('gen-ir syntax', () => {
  it('F1 reads both orders of a head, and reports a mixture once', () => {
    assert.equal(bound('   0: add(8).sat vgrf6.xy:F, vgrf6.xyyy:F, 1.000000F').parsed.dialect, 'vec4');
    assert.equal(bound('   0: add.sat(8) vgrf7:F, vgrf6:F, 1f ').parsed.dialect, 'scalar');
    check(`
   0: add(8).sat vgrf6.xy:F, vgrf6.xyyy:F, 1.000000F
   1: add.sat(8) vgrf6.zw:F, vgrf6.xyyy:F, 1.000000F
      ^^^^^^^^^^ warning syntax/head-order: this is the order of a scalar dump
   2: add.sat(8) vgrf7.zw:F, vgrf6.xyyy:F, 1.000000F
`);
    const [, second] = instructionsOf(
      'add(8).sat vgrf6.xy:F, vgrf6.xyyy:F, 1F\nadd.sat(8) vgrf6.zw:F, vgrf6.xyyy:F, 1F',
    );
    assert.ok(second.saturate);
    assert.equal(second.width, 8);
  });

  it('F2 reads every prefix of a line; gaps and repeats of the number are no errors', () => {
    const lines = [
      'mov(8) vgrf1:F, vgrf2:F ',
      '   1: mov(8) vgrf1:F, vgrf2:F ',
      '{  3}    1: mov(8) vgrf1:F, vgrf2:F ',
      '   17: mov(8) vgrf1:F, vgrf2:F ',
    ];
    const text = lines.join('\n');
    assert.deepEqual(problemsOf(text), []);
    assert.deepEqual(
      instructionsOf(text).map(({ ip, pressure }) => [ip, pressure]),
      [
        [-1, -1],
        [1, -1],
        [1, 3],
        [17, -1],
      ],
    );
  });

  it('F3 takes no operand from the null sources that pad what the back-end made', () => {
    assert.deepEqual(canonical('.mode simd4x2\nmov(8) g3.xyz:F, g4.0.xyzw:F, null.xyzw:UD, null.xyzw:UD'), [
      'mov(8) | g3.xyz:F | g4:F',
    ]);
  });

  it('F4 reads an absent source that is glued to the one before', () => {
    const text = '  13: send(8) (mlen: 4) (EOT) (null):UD, 0u, 0u, vgrf14:F(null):UD ';
    assert.deepEqual(problemsOf(text), []);
    const [{ sources, destination }] = instructionsOf(text);
    assert.equal(destination.file, 'none');
    assert.deepEqual(
      sources.map(({ file }) => file),
      ['immediate', 'immediate', 'virtual', 'none'],
    );
    const [move] = instructionsOf('mov.sat(8) vgrf7:F, vgrf3+3.0:F(null):UD ');
    assert.equal(move.sources.length, 2);
  });

  it('F5 knows where each back-end closes the bars of an absolute value', () => {
    assert.deepEqual(canonical('   0: add(8) vgrf6:F, vgrf4.xyzw:F, -|vgrf3.xyzz|:F'), [
      'add(8) | v:F | v:F | -|v.xyzz|:F',
    ]);
    // Uniforms of the scalar back-end count in dwords: register 3, byte 8 is dword 5.
    assert.deepEqual(canonical('   0: add(8) vgrf6:F, vgrf4:F, -|u3+0.4|<0>:F '), [
      'add(8) | v:F | v:F | -|u3+4|<0>:F',
    ]);
    check(`
   0: add(8) vgrf6:F, vgrf4.xyzw:F, -|vgrf3.xyzz:F
                                    ^^^^^^^^^^^^^^ error syntax/operand: the closing '|'
`);
  });

  it('F6 reads vector immediates, infinities, not-a-numbers and what the dump could not print', () => {
    assert.deepEqual(
      canonical(
        'mov(8) vgrf1:F, [1F, 0.5F, 0F, -2F]\nmov(8) vgrf2:F, infF\nmov(8) vgrf3:F, -infF\nmov(8) vgrf4:F, ???',
      ),
      // 1 is exponent 3 of bias 3; 0.5 exponent 2; 2 exponent 4; the sign is bit 7; x is the lowest byte.
      [
        'mov(8) | v:F | #VF:c0002030',
        'mov(8) | v:F | #F:7f800000',
        'mov(8) | v:F | #F:ff800000',
        'mov(8) | v:F | #INVALID:00000000',
      ],
    );
    const [{ sources }] = instructionsOf('add(8) vgrf1.x:F, nanF, vgrf2.xxxx:F');
    assert.ok(Number.isNaN(new Float32Array(Int32Array.of(sources[0].low).buffer)[0]));
    check(`
mov(8) vgrf3.:F, vgrf2.xyzw:F
            ^ error syntax/write-mask: the write mask is empty
`);
  });

  it('F7 takes the odd mnemonic as one word, and `do` on every machine', () => {
    const text = [
      '   0: tcs_src0<0,1,0>_is_zero(8) null:UD, g1.0.xyzw:UD',
      '   1: do(8) (null):UD',
      '   2: while(8) (null):UD',
    ].join('\n');
    assert.deepEqual(problemsOf(text), []);
    assert.equal(instructionsOf(text)[0].opcode.text, 'tcs_src0<0,1,0>_is_zero');
  });

  it('F8 infers sizes from the offsets that are printed', () => {
    const { registers } = bound(`
   0: mov(8) vgrf0:F, vgrf1+0.0.xyzw:F
   1: mov(8) vgrf2+1.0:F, vgrf3+0.16.xyzw:F
   2: mov(8) vgrf4:DF, vgrf4.xyzw:DF
   3: mov(8) vgrf5:UD, vgrf6+0.0.xyzw:UB
`);
    const size = (number: number): number => registers.sizes[registers.indexOf(number)];
    assert.equal(size(0), 1, 'no offset: as large as the access');
    assert.equal(size(1), 2, '+0.0 behind a whole register: there is more');
    assert.equal(size(2), 2, 'the second register is written');
    assert.equal(size(3), 2, 'an access of 32 bytes from byte 16 on');
    assert.equal(size(4), 2, 'eight doubles');
    assert.equal(size(6), 1, '+0.0 behind less than a register says nothing');
    check(`
.vgrf 3 size 1
.vgrf 4 size 2
.vgrf 5 size 1
.mode simd4x2
mov(8) vgrf3+1.0:F, vgrf2.xyzw:F
       ^^^^^^^^^^^ error type/register-size: the operand reaches beyond vgrf3: it needs 2 registers
mov(8) vgrf4:F, vgrf2.xyzw:F
       ^^^^^^^ error type/register-size: without an offset the access is as large
mov(8) vgrf5+0.0:F, vgrf2.xyzw:F
       ^^^^^^^^^^^ error type/register-size: +0.0 is written where
`);
  });

  it('reads directives', () => {
    const text = `
.gen 1
.program blur
.target hsw
.mode simd16
.payload g0-g3, g5
.uniforms 12
.reserved 8 @g120
.vgrf 3 size 2 type F sum
.live_out vgrf3
mov(16) vgrf3:F, 0f
`;
    assert.deepEqual(problemsOf(text), []);
    const f = genIr.lower(bound(text));
    assert.equal(f?.name, 'blur');
    const { attributes } = f;
    assert.deepEqual(
      [
        attributes.platform,
        attributes.width,
        attributes.firstFree,
        attributes.uniforms,
        attributes.reservedAt,
      ],
      ['hsw', 16, 6, 12, 120],
    );
    assert.equal(attributes.payloadAssumed, undefined);
    assert.deepEqual(canonical(text), ['mov(16) | v:F | #F:00000000', 'live_out(16) | v:UD']);
  });

  it('reads masks and swizzles as bits', () => {
    const [{ destination, sources }] = instructionsOf('mov(8) vgrf1.xw:F, vgrf2.wzyx:F');
    assert.equal(maskOf(destination), 0b1001);
    assert.equal(swizzleOf(sources[0]), 0b00_01_10_11);
  });

  it('reads what only braces say', () => {
    assert.deepEqual(canonical('gfx4_scratch_read(8) vgrf1:F, 6D {mlen 2, base_mrf 14 NoDDClr}'), [
      'gfx4_scratch_read(8) mlen=2 base_mrf=14 NoDDClr | v:F | #D:00000006',
    ]);
  });

  it('writes predicates and conditions into the head, and their flags behind the operands', () => {
    assert.deepEqual(
      canonical(
        '   0: cmp(8).ge.f0.1 null:F, vgrf5.wwww:F, 0.500000F\n   1: (-f0.1.any4h) if(8) (null):UD\n   2: endif(8) (null):UD',
      ),
      [
        'cmp(8) cond=ge.f0.1 | null:F | v.wwww:F | #F:3f000000 | ',
        'if(8) pred=-f0.1.any4h | none:UD | ',
        'endif(8) | none:UD',
      ],
    );
  });

  it('reports one error a fault and keeps the rest', () => {
    check(`
.gen 1
.target hsx
        ^^^ error syntax/directive: 'hsx' is not one of
.uniformz 3
^^^^^^^^^ error syntax/unknown-directive: there is no directive '.uniformz'; did you mean .uniforms?
mov(8 vgrf1:F, vgrf2.xyzw:F
   ^^ error syntax/width: the execution size is one of
mov(8) vgrf1:Q7, vgrf2.xyzw:F
             ^^ error syntax/unknown-type: there is no type 'Q7'
mov(8) vgrf1:F, vgrf2.xy:F
                     ^^^ error syntax/swizzle: 'xy' is no swizzle
add(8) vgrf1:F, 0D,
                  ^ error syntax/operand: an operand must follow the ','
mov(8) vgrf1:F, 12
                ^^ error syntax/number: '12' is no number of a Gen program: it needs a type
(+f0.0 mov(8) vgrf1:F, 0D
^^^^^^ error syntax/guard
mov(8) vgrf1:F vgrf2.xyzw:F
               ^^^^^^^^^^^^ error syntax/missing-comma
mov
^^^ error syntax/statement: 'mov' is no instruction yet
`);
  });

  it('takes structured control flow without an operand', () => {
    const bare =
      '.gen 1\n.mode simd8\n(+f0.0) if(8)\ndo(8)\nbreak(8)\ncont(8) NoMask\n(+f0.0) while(8)\nelse(8) ; no\nhalt(8) {NoDDClr}\nendif(8)\n';
    check(bare);
    assert.deepEqual(
      canonical(bare),
      canonical(bare.replace(/(if|do|while|else|break|cont|halt|endif)\(8\)/g, '$1(8) (null):UD')),
    );
    check(`
.gen 1
mov(8)
^^^^^^ error syntax/operand: the destination is missing
`);
  });

  it('tells that no keyword stands before the name of a register', () =>
    check(`
.gen 1
.vgrf 2 size 3 type F name foo
                      ^^^^ error syntax/directive: no keyword stands before the name
.vgrf 3 size 1 type F name
`));

  it('keeps the pool in the register file, and apart from the payload', () => {
    check(`
.gen 1
.payload g0-g3
.reserved 9 @g120
^^^^^^^^^^^^^^^^^ error syntax/directive: the pool would end at g128, and the register file has g0 to g127: .reserved 9 @g119
`);
    check(`
.gen 1
.payload g0-g3
.reserved 8 @g3
^^^^^^^^^^^^^^^ error syntax/directive: the pool begins at g3, and the payload reaches to g3
`);
    check('.gen 1\n.payload g0-g3\n.reserved 8 @g4\n');
    const { attributes } = lowered(
      '.gen 1\n.reserved 8 @g120\nmov(8) vgrf1:F, g2.0.xyzw:F\nmov(8) m2:F, g120.0.xyzw:F\n',
    );
    assert.equal(attributes.firstFree, 3);
  });

  it('reports what only the other mode has, once', () => {
    check(`
.gen 1
.mode simd8
dp4(8) vgrf1:F, vgrf2:F, vgrf2:F
^^^ warning type/dialect: the program is scalar, and dp4 adds up
dph(8) vgrf1:F, vgrf2:F, vgrf2:F
`);
    check(`
.gen 1
.mode simd4x2
add(16) vgrf1:F, vgrf2.xyzw:F, 1F
   ^^^^ warning type/dialect: the program is SIMD4x2, where 8 channels execute
`);
  });

  it('warns of a number that becomes infinity', () =>
    check(`
.gen 1
mov(8) vgrf1:F, 1e999F
                ^^^^^^ warning syntax/number: 1e999F is too large for its type: it becomes infinity, which is written infF
mov(8) vgrf1:F, -infF
mov(8) vgrf1:F, 3.40282e+38F
`));

  it('leaves what a process printed in front of a section to that section', () => {
    const program = '.gen 1\nmov(8) m2:F, g1.0.xyzw:F\n';
    const prose = 'Beignet: device found\nbuild options: -DN=4\n3 warnings\n\n';
    const section = ".decl_function f\n.end_function\nf's SELECTION IR begin:\n";
    assert.equal(unitEnd(program + prose + section, 0), program.length);
    assert.deepEqual(problemsOf(program), []);
    assert.equal(unitEnd(program + prose, 0), program.length + prose.length, 'no section follows');
  });

  it('leaves the disassembly of native code alone', () => {
    const native = `Native code for unnamed vertex shader GLSL3 (sha1 00)
SIMD4x2 shader: 3 instructions. 0 loops. 20 cycles.
   START B0 (20 cycles)
mov(8)          g116<1>.xF      g1<0>F                          { align16 1Q };
send(8)         null<1>F        g113<4,4,1>UD
                            urb MsgDesc: 0x060a8000 mlen 5 { align16 1Q EOT };
   END B0
`;
    assert.deepEqual(problemsOf(native), []);
    assert.equal(instructionsOf(native).length, 0);
    const dump = '   0: mov(8) vgrf1:F, u0.xyzw:F\n   1: mov(8) m2:F, vgrf1.xyzw:F\n';
    assert.equal(unitEnd(dump + native + dump, 0), dump.length);
    assert.equal(unitEnd(native + dump, 0), native.length);
  });
});
