import { footprintsOf } from '../estimate/footprint.js';
import type { Program } from '../program.js';
import { heightsOf } from './by-estimate.js';
import { Heap } from './list-schedule.js';
import { Machine } from './machine.js';
import { OrderGraphs, type OrderGraph } from './order.js';
import { PressureByBlock, type BlockPressure } from './pressure.js';

/**
 * An order before allocation that hides latency while there are registers for it, in the manner of Goodman and Hsu's
 * integrated prepass scheduling (1988): as long as fewer than `limit` GRFs are live it takes what can start first and
 * has the longest way to the end of the block behind it, by the estimate's machine; beyond that, what frees most
 * registers, and else what became ready last, which is most likely to lead to something that frees some.
 */
export interface BeforeOptions {
  /** GRFs, payload included. */
  readonly limit: number;
}

export function orderBefore(program: Program, { limit }: BeforeOptions): Program {
  if (program.phase !== 'virtual' || program.dialect === 'selection') return program;
  const { instructions, blockStart } = program;
  const footprints = footprintsOf(program);
  const machine = new Machine(program, footprints);
  const graphs = new OrderGraphs(program, footprints);
  const pressure = new PressureByBlock(program);
  const order: number[] = [];
  for (let block = 0; block + 1 < blockStart.length; block++) {
    const graph = graphs.of(block);
    machine.beginBlock();
    machine.restore();
    const heights = heightsOf(footprints, graph);
    const found = place(machine, graph, heights, pressure.of(block), limit - pressure.atEntry(block));
    for (const i of found) order.push(graph.first + i);
  }
  return { ...program, instructions: order.map((i) => instructions[i]) };
}

/** Ready instructions looked at for one that can start at once. */
const LOOKS = 6;

function place(
  machine: Machine,
  graph: OrderGraph,
  heights: Int32Array,
  { benefit, issue }: BlockPressure,
  room: number,
): Int32Array {
  const { first, count, start, targets, clocks } = graph;
  const waiting = graph.parents.slice();
  const earliest = new Int32Array(count);
  const generation = new Int32Array(count);
  const state = new Uint8Array(count);
  // each ready instruction is in `relief`, and in one of the others; what was placed through one is skipped in the rest
  const now = new Heap(count, (a, b) => heights[b] - heights[a] || a - b);
  const soon = new Heap(count, (a, b) => earliest[a] - earliest[b] || heights[b] - heights[a] || a - b);
  const relief = new Heap(
    count,
    (a, b) =>
      Math.max(0, benefit[b]) - Math.max(0, benefit[a]) ||
      generation[b] - generation[a] ||
      heights[b] - heights[a] ||
      a - b,
  );
  const makeReady = (i: number): void => {
    state[i] = READY;
    soon.push(i);
    relief.push(i);
  };
  for (let i = 0; i < count; i++) if (waiting[i] === 0) makeReady(i);
  const order = new Int32Array(count);
  let free = room;
  const looked: number[] = [];
  const byTime = (): number => {
    let chosen = -1;
    looked.length = 0;
    while (soon.size > 0 && earliest[soon.top] <= machine.frontEnd) now.push(soon.pop());
    while (looked.length < LOOKS && now.size + soon.size > 0) {
      const candidate = now.size > 0 ? now.pop() : soon.pop();
      if (state[candidate] === PLACED) continue;
      looked.push(candidate);
      if (chosen >= 0 && earliest[candidate] >= earliest[chosen]) break;
      earliest[candidate] = machine.startOf(first + candidate);
      if (chosen < 0 || earliest[candidate] < earliest[chosen]) chosen = candidate;
      if (earliest[candidate] <= machine.frontEnd) break;
    }
    for (const candidate of looked) if (candidate !== chosen) soon.push(candidate);
    if (chosen >= 0 && -benefit[chosen] > free) {
      soon.push(chosen);
      return -1;
    }
    return chosen;
  };
  const byRelief = (): number => {
    while (state[relief.top] === PLACED) relief.pop();
    return relief.pop();
  };
  for (let n = 0; n < count; n++) {
    let chosen = free > 0 ? byTime() : -1;
    if (chosen < 0) chosen = byRelief();
    state[chosen] = PLACED;
    order[n] = chosen;
    free += benefit[chosen];
    issue(chosen, (i) => {
      if (state[i] === READY) relief.rise(i);
    });
    machine.issue(first + chosen);
    for (let edge = start[chosen]; edge < start[chosen + 1]; edge++) {
      const dependent = targets[edge];
      earliest[dependent] = Math.max(earliest[dependent], machine.frontEnd + clocks[edge]);
      generation[dependent] = n + 1;
      if (--waiting[dependent] === 0) makeReady(dependent);
    }
  }
  return order;
}

const READY = 1;
const PLACED = 2;
