import fc from 'fast-check';
import { randomMixedModule, randomStackModule } from '../support/random-ptx-stack.js';
import { tryModule, type Trial } from '../support/soft-stack-trial.js';
import { seed, times } from './options.js';
import { Search } from './properties.js';

/**
 * Whether a module does the same after its frames have moved to soft stacks: random modules on random numbers of warps and
 * lanes, under random orders.
 *   --seed N   the seed (printed)   --times N   times the usual number (1 500 modules)
 */
const trial: fc.Arbitrary<Trial> = fc.record({
  blocks: fc.constantFrom(1, 2),
  warps: fc.constantFrom(1, 2, 4),
  width: fc.constantFrom(1, 2, 5),
  lanes: fc.constantFrom('uniform', 'own'),
  hasWrapper: fc.boolean(),
  seeds: fc.tuple(fc.nat(1_000_000), fc.nat(1_000_000)),
});

const search = new Search(seed);
search.property('all functions move', 1000 * times, fc.tuple(randomStackModule, trial), ([m, t]) => {
  tryModule(m, t);
});
search.property('some stay as they are', 500 * times, fc.tuple(randomMixedModule, trial), ([m, t]) => {
  tryModule(m, t);
});
search.finish();
