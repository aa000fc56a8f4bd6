import type { Program } from '../program.js';
import { orderByEstimate } from './by-estimate.js';
import { DependenceGraphs } from './dependences.js';
import { scheduleByTime } from './list-schedule.js';
import { scalarOrder, type ScalarMode } from './scalar.js';

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
  /** For `i965` in scalar code: which of its schedulers; by default the first before allocation, or the one behind it. */
  readonly mode?: ScalarMode;
}

/**
 * The program in a better order, block by block; `best` is for allocated programs and leaves others alone. Dependency
 * bits are not set yet (`best` counts on those that `setDependencyControl` will set).
 */
export function schedule(program: Program, options: ScheduleOptions = {}): Program {
  if (program.dialect === 'selection') return program;
  if (options.as === 'i965') return inOrder(program, referenceOrder(program, options.mode));
  if (program.phase === 'virtual') return program;
  const proposals = [referenceOrder(program)];
  return inOrder(program, orderByEstimate(program, { proposals, steps: options.steps }));
}

const referenceOrder = (program: Program, mode?: ScalarMode): Int32Array =>
  program.dialect === 'scalar'
    ? scalarOrder(program, mode ?? (program.phase === 'virtual' ? 'top-down' : 'post'))
    : scheduleWithStalls(program).order;

const inOrder = (program: Program, order: Int32Array): Program => ({
  ...program,
  instructions: Array.from(order, (i) => program.instructions[i]),
});

/** A SIMD8 instruction is issued as two halves of four channels, one clock each. */
const ISSUE_CLOCKS = 2;

/** The order of i965's vec4 scheduler, with the waits that it plans. */
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
  return { program: inOrder(program, order), order, stalls };
}
