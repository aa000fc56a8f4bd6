import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { gpir } from '../../../server/src/languages/gpir/index.js';
import { maliGp } from '../../../server/src/targets/mali-gp/index.js';
import { runs } from '../../support/fuzz.js';
import { executionUnit } from '../../support/gen-rewrites.js';
import { generator } from '../../support/gpir-runs.js';
import { readGpir, runGpir } from '../../support/gpir-text.js';
import { gpirPrograms } from '../../support/random-gpir.js';
import {
  assertSameResults,
  constants,
  raises,
  recomputations,
  shuffled,
  sinks,
  splits,
  type Machine,
  type RewritesOf,
} from '../../support/rewrites.js';

const kinds: readonly RewritesOf[] = [sinks, raises, recomputations, constants, splits, shuffled(5)];

/** What a block leaves in varyings and registers, on three inputs. */
function gpirResults(text: string): string {
  const source = readGpir(text);
  return [1, 2, 3]
    .map((seed) => {
      const random = generator(seed * 7919);
      const values = new Map<string, number>();
      const names = [...text.matchAll(/\b[au]\d+\.[xyzw]|\$\d+\.[xyzw]/g)].map(([name]) => name).sort();
      for (const name of names) values.set(name, values.get(name) ?? 2 * random() - 1);
      const { varyings, cells, hasEnded } = runGpir(source, (name) => values.get(name) ?? 0.5, 5000);
      const left = source.liveOut.map((name) => [name, cells.get(name)]);
      return JSON.stringify([hasEnded, [...varyings].sort(), left]);
    })
    .join('\n');
}

const geometryProcessor: Machine = {
  language: gpir,
  target: maliGp,
  difference(before, after) {
    const [was, is] = [before, after].map(({ text }) => gpirResults(text));
    return was === is ? undefined : `${was}\n\nbut now\n\n${is}`;
  },
};

const examples = (ending: string): string[] =>
  readdirSync('examples')
    .filter((name) => name.endsWith(ending))
    .map((name) => readFileSync(`examples/${name}`, 'utf8'));

describe('rewrites on other machines', function () {
  this.timeout(60_000);

  it('gpir: examples compute the same', () => {
    let count = 0;
    for (const text of examples('.gpir'))
      for (const kind of kinds) count += assertSameResults(text, kind, 3, geometryProcessor);
    assert.ok(count >= 10, `${count} rewrites were tried`);
  });

  it('gpir: random programs compute the same', () => {
    let count = 0;
    fc.assert(
      fc.property(gpirPrograms(), (text) => {
        for (const kind of kinds) count += assertSameResults(text, kind, 2, geometryProcessor);
      }),
      { numRuns: runs(15) },
    );
    assert.ok(count >= 15, `${count} rewrites were tried`);
  });

  it('gen-ir: examples compute the same', () => {
    let count = 0;
    for (const text of examples('.gen'))
      for (const kind of kinds) count += assertSameResults(text, kind, 6, executionUnit);
    assert.ok(count >= 10, `${count} rewrites were tried`);
  });
});
