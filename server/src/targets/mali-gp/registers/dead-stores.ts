import type { Program } from '../graph.js';
import { forEachRead, type Flow } from './flow.js';
import { hasMember, registerLiveness } from './liveness.js';
import { withoutDeadNodes } from './relief.js';

const ROUNDS = 4;

/**
 * The program without stores to registers that nothing reads any more, and without the nodes that only those needed.
 * What such a node read may be dead then too; a few rounds find nearly all of it.
 */
export function withoutDeadStores(program: Program, flow: Flow): Program {
  for (let round = 0; round < ROUNDS; round++) {
    const { exit, words } = registerLiveness(program, flow);
    let changed = false;
    const blocks = program.blocks.map((block, b) => {
      const isReadBack = new Set<number>();
      forEachRead(program, block, (value) => {
        if (value.kind === 'register' && value.stored) isReadBack.add(value.register);
      });
      const stores = block.stores.filter(
        ({ to }) =>
          to.kind !== 'register' || hasMember(exit, words, b, to.register) || isReadBack.has(to.register),
      );
      if (stores.length === block.stores.length) return block;
      changed = true;
      return withoutDeadNodes(program, { ...block, stores });
    });
    if (!changed) return program;
    program = { ...program, blocks };
  }
  return program;
}
