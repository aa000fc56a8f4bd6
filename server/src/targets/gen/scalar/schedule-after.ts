import { issueClocks, selectionTiming } from '../estimate/selection.js';
import type { Program } from '../program.js';
import { Heap } from '../../../passes/heap.js';
import { EdgeKind, readsMemory, ScheduleGraphs, type ScheduleGraph } from './schedule-graph.js';

/**
 * Beignet's scheduler behind allocation (facts A.17, on by default): block by block, forward, driven by a clock. An
 * instruction releases those that only must not overwrite what it reads as soon as it is issued, the others when its
 * latency is over. Of the ready ones the one of least cost is issued: 0 when an anti dependence was the last to fall,
 * else 10 (5 for an output dependence) less 5 by the distance to the nearest memory read that needs the result.
 * A memory read counts as a distance of a tenth: -40, so that its latency begins as early as it can.
 */
export interface ScheduledAfter {
  readonly program: Program;
  /** By instruction of the new order: its number in the old one. */
  readonly order: Int32Array;
}

export function scheduleAfter(program: Program): ScheduledAfter {
  const { instructions, blockStart } = program;
  const order = new Int32Array(instructions.length);
  const graphs = new ScheduleGraphs(program);
  for (let block = 0; block + 1 < blockStart.length; block++) {
    const graph = graphs.of(block);
    issueOrder(program, graph).forEach((n, k) => {
      order[graph.first + k] = graph.first + n;
    });
  }
  return { program: { ...program, instructions: Array.from(order, (i) => instructions[i]) }, order };
}

/** Distances beyond this are not looked for. */
const FARTHEST_READ = 5;

/** Steps by which a memory read depends on each instruction, Infinity for none near. */
function readDistances(graph: ScheduleGraph, isRead: readonly boolean[]): Float64Array {
  const distance = new Float64Array(graph.count).fill(Infinity);
  let front: number[] = [];
  isRead.forEach((is, n) => {
    if (!is) return;
    distance[n] = 0;
    front.push(n);
  });
  for (let steps = 1; steps <= FARTHEST_READ + 1 && front.length > 0; steps++) {
    const next: number[] = [];
    for (const n of front)
      for (const needed of graph.dependsOn[n]) {
        if (distance[needed] !== Infinity) continue;
        distance[needed] = steps;
        next.push(needed);
      }
    front = next;
  }
  return distance;
}

function issueOrder(program: Program, graph: ScheduleGraph): number[] {
  const { first, count, edgeStart, to, kind } = graph;
  const code = program.instructions.slice(first, first + count);
  const distance = readDistances(graph, code.map(readsMemory));
  const waitsFor = Int32Array.from(graph.parents);
  const cost = new Float64Array(count);
  const arrival = new Int32Array(count);
  const retires = new Float64Array(count);
  const issued = new Int32Array(count);
  let arrivals = 0;
  const ready = new Heap((a, b) => cost[a] < cost[b] || (cost[a] === cost[b] && arrival[a] < arrival[b]));
  const active = new Heap(
    (a, b) => retires[a] < retires[b] || (retires[a] === retires[b] && issued[a] < issued[b]),
  );
  const arrive = (n: number, last: EdgeKind): void => {
    const near = distance[n] === 0 ? 0.1 : distance[n];
    cost[n] = last === EdgeKind.WriteAfterRead ? 0 : (last === EdgeKind.WriteAfterWrite ? 5 : 10) - 5 / near;
    arrival[n] = arrivals++;
    ready.push(n);
  };
  const release = (n: number, isAnti: boolean): void => {
    for (let e = edgeStart[n]; e < edgeStart[n + 1]; e++) {
      if ((kind[e] === EdgeKind.WriteAfterRead) !== isAnti) continue;
      if (--waitsFor[to[e]] === 0) arrive(to[e], kind[e]);
    }
  };
  for (let n = 0; n < count; n++) if (graph.parents[n] === 0) arrive(n, EdgeKind.ReadAfterWrite);
  const order: number[] = [];
  let clock = 0;
  /** Issued in the step before: its anti dependences fall now. */
  let newest = -1;
  const retire = (): void => {
    const ended: number[] = [];
    while (active.first !== undefined && retires[active.first] <= clock) ended.push(active.pop()!);
    ended.sort((a, b) => issued[a] - issued[b]);
    for (const n of ended) if (n !== newest) release(n, false);
    if (newest < 0) return;
    release(newest, true);
    if (ended.includes(newest)) release(newest, false);
    newest = -1;
  };
  while (order.length < count) {
    retire();
    const next = ready.pop();
    if (next === undefined) {
      if (active.first === undefined) break;
      clock = retires[active.first];
      continue;
    }
    const timing = selectionTiming(code[next]);
    clock += issueClocks(program, timing);
    retires[next] = clock + timing.latency;
    issued[next] = order.length;
    order.push(next);
    active.push(next);
    newest = next;
  }
  return order;
}
