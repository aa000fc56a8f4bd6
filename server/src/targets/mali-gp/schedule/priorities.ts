/** Orders in which the scheduler considers the nodes of a block: the higher, the earlier. */
import type { FlatBlock } from './flat-block.js';

/** The longest way to the block's end, then the source's order. */
export function byHeight(block: FlatBlock): Float64Array {
  const priority = new Float64Array(block.nodes);
  for (let n = 0; n < block.nodes; n++) priority[n] = block.height[n] - n / (block.nodes + 1);
  return priority;
}
