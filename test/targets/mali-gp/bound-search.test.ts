import { ok } from 'node:assert/strict';
import { blockBound } from '../../../server/src/targets/mali-gp/bound.js';
import { Random } from '../../search/random.js';
import { runs } from '../../support/fuzz.js';
import { randomBlock } from '../../support/random-block.js';
import { shortestBlock } from '../../support/shortest-block.js';

describe('the lower bound against exhaustive search', function () {
  this.timeout(0);

  it('is never above the shortest schedule of a tiny block, and most often equal', () => {
    let [tight, decided] = [0, 0];
    for (let seed = 0; seed < runs(150); seed++) {
      const random = new Random(seed);
      const task = randomBlock(random, 2 + random.below(5));
      const { words: bound } = blockBound(task);
      const shortest = shortestBlock(task, { words: bound, tries: 6000 });
      if (shortest === 'gave up') continue;
      decided++;
      if (shortest === bound) tight++;
      ok(shortest === 'more' || shortest >= bound, `seed ${seed}: ${shortest} words, bound ${bound}`);
    }
    ok(decided >= 0.4 * runs(150), `the search decided only ${decided}`);
    ok(tight >= 0.85 * decided, `${tight} of ${decided} are tight`);
  });
});
