import { OperandFlag, type Function } from '../../../ir/function.js';

/** What passes ask of the operands of lowered PTX, source or machine code. */

/**
 * What an operand says beside its register: a number, the name of a special register or a symbol, `!` for the negation
 * of a predicate; '' where it says nothing or nobody knows.
 */
export const operandText = (f: Function, operand: number): string => {
  const payload = f.operandPayload?.[operand] ?? 0;
  return payload === 0 ? '' : (f.operandTexts?.text(payload) ?? '');
};

/** How an instruction reads an operand beside its register or number; kept in the operand's flags from pass to pass. */
export const enum Modifier {
  Negated = 1,
  Absolute = 2,
  Inverted = 4,
  /** The operand is 32 bits wide where 64 are read: the sign above, or zeros. */
  SignExtended = 8,
  ZeroExtended = 16,
}

const SHIFT = 8;
const MASK = 31;

/** `Modifier`s of an operand with these flags, and the flags of one that is so modified. */
export const modifiersIn = (flags: number): number => (flags >> SHIFT) & MASK;
export const withModifiers = (flags: number, modifiers: number): number =>
  (flags & ~(MASK << SHIFT)) | ((modifiers & MASK) << SHIFT);

/** The operand that guards instruction `i`, its last one, or -1. */
export const guardOf = (f: Function, i: number): number => {
  const last = f.operandStart[i + 1] - 1;
  return last >= f.operandStart[i] && (f.operandFlags[last] & OperandFlag.Guard) !== 0 ? last : -1;
};

export const isGuarded = (f: Function, i: number): boolean => guardOf(f, i) >= 0;
