import { OperandFlag } from '../../../../ir/function.js';
import { NoRegister } from '../../../../ir/place.js';
import { addIntegers, multiplyWidened, widenShift } from './integer-rules.js';
import { chainLogic, combinePredicates, pack, rotate } from './logic-rules.js';
import { asSum, definitionOf, isSum, operandAfter, sourceEnd, take, usesOf } from './take.js';
import { Modifier } from '../operands.js';
import type { Draft } from './draft.js';
import { isInteger, Op, Slots, type Form } from './forms.js';

/**
 * What an instruction takes in of those that compute its operands, by operation. Each rule looks at one instruction
 * and the definitions of its operands, and rewrites the instruction in place.
 *
 * Measured with ptxas 13.0 on disassembled kernels: products and widenings are taken in by every sum that reads them,
 * however many do (a product costs nothing inside IMAD, FFMA); sums, shifts and logic by a sole reader.
 */
export function rules(draft: Draft, i: number): void {
  const form = draft.form(i);
  takeNumbers(draft, i, form);
  takeInversions(draft, i, form);
  switch (form.op) {
    case Op.Load:
    case Op.Store:
    case Op.Other:
      takeOffset(draft, i);
      return;
    case Op.Add:
    case Op.Subtract:
      if (!isInteger(form.kind)) addFloats(draft, i, form);
      else if (!rotate(draft, i, form)) addIntegers(draft, i, form);
      return;
    case Op.Multiply:
      if (isInteger(form.kind)) multiplyWidened(draft, i, form);
      else takeSigns(draft, i);
      return;
    case Op.MultiplyAdd:
    case Op.Minimum:
    case Op.Maximum:
    case Op.Compare:
      if (!isInteger(form.kind)) takeSigns(draft, i);
      else if (form.op === Op.Compare) compareMasked(draft, i);
      return;
    case Op.ShiftLeft:
      if (form.bits === 64) widenShift(draft, i);
      return;
    case Op.And:
    case Op.Or:
    case Op.Xor:
      if (form.kind === 'p') combinePredicates(draft, i);
      else if (!rotate(draft, i, form) && !pack(draft, i, form)) chainLogic(draft, i, form);
      return;
    case Op.Convert:
      takeWidening(draft, i, form);
      return;
    default:
  }
}

/** A number that was moved to a register is said by the instruction itself; whether it has room, `recompute` decides. */
function takeNumbers(draft: Draft, i: number, form: Form): void {
  if (form.slots !== Slots.One || form.op === Op.Move) return;
  for (let n = 1; operandAfter(draft, i, n) < sourceEnd(draft, i); n++) {
    const o = operandAfter(draft, i, n);
    if (draft.place.at(o) < 0 || !draft.isUseOperand(o)) continue;
    const d = draft.valueOf(o);
    if (d < 0 || draft.form(d).op !== Op.Move || draft.end[d] - draft.first[d] !== 2) continue;
    if (draft.place.at(draft.first[d] + 1) === (NoRegister.Immediate as number)) take(draft, i, o, d);
  }
  const [a, b] = [operandAfter(draft, i, 1), operandAfter(draft, i, 2)];
  const isFirst =
    form.commutes && b < sourceEnd(draft, i) && draft.place.at(a) === (NoRegister.Immediate as number);
  if (isFirst && draft.place.at(b) >= 0) draft.exchange(a, b);
}

/** `!p` is free wherever a predicate is read. */
function takeInversions(draft: Draft, i: number, form: Form): void {
  const isPredicate = form.kind === 'p' || form.op === Op.Select || form.op === Op.Compare;
  const from = isPredicate ? 1 : draft.end[i] - draft.first[i] - Number(draft.isGuarded(i));
  for (let n = from; n < draft.end[i] - draft.first[i]; n++) {
    const o = operandAfter(draft, i, n);
    if (draft.place.at(o) < 0 || !draft.isUseOperand(o)) continue;
    const d = draft.valueOf(o);
    if (d < 0 || draft.form(d).op !== Op.Not || draft.form(d).kind !== 'p') continue;
    const isInverted = draft.text(o) !== '!';
    if (draft.text(draft.first[d] + 1) !== '' || !draft.mayAbsorb(i, o, d)) continue;
    draft.absorb(i, o, d, [draft.first[d] + 1]);
    draft.invert(operandAfter(draft, i, n), isInverted);
  }
}

/** `-x` and `|x|` of floating-point numbers are free in the operands of arithmetic. */
function takeSigns(draft: Draft, i: number): void {
  const form = draft.form(i);
  for (let n = 1; operandAfter(draft, i, n) < sourceEnd(draft, i); n++) {
    const o = operandAfter(draft, i, n);
    if (draft.place.at(o) < 0 || !draft.isUseOperand(o)) continue;
    const negated = definitionOf(draft, o, Op.Negate, form.bits);
    if (negated >= 0) take(draft, i, o, negated, Modifier.Negated);
    else if (draft.modifier.at(o) === 0) {
      const absolute = definitionOf(draft, o, Op.Absolute, form.bits);
      if (absolute >= 0) take(draft, i, o, absolute, Modifier.Absolute);
    }
  }
}

/** `a * b + c` where neither asks for a rounding of its own. */
function addFloats(draft: Draft, i: number, form: Form): void {
  takeSigns(draft, i);
  if (!form.mayFuse || sourceEnd(draft, i) - draft.first[i] !== 3) return;
  for (let n = 1; n <= 2; n++) {
    const o = operandAfter(draft, i, n);
    const d = definitionOf(draft, o, Op.Multiply, form.bits);
    if (d < 0 || !draft.form(d).mayFuse || !isOnlyAdded(draft, d) || !draft.mayAbsorb(i, o, d)) continue;
    const isNegated = (draft.modifier.at(o) & Modifier.Negated) !== 0;
    if ((draft.modifier.at(o) & Modifier.Absolute) !== 0) continue;
    draft.modifier.set(o, 0);
    asSum(draft, i, n);
    const isSubtracted = form.op === Op.Subtract && n === 2;
    const first = draft.first[i] + 1;
    draft.modifier.set(first, 0);
    take(draft, i, first, d);
    if (isNegated !== isSubtracted) draft.flip(draft.first[i] + 1, Modifier.Negated);
    draft.opcode[i] = draft.opcodeNumber(`fma.rn.f${form.bits}`);
    return;
  }
}

/** Whether all that read the product add it: then none needs the product by itself. */
function isOnlyAdded(draft: Draft, d: number): boolean {
  return draft.readersOf(draft.place.at(draft.first[d]), ({ op, mayFuse }) => isSum(op) && mayFuse);
}

/** `base + constant` in an address is an offset of 24 bits with its sign. */
function takeOffset(draft: Draft, i: number): void {
  for (let n = 0; operandAfter(draft, i, n) < draft.end[i]; n++) {
    const o = operandAfter(draft, i, n);
    if ((draft.flags.at(o) & OperandFlag.Address) === 0 || draft.place.at(o) < 0) continue;
    const d = draft.valueOf(o);
    if (d < 0) return;
    const { op, kind } = draft.form(d);
    if ((op !== Op.Add && op !== Op.Subtract) || !isInteger(kind) || draft.end[d] - draft.first[d] !== 3)
      return;
    const [base, constant] = [draft.first[d] + 1, draft.first[d] + 2];
    const added = draft.integer(constant);
    const [modifier, sign] = [draft.modifier.at(base), draft.modifier.at(constant)];
    if (added === undefined || modifier !== 0 || (sign & ~Modifier.Negated) !== 0) return;
    if (!draft.mayAbsorb(i, o, d)) return;
    const isOffset = o + 1 < draft.end[i] && (draft.flags.at(o + 1) & OperandFlag.Address) !== 0;
    const offset =
      (isOffset ? (draft.integer(o + 1) ?? NaN) : 0) + ((op === Op.Add) === (sign === 0) ? added : -added);
    if (!(Math.abs(offset) < 1 << 23)) return;
    draft.absorb(i, o, d, isOffset ? [base] : [base, constant]);
    for (let k = n; k <= n + 1; k++)
      draft.flags.set(operandAfter(draft, i, k), OperandFlag.Use | OperandFlag.Address);
    draft.flags.set(operandAfter(draft, i, n + 1), OperandFlag.Address);
    draft.setInteger(operandAfter(draft, i, n + 1), offset);
    draft.modifier.set(operandAfter(draft, i, n + 1), 0);
    // the base may be a sum with a constant in turn
    n--;
  }
}

/** `setp.ne (a & b), 0` is one LOP3 that writes a predicate. */
function compareMasked(draft: Draft, i: number): void {
  for (let n = 1; operandAfter(draft, i, n) + 1 < sourceEnd(draft, i); n++) {
    const o = operandAfter(draft, i, n);
    if (!draft.isUseOperand(o)) continue;
    const d = definitionOf(draft, o, Op.And, 32);
    if (d < 0 || usesOf(draft, o) !== 1 || !draft.isZero(o + 1) || draft.end[d] - draft.first[d] !== 3)
      return;
    take(draft, i, o, d);
    return;
  }
}

/** A conversion from a narrower integer reads its bytes in place. */
function takeWidening(draft: Draft, i: number, form: Form): void {
  if (!isInteger(form.fromKind) || isInteger(form.kind)) return;
  const o = operandAfter(draft, i, 1);
  const d = draft.valueOf(o);
  if (d < 0) return;
  const { op, kind, fromKind, bits, fromBits } = draft.form(d);
  if (
    op !== Op.Convert ||
    !isInteger(kind) ||
    !isInteger(fromKind) ||
    bits !== form.fromBits ||
    fromBits >= bits
  )
    return;
  if (!take(draft, i, o, d)) return;
  const words = draft.opcodeText(i).split('.');
  words[words.length - 1] = `${fromKind}${fromBits}`;
  draft.opcode[i] = draft.opcodeNumber(words.join('.'));
}
