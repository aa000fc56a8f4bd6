import assert from 'node:assert/strict';
import fc from 'fast-check';
import { postDominates, postDominators } from '../../server/src/passes/post-dominators.js';
import type { Graph } from '../../server/src/passes/cfg.js';

function graphOf(edges: readonly (readonly number[])[]): Graph {
  const successorStart = Int32Array.from([0, ...edges.map((_, b) => edges.slice(0, b + 1).flat().length)]);
  return { blockCount: edges.length, successorStart, successors: Int32Array.from(edges.flat()) };
}

/** Whether an end of the function can be reached from `from` without passing `without`. */
function reachesEnd(edges: readonly (readonly number[])[], from: number, without: number): boolean {
  const seen = new Set<number>([without]);
  const queue = [from];
  for (const block of queue) {
    if (seen.has(block)) continue;
    seen.add(block);
    if (edges[block].length === 0) return true;
    queue.push(...edges[block]);
  }
  return false;
}

describe('post-dominators', () => {
  it('are what every path to an end passes', () => {
    const blocks = 8;
    const successors = fc.uniqueArray(fc.nat(blocks - 1), { maxLength: 2 });
    fc.assert(
      fc.property(fc.array(successors, { minLength: blocks, maxLength: blocks }), (edges) => {
        const immediate = postDominators(graphOf(edges));
        for (let a = 0; a < blocks; a++) {
          if (!reachesEnd(edges, a, -1)) continue;
          for (let b = 0; b < blocks; b++) {
            const isPassed = a === b || !reachesEnd(edges, a, b);
            assert.equal(
              postDominates(immediate, b, a),
              isPassed,
              `${b} behind ${a} in ${JSON.stringify(edges)}`,
            );
          }
        }
      }),
    );
  });
});
