import fc from 'fast-check';
import { genIr } from '../../server/src/languages/gen-ir/index.js';
import { gen } from '../../server/src/targets/gen/index.js';
import { editStep, runScript } from '../support/edit-scripts.js';
import { runs } from '../support/fuzz.js';
import { genPiece, genTyping } from '../support/gen-typing.js';
import { toyTarget } from '../support/toy/target.js';

const two = `; what all programs need
.gen 1
.program lit
.target hsw
.mode simd4x2
  mov(8) vgrf1.xyz:F, attr0.xyzz:F
  dp3(8) vgrf2.x:F, vgrf1.xyzw:F, u0.xyzw:F
  cmp(8).l.f0.0 null:F, vgrf2.xxxx:F, 0F
  (+f0.0) mov(8) vgrf2.x:F, 0F
  mov(8) m2:F, vgrf2.xxxx:F
  vs_urb_write(8) (null):UD {mlen 3, eot}

; the second one
.program fragment
.mode simd8
   0: add(8) vgrf1:F, g2:F, 1f
   1: mul.sat(8) vgrf2:F, vgrf1:F, vgrf1:F

   0: mov(8) vgrf1:F, g2:F
   1: add(8) vgrf2:F, vgrf1:F, 1f
`;

describe('incremental store, gen-ir', () => {
  const small = fc.oneof(
    fc.array(genPiece, { maxLength: 8 }).map((pieces) => pieces.join('')),
    fc.constant(two),
  );
  for (const [what, target, usual] of [
    ['as the language sees it', toyTarget, 100],
    ['compiled', gen, 10],
  ] as const)
    it(`after every step of a random edit script equals the result from scratch, ${what}`, () => {
      fc.assert(
        fc.property(small, fc.array(editStep(genTyping, 100), { maxLength: 8 }), (first, steps) =>
          runScript({ language: genIr, target }, first, steps),
        ),
        { numRuns: runs(usual) },
      );
    }).timeout(60_000);
});
