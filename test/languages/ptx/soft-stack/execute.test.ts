import fc from 'fast-check';
import { runs } from '../../../support/fuzz.js';
import { randomStackModule } from '../../../support/random-ptx-stack.js';
import { tryModule, type Trial } from '../../../support/soft-stack-trial.js';

/**
 * The transformation is right when nobody can tell the difference: random modules leave the same memory and print the
 * same before and after, for one, two and four warps under random orders, and no stack grows into another.
 */
const trials: readonly Trial[] = [
  { warps: 1, width: 1, lanes: 'uniform', seeds: [0] },
  { warps: 2, width: 1, lanes: 'uniform', seeds: [1, 2] },
  { warps: 4, width: 1, lanes: 'uniform', seeds: [3, 4] },
  { warps: 2, width: 4, lanes: 'uniform', seeds: [5] },
  { warps: 1, width: 1, lanes: 'own', seeds: [0] },
  { warps: 2, width: 3, lanes: 'own', seeds: [6] },
  { warps: 4, width: 2, lanes: 'own', seeds: [7] },
];

describe('soft stacks: before and after', () => {
  for (const trial of trials)
    it(`${trial.warps} warps of ${trial.width}, stacks ${trial.lanes}`, () => {
      fc.assert(
        fc.property(randomStackModule, (m) => void tryModule(m, trial)),
        { numRuns: runs(12) },
      );
    }).timeout(60_000);
});
