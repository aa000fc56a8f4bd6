import fc from 'fast-check';
import { gpir } from '../../server/src/languages/gpir/index.js';
import { editStep, runScript } from '../support/edit-scripts.js';
import { runs } from '../support/fuzz.js';
import { gpirPiece, gpirTyping } from '../support/gpir-typing.js';
import { toyTarget } from '../support/toy/target.js';

const pair = { language: gpir, target: toyTarget };

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
  it('after every step of a random edit script equals the result from scratch', () => {
    const small = fc.oneof(
      fc.array(gpirPiece, { maxLength: 8 }).map((pieces) => pieces.join('')),
      fc.constant(lit),
    );
    fc.assert(
      fc.property(small, fc.array(editStep(gpirTyping, 100), { maxLength: 8 }), (first, steps) =>
        runScript(pair, first, steps),
      ),
      { numRuns: runs(150) },
    );
  });
});
