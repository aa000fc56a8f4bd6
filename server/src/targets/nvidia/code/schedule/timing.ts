import type { Function } from '../../../../ir/function.js';
import type { Family } from '../../architectures.js';
import { classify, type MachineClass } from '../../classify.js';
import { issueCycles, latencyOf, units } from '../../latencies.js';
import { rowOf } from '../../stalls.js';

/** What the scheduler of ptxas expects of the machine. */
export interface Expected {
  /** By instruction: the unit that executes it, and cycles from its issue to that of a reader. */
  readonly unit: Uint8Array;
  readonly cycles: Int32Array;
  /** By unit: cycles between two instructions. */
  readonly interval: readonly number[];
}

export function expectedOf(f: Function, family: Family): Expected {
  const unit = new Uint8Array(f.instructionCount);
  const cycles = new Int32Array(f.instructionCount);
  for (let i = 0; i < f.instructionCount; i++) {
    const machineClass = classify(f.opcodes, f.opcode[i]);
    unit[i] = machineClass.unitNumber;
    cycles[i] = resultCycles(f, i, machineClass, family);
  }
  return { unit, cycles, interval: issueIntervals(family) };
}

/** Whether two machines are expected to do the same with all instructions of a function. */
export function isExpectedAlike(a: Expected, b: Expected): boolean {
  for (let i = 0; i < a.cycles.length; i++) {
    if (a.cycles[i] !== b.cycles[i]) return false;
    if (a.interval[a.unit[i]] !== b.interval[b.unit[i]]) return false;
  }
  return true;
}

/**
 * By unit number: cycles between two instructions of one warp. The memory unit takes an access every other cycle
 * (measured with ptxas 13.0: ten or eleven shared loads of 23 cycles stand before the first use, on sm_75, 80 and 86).
 */
const issueIntervals = (family: Family): readonly number[] =>
  units.map((unit) => (unit === 'memory' ? 2 : issueCycles(unit, family)));

/**
 * Loads past the first level are moved as far up as registers allow, whatever stands below them (measured with ptxas
 * 13.0: 57 of 64 loads stand before the first of a chain of additions that needs one after the other).
 */
export const FAR = 400;

/** Cycles from the issue of instruction `i` to that of a reader, as the order supposes. */
function resultCycles(f: Function, i: number, machineClass: MachineClass, family: Family): number {
  switch (machineClass.row) {
    case 'global':
    case 'globalL2':
    case 'globalAtomic':
    case 'texture':
      return FAR;
    default:
      return latencyOf(rowOf(f, i, machineClass), family);
  }
}
