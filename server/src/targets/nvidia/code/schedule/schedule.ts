import type { Function } from '../../../../ir/function.js';
import { IntList } from '../../../../ir/int-list.js';
import { codeOf, withAttributes } from '../../../../ir/same-code.js';
import { fullOccupancyRegisters, machine } from '../../architectures.js';
import { flowOf, keepsFlow } from '../analysis.js';
import { codeWith, type CodeContext, type MachineCode } from '../code.js';
import { inOrder } from './order.js';
import { ListScheduler, ROOM_FOR_LOADS } from './list.js';
import { thrifts } from './thrift.js';
import { expectedOf, isExpectedAlike, type Expected } from './timing.js';
import { BlockValues } from './values.js';

/**
 * Orders instructions as ptxas does: blocks stay as they are, and inside them results that take long are asked for
 * early, as far as a budget of registers allows.
 */
export function schedule(code: MachineCode, context: CodeContext): MachineCode {
  const { f } = code;
  const { architecture } = context.launchable;
  const expected = expectedOf(f, architecture.family);
  const known = orders.get(codeOf(f)) ?? [];
  orders.set(codeOf(f), known);
  const surely = budgetFor(0, context);
  const found = known.find(
    ({ temporaries, peak, expected: before }) =>
      temporaries === code.temporaries && peak <= surely && isExpectedAlike(expected, before),
  );
  if (found !== undefined)
    return codeWith(found.ordered, { f: withAttributes(found.ordered.f, f.attributes) });
  const { ordered, peak } = orderedFor(code, context, expected);
  if (peak <= surely) known.push({ temporaries: code.temporaries, expected, peak, ordered });
  return ordered;
}

/** By code: orders in which no choice rested on the budget. They hold under every one that is no less than their peak. */
const orders = new WeakMap<Function, Free[]>();

interface Free {
  readonly temporaries: Uint8Array;
  readonly expected: Expected;
  /** The most registers live. */
  readonly peak: number;
  readonly ordered: MachineCode;
}

/** The new order, and the most registers live in it; infinite where a choice rested on the budget. */
function orderedFor(
  code: MachineCode,
  context: CodeContext,
  expected: Expected,
): { readonly ordered: MachineCode; readonly peak: number } {
  const { f } = code;
  const { held } = context;
  const flow = flowOf(f);
  const values = new BlockValues(f, flow.liveness);
  const scheduler = new ListScheduler(f, values, expected);
  const blocks: Thrifty = {
    thrift: new Uint8Array(f.blockCount),
    peak: new Int32Array(f.blockCount),
  };
  let need = peakOf(code, values) + ROOM_FOR_LOADS + 1 + held;
  if (need > fullOccupancyRegisters(context.launchable.architecture))
    need = thriftiest(f, scheduler, blocks) + held;
  const budget = budgetFor(need, context);
  const order = new IntList(f.instructionCount);
  let peak = 0;
  for (let b = 0; b < f.blockCount; b++)
    peak = Math.max(peak, orderBlock(b, budget, scheduler, blocks, order));
  const ordered = inOrder(code, order.view());
  keepsFlow(ordered.f, flow);
  return { ordered, peak: scheduler.hasYielded || peak > budget ? Infinity : peak };
}

/** By block: the best thrifty order, and the most registers live in it; 0 where nobody asked. */
interface Thrifty {
  readonly thrift: Uint8Array;
  readonly peak: Int32Array;
}

/** A block may pass the budget, or what it cannot do without, by this much before it is ordered again. */
const SLACK = 2;

/**
 * Orders a block; where that takes many more registers than it should, again under a lower budget, then thriftily.
 * Returns how many it took first.
 */
function orderBlock(
  b: number,
  budget: number,
  scheduler: ListScheduler,
  blocks: Thrifty,
  order: IntList,
): number {
  const { thrift, peak } = blocks;
  const aim = Math.max(budget, peak[b]);
  const start = order.length;
  scheduler.block(b, budget, thrift[b], order);
  const first = scheduler.peak;
  if (first <= aim + SLACK) return first;
  order.length = start;
  scheduler.block(b, Math.max(1, budget - (first - aim)), thrift[b], order);
  if (scheduler.peak <= aim + SLACK || peak[b] === 0) return first;
  order.length = start;
  scheduler.block(b, 0, thrift[b], order);
  return first;
}

/** Registers that the thriftiest orders of the blocks need, R1 and room for loads included. */
function thriftiest(f: Function, scheduler: ListScheduler, blocks: Thrifty): number {
  const order = new IntList(f.instructionCount);
  let need = 0;
  for (let b = 0; b < f.blockCount; b++) {
    let least = Infinity;
    for (const candidate of thrifts) {
      order.length = 0;
      scheduler.block(b, 0, candidate, order);
      if (scheduler.need >= least) continue;
      least = scheduler.need;
      blocks.peak[b] = scheduler.peak;
      blocks.thrift[b] = candidate;
    }
    need = Math.max(need, least);
  }
  return need + 1;
}

/** Registers a thread at which fewer warps fit an SM: 65536 registers in units of 256 a warp, four warps at a time. */
const steps = [32, 40, 48, 56, 64, 72, 80, 96, 128, 168, 255];

/**
 * Registers that stay free below the step, R1 among them: ptxas hoists loads until 4 fewer than the step are live with
 * R1 (measured with ptxas 13.0: b values live across a block of 60 loads that one chain adds up; for b = 10 to 200 on
 * sm_75, 80 and 86 the most registers live are 28, 36, 44, 52, 60, 67 to 70, 75 to 79, 91, 123, 162 to 167, 251).
 */
const RESERVE = 5;

/** The step is the first that has what the thriftiest order needs, and never lower than full occupancy allows. */
function budgetFor(need: number, { launchable, held }: CodeContext): number {
  const least = fullOccupancyRegisters(launchable.architecture);
  const step = steps.find((registers) => registers >= least && registers >= need);
  return Math.max(1, Math.min(step ?? machine.maxRegistersPerThread, launchable.limit) - RESERVE - held);
}

/** The most 32-bit registers live in the order of the text. */
function peakOf({ f, temporaries }: MachineCode, values: BlockValues): number {
  let peak = 0;
  for (let b = 0; b < f.blockCount; b++) {
    let live = values.enter(b);
    peak = Math.max(peak, live);
    const base = f.operandStart[values.first];
    for (let i = values.first; i < f.blockStart[b + 1]; i++) {
      let reading = live + temporaries[i];
      for (let o = f.operandStart[i] - base; o < f.operandStart[i + 1] - base; o++) {
        const v = values.read[o];
        if (v >= 0 && values.isReader(o) && --values.readers[v] === 0) live -= values.width[v];
        const made = values.made[o];
        if (made >= 0 && values.readers[made] > 0) live += values.width[made];
      }
      reading = Math.max(reading, live);
      peak = Math.max(peak, reading);
    }
  }
  return peak;
}
