import { definition } from '../../../server/src/features/definition.js';
import { checkMarks, fixture } from '../../support/fixture.js';
import { genSnapshot } from './support.js';

/** Go to definition from `$0` gives what is marked `def`. */
function check(marked: string): void {
  const f = fixture(marked);
  const found = definition(genSnapshot(f.text), f.lines.positionAt(f.cursor));
  checkMarks(
    f,
    found.map(({ range }) => range),
    'def',
  );
}

describe('gen-ir definition', () => {
  it('goes to the definitions of the channels that are read', () => {
    check(`
mov(8) vgrf1.x:F, u0.xxxx:F
mov(8) vgrf1.y:F, u1.xxxx:F
       ^^^^^ def
mov(8) vgrf1.zw:F, u2.xxxx:F
add(8) vgrf2.xy:F, $0vgrf1.yyyy:F, 1F
`);
    check(`
mov(8) vgrf1.x:F, u0.xxxx:F
       ^^^^^ def
mov(8) vgrf1.y:F, u1.xxxx:F
       ^^^^^ def
mov(8) vgrf1.zw:F, u2.xxxx:F
dp2(8) vgrf2:F, $0vgrf1.xyzw:F, u3.xyzw:F
`);
  });

  it('reads through a swizzle only what the mask lets out', () => {
    check(`
mov(8) vgrf1.x:F, u0.xxxx:F
mov(8) vgrf1.y:F, u1.xxxx:F
       ^^^^^ def
mov(8) vgrf2.x:F, vg$0rf1.yxxx:F
`);
  });

  it('ends at what writes the channels again, and not at a predicated write', () => {
    check(`
mov(8) vgrf1:F, u0.xxxx:F
mov(8) vgrf1.xy:F, u1.xxxx:F
       ^^^^^ def
cmp(8).l.f0.0 null:F, u0.xxxx:F, u1.xxxx:F
(+f0.0) mov(8) vgrf1.x:F, u2.xxxx:F
               ^^^^^ def
add(8) vgrf2.x:F, vgrf1$0.xxxx:F, 1F
`);
  });

  it('tells the registers of a wide one apart', () => {
    check(`
mov(8) vgrf1+0.0:F, u0.xxxx:F
mov(8) vgrf1+1.0:F, u1.xxxx:F
       ^^^^^ def
add(8) vgrf2:F, $0vgrf1+1.0.xyzw:F, 1F
`);
    check(`
.mode simd8
mov(8) vgrf1+0.0:F, 1f
mov(8) vgrf1+1.0:F, 2f
       ^^^^^ def
mov(1) vgrf1+1.8<1>:F, 3f NoMask
add(8) vgrf2:F, $0vgrf1+1.12<0>:F, 1f
`);
  });

  it('keeps the bytes between the elements of a strided write', () => {
    check(`
.mode simd8
mov(8) vgrf1:UD, 1u
       ^^^^^ def
mov(8) vgrf1+0.2<2>:UW, 2u
       ^^^^^ def
add(8) vgrf2:UD, $0vgrf1:UD, 1u
`);
    check(`
.mode simd16
mov(8) vgrf1+0.0:UD, 1u group0
       ^^^^^ def
mov(8) vgrf1+1.0:UD, 2u group8
       ^^^^^ def
add(16) vgrf2:UD, $0vgrf1:UD, 1u
`);
  });

  it('takes no value from the other branch, since no channel executes both', () => {
    check(`
mov(8) vgrf1:F, 0D
       ^^^^^ def
cmp(8).l.f0.0 null:F, u0.xxxx:F, u1.xxxx:F
(+f0.0) if(8) (null):UD
mov(8) vgrf1:F, 1D
else(8) (null):UD
add(8) vgrf2:F, $0vgrf1.xyzw:F, 1F
endif(8) (null):UD
`);
    check(`
mov(8) vgrf1:F, 0D
cmp(8).l.f0.0 null:F, u0.xxxx:F, u1.xxxx:F
(+f0.0) if(8) (null):UD
mov(8) vgrf1:F, 1D
       ^^^^^ def
else(8) (null):UD
mov(8) vgrf1:F, 2D
       ^^^^^ def
endif(8) (null):UD
add(8) vgrf2:F, $0vgrf1.xyzw:F, 1F
`);
  });

  it('finds the definition of the round before', () => {
    check(`
mov(8) vgrf1.x:D, 0D
       ^^^^^ def
do(8) (null):UD
cmp(8).ge.f0.0 null:D, $0vgrf1.xxxx:D, u0.xxxx:D
(+f0.0) break(8) (null):UD
add(8) vgrf1.x:D, vgrf1.xxxx:D, 1D
       ^^^^^ def
while(8) (null):UD
`);
  });

  it('knows flags and message registers', () => {
    check(`
cmp(8).l.f0.0 null:F, u0.xxxx:F, u1.xxxx:F
cmp(8).l.f0.0 null:F, u0.xxxx:F, u2.xxxx:F
         ^^^^ def
cmp(8).l.f0.1 null:F, u0.xxxx:F, u3.xxxx:F
(+$0f0.0) sel(8) vgrf1:F, u0.xxxx:F, u1.xxxx:F
`);
  });
});
