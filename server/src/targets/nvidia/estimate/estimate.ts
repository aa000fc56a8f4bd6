import { InstructionFlag } from '../../../ir/function.js';
import { bundlesOf } from '../../../passes/bundles.js';
import { reallocationOf } from '../advice/setmaxnreg.js';
import { wgmmaFloor } from '../advice/wgmma.js';
import { machine } from '../architectures.js';
import { analysisOf } from '../code/analysis.js';
import { GENERAL, PREDICATE, type CodeContext, type MachineCode } from '../code/code.js';
import { assign, valuesOf, type Wishes } from './assign.js';
import { budgetsOf } from './budgets.js';
import { groupsOf } from './groups.js';

/** What `ptxas -v` would say, as far as the model knows. Registers are 32-bit registers a thread. */
export interface Estimate {
  readonly registers: number;
  /** ptxas's figure lies between these for about nine kernels in ten like this one. */
  readonly low: number;
  readonly high: number;
  /** What was assumed or could not be known, in words for a hover. */
  readonly assumptions: readonly string[];
}

/** From the machine code in its final order to the number of registers. O(n log n). */
export function estimateOf(code: MachineCode, context: CodeContext): Estimate {
  const { f } = code;
  const fixed = reallocationOf(f, context.launchable)?.entry;
  if (fixed !== undefined && f.isEntry)
    return {
      registers: fixed,
      low: fixed,
      high: fixed,
      assumptions: [`setmaxnreg gives every thread ${fixed} registers at the entry, needed or not`],
    };
  const { liveness, ranges, pressure } = analysisOf(f);
  const { during, peak: peaks } = pressure;
  let peak = 0;
  for (let i = 0; i < f.instructionCount; i++)
    peak = Math.max(peak, during[GENERAL][i] + code.temporaries[i]);

  const isGeneral = (r: number): boolean =>
    f.registerClass[r] === GENERAL && ranges.registerStart[r] < ranges.registerStart[r + 1];
  const bundles = bundlesOf(f, ranges, isGeneral, () => 0);
  const groups = groupsOf(f, bundles, context.has('fragments'));
  const values = valuesOf(code, liveness.occurrences, bundles, groups);
  const loose = context.has('looseAllocation');

  let used = -1;
  const { architecture, limit } = context.launchable;
  for (const budget of budgetsOf(architecture, limit)) {
    // R1 is never free
    if (peak + 1 > budget) continue;
    used = budget;
    for (const wishes of attempts(loose)) {
      const found = assign(values, budget, wishes);
      if (found >= 0) {
        used = found;
        break;
      }
    }
    break;
  }
  let registers = used < 0 ? limit : used + machine.unnamedRegisters;
  // predicates that do not fit are kept in a general register
  if (peaks[PREDICATE] > machine.predicates) registers++;
  if (context.has('calls') && hasCall(code)) registers = Math.max(registers, machine.callFloor);
  registers = Math.max(Math.min(registers, limit), wgmmaFloor(f)?.registers ?? 0);
  return { registers, low: registers, high: registers, assumptions: [] };
}

/**
 * All wishes first, then without those that cost most room. Where first fit leaves gaps, ptxas moves values until they
 * fit: what is live at once fits the budget (measured: 30 of 30 named registers live, or 38 of 38, or 62 of 62).
 */
function attempts(loose: boolean): readonly Wishes[] {
  const strict = { banks: false, lateReads: false };
  return loose ? [{ banks: true, lateReads: true }, { banks: false, lateReads: true }, strict] : [strict];
}

function hasCall({ f }: MachineCode): boolean {
  for (const flags of f.instructionFlags) if ((flags & InstructionFlag.Call) !== 0) return true;
  return false;
}
