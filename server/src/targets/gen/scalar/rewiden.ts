import {
  GRF_BYTES,
  rewrite,
  type Instruction,
  type Operand,
  type PredicateMode,
  type Program,
  type Register,
} from '../program.js';
import { registerBytes } from './families.js';

/**
 * A SIMD16 selection program as SIMD8: what Beignet's selector would have made of the kernel in the next strategy (facts
 * A.15). Registers take the sizes of their families (A.6), instructions of 16 lanes become instructions of 8, and of
 * pairs that worked on one half each the second one goes. Message lengths shrink by what their operands do.
 *
 * Undefined for programs in which something speaks of the upper half that no such rule covers.
 */
export function rewiden(program: Program): Program | undefined {
  if (program.dialect !== 'selection' || program.width !== 16) return undefined;
  const narrow: Program = {
    ...program,
    width: 8,
    registers: program.registers.map(narrowRegister),
  };
  let isPossible = program.registers.every(({ family }) => family !== undefined);
  const narrowed = rewrite(narrow, (instruction) => {
    if (instruction.group >= 8) {
      if (instruction.noMask) isPossible = false; // lanes of its own, not a half of something
      return [];
    }
    if (instruction.execSize > 16) isPossible = false;
    return [narrowInstruction(program, narrow, instruction)];
  });
  return isPossible ? narrowed : undefined;
}

function narrowRegister(register: Register): Register {
  if (register.family === undefined) return register;
  const bytes = registerBytes(register.family, register.isUniform, 8);
  return { ...register, bytes, alignment: Math.min(register.alignment, Math.max(4, bytes)) };
}

const modes: Partial<Record<PredicateMode, PredicateMode>> = { any16h: 'any8h', all16h: 'all8h' };

function narrowInstruction(from: Program, to: Program, instruction: Instruction): Instruction {
  const { execSize, predicate, message } = instruction;
  const shrunk = (operands: readonly Operand[]): number =>
    operands.reduce((sum, operand) => {
      if (operand.file !== 'virtual') return sum;
      const { register } = operand;
      return sum + (from.registers[register].bytes - to.registers[register].bytes) / GRF_BYTES;
    }, 0);
  const isMessage = instruction.opcode.kind === 'message';
  return {
    ...instruction,
    execSize: execSize === 16 ? 8 : execSize,
    ...(predicate && { predicate: { ...predicate, mode: modes[predicate.mode] ?? predicate.mode } }),
    sources: instruction.sources.map(narrowOperand),
    destinations: instruction.destinations.map(narrowOperand),
    message: {
      ...message,
      mlen:
        message.mlen === 0 || !isMessage
          ? message.mlen
          : message.mlen - Math.floor(shrunk(instruction.sources)),
      ...(message.rlen !== undefined && {
        rlen: Math.max(1, message.rlen - Math.floor(shrunk(instruction.destinations))),
      }),
    },
  };
}

/** Regions of 16 elements become regions of 8; the others say the same in both widths. */
function narrowOperand(operand: Operand): Operand {
  if (operand.file === 'immediate' || operand.region === undefined) return operand;
  const [vertical, width, horizontal] = operand.region;
  return width === 16 ? { ...operand, region: [vertical / 2, 8, horizontal] } : operand;
}
