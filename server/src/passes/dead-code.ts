import { functionWith, InstructionFlag, OperandFlag, type Function } from '../ir/function.js';
import { isDefinition, isUse, type Occurrences } from './occurrences.js';

/**
 * Dead code: an instruction is needed when it has an effect beyond its results, or when a needed instruction reads
 * a register that it writes. Registers are followed whole and without regard to the order of the text, which may
 * keep an instruction too many and never drops one too many. O(operands): each instruction is looked at once.
 */
const EFFECT =
  InstructionFlag.SideEffect |
  InstructionFlag.WritesMemory |
  InstructionFlag.Call |
  InstructionFlag.Branch |
  InstructionFlag.Return |
  InstructionFlag.Barrier;

/** Whether an instruction is needed even where nobody reads what it writes. */
export const hasEffect = (f: Function, i: number): boolean => (f.instructionFlags[i] & EFFECT) !== 0;

/** 1 for each instruction that nobody needs. */
export function deadInstructions(f: Function, occurrences: Occurrences): Uint8Array {
  const dead = new Uint8Array(f.instructionCount).fill(1);
  const wanted = new Uint8Array(f.registerCount);
  const pending: number[] = [];
  for (let i = 0; i < f.instructionCount; i++) {
    if (!hasEffect(f, i) && hasResult(f, i)) continue;
    dead[i] = 0;
    pending.push(i);
  }
  while (pending.length > 0) {
    const i = pending.pop()!;
    for (let o = f.operandStart[i]; o < f.operandStart[i + 1]; o++) {
      const r = f.operandPlace[o];
      if (r < 0 || wanted[r] || !isUse(f, o)) continue;
      wanted[r] = 1;
      for (let k = occurrences.start[r]; k < occurrences.start[r + 1]; k++) {
        const definer = occurrences.instruction[k];
        if (!dead[definer] || !isDefinition(f, occurrences.operand[k])) continue;
        dead[definer] = 0;
        pending.push(definer);
      }
    }
  }
  return dead;
}

function hasResult(f: Function, instruction: number): boolean {
  for (let o = f.operandStart[instruction]; o < f.operandStart[instruction + 1]; o++)
    if (isDefinition(f, o)) return true;
  return false;
}

/** The same function whose dead instructions neither read nor write a register. Everything else is shared. */
export function withoutDeadCode(f: Function, dead: Uint8Array): Function {
  if (!dead.includes(1)) return f;
  const operandFlags = f.operandFlags.slice();
  for (let i = 0; i < f.instructionCount; i++) {
    if (!dead[i]) continue;
    for (let o = f.operandStart[i]; o < f.operandStart[i + 1]; o++)
      operandFlags[o] &= ~(OperandFlag.Use | OperandFlag.Definition);
  }
  return functionWith(f, { operandFlags });
}
