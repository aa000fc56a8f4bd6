import assert from 'node:assert/strict';
import fc from 'fast-check';
import { placeConstants } from '../../../server/src/targets/mali-gp/constants.js';
import { packSets } from '../../../server/src/targets/mali-gp/pack-sets.js';
import { checkRules } from '../../../server/src/targets/mali-gp/rules.js';
import { simulate } from '../../../server/src/targets/mali-gp/simulate.js';
import {
  Unit,
  type CompiledProgram,
  type UnitWork,
  type Word,
} from '../../../server/src/targets/mali-gp/word.js';
import { runs } from '../../support/fuzz.js';

/** The fewest vectors by trying every partition of the sets. */
function fewest(sets: readonly (readonly number[])[]): number {
  let best = sets.length;
  const bins: Set<number>[] = [];
  const go = (s: number): void => {
    if (bins.length >= best) return;
    if (s === sets.length) {
      best = bins.length;
      return;
    }
    for (let b = 0; b <= bins.length; b++) {
      const before = bins[b];
      const after = new Set([...(before ?? []), ...sets[s]]);
      if (after.size > 4) continue;
      bins[b] = after;
      go(s + 1);
      if (before === undefined) bins.pop();
      else bins[b] = before;
    }
  };
  go(0);
  return best;
}

const set = (values: number): fc.Arbitrary<number[]> =>
  fc.uniqueArray(fc.integer({ min: 1, max: values }), { minLength: 1, maxLength: 4 });

describe('mali-gp: constants', () => {
  it('puts each set into one vector of at most four', () => {
    fc.assert(
      fc.property(fc.array(set(12), { maxLength: 40 }), (sets) => {
        const { vectorOf, vectors } = packSets(sets);
        for (const [s, values] of sets.entries())
          assert.ok(values.every((value) => vectors[vectorOf[s]].includes(value)));
        for (const values of vectors) {
          assert.ok(values.length <= 4 && new Set(values).size === values.length);
          assert.ok(vectorOf.includes(vectors.indexOf(values)));
        }
      }),
      { numRuns: runs(300) },
    );
  });

  it('needs at most one vector more than the best packing of seven sets', () => {
    fc.assert(
      fc.property(fc.array(set(9), { maxLength: 7 }), (sets) => {
        assert.ok(packSets(sets).vectors.length <= fewest(sets) + 1);
      }),
      { numRuns: runs(300) },
    );
  });

  it('shares vectors', () => {
    const { vectors } = packSets([[1], [2], [3, 4], [1, 2], [5], [4], [6, 7, 8]]);
    assert.equal(vectors.length, 2);
  });

  it('stays fast with a value that all sets share', () => {
    const sets = Array.from({ length: 5_000 }, (_, k) => [0, 3 * k + 1, 3 * k + 2, 3 * k + 3]);
    assert.equal(packSets(sets).vectors.length, 5_000);
  });

  const work = (values: number, negate = false): UnitWork => ({
    op: 'mov',
    sources: [{ from: 'uniform', component: values, negate }],
    negate: false,
    purpose: 'operation',
    node: -1,
  });

  it('keeps what the words compute', () => {
    const word = (values: number[], component: number, vector: number): Word => ({
      units: [undefined, undefined, work(component), undefined, undefined, undefined],
      uniform: { kind: 'constants', values },
      xy: { kind: 'varying', vector, units: [Unit.Add0, -1] },
    });
    const program: CompiledProgram = {
      name: '',
      words: [word([1, 2, 3, 4], 2, 0), word([2, 1], 1, 1), word([-0], 0, 2), word([7, 0], 0, 3)],
      blocks: [{ label: '', start: 0 }],
      uniforms: 3,
      constants: [],
      registers: {},
    };
    const placed = placeConstants(program);
    const run = (p: CompiledProgram) => simulate(p, { attributes: [], uniforms: [] }, 10).varyings;
    assert.deepEqual(run(placed), run(program));
    assert.deepEqual(
      run(placed),
      new Map([
        [0, 3],
        [4, 1],
        [8, -0],
        [12, 7],
      ]),
    );
    assert.deepEqual(checkRules(placed), []);
    assert.equal(Math.max(...placed.constants.map(({ vector }) => vector)), 4);
    assert.deepEqual(placeConstants(placed), placed);
  });

  it('drops a port that loads nothing', () => {
    const words: Word[] = [{ units: [], uniform: { kind: 'constants', values: [] } }];
    const program = { name: '', words, blocks: [], uniforms: 0, constants: [], registers: {} };
    assert.equal(placeConstants(program).words[0].uniform, undefined);
  });
});
