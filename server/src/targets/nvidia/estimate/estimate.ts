import { InstructionFlag, type Function } from '../../../ir/function.js';
import { bundlesOf, type Bundles } from '../../../passes/bundles.js';
import type { LiveRanges } from '../../../passes/live-ranges.js';
import { reallocationOf } from '../advice/setmaxnreg.js';
import { wgmmaFloor } from '../advice/wgmma.js';
import { machine } from '../architectures.js';
import { analysisOf, generalPeak } from '../code/analysis.js';
import type { Launchable } from '../limits.js';
import { aboutCalls } from '../code/calls/assumptions.js';
import { callsByConvention, registersKeeping } from '../code/calls/convention.js';
import { savedAcross } from '../code/calls/kept.js';
import { GENERAL, PREDICATE, type CodeContext, type MachineCode } from '../code/code.js';
import { assign, valuesOf, type Wishes } from './assign.js';
import { budgetsOf } from './budgets.js';
import { groupsOf } from './groups.js';
import { rangeOf } from './range.js';

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
  const { pressure } = analysisOf(f);
  const { launchable } = context;
  const peak = generalPeak(code);
  const called = registersOfCalled(code, context);
  const used = usedRegisters(code, context, Math.max(peak, called.keeping - 1));

  let registers = used < 0 ? launchable.limit : used + machine.unnamedRegisters;
  const assumptions = [explained(peak, used, launchable), ...aboutCalls(code, context)];
  if (pressure.peak[PREDICATE] > machine.predicates) {
    registers++;
    assumptions.push('predicates that do not fit the predicate registers are packed into one more register');
  }
  registers = Math.max(registers, called.registers);
  if (launchable.isDebug) {
    registers += descriptorOf(launchable);
    assumptions.push('.target debug: compiled without optimisation, so every instruction stands as written');
  }
  const floor = wgmmaFloor(f)?.registers ?? 0;
  registers = Math.max(Math.min(registers, launchable.limit), floor);
  return { registers, ...rangeOf(registers, floor, launchable.limit), assumptions };
}

/**
 * Unoptimised code keeps the 64-bit descriptor of global memory, which sm_80 and newer have, in general registers from
 * its first instruction on (read from ptxas 13.0's code for nvcc -G); optimised code has it in uniform registers.
 */
const descriptorOf = ({ isDebug, architecture }: Launchable): number =>
  isDebug && architecture.capability >= 80 ? 2 : 0;

/** Registers named by the code, R0 and R1 counted; -1 where what is live does not fit the limit. */
function usedRegisters(code: MachineCode, context: CodeContext, peak: number): number {
  const { f } = code;
  // R1 is never free
  const budget = budgetsOf(f, context.launchable).find((step) => peak + 1 <= step);
  if (budget === undefined) return -1;
  const { liveness, ranges } = analysisOf(f);
  const bundles = generalBundles(f, ranges);
  const hasFragments = context.has('fragments');
  const groups = groupsOf(f, bundles, hasFragments);
  const values = valuesOf(code, liveness.occurrences, bundles, groups);
  for (const wishes of attempts(context.has('looseAllocation') && !context.launchable.isDebug)) {
    const used = assign(values, budget, wishes);
    if (used >= 0) return used;
  }
  if (!groups.hasHalves) return budget;
  // a product whose pair has no room is two instructions, one for each half
  const apart = groupsOf(f, bundles, hasFragments, false);
  const used = assign({ ...values, groups: apart }, budget, STRICT);
  return used >= 0 ? used : budget;
}

/** Values that share a register because one is a copy of the other; without copies each is alone. */
function generalBundles(f: Function, ranges: LiveRanges): Bundles {
  const { registerStart, segmentFrom, segmentTo } = ranges;
  const isGeneral = (r: number): boolean =>
    f.registerClass[r] === GENERAL && registerStart[r] < registerStart[r + 1];
  for (let i = 0; i < f.instructionCount; i++)
    if ((f.instructionFlags[i] & InstructionFlag.Copy) !== 0) return bundlesOf(f, ranges, isGeneral, () => 0);
  const bundleOf = new Int32Array(f.registerCount).fill(-1);
  for (let r = 0; r < f.registerCount; r++) if (isGeneral(r)) bundleOf[r] = r;
  const { registerClass, registerWidth: width } = f;
  return { bundleOf, start: registerStart, from: segmentFrom, to: segmentTo, registerClass, width };
}

function explained(peak: number, used: number, { limit }: Launchable): string {
  const fixed = 1 + machine.unnamedRegisters;
  const live = `${peak} live at once in the order as compiled, ${fixed} that every kernel has`;
  if (used < 0) return `${live}; more than the limit of ${limit}, so values are computed again or spilled`;
  const rest = used - peak - 1;
  return rest > 0 ? `${live}, ${rest} for aligned pairs and to avoid waits and bank conflicts` : live;
}

/**
 * All wishes first, then without those that cost most room. Where first fit leaves gaps, ptxas moves values until they
 * fit: what is live at once fits the budget (measured: 30 of 30 named registers live, or 38 of 38, or 62 of 62).
 */
function attempts(loose: boolean): readonly Wishes[] {
  return loose ? [{ banks: true, lateReads: true }, { banks: false, lateReads: true }, STRICT] : [STRICT];
}

const STRICT: Wishes = { banks: false, lateReads: false };

/**
 * Of calls by the convention: the registers up to the last one that keeps a value across one of them, and what the
 * functions that are called use in all; 0 where there is none.
 */
function registersOfCalled(
  { f }: MachineCode,
  context: CodeContext,
): { readonly keeping: number; readonly registers: number } {
  let keeping = 0;
  let registers = 0;
  for (let i = 0; i < f.instructionCount; i++) {
    if (!callsByConvention(f, i)) continue;
    const held = savedAcross(f, i) + descriptorOf(context.launchable);
    keeping = Math.max(keeping, registersKeeping(held));
    registers = Math.max(registers, machine.callFloor, context.callees.at(f, i).registers);
  }
  return { keeping, registers: Math.max(registers, keeping > 0 ? keeping + machine.unnamedRegisters : 0) };
}
