import assert from 'node:assert/strict';
import fc from 'fast-check';
import { AccessList, rangesOf } from '../../../../server/src/targets/gen/live/ranges.js';
import type { Program } from '../../../../server/src/targets/gen/program.js';
import { runs } from '../../../support/fuzz.js';
import { graphOf, instruction } from '../../../support/gen-program.js';

interface Access {
  readonly reads: number;
  readonly writes: number;
  readonly kills: number;
}

/** A random graph of blocks and, by instruction and register, what is read and written of the register's variables. */
const shape = fc
  .record({ blocks: fc.integer({ min: 1, max: 7 }), registers: fc.integer({ min: 1, max: 6 }) })
  .chain(({ blocks, registers }) =>
    fc.record({
      registers: fc.constant(registers),
      blocks: fc.array(
        fc.record({
          successors: fc.uniqueArray(fc.integer({ min: 0, max: blocks - 1 }), { maxLength: 2 }),
          accesses: fc.array(
            fc.record({
              register: fc.integer({ min: 0, max: registers - 1 }),
              reads: fc.integer({ min: 0, max: 255 }),
              writes: fc.integer({ min: 0, max: 255 }),
              kills: fc.integer({ min: 0, max: 255 }),
            }),
            { minLength: 1, maxLength: 4 },
          ),
        }),
        { minLength: blocks, maxLength: blocks },
      ),
    }),
  );

/** The rule in its own words, one variable at a time, by following paths. */
function slowRange(
  program: Program,
  accessesOf: readonly (readonly [variable: number, access: Access][])[],
  variable: number,
  needsDefinition: boolean,
): [number, number] {
  const { blockStart, successors } = program;
  const at = (i: number): Access =>
    accessesOf[i].find(([v]) => v === variable)?.[1] ?? { reads: 0, writes: 0, kills: 0 };
  const wants = (block: number, seen: Set<number>): boolean => {
    for (let i = blockStart[block]; i < blockStart[block + 1]; i++) {
      if (at(i).reads) return true;
      if (at(i).kills) return false;
    }
    return successors[block].some((to) => !seen.has(to) && wants(to, seen.add(to)));
  };
  const reached = new Set<number>();
  const spread = (block: number): void => {
    for (const to of successors[block])
      if (!reached.has(to)) {
        reached.add(to);
        spread(to);
      }
  };
  const defines = (block: number): boolean => {
    for (let i = blockStart[block]; i < blockStart[block + 1]; i++) if (at(i).writes) return true;
    return false;
  };
  successors.forEach((_, block) => {
    if (defines(block)) spread(block);
  });
  const points: number[] = [];
  for (let i = 0; i < program.instructions.length; i++) if (at(i).reads || at(i).writes) points.push(i);
  successors.forEach((to, block) => {
    if (wants(block, new Set([block])) && (!needsDefinition || reached.has(block)))
      points.push(blockStart[block]);
    const leaves = to.some((next) => wants(next, new Set([next])));
    if (leaves && (!needsDefinition || reached.has(block) || defines(block)))
      points.push(blockStart[block + 1] - 1);
  });
  return points.length === 0 ? [-1, -1] : [Math.min(...points), Math.max(...points)];
}

describe('live ranges of Gen programs', () => {
  for (const needsDefinition of [false, true])
    it(`are those of the rule on random graphs${needsDefinition ? ', where a write must have come' : ''}`, () => {
      fc.assert(
        fc.property(shape, ({ registers, blocks }) => {
          const program = graphOf(
            Array.from({ length: registers }, () => 1),
            blocks.map(({ accesses, successors }) => [
              accesses.map(() => instruction('nop', '', [])),
              ...successors,
            ]),
          );
          const list = new AccessList(program);
          const accessesOf: [number, Access][][] = [];
          blocks
            .flatMap(({ accesses }) => accesses)
            .forEach(({ register, reads, writes, kills }, i) => {
              const killing = writes & kills;
              list.add(register, 0, i, reads, 0, 0);
              list.add(register, 0, i, 0, writes, killing);
              accessesOf.push(
                Array.from({ length: 8 }, (_, bit) => [
                  register * 8 + bit,
                  {
                    reads: (reads >> bit) & 1,
                    writes: (writes >> bit) & 1,
                    kills: (killing >> bit) & 1,
                  },
                ]),
              );
            });
          const live = rangesOf(list, 8, { needsDefinition });
          for (let variable = 0; variable < registers * 8; variable++)
            assert.deepEqual(
              [live.variableFrom[variable], live.variableTo[variable]],
              slowRange(program, accessesOf, variable, needsDefinition),
              `variable ${variable}`,
            );
        }),
        { numRuns: runs(100) },
      );
    });
});
