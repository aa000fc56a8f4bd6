import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Program, Value } from '../../../../server/src/targets/mali-gp/graph.js';
import { flowOf, successorsOf } from '../../../../server/src/targets/mali-gp/registers/flow.js';
import { hasMember, registerLiveness } from '../../../../server/src/targets/mali-gp/registers/liveness.js';
import { runs } from '../../../support/fuzz.js';
import { programShape, randomProgram } from '../../../support/random-gp-program.js';

/** What block `b` does to a register, looked up the slow way. */
function uses(program: Program, b: number, register: number): { reads: boolean; stores: boolean } {
  const block = program.blocks[b];
  const values: Value[] = block.nodes.flatMap((id) => [...program.nodes[id].inputs]);
  values.push(...block.stores.map(({ value }) => value));
  if (block.branch?.condition) values.push(block.branch.condition);
  return {
    reads: values.some((v) => v.kind === 'register' && v.register === register && !v.stored),
    stores: block.stores.some(({ to }) => to.kind === 'register' && to.register === register),
  };
}

/** Blocks from whose start a walk along `next` gets on, `stops` ending it behind a block. */
function reach(from: number[], next: (b: number) => number[], stops: (b: number) => boolean): Set<number> {
  const seen = new Set<number>();
  const open = [...from];
  for (let b = open.pop(); b !== undefined; b = open.pop()) {
    if (seen.has(b)) continue;
    seen.add(b);
    if (!stops(b)) open.push(...next(b));
  }
  return seen;
}

describe('liveness of cross-block registers', () => {
  it('is what a search over all paths finds', () => {
    fc.assert(
      fc.property(programShape({ blocks: 8, registers: 10, nodes: 4 }), (shape) => {
        const program = randomProgram(shape);
        const count = program.blocks.length;
        const flow = flowOf(program);
        const { entry, exit, words } = registerLiveness(program, flow);
        const next = (b: number): number[] => successorsOf(program.blocks[b], b, count);
        const ends = (b: number): boolean => {
          const { branch } = program.blocks[b];
          return b === count - 1 && (branch === undefined || branch.condition !== undefined);
        };
        program.registers.forEach(({ isLiveIn, isLiveOut }, r) => {
          const at = program.blocks.map((_, b) => uses(program, b, r));
          const stored = at.flatMap(({ stores }, b) => (stores ? [b] : []));
          const written = reach([...(isLiveIn ? [0] : []), ...stored.flatMap(next)], next, () => false);
          for (let b = 0; b < count; b++) {
            const isWanted = (starts: number[]): boolean =>
              [...reach(starts, next, (c) => at[c].reads || at[c].stores)].some(
                (c) => at[c].reads || (isLiveOut && !at[c].stores && ends(c)),
              );
            assert.equal(
              hasMember(entry, words, b, r),
              isWanted([b]) && written.has(b),
              `@r${r} at block ${b}`,
            );
            const isWantedAfter = isWanted(next(b)) || (isLiveOut && ends(b));
            assert.equal(
              hasMember(exit, words, b, r),
              isWantedAfter && (written.has(b) || at[b].stores),
              `@r${r} after block ${b}`,
            );
          }
        });
      }),
      { numRuns: runs(150) },
    );
  });
});
