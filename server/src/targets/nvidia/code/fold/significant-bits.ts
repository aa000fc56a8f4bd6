import { isVirtual } from '../../../../ir/place.js';
import type { Draft } from './draft.js';
import { isInteger, Op } from './forms.js';

const ALL = 32;

/**
 * How many low bits of each 32-bit value may be set: what a narrow load, a shift or a mask leaves. A mask that takes
 * nothing away computes nothing (ptxas drops the `and` behind a load of bytes).
 */
export class SignificantBits {
  private readonly bits: Uint8Array;

  constructor(private readonly draft: Draft) {
    this.bits = new Uint8Array(draft.f.registerCount).fill(ALL);
  }

  private of(o: number): number {
    const { draft } = this;
    if (draft.modifier.at(o) !== 0) return ALL;
    const place = draft.place.at(o);
    if (place >= 0 && place < this.bits.length) {
      const d = draft.valueOf(o);
      const value = d < 0 ? undefined : constantOf(draft, d);
      return value === undefined ? this.bits[draft.canonical(place)] : widthOf(value);
    }
    const value = draft.integer(o);
    return value === undefined ? ALL : widthOf(value);
  }

  /** Unites the result of `i` with its source where `i` changes no bit of it. */
  isIdle(i: number): boolean {
    const { draft } = this;
    const { op, kind, bits, fromBits, fromKind } = draft.form(i);
    if (draft.isGuarded(i)) return false;
    const o = draft.first[i];
    let source = -1;
    if (op === Op.And && bits <= ALL && draft.end[i] - o === 3) {
      const mask = maskOf(draft, o + 2);
      if (mask >= this.of(o + 1) && draft.place.at(o + 1) >= 0) source = o + 1;
    } else if (op === Op.Convert && isInteger(kind) && isInteger(fromKind) && fromKind !== 's') {
      if (bits <= ALL && fromBits <= ALL && this.of(o + 1) <= Math.min(bits, fromBits)) source = o + 1;
    }
    return source >= 0 && this.pass(i, o);
  }

  private pass(i: number, to: number): boolean {
    const { draft } = this;
    const { f } = draft;
    const [r, s] = [draft.place.at(to), draft.place.at(to + 1)];
    if (r < 0 || s < 0 || !draft.isValue(r) || !draft.isValue(draft.canonical(s))) return false;
    if (f.registerWidth[r] !== 1 || f.registerWidth[s] !== 1 || f.registerClass[r] !== f.registerClass[s])
      return false;
    draft.passThrough(i);
    return true;
  }

  /** Remembers what is known of the results of `i`. */
  note(i: number): void {
    const { draft } = this;
    const o = draft.first[i];
    const r = draft.place.at(o);
    if (r < 0 || !draft.isValue(r) || draft.isDead[i]) return;
    const form = draft.form(i);
    let known = ALL;
    switch (form.op) {
      case Op.Load:
        if (form.bits < ALL && form.kind !== 's') {
          for (let k = o; k < draft.end[i]; k++) {
            const each = draft.place.at(k);
            if (each >= 0 && isVirtual(each) && draft.definer[each] === i) this.bits[each] = form.bits;
          }
          return;
        }
        break;
      case Op.And:
        known = Math.min(this.of(o + 1), this.of(o + 2));
        break;
      case Op.Or:
      case Op.Xor:
        known = Math.max(this.of(o + 1), this.of(o + 2));
        break;
      case Op.ShiftRight: {
        const by = draft.integer(o + 2);
        if (by !== undefined && by >= 0 && form.kind !== 's')
          known = Math.max(0, Math.min(form.bits, this.of(o + 1)) - by);
        break;
      }
      case Op.Convert:
        if (isInteger(form.kind) && isInteger(form.fromKind) && form.fromKind !== 's')
          known = Math.min(this.of(o + 1), form.fromBits, form.bits);
        break;
      case Op.Move:
        known = this.of(o + 1);
        break;
      default:
    }
    if (form.bits <= ALL) this.bits[r] = Math.min(known, ALL);
  }
}

/** Bits of a number that is not negative. */
const widthOf = (value: number): number => (value < 0 || value > 0xffff_ffff ? ALL : 32 - Math.clz32(value));

function constantOf(draft: Draft, d: number): number | undefined {
  const o = draft.first[d];
  return draft.form(d).op === Op.Move && draft.end[d] - o === 2 ? draft.integer(o + 1) : undefined;
}

/** The number of low bits that a mask keeps, if it keeps low bits only; or -1. */
function maskOf(draft: Draft, o: number): number {
  const value = draft.modifier.at(o) === 0 ? draft.integer(o) : undefined;
  if (value === undefined || value <= 0 || value > 0xffff_ffff || (value & (value + 1)) !== 0) return -1;
  return widthOf(value);
}
