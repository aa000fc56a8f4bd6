/** Orders of a block's nodes: in which the scheduler considers them, and in which few values live at once. */
import type { FlatBlock } from './flat-block.js';

/**
 * Priorities, higher ones first: the longest way to the block's end, so that the critical path goes first; and `depth` times the place in `order`,
 * in which few values live at once: 0 starts all chains side by side, 4 finishes one after the other.
 */
export function priorities(block: FlatBlock, order: Int32Array, depth: number): Float64Array {
  const { nodes, height } = block;
  const priority = new Float64Array(nodes);
  const scale = (depth * longestWay(block)) / Math.max(1, nodes);
  for (let at = 0; at < nodes; at++) {
    const node = order[at];
    // Among equal ones the text's order.
    priority[node] = height[node] - scale * at - node / (nodes + 1);
  }
  return priority;
}

/** Words of the critical path. */
export function longestWay(block: FlatBlock): number {
  let most = 0;
  for (const height of block.height) if (height > most) most = height;
  return most;
}

/** From each store and the branch down to the leaves, operands that need more registers first. */
export function depthFirst(block: FlatBlock): Int32Array {
  const { nodes, inputs } = block;
  const need = new Int32Array(nodes);
  for (let n = 0; n < nodes; n++) {
    let most = 1;
    let equal = 0;
    for (let k = 0; k < 3; k++) {
      const v = inputs[3 * n + k];
      if (v < 0 || v >= nodes) continue;
      if (need[v] === most) equal++;
      if (need[v] > most) {
        most = need[v];
        equal = 0;
      }
    }
    need[n] = most + (equal > 0 ? 1 : 0);
  }
  const order = new Int32Array(nodes);
  const isPlaced = new Uint8Array(nodes);
  let count = 0;
  const stack: number[] = [];
  const visit = (root: number): void => {
    if (root < 0 || root >= nodes || isPlaced[root]) return;
    stack.push(root);
    while (stack.length > 0) {
      const n = stack[stack.length - 1];
      let next = -1;
      for (let k = 0; k < 3; k++) {
        const v = inputs[3 * n + k];
        if (v >= 0 && v < nodes && !isPlaced[v] && (next < 0 || need[v] > need[next])) next = v;
      }
      if (next >= 0) {
        stack.push(next);
        continue;
      }
      stack.pop();
      if (isPlaced[n]) continue;
      isPlaced[n] = 1;
      order[count++] = n;
    }
  };
  for (const value of block.storeValue) visit(value);
  visit(block.condition);
  return order;
}
