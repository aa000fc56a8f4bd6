import { footprintsOf, type Footprints } from '../estimate/footprint.js';
import type { Program } from '../program.js';
import { Heap } from './list-schedule.js';
import { Machine } from './machine.js';
import { OrderGraphs, type OrderGraph } from './order.js';

/**
 * Our scheduler after allocation: it plays the estimate's own machine, and takes at each clock the instruction that
 * can start at once and has the longest way to the end of the block behind it. Several such passes with their
 * priorities shaken, the order as given and others that the caller proposes compete for each block; the estimate
 * decides. Instructions that write different channels of one register are taken for free of each other while
 * dependency control may join them to a run.
 */
export interface ByEstimateOptions {
  /** Orders of the whole program to compete with, each a list of old numbers: i965's. */
  readonly proposals?: readonly Int32Array[];
  /** Instructions placed in all passes together, at most; each block gets its share. */
  readonly steps?: number | undefined;
}

const DEFAULT_STEPS = 10_000;
const MOST_PASSES = 4;
/** Ready instructions looked at before one of them is placed. */
const LOOKS = 6;

/** New order of the instructions of an allocated program, as old numbers; other programs stay as they are. */
export function orderByEstimate(program: Program, options: ByEstimateOptions = {}): Int32Array {
  const { blockStart, instructions } = program;
  const order = Int32Array.from(instructions, (_, i) => i);
  if (program.phase === 'virtual' || program.dialect === 'selection') return order;
  const footprints = footprintsOf(program);
  const machine = new Machine(program, footprints);
  const graphs = new OrderGraphs(program, footprints);
  const share = (options.steps ?? DEFAULT_STEPS) / Math.max(1, instructions.length);
  const passes = Math.max(1, Math.min(MOST_PASSES, Math.floor(share)));
  for (let block = 0; block + 1 < blockStart.length; block++) {
    const graph = graphs.of(block);
    const { first, count } = graph;
    const given = [order, ...(options.proposals ?? [])].map((proposal) =>
      proposal.slice(first, first + count).map((i) => i - first),
    );
    machine.beginBlock();
    const found = bestOrder(machine, graph, given, passes);
    machine.restore();
    for (let n = 0; n < count; n++) {
      order[first + n] = first + found[n];
      machine.issue(first + found[n]);
    }
  }
  return order;
}

/** The best of the given orders and of some passes of our own. */
function bestOrder(
  machine: Machine,
  graph: OrderGraph,
  given: readonly Int32Array[],
  passes: number,
): Int32Array {
  const { first, count } = graph;
  const heights = heightsOf(machine.footprints, graph);
  const atLeast = leastClocks(machine, graph, heights);
  let best = given[0];
  let cost = Infinity;
  const compete = (order: Int32Array, price: number): boolean => {
    if (price > cost) return false;
    best = order;
    cost = price;
    return true;
  };
  for (const order of given) {
    machine.restore();
    for (let n = 0; n < count; n++) machine.issue(first + order[n]);
    if (machine.frontEnd < cost) compete(order, machine.frontEnd);
  }
  if (count < 2) return best;
  let priorities = Float64Array.from(heights);
  const random = randomNumbers(count);
  for (let pass = 0; pass < passes && cost > atLeast; pass++) {
    const tried = pass === 0 ? priorities : shaken(priorities, random, pass);
    machine.restore();
    const order = place(machine, graph, tried);
    if (compete(order, machine.frontEnd)) priorities = tried;
  }
  return best;
}

/** By instruction: clocks from its start to the end of the block along the longest chain behind it. */
export function heightsOf(footprints: Footprints, graph: OrderGraph): Int32Array {
  const heights = new Int32Array(graph.count);
  for (let i = graph.count - 1; i >= 0; i--) {
    const own = footprints.frontEnd[graph.first + i];
    let behind = 0;
    for (let edge = graph.start[i]; edge < graph.start[i + 1]; edge++)
      behind = Math.max(behind, graph.clocks[edge] + heights[graph.targets[edge]]);
    heights[i] = own + behind;
  }
  return heights;
}

/** No order ends before: the front end is busy so long, and the longest chain takes so long. */
function leastClocks(machine: Machine, graph: OrderGraph, heights: Int32Array): number {
  let busy = 0;
  let longest = 0;
  for (let i = 0; i < graph.count; i++) {
    busy += machine.footprints.frontEnd[graph.first + i];
    longest = Math.max(longest, heights[i]);
  }
  machine.restore();
  return machine.frontEnd + (machine.hasRuns(graph) ? busy : Math.max(busy, longest));
}

/** One instruction in eight gets a priority up to a quarter higher or lower; every eighth pass shakes all. */
function shaken(priorities: Float64Array, random: () => number, pass: number): Float64Array<ArrayBuffer> {
  const share = pass % 8 === 0 ? 1 : 0.125;
  return Float64Array.from(priorities, (priority) =>
    random() < share ? priority * (0.75 + random() / 2) : priority,
  );
}

/** Numbers in [0, 1), the same for every run (a linear congruence modulo 2^32). */
function randomNumbers(seed: number): () => number {
  let state = (seed * 2654435761) >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** One pass of list scheduling on the machine: by priority among what can start now, else what can start first. */
function place(machine: Machine, graph: OrderGraph, priorities: Float64Array): Int32Array {
  const { first, count, start, targets, clocks } = graph;
  const waiting = graph.parents.slice();
  const earliest = new Int32Array(count);
  const now = new Heap(count, (a, b) => priorities[b] - priorities[a] || a - b);
  const soon = new Heap(count, (a, b) => earliest[a] - earliest[b] || priorities[b] - priorities[a] || a - b);
  for (let i = 0; i < count; i++) if (waiting[i] === 0) now.push(i);
  const order = new Int32Array(count);
  const looked = new Int32Array(LOOKS);
  for (let n = 0; n < count; n++) {
    while (soon.size > 0 && earliest[soon.top] <= machine.frontEnd) now.push(soon.pop());
    const chosen = choose(machine, first, now, soon, earliest, looked);
    order[n] = chosen;
    machine.issue(first + chosen);
    for (let edge = start[chosen]; edge < start[chosen + 1]; edge++) {
      const dependent = targets[edge];
      earliest[dependent] = Math.max(earliest[dependent], machine.frontEnd + clocks[edge]);
      if (--waiting[dependent] === 0) soon.push(dependent);
    }
  }
  return order;
}

function choose(
  machine: Machine,
  first: number,
  now: Heap,
  soon: Heap,
  earliest: Int32Array,
  looked: Int32Array,
): number {
  let count = 0;
  let chosen = -1;
  while (count < LOOKS && now.size + soon.size > 0) {
    const candidate = now.size > 0 ? now.pop() : soon.pop();
    // what comes out of `soon` starts no earlier than it says
    if (chosen >= 0 && earliest[candidate] >= earliest[chosen]) {
      soon.push(candidate);
      break;
    }
    const start = machine.startOf(first + candidate);
    looked[count++] = candidate;
    earliest[candidate] = start;
    if (chosen < 0 || start < earliest[chosen]) chosen = candidate;
    if (start <= machine.frontEnd) break;
  }
  for (let k = 0; k < count; k++) if (looked[k] !== chosen) soon.push(looked[k]);
  return chosen;
}
