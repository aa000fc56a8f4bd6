import { OperandFlag } from '../../../../ir/function.js';
import { NoRegister } from '../../../../ir/place.js';
import { Modifier, type Draft } from './draft.js';
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

const operandAfter = (draft: Draft, i: number, n: number): number => draft.first[i] + n;

/** Sources of an instruction with one result, the guard left out. */
function sourceEnd(draft: Draft, i: number): number {
  return draft.isGuarded(i) ? draft.end[i] - 1 : draft.end[i];
}

/** The definition of operand `o` if it does `op` with results of `bits` bits. */
function definitionOf(draft: Draft, o: number, op: Op, bits: number): number {
  const d = draft.valueOf(o);
  if (d < 0) return -1;
  const form = draft.form(d);
  return form.op === op && form.bits === bits ? d : -1;
}

const usesOf = (draft: Draft, o: number): number => draft.uses[draft.canonical(draft.place.at(o))];

function operandsOf(draft: Draft, d: number): number[] {
  const operands: number[] = [];
  for (let o = draft.first[d] + 1; o < draft.end[d]; o++) operands.push(o);
  return operands;
}

function take(draft: Draft, i: number, o: number, d: number, modifier = 0): boolean {
  if (!draft.mayAbsorb(i, o, d)) return false;
  draft.absorb(i, o, d, operandsOf(draft, d), modifier);
  return true;
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

const isSum = (op: Op): boolean => op === Op.Add || op === Op.Subtract;

/** Makes a difference a sum with a negated term, and term `n` (1 or 2) the first. */
function asSum(draft: Draft, i: number, n: number): void {
  const form = draft.form(i);
  if (form.op === Op.Subtract) {
    draft.flip(operandAfter(draft, i, 2), Modifier.Negated);
    draft.opcode[i] = draft.opcodeNumber(`add.${form.kind}${form.bits}`);
  }
  if (n === 2) draft.exchange(operandAfter(draft, i, 1), operandAfter(draft, i, 2));
}

/** Integer sums: widened products and shifts (64 bits), products, shifted terms and a third term (32 bits). */
function addIntegers(draft: Draft, i: number, form: Form): void {
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
function widenShift(draft: Draft, i: number): void {
  const by = draft.integer(operandAfter(draft, i, 2));
  const o = operandAfter(draft, i, 1);
  if (by === undefined || by >= 31 || draft.isGuarded(i)) return;
  const widened = wideningOf(draft, o);
  if (widened < 0 || !take(draft, i, o, widened)) return;
  draft.setInteger(operandAfter(draft, i, 2), 2 ** by);
  draft.opcode[i] = draft.opcodeNumber(`mul.wide.${draft.form(widened).fromKind === 's' ? 's' : 'u'}32`);
}

/** The conversion of 32 to 64 bits that computes operand `o`. */
function wideningOf(draft: Draft, o: number): number {
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
function multiplyWidened(draft: Draft, i: number, form: Form): void {
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
    if (added === undefined || draft.modifier.at(base) !== 0 || !draft.mayAbsorb(i, o, d)) return;
    const isOffset = o + 1 < draft.end[i] && (draft.flags.at(o + 1) & OperandFlag.Address) !== 0;
    const offset = (isOffset ? (draft.integer(o + 1) ?? NaN) : 0) + (op === Op.Add ? added : -added);
    if (!(Math.abs(offset) < 1 << 23)) return;
    draft.absorb(i, o, d, isOffset ? [base] : [base, constant]);
    for (let k = n; k <= n + 1; k++)
      draft.flags.set(operandAfter(draft, i, k), OperandFlag.Use | OperandFlag.Address);
    draft.flags.set(operandAfter(draft, i, n + 1), OperandFlag.Address);
    draft.setInteger(operandAfter(draft, i, n + 1), offset);
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

/** A comparison takes one more predicate: `setp.lt.and p, a, b, q`. */
function combinePredicates(draft: Draft, i: number): void {
  if (draft.isGuarded(i) || draft.end[i] - draft.first[i] !== 3) return;
  for (let n = 1; n <= 2; n++) {
    const o = operandAfter(draft, i, n);
    const d = draft.valueOf(o);
    if (d < 0 || draft.form(d).op !== Op.Compare || usesOf(draft, o) !== 1 || draft.text(o) !== '') continue;
    if (draft.end[d] - draft.first[d] !== 3 || !draft.mayAbsorb(i, o, d)) continue;
    const combined = word(draft, i);
    const compared = draft.opcodeText(d);
    asSum(draft, i, n);
    take(draft, i, draft.first[i] + 1, d);
    draft.opcode[i] = draft.opcodeNumber(`${compared}.${combined}`);
    return;
  }
}

/** Any function of three registers is one LOP3. */
function chainLogic(draft: Draft, i: number, form: Form): void {
  for (let n = 1; n <= 2; n++) {
    const o = operandAfter(draft, i, n);
    if (o >= draft.end[i]) return;
    const d = draft.valueOf(o);
    if (d < 0 || draft.form(d).bits !== form.bits || usesOf(draft, o) !== 1 || !draft.mayAbsorb(i, o, d))
      continue;
    const { op } = draft.form(d);
    if (op === Op.Not) {
      take(draft, i, o, d, Modifier.Inverted);
      continue;
    }
    const isLogic = op === Op.And || op === Op.Or || op === Op.Xor;
    if (!isLogic || draft.end[d] - draft.first[d] !== 3 || sourceEnd(draft, i) - draft.first[i] !== 3)
      continue;
    const text = `lop3.${word(draft, i)}.${word(draft, d)}.b${form.bits}`;
    asSum(draft, i, n);
    take(draft, i, draft.first[i] + 1, d);
    draft.opcode[i] = draft.opcodeNumber(text);
    return;
  }
}

const word = (draft: Draft, i: number): string => draft.opcodeText(i).split('.')[0];

/** The shift by a constant that computes operand `o` and is read by nobody else, or -1. */
function soleShift(draft: Draft, o: number, op: Op, bits: number): number {
  const d = definitionOf(draft, o, op, bits);
  if (d < 0 || usesOf(draft, o) !== 1 || draft.end[d] - draft.first[d] !== 3) return -1;
  return draft.integer(draft.first[d] + 2) === undefined ? -1 : d;
}

/** `x << k` and `x >> bits - k` together are a rotation: one funnel shift, two for 64 bits. */
function rotate(draft: Draft, i: number, form: Form): boolean {
  if (form.op === Op.And || form.op === Op.Subtract || form.bits < 32) return false;
  if (draft.end[i] - draft.first[i] !== 3) return false;
  for (let n = 1; n <= 2; n++) {
    const [p, q] = [operandAfter(draft, i, n), operandAfter(draft, i, 3 - n)];
    const left = soleShift(draft, p, Op.ShiftLeft, form.bits);
    const right = left < 0 ? -1 : soleShift(draft, q, Op.ShiftRight, form.bits);
    if (right < 0 || draft.form(right).kind === 's') continue;
    const [x, y] = [draft.first[left] + 1, draft.first[right] + 1];
    const isWhole = (draft.integer(x + 1) ?? 0) + (draft.integer(y + 1) ?? 0) === form.bits;
    if (!isWhole || draft.place.at(x) < 0 || draft.place.at(y) < 0) continue;
    if (draft.canonical(draft.place.at(x)) !== draft.canonical(draft.place.at(y))) continue;
    if (!draft.mayAbsorb(i, p, left) || !draft.mayAbsorb(i, q, right)) continue;
    draft.absorb(i, q, right, []);
    // what was one operand further on has moved up
    draft.absorb(i, operandAfter(draft, i, 1), left, [x, x + 1]);
    draft.opcode[i] = draft.opcodeNumber(`shf.l.wrap.b${form.bits}`);
    return true;
  }
  return false;
}

/** `hi << 32 | lo` of two widened numbers puts two registers side by side. */
function pack(draft: Draft, i: number, form: Form): boolean {
  if (form.op !== Op.Or || form.bits !== 64 || draft.end[i] - draft.first[i] !== 3) return false;
  for (let n = 1; n <= 2; n++) {
    const p = operandAfter(draft, i, n);
    const shift = soleShift(draft, p, Op.ShiftLeft, 64);
    if (shift < 0 || draft.integer(draft.first[shift] + 2) !== 32) continue;
    const high = draft.first[shift] + 1;
    const d = wideningOf(draft, high);
    if (d < 0 || draft.form(d).fromKind === 's' || !draft.mayAbsorb(shift, high, d)) continue;
    const low = wideningOf(draft, operandAfter(draft, i, 3 - n));
    if (
      low < 0 ||
      draft.form(low).fromKind === 's' ||
      !draft.mayAbsorb(i, operandAfter(draft, i, 3 - n), low)
    )
      continue;
    draft.absorb(shift, high, d, [draft.first[d] + 1]);
    if (n === 1) draft.exchange(operandAfter(draft, i, 1), operandAfter(draft, i, 2));
    if (!draft.mayAbsorb(i, operandAfter(draft, i, 2), shift)) return false;
    draft.absorb(i, operandAfter(draft, i, 2), shift, [draft.first[shift] + 1]);
    draft.absorb(i, operandAfter(draft, i, 1), low, [draft.first[low] + 1]);
    draft.opcode[i] = draft.opcodeNumber('mov.b64');
    return true;
  }
  return false;
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
