import { InstructionFlag } from '../../../ir/function.js';
import type { Allocation } from '../../../passes/allocate.js';
import { machine } from '../architectures.js';
import { GENERAL, type CodeContext, type MachineCode } from '../code/code.js';

/** What `ptxas -v` would say, as far as the model knows. Registers are 32-bit registers a thread. */
export interface Estimate {
  readonly registers: number;
  /** ptxas's figure lies between these for about nine kernels in ten like this one. */
  readonly low: number;
  readonly high: number;
  /** What was assumed or could not be known, in words for a hover. */
  readonly assumptions: readonly string[];
}

export function estimateOf(code: MachineCode, allocation: Allocation, context: CodeContext): Estimate {
  const used = allocation.allocated.unitsUsed[GENERAL] ?? 0;
  const registers = context.has('calls') && hasCall(code) ? Math.max(used, machine.callFloor) : used;
  return { registers, low: registers, high: registers, assumptions: [] };
}

function hasCall({ f }: MachineCode): boolean {
  for (const flags of f.instructionFlags) if ((flags & InstructionFlag.Call) !== 0) return true;
  return false;
}
