/**
 * Control flow of a function: predecessors, a reverse post-order of the blocks that the entry reaches, and which
 * blocks it does not reach. Everything works on the bare graph, so that source functions and allocated functions
 * (whose edges may be split) are walked by the same code. The walks keep their own stacks: depth is no limit.
 */

/** What a walk needs of a function; `Function` and `AllocatedFunction` both have it. Block 0 is the entry. */
export interface Graph {
  readonly blockCount: number;
  readonly successorStart: Int32Array;
  readonly successors: Int32Array;
}

export interface Cfg extends Graph {
  readonly predecessorStart: Int32Array;
  /** `predecessors[predecessorStart[b] .. predecessorStart[b + 1]]`, ascending; unreachable ones included. */
  readonly predecessors: Int32Array;
  /** Reachable blocks in reverse post-order, the entry first. */
  readonly order: Int32Array;
  /** Position in `order`, or -1 for a block that the entry does not reach. */
  readonly orderOf: Int32Array;
}

/** O(blocks + edges). */
export function controlFlow(graph: Graph): Cfg {
  const { blockCount, successorStart, successors } = graph;
  const predecessorStart = new Int32Array(blockCount + 1);
  for (const to of successors) predecessorStart[to + 1]++;
  for (let b = 0; b < blockCount; b++) predecessorStart[b + 1] += predecessorStart[b];
  const predecessors = new Int32Array(successors.length);
  const fill = predecessorStart.slice(0, blockCount);
  for (let b = 0; b < blockCount; b++)
    for (let e = successorStart[b]; e < successorStart[b + 1]; e++) predecessors[fill[successors[e]]++] = b;

  const orderOf = new Int32Array(blockCount).fill(-1);
  const order = reversePostOrder(graph);
  for (let k = 0; k < order.length; k++) orderOf[order[k]] = k;
  return { blockCount, successorStart, successors, predecessorStart, predecessors, order, orderOf };
}

function reversePostOrder({ blockCount, successorStart, successors }: Graph): Int32Array {
  if (blockCount === 0) return new Int32Array(0);
  const seen = new Uint8Array(blockCount);
  const stack = new Int32Array(blockCount);
  const nextEdge = successorStart.slice(0, blockCount);
  const postOrder = new Int32Array(blockCount);
  let finished = 0;
  let depth = 1;
  seen[0] = 1;
  while (depth > 0) {
    const block = stack[depth - 1];
    if (nextEdge[block] === successorStart[block + 1]) {
      postOrder[finished++] = block;
      depth--;
      continue;
    }
    const to = successors[nextEdge[block]++];
    if (seen[to]) continue;
    seen[to] = 1;
    stack[depth++] = to;
  }
  return postOrder.slice(0, finished).reverse();
}

export const isReachable = (cfg: Cfg, block: number): boolean => cfg.orderOf[block] >= 0;
