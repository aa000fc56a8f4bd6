import type { Graph } from './cfg.js';

/** Strongly connected components of a control-flow graph, unreachable blocks included. */
export interface Components {
  /** Component of each block, numbered in topological order: an edge between two components goes upwards. */
  readonly of: Int32Array;
  /** Blocks in each component. */
  readonly size: Int32Array;
}

/**
 * Tarjan, "Depth-first search and linear graph algorithms" (1972), with a stack of its own. Edges for which
 * `skips(from, to)` holds are taken as absent.
 */
export function componentsOf(
  graph: Graph,
  skips: (from: number, to: number) => boolean = () => false,
): Components {
  const { blockCount, successorStart, successors } = graph;
  const index = new Int32Array(blockCount).fill(-1);
  const low = new Int32Array(blockCount);
  const of = new Int32Array(blockCount).fill(-1);
  const size: number[] = [];
  const nextEdge = successorStart.slice(0, blockCount);
  const unassigned: number[] = [];
  const walk: number[] = [];
  let counter = 0;
  const open = (block: number): void => {
    index[block] = low[block] = counter++;
    unassigned.push(block);
    walk.push(block);
  };
  for (let root = 0; root < blockCount; root++) {
    if (index[root] < 0) open(root);
    while (walk.length > 0) {
      const block = walk[walk.length - 1];
      if (nextEdge[block] < successorStart[block + 1]) {
        const to = successors[nextEdge[block]++];
        if (skips(block, to)) continue;
        if (index[to] < 0) open(to);
        else if (of[to] < 0) low[block] = Math.min(low[block], index[to]);
        continue;
      }
      walk.pop();
      if (walk.length > 0) low[walk[walk.length - 1]] = Math.min(low[walk[walk.length - 1]], low[block]);
      if (low[block] !== index[block]) continue;
      let members = 0;
      for (let member = -1; member !== block; members++) {
        member = unassigned.pop()!;
        of[member] = size.length;
      }
      size.push(members);
    }
  }
  const last = size.length - 1;
  return { of: of.map((c) => last - c), size: Int32Array.from(size.reverse()) };
}
