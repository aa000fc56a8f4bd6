import { InstructionFlag } from '../../../ir/function.js';
import { controlFlow } from '../../../passes/cfg.js';
import { liveRangesOf } from '../../../passes/live-ranges.js';
import { livenessOf } from '../../../passes/liveness.js';
import { pressureOf } from '../../../passes/pressure.js';
import { machine } from '../architectures.js';
import { GENERAL, PREDICATE, type CodeContext, type MachineCode } from '../code/code.js';

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
  const liveness = livenessOf(f, controlFlow(f));
  const { during, peak: peaks } = pressureOf(f, liveness, liveRangesOf(f, liveness));
  let peak = 0;
  for (let i = 0; i < f.instructionCount; i++)
    peak = Math.max(peak, during[GENERAL][i] + code.temporaries[i]);
  // predicates that do not fit are kept in a general register
  if (peaks[PREDICATE] > machine.predicates) peak++;
  const used = Math.min(peak + 1, context.launchable.limit);
  const registers = context.has('calls') && hasCall(code) ? Math.max(used, machine.callFloor) : used;
  return { registers, low: registers, high: registers, assumptions: [] };
}

function hasCall({ f }: MachineCode): boolean {
  for (const flags of f.instructionFlags) if ((flags & InstructionFlag.Call) !== 0) return true;
  return false;
}
