import { type Function, type OpcodeTable } from '../../../../ir/function.js';
import { NoRegister } from '../../../../ir/place.js';
import { codeWith, type MachineCode } from '../code.js';
import { isGuarded } from '../operands.js';
import { sequenceOf, type Sequence } from './sequence-table.js';

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

const cache = new WeakMap<OpcodeTable, (Sequence | undefined)[]>();

/** The text of an opcode is looked at once in the table's life. */
export function sequenceOfOpcode(opcodes: OpcodeTable, opcode: number): Sequence {
  let known = cache.get(opcodes);
  if (!known) cache.set(opcodes, (known = []));
  return (known[opcode] ??= sequenceOf(opcodes.text(opcode)));
}
