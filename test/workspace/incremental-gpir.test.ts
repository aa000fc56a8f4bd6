import fc from 'fast-check';
import { gpir } from '../../server/src/languages/gpir/index.js';
import { maliGp } from '../../server/src/targets/mali-gp/index.js';
import { editStep, runScript } from '../support/edit-scripts.js';
import { runs } from '../support/fuzz.js';
import { gpirPiece, gpirTyping } from '../support/gpir-typing.js';
import { toyTarget } from '../support/toy/target.js';

const lit = `; what all programs need
.program lit
.attribute a0 in_position
.varying v0 out position
start:
  %x = ld_att a0.x
  %c = lt %x, 0
  branch_cond start, %c
  st_var v0.x, %x

; the second one
.program fragment
.live_out @r
  %y = ld_reg @r
  st_reg @r, -%y
.program lit
  st_var v0.x, 1
`;

describe('incremental store, gpir', () => {
  const small = fc.oneof(
    fc.array(gpirPiece, { maxLength: 8 }).map((pieces) => pieces.join('')),
    fc.constant(lit),
  );
  for (const [what, target, usual] of [
    ['as the language sees it', toyTarget, 150],
    ['compiled', maliGp, 20],
  ] as const)
    it(`after every step of a random edit script equals the result from scratch, ${what}`, () => {
      fc.assert(
        fc.property(small, fc.array(editStep(gpirTyping, 100), { maxLength: 8 }), (first, steps) =>
          runScript({ language: gpir, target }, first, steps),
        ),
        { numRuns: runs(usual) },
      );
    });
});
