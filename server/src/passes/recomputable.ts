import { InstructionFlag, type Function } from '../ir/function.js';
import { isDefinition, kills, type Occurrences } from './occurrences.js';

/**
 * Rematerialisation (Briggs, Cooper and Torczon, PLDI 1992), the simple and sure case: a register whose only
 * definition is one instruction that computes a constant of the run and reads no register can be computed again at
 * each use instead of being kept.
 *
 * Gives, for each register, the instruction that recomputes it, or -1.
 */
export function recomputableRegisters(f: Function, occurrences: Occurrences): Int32Array {
  const definer = new Int32Array(f.registerCount).fill(-1);
  for (let r = 0; r < f.registerCount; r++) {
    let only = -1;
    for (let k = occurrences.start[r]; k < occurrences.start[r + 1]; k++) {
      const operand = occurrences.operand[k];
      if (!isDefinition(f, operand)) continue;
      only = only === -1 && isConstantDefinition(f, occurrences.instruction[k], operand) ? k : -2;
      if (only === -2) break;
    }
    if (only >= 0) definer[r] = occurrences.instruction[only];
  }
  return definer;
}

function isConstantDefinition(f: Function, instruction: number, definition: number): boolean {
  if ((f.instructionFlags[instruction] & InstructionFlag.Constant) === 0 || !kills(f, definition))
    return false;
  for (let o = f.operandStart[instruction]; o < f.operandStart[instruction + 1]; o++)
    if (o !== definition && f.operandPlace[o] >= 0) return false;
  return true;
}
