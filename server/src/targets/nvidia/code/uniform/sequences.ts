import { byOpcode } from '../../../../ir/by-opcode.js';
import type { Function } from '../../../../ir/function.js';
import { NoRegister } from '../../../../ir/place.js';
import { codeWith, type MachineCode } from '../code.js';
import { isGuarded } from '../operands.js';
import { sequenceOf } from './sequence-table.js';

/**
 * Registers inside software sequences. A division or an exactly rounded root is one opcode of PTX and many
 * instructions of the machine, which keep values of their own between them. Operands and results are counted where
 * they live; this pass adds what lies between.
 */
export function sequences(code: MachineCode): MachineCode {
  const { f } = code;
  let temporaries: Uint8Array | undefined;
  for (let i = 0; i < f.instructionCount; i++) {
    const sequence = sequenceOfOpcode(f.opcodes, f.opcode[i]);
    const needed = isByConstant(f, i) ? sequence.withConstant : sequence.temporaries;
    if (needed <= code.temporaries[i]) continue;
    temporaries ??= code.temporaries.slice();
    temporaries[i] = needed;
  }
  return temporaries ? codeWith(code, { temporaries }) : code;
}

/** The guard comes last; the source before it is the divisor. */
function isByConstant(f: Function, i: number): boolean {
  const last = f.operandStart[i + 1] - (isGuarded(f, i) ? 2 : 1);
  return last > f.operandStart[i] && f.operandPlace[last] === NoRegister.Immediate;
}

/** The text of an opcode is looked at once in the table's life. */
export const sequenceOfOpcode = byOpcode(sequenceOf);
