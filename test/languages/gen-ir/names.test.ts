import { check } from './support.js';

describe('gen-ir names and types', () => {
  it('reports what is only read, and hints at what is only written', () =>
    check(
      `
.gen 1
.mode simd4x2
mov(8) vgrf1:F, vgrf2.xyzw:F
       ^^^^^ hint name/never-read: vgrf1 is written and nothing reads it
                ^^^^^ warning name/never-written: vgrf2 is read and nothing writes it
.vgrf 3 size 1
      ^ hint name/unused-register: vgrf3 is declared and never mentioned
`,
      true,
    ));

  it('says less of a dump', () =>
    check(
      `
   0: mov(8) vgrf1:F, vgrf2.xyzw:F
                      ^^^^^ hint name/never-written: vgrf2
`,
      true,
    ));

  it('knows what may stand where', () =>
    check(`
.gen 1
mov(8) u3:F, 0D
       ^^^^ error type/operand-kind: nothing can be written to a uniform
mov(8) g200:F, 0D
       ^^^^ error hw/location: the register file has g0 to g127
mov(8) m2:F, thing
             ^^^^^ error type/operand-kind: a source is a register
mov(8) s4:F, 0D
       ^^^^ error type/operand-kind: only 'spill' writes
spill(8) s4.xy:F, g3.xyyy:F
unspill(8) g3:F, s4:F
unspil(8) g3:F, s4:F
^^^^^^ warning isa/unknown-instruction: there is no operation 'unspil': did you mean unspill?
                ^^^^ error type/operand-kind: only 'unspill' reads
jmpi(8) m3:F
        ^^^^ error type/operand-kind: 'jmpi' needs the label
jmpi(8) nowhere
        ^^^^^^^ error name/unknown-label: there is no label 'nowhere'
again:
again:
^^^^^ error name/duplicate: the label 'again' stands further up
jmpi(8) again
`));

  it('reports a directive that stands twice or asks for what there is not', () =>
    check(`
.gen 2
     ^ error syntax/directive: there is no version 2
.target ivb
.target hsw
^^^^^^^ warning syntax/directive: '.target' stands further up already
.payload g0-g130
         ^^^^^^^ error hw/location
.vgrf 1 size 0
             ^ error type/register-size
.vgrf 1 size 1
      ^ error name/duplicate: vgrf1 has a .vgrf above already
.grf_limit 200
           ^^^ error syntax/directive: the register file has 128
mov(8) vgrf1:F, 0D
.live_out vgrf1
`));

  it('reports uniforms and attributes that the program does not have', () =>
    check(`
.uniforms 2
.attrs 1
mul(8) m2:F, u1.xyzw:F, attr0.xyzw:F
mul(8) m3:F, u2.xyzw:F, attr1.xyzw:F
             ^^ warning name/undeclared: '.uniforms' gives the program 2
                        ^^^^^ warning name/undeclared: '.attrs' gives the program 1
`));

  it('tells of parts of the other dialect once', () => {
    check(`
.mode simd8
mov(8) g4:F, 0f
mov(8) g5.xy:F, 0f
       ^^^^^^^ warning type/dialect: the program is scalar
mov(8) g6.xy:F, 0f
`);
    check(`
.mode simd4x2
mov(8) m2:F, g1<0>:F
             ^^^^^^^ warning type/dialect: the program is SIMD4x2
`);
  });

  it('reports control flow that does not nest', () =>
    check(`
   0: endif(8) (null):UD
      ^^^^^ error syntax/control-flow: 'endif' has no 'if' before it
   1: do(8) (null):UD
      ^^ error syntax/control-flow: 'do' has no 'while'
   2: if(8) (null):UD
   3: while(8) (null):UD
      ^^^^^ error syntax/control-flow: 'while' ends something
   4: endif(8) (null):UD
`));

  it('compares block marks with the blocks of the control flow, once', () => {
    check(`
START B0
   0: cmp(8).l.f0.0 null:F, u0.xxxx:F, 0F
   1: (+f0.0) if(8) (null):UD
END B0 ->B1 ->B2
START B1 <-B0
   2: mov(8) m2:F, 0D
END B1 ->B2
START B2 <-B0 <-B1
   3: endif(8) (null):UD
END B2
`);
    check(`
START B0
   0: cmp(8).l.f0.0 null:F, u0.xxxx:F, 0F
   1: (+f0.0) if(8) (null):UD
END B0 ->B1 ->B3
^^^^^^^^^^^^^^^^ warning dump/block-mark: control does not go from block 0 to block 3
START B1 <-B0
   2: endif(8) (null):UD
END B1 ->B7
`);
  });

  it('takes a dump with impossible sizes as one of allocated code', () =>
    check(
      `
   0: add(8) vgrf12:F, g2<0>:F, 1f 
      ^^^ hint dump/assumed-phase: one number behind vgrf
   1: send(8) (mlen: 2) vgrf12+0.0:F, 0u, 0u, vgrf12+1.0:F 
`,
      true,
    ));
});
