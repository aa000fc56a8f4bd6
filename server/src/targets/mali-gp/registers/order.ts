/**
 * The pre-schedule: an order of a block's nodes in which few values live at once. List scheduling from the last
 * node to the first, as in Sarkar, Serrano and Simons, "Register-sensitive selection, duplication, and sequencing
 * of instructions" (ICS 2001): of the nodes whose readers all stand already, the next one is
 *
 *   - depth first: a child of the node placed last, so that values die soon; among the children of one node special
 *     functions first (their results cannot wait), then the one whose own subtree needs fewer values (Sethi and Ullman);
 *   - or pressure first: the one that makes the fewest new values live.
 *
 * Neither wins everywhere, and the text's own order is sometimes the best: the one with the lowest peak is taken.
 */
import type { BlockGraph } from './block-graph.js';
import { pressureOf } from './block-graph.js';
import { Heap } from './heap.js';
import { operations, Place } from '../operations.js';
import type { Program } from '../graph.js';

export interface BlockOrder {
  /** Places in `BlockGraph.ids`, first executed first; every node after the ones that it reads. */
  readonly order: Int32Array;
  /** Values that live at once in this order at most. */
  readonly peak: number;
  /** The same for the order in which the block stood. */
  readonly written: number;
  /** Position before which the peak is. */
  readonly peakAt: number;
}

/** O(n log n) in the block's nodes and reads. */
export function orderBlock(program: Program, graph: BlockGraph): BlockOrder {
  const count = graph.ids.length;
  const written = Int32Array.from({ length: count }, (_, k) => k);
  const first = pressureOf(graph, written);
  let best: { order: Int32Array; peak: number; sum: number; at: number } = { order: written, ...first };
  const isSequence = Uint8Array.from(graph.ids, (id) =>
    Number(operations[program.nodes[id].op].place === Place.Sequence),
  );
  const need = subtreeNeeds(graph);
  for (const compare of [depthFirst, pressureFirst]) {
    const order = bottomUp(graph, need, isSequence, compare);
    const pressure = pressureOf(graph, order);
    if (pressure.peak < best.peak || (pressure.peak === best.peak && pressure.sum < best.sum))
      best = { order, ...pressure };
  }
  return { order: best.order, peak: best.peak, written: first.peak, peakAt: best.at };
}

/** Values that the tree above a node needs at least if nothing is shared: Sethi and Ullman's numbers. */
function subtreeNeeds(graph: BlockGraph): Int32Array {
  const need = new Int32Array(graph.ids.length);
  for (let k = 0; k < need.length; k++) {
    const own = graph.inputs[k].map((input) => need[input]).sort((a, b) => b - a);
    need[k] = own.reduce((most, n, i) => Math.max(most, n + i), 1);
  }
  return need;
}

interface Candidate {
  readonly node: number;
  /** Step at which the last of its readers was placed. */
  readonly recency: number;
  /** Values that it makes live, less the one that it ends. */
  readonly growth: number;
  readonly isSequence: number;
  readonly need: number;
}

type Compare = (a: Candidate, b: Candidate) => number;

const depthFirst: Compare = (a, b) =>
  b.recency - a.recency ||
  b.isSequence - a.isSequence ||
  a.growth - b.growth ||
  a.need - b.need ||
  b.node - a.node;

const pressureFirst: Compare = (a, b) =>
  a.growth - b.growth ||
  b.recency - a.recency ||
  b.isSequence - a.isSequence ||
  a.need - b.need ||
  b.node - a.node;

function bottomUp(graph: BlockGraph, need: Int32Array, isSequence: Uint8Array, compare: Compare): Int32Array {
  const count = graph.ids.length;
  const waiting = Int32Array.from(graph.readers, (readers) => readers.length);
  for (const earlier of graph.follows) for (const node of earlier) waiting[node]++;
  const recency = new Int32Array(count).fill(-1);
  /** Inputs that are not live yet. */
  const absent = Int32Array.from(graph.inputs, (inputs) => inputs.length);
  const isLive = new Uint8Array(count);
  const isPlaced = new Uint8Array(count);
  const order = new Int32Array(count);
  const ready = new Heap(compare);
  const offer = (node: number): void =>
    ready.push({
      node,
      recency: recency[node],
      growth: absent[node] - isLive[node],
      isSequence: isSequence[node],
      need: need[node],
    });
  const enliven = (value: number): void => {
    if (isLive[value]) return;
    isLive[value] = 1;
    // readers that wait beside it now cost one value less
    for (const reader of graph.readers[value]) {
      absent[reader]--;
      if (waiting[reader] === 0 && !isPlaced[reader]) offer(reader);
    }
  };
  if (graph.condition >= 0) enliven(graph.condition);
  for (let k = 0; k < count; k++) if (waiting[k] === 0) offer(k);
  for (let step = 0; step < count;) {
    const { node } = ready.pop()!;
    if (isPlaced[node]) continue;
    isPlaced[node] = 1;
    order[count - 1 - step] = node;
    for (const input of graph.inputs[node]) {
      enliven(input);
      recency[input] = step;
      if (--waiting[input] === 0) offer(input);
    }
    for (const earlier of graph.follows[node]) if (--waiting[earlier] === 0) offer(earlier);
    step++;
  }
  return order;
}
