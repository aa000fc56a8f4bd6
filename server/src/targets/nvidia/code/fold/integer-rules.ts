import { NoRegister } from '../../../../ir/place.js';
import { Modifier } from '../operands.js';
import type { Draft } from './draft.js';
import { isInteger, Op, type Form } from './forms.js';
import { asSum, definitionOf, isSum, operandAfter, sourceEnd, take, usesOf } from './take.js';

/**
 * Sums and products of integers: IADD3 adds three terms, IMAD and IMAD.WIDE a product, LEA a shifted term; halves that
 * are a sign or zero need no register.
 */

/** Integer sums: widened products and shifts (64 bits), products, shifted terms and a third term (32 bits). */
export function addIntegers(draft: Draft, i: number, form: Form): void {
  if (sourceEnd(draft, i) - draft.first[i] !== 3) return;
  if (form.bits === 64) {
    if (form.op === Op.Add) addWide(draft, i);
    takeWidenings(draft, i);
    return;
  }
  if (form.bits !== 32) return;
  for (let n = 1; n <= 2; n++) {
    const o = operandAfter(draft, i, n);
    const d = draft.valueOf(o);
    if (d < 0 || draft.form(d).bits !== 32 || !isInteger(draft.form(d).kind)) continue;
    if (draft.form(d).op === Op.Negate) {
      take(draft, i, o, d, Modifier.Negated);
      continue;
    }
    if (usesOf(draft, o) !== 1 && !isOffsetOfLive(draft, d)) continue;
    if (draft.end[d] - draft.first[d] !== 3 || !draft.mayAbsorb(i, o, d)) continue;
    if (addTerm(draft, i, n, d)) return;
  }
}

/** A constant added to what is live anyway, or to the address of a variable: no register is worth keeping it. */
function isOffsetOfLive(draft: Draft, d: number): boolean {
  const [base, constant] = [draft.first[d] + 1, draft.first[d] + 2];
  if (draft.form(d).op !== Op.Add || constant >= draft.end[d] || draft.integer(constant) === undefined)
    return false;
  const v = draft.valueOf(base);
  return (
    v >= 0 &&
    draft.form(v).op === Op.Move &&
    draft.place.at(draft.first[v] + 1) === (NoRegister.Symbol as number)
  );
}

/** Term `n` of the sum or difference `i` is the result of `d`. */
function addTerm(draft: Draft, i: number, n: number, d: number): boolean {
  const { op } = draft.form(d);
  const o = operandAfter(draft, i, n);
  const isNegated =
    (draft.form(i).op === Op.Subtract && n === 2) !== ((draft.modifier.at(o) & Modifier.Negated) !== 0);
  const isShift = op === Op.ShiftLeft && draft.integer(draft.first[d] + 2) !== undefined;
  if (isSum(op)) {
    asSum(draft, i, n);
    take(draft, i, draft.first[i] + 1, d);
    if (op === Op.Subtract) draft.flip(draft.first[i] + 2, Modifier.Negated);
    draft.opcode[i] = draft.opcodeNumber('iadd3.s32');
  } else if (!isNegated && (op === Op.Multiply || isShift)) {
    asSum(draft, i, n);
    take(draft, i, draft.first[i] + 1, d);
    draft.opcode[i] = draft.opcodeNumber(isShift ? 'lea.b32' : 'mad.lo.s32');
  } else return false;
  return true;
}

/** `base + x * size`: IMAD.WIDE for every sum that reads the product; LEA and LEA.HI.X for a shifted 64-bit index. */
function addWide(draft: Draft, i: number): void {
  for (let n = 1; n <= 2; n++) {
    const o = operandAfter(draft, i, n);
    const d = draft.valueOf(o);
    if (d < 0 || draft.end[d] - draft.first[d] !== 3 || !draft.mayAbsorb(i, o, d)) continue;
    const { op, bits, kind } = draft.form(d);
    const isProduct = op === Op.MultiplyWide && bits === 32;
    const isShift = op === Op.ShiftLeft && bits === 64 && draft.integer(draft.first[d] + 2) !== undefined;
    if (!isProduct && !(isShift && isOnlySummed(draft, d))) continue;
    asSum(draft, i, n);
    take(draft, i, draft.first[i] + 1, d);
    draft.opcode[i] = draft.opcodeNumber(isProduct ? `mad.wide.${kind}32` : 'lea.b64');
    return;
  }
}

const isOnlySummed = (draft: Draft, d: number): boolean =>
  draft.readersOf(draft.place.at(draft.first[d]), ({ op }) => op === Op.Add);

/** `x << k` of a widened number is its product with a power of two. */
export function widenShift(draft: Draft, i: number): void {
  const by = draft.integer(operandAfter(draft, i, 2));
  const o = operandAfter(draft, i, 1);
  if (by === undefined || by >= 31 || draft.isGuarded(i)) return;
  const widened = wideningOf(draft, o);
  if (widened < 0 || !take(draft, i, o, widened)) return;
  draft.setInteger(operandAfter(draft, i, 2), 2 ** by);
  draft.opcode[i] = draft.opcodeNumber(`mul.wide.${draft.form(widened).fromKind === 's' ? 's' : 'u'}32`);
}

/** The conversion of 32 to 64 bits that computes operand `o`. */
export function wideningOf(draft: Draft, o: number): number {
  const d = definitionOf(draft, o, Op.Convert, 64);
  if (d < 0) return -1;
  const { fromBits, fromKind, kind } = draft.form(d);
  return fromBits === 32 && isInteger(kind) && isInteger(fromKind) ? d : -1;
}

/** The high half of a widened number is its sign or zero: it needs no register in a sum. */
function takeWidenings(draft: Draft, i: number): void {
  for (let n = 1; operandAfter(draft, i, n) < sourceEnd(draft, i); n++) {
    const o = operandAfter(draft, i, n);
    const d = wideningOf(draft, o);
    if (d < 0) continue;
    const isSigned = draft.form(d).fromKind === 's';
    take(draft, i, o, d, isSigned ? Modifier.SignExtended : Modifier.ZeroExtended);
  }
}

/** A 64-bit product of two widened numbers is one wide product. */
export function multiplyWidened(draft: Draft, i: number, form: Form): void {
  if (form.bits !== 64 || draft.end[i] - draft.first[i] !== 3) return;
  const [a, b] = [operandAfter(draft, i, 1), operandAfter(draft, i, 2)];
  const [x, y] = [wideningOf(draft, a), wideningOf(draft, b)];
  if (x < 0) return;
  const factor = draft.integer(b);
  const { fromKind } = draft.form(x);
  const isSmall = factor !== undefined && factor >= -0x8000_0000 && factor <= 0x7fff_ffff;
  if (!isSmall && (y < 0 || draft.form(y).fromKind !== fromKind)) return;
  if (!draft.mayAbsorb(i, a, x) || (!isSmall && !draft.mayAbsorb(i, b, y))) return;
  take(draft, i, a, x);
  if (!isSmall) take(draft, i, operandAfter(draft, i, 2), y);
  draft.opcode[i] = draft.opcodeNumber(`mul.wide.${fromKind === 's' ? 's' : 'u'}32`);
}
