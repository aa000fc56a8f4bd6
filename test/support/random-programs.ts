import { strict as assert } from 'node:assert';
import type { Program } from '../../server/src/targets/gen/program.js';
import { programText } from './gen-machine-text.js';
import { programOf, shapeOf, shrink, tryMade } from './gen-trial.js';
import { assemble } from './random-gen-tree.js';
import type { StrategyName } from '../../server/src/targets/gen/compilation.js';

/**
 * Random programs through every strategy in turn: the allocation is proved, the schedule compared, and source and
 * result executed side by side. `npm test` tries 10 000 of each width (SPILLWAY_GEN_PROGRAMS), mocha alone a few; the
 * seeds are the same every time. `npm run fuzz -- gen` goes on from there.
 */
const programs = Number(process.env['SPILLWAY_GEN_PROGRAMS'] ?? 150);

/** Share of large programs: `npm run fuzz -- gen` has more of them. */
const LARGE = 0.015;

export interface Class {
  readonly name: string;
  readonly width: 8 | 16;
  readonly ways: readonly (readonly [dialect: Program['dialect'], strategy: StrategyName])[];
}

/** Declares the test of one class; each stands in a file of its own, so that they run side by side. */
export function testRandomPrograms({ name, width, ways }: Class): void {
  describe('gen: random programs', () => {
    it(`${name}: what the allocators make is proved, and computes what the source does`, () => {
      let allocated = 0;
      let spilling = 0;
      for (let seed = 1; seed <= programs; seed++) {
        const [dialect, strategy] = ways[seed % ways.length];
        const made = programOf(seed, shapeOf(seed, dialect, width, LARGE));
        const trial = tryMade(made, strategy, seed);
        if (trial.fault !== undefined) {
          const small = shrink(made, strategy, seed);
          assert.fail(
            `${dialect} SIMD${width}, ${strategy}, seed ${seed}: ${small.fault}\n${programText(assemble(small.made))}`,
          );
        }
        if (trial.isAllocated) allocated++;
        if (trial.messages > 0) spilling++;
      }
      assert.ok(allocated > 0.6 * programs, `only ${allocated} were allocated`);
      assert.ok(spilling > 0.02 * programs, `only ${spilling} spilled`);
    }).timeout(0);
  });
}

/** All strategies of the two scalar dialects. */
export const scalarWays: Class['ways'] = [
  ['scalar', 'best'],
  ['selection', 'beignet'],
  ['scalar', 'i965'],
  ['scalar', 'beignet'],
  ['selection', 'best'],
];
