import type { Function } from '../../../../ir/function.js';
import { IntList } from '../../../../ir/int-list.js';
import { controlFlow } from '../../../../passes/cfg.js';
import { livenessOf } from '../../../../passes/liveness.js';
import { fullOccupancyRegisters, machine } from '../../architectures.js';
import type { CodeContext, MachineCode } from '../code.js';
import { inOrder } from './order.js';
import { ListScheduler } from './list.js';
import { thrifts } from './thrift.js';
import { BlockValues } from './values.js';

/**
 * Orders instructions as ptxas does: blocks stay as they are, and inside them results that take long are asked for
 * early, as far as a budget of registers allows.
 */
export function schedule(code: MachineCode, context: CodeContext): MachineCode {
  const { f } = code;
  const {
    held,
    launchable: { architecture, limit },
  } = context;
  const values = new BlockValues(f, livenessOf(f, controlFlow(f)));
  const scheduler = new ListScheduler(f, values, architecture.family);
  const least = fullOccupancyRegisters(architecture);
  const thrift = new Uint8Array(f.blockCount);
  let peak = peakOf(code, values);
  if (peak + held + LEAST_ROOM > least) peak = Math.min(peak, thriftiest(f, scheduler, thrift));
  const budget = Math.max(0, budgetOf(peak + held, least, limit) - held);
  const order = new IntList(f.instructionCount);
  for (let b = 0; b < f.blockCount; b++) scheduler.block(b, budget, thrift[b], order);
  return inOrder(code, order.view());
}

/** The lowest peak that thrifty orders of the blocks have; writes to `thrift` which one is best for each block. */
function thriftiest(f: Function, scheduler: ListScheduler, thrift: Uint8Array): number {
  const order = new IntList(f.instructionCount);
  let peak = 0;
  for (let b = 0; b < f.blockCount; b++) {
    let least = Infinity;
    for (const candidate of thrifts) {
      order.length = 0;
      scheduler.block(b, 0, candidate, order);
      if (scheduler.peak >= least) continue;
      least = scheduler.peak;
      thrift[b] = candidate;
    }
    peak = Math.max(peak, least);
  }
  return peak;
}

/** Registers a thread at which fewer warps fit an SM: 65536 registers in units of 256 a warp, four warps at a time. */
const steps = [32, 40, 48, 56, 64, 72, 80, 96, 128, 168, 255];

/**
 * Registers that stay free below the step: ptxas hoists loads until 4 fewer than the step are live (measured with
 * ptxas 13.0: b values live across a block of 60 loads that one chain adds up; for b = 10 to 200 on sm_75, 80 and 86
 * the most registers live are 28, 36, 44, 52, 60, 67 to 70, 75 to 79, 91, 123, 162 to 167, 251).
 */
const RESERVE = 4;

/**
 * The step is the first that leaves 8 registers beside what the thriftiest order needs, and never lower than what full
 * occupancy allows (the same measurement: b = 20, 26, 34, 42, 50, 58, 66 are the last that keep to the steps 32
 * to 80; such a program needs about 6 registers beside b).
 */
const LEAST_ROOM = 8;

function budgetOf(peak: number, least: number, limit: number): number {
  const step = steps.find((registers) => registers >= least && registers >= peak + LEAST_ROOM);
  return Math.min(step ?? machine.maxRegistersPerThread, limit) - RESERVE;
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
