import type { Program } from '../program.js';
import { orderByEstimate } from './by-estimate.js';
import { DependenceGraphs } from './dependences.js';
import { scheduleByTime } from './list-schedule.js';

export interface Scheduled {
  readonly program: Program;
  /** By instruction of the new order: its number in the old one. */
  readonly order: Int32Array;
  /** By instruction of the new order: clocks that the scheduler expects it to wait. */
  readonly stalls: Int32Array;
}

export interface ScheduleOptions {
  /** `best` (the default) goes by the estimate and is never worse than the order as given; `i965` by the reference's rule. */
  readonly as?: 'best' | 'i965';
  /** For `best`: instructions placed in all its passes together, at most. 0 is one pass. */
  readonly steps?: number;
}

/**
 * The allocated program in a better order, block by block. Dependency bits are not set yet (`best` counts on those
 * that `setDependencyControl` will set).
 */
export function schedule(program: Program, options: ScheduleOptions = {}): Program {
  const reference = scheduleWithStalls(program);
  if (options.as === 'i965') return reference.program;
  const order = orderByEstimate(program, { proposals: [reference.order], steps: options.steps });
  return { ...program, instructions: Array.from(order, (i) => program.instructions[i]) };
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
