import type { Function } from '../../../ir/function.js';
import { isDefinition, isUse } from '../../../passes/occurrences.js';

/** What source instructions do to the registers that machine code has them hand to each other. */

/** Whether source instruction `number` reads the operand that begins at `span`, or `register`. */
export function reads(source: Function, number: number, span: number, register: number): boolean {
  for (let o = source.operandStart[number]; o < source.operandStart[number + 1]; o++)
    if ((source.operandSpanStart[o] === span || source.operandPlace[o] === register) && isUse(source, o))
      return true;
  return false;
}

/** Whether source instruction `number` writes `register`. */
export function writes(source: Function, number: number, register: number): boolean {
  for (let o = source.operandStart[number]; o < source.operandStart[number + 1]; o++)
    if (source.operandPlace[o] === register && isDefinition(source, o)) return true;
  return false;
}
