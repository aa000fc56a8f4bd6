import { bytesWritten } from '../access.js';
import { hasBankConflict } from '../estimate/timing.js';
import type { Instruction, Program } from '../program.js';
import { DependenceGraphs, type DependenceGraph } from './dependences.js';
import { exitsOf } from './exits.js';
import { Heap } from './list-schedule.js';
import { PressureByBlock, type BlockPressure } from './pressure.js';

/**
 * The list schedulers of i965's scalar back-end (facts B.11). Before allocation latencies count as one clock:
 *
 * - `top-down`: what is unblocked first, and so about the order of the text;
 * - `non-lifo`: what frees most registers, else what has the longest chain behind it;
 * - `lifo`: what frees most, else what became ready last, so that values are used soon after they are made.
 *
 * They are tried in this order, each on what the one before has left, until the program fits without spilling. `post`
 * is `top-down` with real latencies, after allocation. All of them prefer what leads to an early `halt`.
 */
export type ScalarMode = 'top-down' | 'non-lifo' | 'lifo' | 'post';

/** Order of a scalar program's instructions, as old numbers. */
export function scalarOrder(program: Program, mode: ScalarMode): Int32Array {
  const { instructions, blockStart } = program;
  const graphs = new DependenceGraphs(program, { hasUnitLatency: mode !== 'post' });
  const pressure = mode === 'non-lifo' || mode === 'lifo' ? new PressureByBlock(program) : undefined;
  const order = new Int32Array(instructions.length);
  for (let block = 0; block + 1 < blockStart.length; block++) {
    const graph = graphs.of(block);
    const placed = scheduleBlock(
      graph,
      mode,
      (i) => issueClocks(program, instructions[graph.first + i]),
      (i) => instructions[graph.first + i].opcode.flow === 'halt',
      pressure?.of(block),
    );
    placed.forEach((i, n) => {
      order[graph.first + n] = graph.first + i;
    });
  }
  return order;
}

/** Two clocks for eight lanes, four for sixteen; one more for each GRF whose two last sources lie in one bank. */
function issueClocks(program: Program, instruction: Instruction): number {
  const conflict = hasBankConflict(program, instruction)
    ? Math.ceil(bytesWritten(instruction, 0, 'scalar') / 32)
    : 0;
  return (instruction.execSize === 16 ? 4 : 2) + conflict;
}

function scheduleBlock(
  graph: DependenceGraph,
  mode: ScalarMode,
  issue: (instruction: number) => number,
  isExit: (instruction: number) => boolean,
  pressure: BlockPressure | undefined,
): Int32Array {
  const { count, start, targets, clocks } = graph;
  const { group, exit, unblocked } = exitsOf(graph, isExit, issue);
  const delay = pressure === undefined ? undefined : delaysOf(graph, issue);
  const waiting = graph.parents.slice();
  const place = Int32Array.from({ length: count }, (_, i) => i);
  const generation = new Int32Array(count);
  const isReady = new Uint8Array(count);

  const byTime = (a: number, b: number): number => unblocked[a] - unblocked[b];
  const byPressure = (a: number, b: number): number => {
    if (pressure === undefined || delay === undefined) return 0;
    const benefit = Math.max(0, pressure.benefit[b]) - Math.max(0, pressure.benefit[a]);
    if (benefit !== 0) return benefit;
    if (mode === 'lifo' && generation[a] !== generation[b]) return generation[b] - generation[a];
    return delay[b] - delay[a];
  };
  const exitTime = (i: number): number => (group[i] === 0 ? Infinity : unblocked[exit[group[i]]]);
  const compare = pressure === undefined ? byTime : byPressure;
  const inGroup = (a: number, b: number): number => compare(a, b) || place[a] - place[b];
  // times of exits change while others are placed: each group has a heap of its own, whose heads are compared
  const across = (a: number, b: number): number => {
    const byExit = exitTime(a) === exitTime(b) ? 0 : exitTime(a) - exitTime(b);
    return pressure === undefined ? byExit || inGroup(a, b) : compare(a, b) || byExit || place[a] - place[b];
  };
  const ready = Array.from(exit, () => new Heap(count, inGroup));
  const makeReady = (i: number): void => {
    isReady[i] = 1;
    ready[group[i]].push(i);
  };

  for (let i = 0; i < count; i++) if (waiting[i] === 0) makeReady(i);
  const order = new Int32Array(count);
  let head = 0;
  let time = 0;
  for (let n = 0; n < count; n++) {
    let best: Heap | undefined;
    for (const heap of ready)
      if (heap.size > 0 && (best === undefined || across(heap.top, best.top) < 0)) best = heap;
    if (best === undefined) break;
    const chosen = best.pop();
    isReady[chosen] = 0;
    order[n] = chosen;
    pressure?.issue(chosen, (i) => {
      if (isReady[i] === 1) ready[group[i]].rise(i);
    });
    time = Math.max(time, unblocked[chosen]) + issue(chosen);
    for (let edge = start[chosen + 1] - 1; edge >= start[chosen]; edge--) {
      const dependent = targets[edge];
      unblocked[dependent] = Math.max(unblocked[dependent], time + clocks[edge]);
      generation[dependent] = n + 1;
      if (--waiting[dependent] > 0) continue;
      place[dependent] = --head;
      makeReady(dependent);
    }
  }
  return order;
}

/** By instruction: clocks of the longest chain from it to the end of the block. */
function delaysOf(graph: DependenceGraph, issue: (instruction: number) => number): Int32Array {
  const { count, start, targets, latency } = graph;
  const delay = new Int32Array(count);
  for (let i = count - 1; i >= 0; i--) {
    if (start[i] === start[i + 1]) delay[i] = issue(i);
    for (let edge = start[i]; edge < start[i + 1]; edge++)
      delay[i] = Math.max(delay[i], latency[i] + delay[targets[edge]]);
  }
  return delay;
}
