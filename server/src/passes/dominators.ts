import type { Cfg } from './cfg.js';

/**
 * Immediate dominators after Lengauer and Tarjan, "A fast algorithm for finding dominators in a flowgraph"
 * (TOPLAS 1979), with simple path compression: O(edges log blocks) for every graph, irreducible ones included,
 * where the iterative schemes can be quadratic. Nothing recurses.
 */
export interface Dominators {
  /** Immediate dominator of each block; -1 for the entry and for unreachable blocks. */
  readonly immediate: Int32Array;
  /** Number of dominators above each block; the entry has 0, unreachable blocks -1. */
  readonly depth: Int32Array;
  /** Entry and exit times of a walk over the dominator tree, so that `dominates` is two comparisons. */
  readonly enter: Int32Array;
  readonly leave: Int32Array;
}

/** True when every path from the entry to `b` passes `a` (a block dominates itself). False where either is unreachable. */
export const dominates = (d: Dominators, a: number, b: number): boolean =>
  d.depth[a] >= 0 && d.depth[b] >= 0 && d.enter[a] <= d.enter[b] && d.leave[b] <= d.leave[a];

export function dominatorsOf(cfg: Cfg): Dominators {
  const immediate = immediateDominators(cfg);
  const depth = new Int32Array(cfg.blockCount).fill(-1);
  for (const block of cfg.order) depth[block] = immediate[block] < 0 ? 0 : depth[immediate[block]] + 1;
  return { immediate, depth, ...treeTimes(cfg, immediate) };
}

function immediateDominators(cfg: Cfg): Int32Array {
  const { blockCount, predecessorStart, predecessors } = cfg;
  const { preorder, number, parent } = depthFirst(cfg);
  const count = preorder.length;
  // everything below is in depth-first numbers
  const semi = new Int32Array(count);
  const label = new Int32Array(count);
  const ancestor = new Int32Array(count).fill(-1);
  const idom = new Int32Array(count);
  const bucketHead = new Int32Array(count).fill(-1);
  const bucketNext = new Int32Array(count).fill(-1);
  const path = new Int32Array(count);
  for (let v = 0; v < count; v++) semi[v] = label[v] = v;

  const lowestSemi = (v: number): number => {
    if (ancestor[v] < 0) return v;
    let length = 0;
    for (let u = v; ancestor[ancestor[u]] >= 0; u = ancestor[u]) path[length++] = u;
    while (length > 0) {
      const u = path[--length];
      const above = ancestor[u];
      if (semi[label[above]] < semi[label[u]]) label[u] = label[above];
      ancestor[u] = ancestor[above];
    }
    return label[v];
  };

  for (let w = count - 1; w > 0; w--) {
    const block = preorder[w];
    for (let e = predecessorStart[block]; e < predecessorStart[block + 1]; e++) {
      const v = number[predecessors[e]];
      if (v >= 0) semi[w] = Math.min(semi[w], semi[lowestSemi(v)]);
    }
    bucketNext[w] = bucketHead[semi[w]];
    bucketHead[semi[w]] = w;
    const p = parent[w];
    ancestor[w] = p;
    for (let v = bucketHead[p]; v >= 0; v = bucketNext[v]) {
      const u = lowestSemi(v);
      idom[v] = semi[u] < semi[v] ? u : p;
    }
    bucketHead[p] = -1;
  }
  const immediate = new Int32Array(blockCount).fill(-1);
  for (let w = 1; w < count; w++) {
    if (idom[w] !== semi[w]) idom[w] = idom[idom[w]];
    immediate[preorder[w]] = preorder[idom[w]];
  }
  return immediate;
}

interface DepthFirst {
  readonly preorder: Int32Array;
  readonly number: Int32Array;
  readonly parent: Int32Array;
}

function depthFirst({ blockCount, successorStart, successors }: Cfg): DepthFirst {
  const number = new Int32Array(blockCount).fill(-1);
  const preorder = new Int32Array(blockCount);
  const parent = new Int32Array(blockCount);
  const stack = new Int32Array(blockCount);
  const nextEdge = successorStart.slice(0, blockCount);
  let count = 0;
  let depth = 0;
  if (blockCount > 0) {
    number[0] = 0;
    preorder[count++] = 0;
    stack[depth++] = 0;
  }
  while (depth > 0) {
    const block = stack[depth - 1];
    if (nextEdge[block] === successorStart[block + 1]) {
      depth--;
      continue;
    }
    const to = successors[nextEdge[block]++];
    if (number[to] >= 0) continue;
    number[to] = count;
    parent[count] = number[block];
    preorder[count++] = to;
    stack[depth++] = to;
  }
  return { preorder: preorder.subarray(0, count), number, parent };
}

function treeTimes(cfg: Cfg, immediate: Int32Array): Pick<Dominators, 'enter' | 'leave'> {
  const size = new Int32Array(cfg.blockCount).fill(1);
  for (let k = cfg.order.length - 1; k > 0; k--) size[immediate[cfg.order[k]]] += size[cfg.order[k]];
  const enter = new Int32Array(cfg.blockCount).fill(-1);
  const leave = new Int32Array(cfg.blockCount).fill(-1);
  const free = new Int32Array(cfg.blockCount);
  for (const block of cfg.order) {
    const above = immediate[block];
    enter[block] = above < 0 ? 0 : free[above];
    if (above >= 0) free[above] += size[block];
    free[block] = enter[block] + 1;
    leave[block] = enter[block] + size[block];
  }
  return { enter, leave };
}
