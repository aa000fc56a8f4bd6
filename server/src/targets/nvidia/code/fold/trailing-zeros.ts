import { InstructionFlag } from '../../../../ir/function.js';
import { NoRegister } from '../../../../ir/place.js';
import { isDefinition } from '../../../../passes/occurrences.js';
import { Modifier } from '../operands.js';
import type { Draft } from './draft.js';
import { isInteger, Op } from './forms.js';

/** Nothing is aligned further than ptxas asks for. */
const MOST = 4;

/**
 * How many low bits of each integer are zero, up to four: what an address is a multiple of. Optimistic, so that a
 * pointer that a loop moves on by 16 bytes keeps its alignment; each pass over the code can only take away, and four
 * bits can be taken away four times at most.
 */
export function trailingZeros(draft: Draft): Uint8Array {
  const { f, cfg } = draft;
  const zeros = new Uint8Array(f.registerCount).fill(MOST);
  for (let changed = true; changed;) {
    changed = false;
    for (const block of cfg.order)
      for (let i = f.blockStart[block]; i < f.blockStart[block + 1]; i++) {
        if (draft.isDead[i]) continue;
        const found = ofResult(draft, zeros, i);
        for (let o = draft.first[i]; o < draft.end[i]; o++) {
          const r = draft.place.at(o);
          if (r < 0 || zeros[r] <= found || !isDefinition(f, draft.from.at(o))) continue;
          zeros[r] = found;
          changed = true;
        }
      }
  }
  return zeros;
}

function ofResult(draft: Draft, zeros: Uint8Array, i: number): number {
  const form = draft.form(i);
  const o = draft.first[i];
  const count = draft.end[i] - o;
  if ((draft.f.instructionFlags[i] & InstructionFlag.Entry) !== 0) return 0;
  const of = (n: number): number => (n < count ? ofOperand(draft, zeros, o + n) : 0);
  const shift = (n: number): number => Math.max(0, draft.integer(o + n) ?? 0);
  switch (form.op) {
    case Op.ShiftAdd:
      return Math.min(MOST, of(1) + shift(2), of(3));
    case Op.Add3:
      return Math.min(of(1), of(2), of(3));
    case Op.Move:
      return count === 2 ? of(1) : 0;
    case Op.Convert:
      return isInteger(form.kind) && isInteger(form.fromKind) ? of(1) : 0;
    case Op.Add:
    case Op.Subtract:
    case Op.Or:
    case Op.Xor:
    case Op.Minimum:
    case Op.Maximum:
      return isInteger(form.kind) ? Math.min(of(1), of(2)) : 0;
    case Op.And:
      return Math.max(of(1), of(2));
    case Op.Select:
      return Math.min(of(1), of(2));
    case Op.ShiftLeft:
      return Math.min(MOST, of(1) + shift(2));
    case Op.Multiply:
    case Op.MultiplyWide:
      return isInteger(form.kind) ? Math.min(MOST, of(1) + of(2)) : 0;
    case Op.MultiplyAdd:
    case Op.MultiplyAddWide:
      return isInteger(form.kind) ? Math.min(MOST, of(1) + of(2), of(3)) : 0;
    default:
      return 0;
  }
}

function ofOperand(draft: Draft, zeros: Uint8Array, o: number): number {
  if ((draft.modifier.at(o) & Modifier.Inverted) !== 0) return 0;
  const place = draft.place.at(o);
  if (place >= 0) return place < zeros.length ? zeros[draft.canonical(place)] : 0;
  // ptxas itself places variables, and on multiples of 16 (measured: an array with `.align 4` is read by LDS.128)
  if (place === NoRegister.Symbol) return MOST;
  const value = draft.integer(o);
  if (value === undefined) return 0;
  return value === 0 ? MOST : Math.min(MOST, 31 - Math.clz32(value & -value));
}
