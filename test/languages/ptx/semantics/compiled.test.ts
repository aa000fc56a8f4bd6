import assert from 'node:assert/strict';
import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { runCompiled, sameWrites } from '../../../support/compiled.js';
import { corpusOrSkip, filesOf } from '../../../support/corpus.js';
import { isLongSearch, runs } from '../../../support/fuzz.js';
import { runKernel, unitsOf } from '../../../support/ptx-run.js';
import { randomKernel } from '../../../support/random-ptx.js';

const LIMITS = [16, 24, 32, 64];

describe('compiled PTX does what its source does', () => {
  it('random kernels, at several register limits', function () {
    this.timeout(60_000);
    fc.assert(
      fc.property(randomKernel, (text) => {
        const units = unitsOf(text);
        const source = runKernel(units, 'k', { steps: 20_000 });
        assert.equal(source.run.end, 'left', source.run.message);
        for (const limit of LIMITS)
          sameWrites(source, runCompiled(units, 'k', limit, 20_000), limit, `limit ${limit}`);
      }),
      { numRuns: runs(15) },
    );
  });

  it('reference kernels, as far as they can be interpreted', function () {
    this.timeout(120_000);
    const folder = corpusOrSkip(this, 'ptx');
    const seen = new Set<string>();
    // the largest take their time: in a long search all
    const largest = isLongSearch ? Infinity : 250;
    let executed = 0;
    const refused = new Map<string, number>();
    for (const path of ['generated', 'dev'].flatMap((name) => filesOf(join(folder, name), '.ptx'))) {
      const family = basename(path).replace(/\.\d+\w*\.ptx$/, '');
      if (seen.has(family)) continue;
      seen.add(family);
      const text = readFileSync(path, 'latin1');
      if (text.length > 100 * largest) continue;
      const units = unitsOf(text);
      for (const { function: f } of units) {
        if (f?.isEntry !== true || f.instructionCount > largest) continue;
        const source = runKernel(units, f.name, { steps: 300 });
        if (source.run.end === 'stopped') {
          const why = source.run.message.replace(/0x[0-9a-f]+|\d+/g, 'N');
          refused.set(why, (refused.get(why) ?? 0) + 1);
          if (!/^cannot execute|never written/.test(source.run.message)) assert.fail(source.run.message);
        }
        executed++;
        for (const limit of [16, 32])
          sameWrites(
            source,
            runCompiled(units, f.name, limit, 300),
            limit,
            `${basename(path)} ${f.name} limit ${limit}`,
          );
      }
    }
    if (isLongSearch) console.log(executed, refused);
    assert.ok(executed > 60, `${executed} kernels`);
  });
});
