import { InstructionFlag } from '../../../../ir/function.js';
import { reads, writes } from '../executed.js';
import type { Draft } from './draft.js';

/** More source instructions than an instruction may execute: what folds into what folds does not grow without end. */
const MOST_EXECUTED = 24;

/** Whether execution can tell all operands of `i` apart once it has taken in `d`, which computes its operand `o`. */
export function isToldApart(draft: Draft, i: number, o: number, d: number): boolean {
  if (draft.executed(i) + draft.executed(d) > MOST_EXECUTED) return false;
  // two values of one source register inside one instruction could not be told apart
  const { hasSharedInside, isShared } = draft;
  if (hasSharedInside[i] && (hasSharedInside[d] || isShared[draft.place.at(o)])) return false;
  if (draft.executed(i) > 1 && isOverwritten(draft, i, o, d)) return false;
  return !(isComputed(draft, d) && readsOthers(draft, i, o) && executesAnyOf(draft, i, d));
}

/** Whether what `i` executes writes the register of operand `o` before it reads it, and not as `d` does. */
function isOverwritten(draft: Draft, i: number, o: number, d: number): boolean {
  const { source, registerOrigin } = draft.code;
  const register = registerOrigin[draft.place.at(o)];
  const span = draft.f.operandSpanStart[draft.from.at(o)];
  for (let k = draft.executesFirst[i]; k < draft.executesEnd[i]; k++) {
    const number = draft.executes.at(k);
    if (number < 0 || reads(source, number, span, register)) return false;
    if (writes(source, number, register) && !endsWith(draft, i, k, d)) return true;
  }
  return false;
}

/** Whether what `i` executes up to place `k` of the list ends with all that `d` executes. */
function endsWith(draft: Draft, i: number, k: number, d: number): boolean {
  const { executes, executesFirst, executesEnd } = draft;
  const back = k - executesEnd[d] + 1;
  if (back + executesFirst[d] < executesFirst[i]) return false;
  for (let m = executesFirst[d]; m < executesEnd[d]; m++)
    if (executes.at(m) !== executes.at(back + m)) return false;
  return true;
}

/** Whether `i` is a constant that several source instructions compute (see `constants`). */
export function isComputed(draft: Draft, i: number): boolean {
  return (draft.f.instructionFlags[i] & InstructionFlag.Constant) !== 0 && draft.executed(i) > 1;
}

/** Whether `i` reads a register with another operand than `o`. */
function readsOthers(draft: Draft, i: number, o: number): boolean {
  for (let k = draft.first[i]; k < draft.end[i]; k++)
    if (k !== o && draft.place.at(k) >= 0 && draft.isUseOperand(k)) return true;
  return false;
}

/** Whether a source instruction that `i` executes is one that `d` executes. */
function executesAnyOf(draft: Draft, i: number, d: number): boolean {
  const { executes, executesFirst, executesEnd } = draft;
  for (let k = executesFirst[i]; k < executesEnd[i]; k++)
    for (let m = executesFirst[d]; m < executesEnd[d]; m++)
      if (executes.at(k) === executes.at(m)) return true;
  return false;
}
