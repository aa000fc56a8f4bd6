import type { Function } from '../../../../ir/function.js';
import type { Family } from '../../architectures.js';
import type { MachineClass } from '../../classify.js';
import { issueCycles, latencyOf, units } from '../../latencies.js';
import { rowOf } from '../../stalls.js';

/** What the scheduler of ptxas expects of the machine. */

/**
 * By unit number: cycles between two instructions of one warp. The memory unit takes an access every other cycle
 * (measured with ptxas 13.0: ten or eleven shared loads of 23 cycles stand before the first use, on sm_75, 80 and 86).
 */
export const issueIntervals = (family: Family): readonly number[] =>
  units.map((unit) => (unit === 'memory' ? 2 : issueCycles(unit, family)));

/**
 * Loads past the first level are moved as far up as registers allow, whatever stands below them (measured with ptxas
 * 13.0: 57 of 64 loads stand before the first of a chain of additions that needs one after the other).
 */
export const FAR = 400;

/** Cycles from the issue of instruction `i` to that of a reader, as the order supposes. */
export function resultCycles(f: Function, i: number, machineClass: MachineClass, family: Family): number {
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
