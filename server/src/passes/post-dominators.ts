import { controlFlow, type Graph } from './cfg.js';
import { dominatorsOf } from './dominators.js';

/**
 * Immediate post-dominator of each block: the first that every path from it to an end of the function passes; -1 where
 * there is none but the end, or no path leads there. Dominators of the graph turned round, with one common end.
 */
export function postDominators({ blockCount, successorStart, successors }: Graph): Int32Array {
  // block 0 is the common end, block b is b + 1
  const start = new Int32Array(blockCount + 2);
  let count = successors.length;
  for (let b = 0; b < blockCount; b++) if (successorStart[b] === successorStart[b + 1]) count++;
  start[1] = count - successors.length;
  for (const to of successors) start[to + 2]++;
  for (let b = 0; b <= blockCount; b++) start[b + 1] += start[b];
  const fill = start.slice(0, blockCount + 1);
  const turned = new Int32Array(count);
  for (let b = 0; b < blockCount; b++) {
    if (successorStart[b] === successorStart[b + 1]) turned[fill[0]++] = b + 1;
    for (let e = successorStart[b]; e < successorStart[b + 1]; e++) turned[fill[successors[e] + 1]++] = b + 1;
  }
  const graph: Graph = { blockCount: blockCount + 1, successorStart: start, successors: turned };
  const { immediate } = dominatorsOf(controlFlow(graph));
  return Int32Array.from({ length: blockCount }, (_, b) => Math.max(-1, immediate[b + 1] - 1));
}

/** Whether every path from `a` to an end passes `b`, by `postDominators`; a block post-dominates itself. O(depth). */
export function postDominates(immediate: Int32Array, b: number, a: number): boolean {
  for (let at = a; at >= 0; at = immediate[at]) if (at === b) return true;
  return false;
}
