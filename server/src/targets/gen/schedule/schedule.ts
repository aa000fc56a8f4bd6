import type { Program } from '../program.js';
import { DependenceGraphs } from './dependences.js';
import { scheduleByTime } from './list-schedule.js';

export interface Scheduled {
  readonly program: Program;
  /** By instruction of the new order: its number in the old one. */
  readonly order: Int32Array;
  /** By instruction of the new order: clocks that the scheduler expects it to wait. */
  readonly stalls: Int32Array;
}

/** The allocated program in the order that i965 gives it after allocation, block by block. */
export function schedule(program: Program): Program {
  return scheduleWithStalls(program).program;
}

/** A SIMD8 instruction is issued as two halves of four channels, one clock each. */
const ISSUE_CLOCKS = 2;

export function scheduleWithStalls(program: Program): Scheduled {
  const { instructions, blockStart } = program;
  const graphs = new DependenceGraphs(program, { hasUnitLatency: false });
  const order = new Int32Array(instructions.length);
  const stalls = new Int32Array(instructions.length);
  for (let block = 0; block + 1 < blockStart.length; block++) {
    const graph = graphs.of(block);
    const found = scheduleByTime(graph, () => ISSUE_CLOCKS);
    for (let n = 0; n < graph.count; n++) {
      order[graph.first + n] = graph.first + found.order[n];
      stalls[graph.first + n] = found.stalls[n];
    }
  }
  return { program: { ...program, instructions: Array.from(order, (i) => instructions[i]) }, order, stalls };
}
