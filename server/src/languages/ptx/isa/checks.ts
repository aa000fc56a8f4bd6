import type { Instruction } from '../tree.js';
import type { ResolvedForm } from './opcode.js';
import type { TypeOf } from './operands.js';

/**
 * Rules that operand patterns cannot say, by the name that forms give in `checks`. A check answers with a message
 * (and the number of the operand at fault), or undefined; it runs for every instruction of the form, so it is cheap.
 */
export interface CheckFailure {
  readonly operand: number;
  readonly message: string;
}
export type Check = (
  instruction: Instruction,
  form: ResolvedForm,
  typeOf: TypeOf,
) => CheckFailure | undefined;

export const checks: Readonly<Record<string, Check>> = {};
