import type { StrategyName } from '../../server/src/targets/gen/compilation.js';
import type { Program } from '../../server/src/targets/gen/program.js';
import { programText } from '../support/gen-machine-text.js';
import { programOf, shapeOf, shrink, tryMade } from '../support/gen-trial.js';
import { assemble } from '../support/random-gen-tree.js';
import { numberOption, option, seed, times } from './options.js';

/**
 * Random programs of the EU through every strategy: allocations proved, schedules compared, source and result
 * executed side by side. What fails is printed with as few statements as still fail in the same way.
 *   --seed N   the seed (printed)   --times N   times 20 000 programs of each kind   --programs N   exactly so many
 *   --kind K   only vec4, scalar or selection   --width W   only 8 or 16   --strategy S   only that one
 */
const programs = numberOption('programs', 20_000 * times);
const kinds: readonly (readonly [Program['dialect'], 8 | 16])[] = [
  ['vec4', 8],
  ['scalar', 8],
  ['scalar', 16],
  ['selection', 8],
  ['selection', 16],
];
const all: readonly StrategyName[] = ['best', 'i965', 'beignet'];
const FAULTS = 5;

console.log(`seed ${seed}, ${programs} programs of each kind`);
let faults = 0;
for (const [dialect, width] of kinds) {
  if (option('kind', dialect) !== dialect || numberOption('width', width) !== width) continue;
  let allocated = 0;
  let spilling = 0;
  let tried = 0;
  for (let number = seed; number < seed + programs && faults < FAULTS; number++) {
    const made = programOf(number, shapeOf(number, dialect, width));
    for (const strategy of all) {
      if (option('strategy', strategy) !== strategy || (dialect === 'vec4' && strategy === 'beignet'))
        continue;
      tried++;
      const trial = tryMade(made, strategy, number);
      if (trial.isAllocated) allocated++;
      if (trial.messages > 0) spilling++;
      if (trial.fault === undefined) continue;
      faults++;
      const small = shrink(made, strategy, number);
      console.log(
        `\nFOUND, ${dialect} SIMD${width}, ${strategy}, program ${number}: ${small.fault}\n${programText(assemble(small.made))}`,
      );
    }
  }
  console.log(
    `${dialect} SIMD${width}: ${tried} tried, ${allocated} allocated, ${spilling} with scratch messages`,
  );
}
process.exitCode = faults === 0 ? 0 : 1;
