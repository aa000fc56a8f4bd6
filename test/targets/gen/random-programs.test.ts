import { strict as assert } from 'node:assert';
import type { Program } from '../../../server/src/targets/gen/program.js';
import { programText } from '../../support/gen-machine-text.js';
import { programOf, shapeOf, shrink, tryMade } from '../../support/gen-trial.js';
import { assemble } from '../../support/random-gen-tree.js';
import type { StrategyName } from '../../../server/src/targets/gen/compilation.js';

/**
 * Random programs through every strategy in turn: the allocation is proved, the schedule compared, and source and
 * result executed side by side. `npm test` tries 10 000 of each width (SPILLWAY_GEN_PROGRAMS), mocha alone a few; the
 * seeds are the same every time. `npm run fuzz -- gen` goes on from there.
 */
const programs = Number(process.env['SPILLWAY_GEN_PROGRAMS'] ?? 150);

interface Class {
  readonly name: string;
  readonly width: 8 | 16;
  readonly ways: readonly (readonly [dialect: Program['dialect'], strategy: StrategyName])[];
}

const classes: readonly Class[] = [
  {
    name: 'SIMD4x2',
    width: 8,
    ways: [
      ['vec4', 'best'],
      ['vec4', 'i965'],
    ],
  },
  {
    name: 'SIMD8',
    width: 8,
    ways: [
      ['scalar', 'best'],
      ['selection', 'beignet'],
      ['scalar', 'i965'],
      ['scalar', 'beignet'],
      ['selection', 'best'],
    ],
  },
  {
    name: 'SIMD16',
    width: 16,
    ways: [
      ['scalar', 'best'],
      ['selection', 'beignet'],
      ['scalar', 'i965'],
      ['scalar', 'beignet'],
      ['selection', 'best'],
    ],
  },
];

describe('gen: random programs', () => {
  for (const { name, width, ways } of classes)
    it(`${name}: what the allocators make is proved, and computes what the source does`, () => {
      let allocated = 0;
      let spilling = 0;
      for (let seed = 1; seed <= programs; seed++) {
        const [dialect, strategy] = ways[seed % ways.length];
        const made = programOf(seed, shapeOf(seed, dialect, width));
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
