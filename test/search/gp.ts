import { availableParallelism } from 'node:os';
import { searchGpPrograms } from '../support/gp-search.js';
import { numberOption, seed, times } from './options.js';

/**
 * Random programs for the geometry processor, compiled, held against the machine's rules and the lower bound, and run
 * beside their sources. What fails is printed with as few lines as still fail.
 *   --seed N   the seed (printed)   --times N   times 1 000 000 programs   --programs N   exactly so many
 */
const programs = numberOption('programs', 1_000_000 * times);
console.log(`seed ${seed}, ${programs} programs`);
const began = performance.now();
const { tried, words, bound, faults } = await searchGpPrograms(
  { from: seed, to: seed + programs, size: 1, improveEach: 16, faults: 5 },
  availableParallelism(),
  (count) => {
    if (count % 10_000 === 0)
      console.log(`${count} tried, ${Math.round((performance.now() - began) / 1000)} s`);
  },
);
for (const { seed: number, text, fault } of faults)
  console.log(`\nFOUND, program ${number}: ${fault}\n${text}`);
console.log(`random programs: ${tried} tried, ${words} words, bound ${bound}, ${faults.length} faults`);
process.exitCode = faults.length === 0 ? 0 : 1;
