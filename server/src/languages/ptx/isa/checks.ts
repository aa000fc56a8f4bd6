import type { Problem } from '../../../text/problem.js';
import type { Instruction } from '../tree.js';
import type { ResolvedForm } from './opcode.js';
import { operandChecks } from './operand-checks.js';
import type { TypeOf } from './operands.js';

/**
 * Rules that operand patterns cannot say, by the name that forms give in `checks`. A check answers with a message
 * (and the number of the operand at fault), or undefined; it runs for every instruction of the form, so it is cheap.
 */
export interface CheckFailure {
  readonly operand: number;
  readonly message: string;
  /** Of the problem; `isa/operand` when absent. */
  readonly code?: Problem['code'];
}
export type Check = (
  instruction: Instruction,
  form: ResolvedForm,
  typeOf: TypeOf,
) => CheckFailure | undefined;

/** The value of a constant operand, or undefined. */
const constantOf = (instruction: Instruction, operand: number): bigint | undefined => {
  const at = instruction.operands[operand];
  return at?.kind === 'constant' ? at.value.integer : undefined;
};

export const checks: Readonly<Record<string, Check>> = {
  ...operandChecks,
  multipleOf8(instruction) {
    const count = constantOf(instruction, 0);
    if (count === undefined || count % 8n === 0n) return undefined;
    return { operand: 0, message: `the number of registers must be a multiple of 8; ${count} is not` };
  },
  /** ptxas 13.0 takes `cvta` of 32 bits for 32-bit code, whatever the space. */
  genericAddress(_, { entry, sets }) {
    if (sets.get('t') !== 'u32') return undefined;
    return {
      operand: 1,
      code: 'type/address',
      message: `${entry.opcode}: a generic address has 64 bits: use .u64 and .u64 registers (cvt.u64.u32 widens)`,
    };
  },
  /** The last operand of three. */
  powerOfTwo(instruction) {
    const align = constantOf(instruction, 2);
    if (align === undefined || (align > 0n && (align & (align - 1n)) === 0n)) return undefined;
    return { operand: 2, message: `an alignment must be a power of two; ${align} is not` };
  },
};
