import type { Colouring } from './colour.js';
import type { InterferenceGraph } from './graph.js';

/** Whether hardware registers stand before or behind the virtual ones in the reference's adjacency lists. */
export type AdjacencyOrder = 'hardware first' | 'hardware last';

/**
 * The registers that are spilled when colouring fails, the best first; one of them as Mesa chooses it: among the nodes that had left the stack, the
 * one with the greatest benefit by cost, where the benefit is the part of its places that its neighbours can take
 * (`q / p`, summed). Costs of 0 and below are never chosen; of equals the first wins. All in single precision, in the
 * order of the reference's adjacency lists, so that ties fall as there.
 */
export function chooseSpills(
  graph: InterferenceGraph,
  colouring: Colouring,
  cost: Float32Array,
  order: AdjacencyOrder,
  most: number,
): number[] {
  const ratio = new Float32Array(cost.length);
  const candidates: number[] = [];
  let best = -1;
  for (let node = 0; node < cost.length; node++) {
    if (!(cost[node] > 0) || colouring.isOnStack[node] !== 0) continue;
    ratio[node] = benefitOf(graph, node, order) / cost[node];
    if (!(ratio[node] > 0)) continue;
    candidates.push(node);
    if (best < 0 || ratio[node] > ratio[best]) best = node;
  }
  if (most === 1) return best < 0 ? [] : [best];
  return candidates.sort((a, b) => ratio[b] - ratio[a] || a - b).slice(0, most);
}

function benefitOf(graph: InterferenceGraph, node: number, order: AdjacencyOrder): number {
  const size = graph.size.at(node);
  const places = graph.registers - size + 1;
  const hardware = graph.hardwareNeighbours(graph.start.at(node));
  const hardwareShare = Math.fround(size / places);
  let benefit = 0;
  if (order === 'hardware first')
    for (let k = 0; k < hardware; k++) benefit = Math.fround(benefit + hardwareShare);
  for (const other of graph.neighbours.list(node))
    benefit = Math.fround(benefit + Math.fround((size + graph.size.at(other) - 1) / places));
  if (order === 'hardware last')
    for (let k = 0; k < hardware; k++) benefit = Math.fround(benefit + hardwareShare);
  return benefit;
}
