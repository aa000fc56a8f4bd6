/** Orders in which the scheduler considers the nodes of a block: the higher the priority, the earlier. */
import type { FlatBlock } from './flat-block.js';

/**
 * The longest way to the block's end, so that the critical path goes first; and `depth` times the place in `order`,
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
