import { equal, ok } from 'node:assert/strict';
import { searchGpPrograms } from '../../support/gp-search.js';
import { runs } from '../../support/fuzz.js';

describe('mali-gp: random programs', function () {
  this.timeout(0);

  it('compile to words that obey the machine, compute the same, and are no fewer than the bound', async () => {
    // small programs, so that 10 000 of them take half a minute; `npm run fuzz -- gp` tries larger ones
    const programs = runs(10_000);
    const { tried, words, bound, faults } = await searchGpPrograms(
      { from: 1, to: 1 + programs, size: 0.3, improveEach: 50, faults: 1 },
      // every thread would optimise the same code for itself
      1,
    );
    equal(faults.map(({ seed, text, fault }) => `program ${seed}: ${fault}\n${text}`).join('\n\n'), '');
    equal(tried, programs);
    ok(words >= bound);
  });
});
