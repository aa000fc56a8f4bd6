import type { Program } from '../program.js';
import { Heap } from '../../../passes/heap.js';
import { ScheduleGraphs, type ScheduleGraph } from './schedule-graph.js';

/**
 * Beignet's scheduler before allocation (facts A.17; off by default there, OCL_PRE_ALLOC_INSN_SCHEDULE), for register
 * pressure: from the end of the block upwards, last in first out. Of the instructions all of whose dependents stand,
 * the one is placed whose dependent was placed last; among equals the one with the smaller need of registers by a
 * recurrence in the manner of Sethi and Ullman. The recurrence is the reference's: it compares with the number of
 * predecessors and keeps the number of successors, so it is no true Sethi-Ullman number.
 */
export function scheduleBefore(program: Program): Program {
  const { instructions, blockStart } = program;
  const graphs = new ScheduleGraphs(program);
  const made = [...instructions];
  for (let block = 0; block + 1 < blockStart.length; block++) {
    const graph = graphs.of(block);
    bottomUp(graph).forEach((n, k) => {
      made[graph.first + k] = instructions[graph.first + n];
    });
  }
  return { ...program, instructions: made };
}

function bottomUp(graph: ScheduleGraph): number[] {
  const { count, edgeStart, to } = graph;
  const predecessors = predecessorsOf(graph);
  const need = registerNeeds(graph, predecessors);
  const waitsFor = Int32Array.from({ length: count }, (_, n) => edgeStart[n + 1] - edgeStart[n]);
  /** Position from the top of the dependent that was placed last; positions fall as the block fills. */
  const below = new Int32Array(count).fill(count);
  const ready = new Heap(
    (a, b) => below[a] - below[b] < 0 || (below[a] === below[b] && (need[a] - need[b] || b - a) < 0),
  );
  for (let n = 0; n < count; n++) if (waitsFor[n] === 0) ready.push(n);
  const order = new Array<number>(count);
  for (let position = count - 1; position >= 0; position--) {
    const n = ready.pop()!;
    order[position] = n;
    for (const before of predecessors[n]) {
      below[before] = position;
      if (--waitsFor[before] === 0) ready.push(before);
    }
  }
  return order;

  function predecessorsOf(of: ScheduleGraph): number[][] {
    const lists: number[][] = Array.from({ length: of.count }, () => []);
    for (let n = 0; n < of.count; n++)
      for (let e = edgeStart[n]; e < edgeStart[n + 1]; e++) lists[to[e]].push(n);
    return lists;
  }
}

function registerNeeds(
  { count, edgeStart }: ScheduleGraph,
  predecessors: readonly (readonly number[])[],
): Int32Array {
  const need = new Int32Array(count);
  for (let n = 0; n < count; n++) {
    const before = predecessors[n];
    if (before.length === 0) continue;
    const most = before.reduce((max, p) => Math.max(max, need[p]), 0);
    need[n] = before.length > most ? edgeStart[n + 1] - edgeStart[n] : most;
  }
  return need;
}
