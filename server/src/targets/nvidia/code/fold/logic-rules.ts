import { Modifier } from '../operands.js';
import type { Draft } from './draft.js';
import { Op, type Form } from './forms.js';
import { wideningOf } from './integer-rules.js';
import { asSum, definitionOf, operandAfter, sourceEnd, take, usesOf } from './take.js';

/** Logic: LOP3 computes any function of three registers, SHF shifts through two, a comparison takes one more predicate. */

/** A comparison takes one more predicate: `setp.lt.and p, a, b, q`. */
export function combinePredicates(draft: Draft, i: number): void {
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
export function chainLogic(draft: Draft, i: number, form: Form): void {
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
    // the inversion of all that is taken in is none of its operands
    const inverted = draft.modifier.at(o) & Modifier.Inverted;
    draft.flip(o, inverted);
    const text = `lop3.${word(draft, i)}.${inverted === 0 ? '' : 'n'}${word(draft, d)}.b${form.bits}`;
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
export function rotate(draft: Draft, i: number, form: Form): boolean {
  if (form.op === Op.And || form.op === Op.Subtract || form.bits < 32) return false;
  if (draft.end[i] - draft.first[i] !== 3) return false;
  for (let n = 1; n <= 2; n++) {
    const [p, q] = [operandAfter(draft, i, n), operandAfter(draft, i, 3 - n)];
    const left = soleShift(draft, p, Op.ShiftLeft, form.bits);
    const right = left < 0 ? -1 : soleShift(draft, q, Op.ShiftRight, form.bits);
    if (right < 0 || draft.form(right).kind === 's') continue;
    const [x, y] = [draft.first[left] + 1, draft.first[right] + 1];
    const isWhole = (draft.integer(x + 1) ?? 0) + (draft.integer(y + 1) ?? 0) === form.bits;
    if (draft.modifier.at(p) !== 0 || draft.modifier.at(q) !== 0) continue;
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
export function pack(draft: Draft, i: number, form: Form): boolean {
  if (form.op !== Op.Or || form.bits !== 64 || draft.end[i] - draft.first[i] !== 3) return false;
  for (let n = 1; n <= 2; n++) {
    const p = operandAfter(draft, i, n);
    const shift = soleShift(draft, p, Op.ShiftLeft, 64);
    if (shift < 0 || draft.integer(draft.first[shift] + 2) !== 32) continue;
    if (draft.modifier.at(p) !== 0 || draft.modifier.at(operandAfter(draft, i, 3 - n)) !== 0) continue;
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
