import { InstructionFlag, OperandFlag } from '../../../../ir/function.js';
import { NoRegister } from '../../../../ir/place.js';
import { isDefinition } from '../../../../passes/occurrences.js';
import type { Draft } from './draft.js';
import { Op } from './forms.js';
import { twin } from './join.js';

/** Buckets are not searched further than this. */
const MOST_COMPARED = 16;

/**
 * Common subexpressions (value numbering over the dominator tree; Muchnick, "Advanced Compiler Design and
 * Implementation", 12.4 and 13.1): an instruction that computes what one that dominates it has computed goes, and its
 * result is read from the other's register. Plain loads count within a block, up to the next store or barrier.
 */
export class ValueTable {
  private readonly bucket: Int32Array;
  private readonly next: Int32Array;
  /** By load: how many stores the walk had passed. */
  private readonly memory: Int32Array;
  private stores = 0;

  constructor(private readonly draft: Draft) {
    const count = draft.f.instructionCount;
    this.bucket = new Int32Array(1 << (32 - Math.clz32(count | 15))).fill(-1);
    this.next = new Int32Array(count).fill(-1);
    this.memory = new Int32Array(count);
  }

  /** A block begins: what memory holds is not known any more. */
  enter(): void {
    this.stores++;
  }

  /** Looks for an instruction that has computed the same, and remembers `i` if there is none. */
  number(i: number): void {
    const { draft } = this;
    const flags = draft.f.instructionFlags[i];
    if ((flags & CHANGES_MEMORY) !== 0) this.stores++;
    if (!this.isNumbered(i, flags)) return;
    const at = this.hash(i) & (this.bucket.length - 1);
    let compared = 0;
    for (let k = this.bucket[at]; k >= 0 && compared < MOST_COMPARED; k = this.next[k], compared++) {
      if (!this.isEqual(k, i)) continue;
      draft.unite(draft.place.at(draft.first[i]), draft.place.at(draft.first[k]));
      return;
    }
    if (this.pair(i)) return;
    this.memory[i] = this.stores;
    this.next[i] = this.bucket[at];
    this.bucket[at] = i;
  }

  /**
   * Both halves of one product are one wide product (IMAD.WIDE.U32). `mul.hi` is looked for under the hash of the low
   * half, and the other way round.
   */
  private pair(i: number): boolean {
    const { draft } = this;
    const { half } = draft.form(i);
    if (half === '' || draft.end[i] - draft.first[i] !== 3) return false;
    const key = this.hashOf(i, PRODUCT) & (this.bucket.length - 1);
    for (let k = this.bucket[key], n = 0; k >= 0 && n < MOST_COMPARED; k = this.next[k], n++) {
      const other = draft.form(k).half;
      if (
        other === '' ||
        other === half ||
        draft.isDead[k] ||
        draft.end[k] - draft.first[k] !== 3 ||
        !draft.reaches(k, i)
      )
        continue;
      const isSame = [1, 2].every((o) => this.isSame(draft.first[k] + o, draft.first[i] + o, k, i));
      if (!isSame || !draft.isValue(draft.place.at(draft.first[k]))) continue;
      const high = draft.opcodeText(half === 'high' ? i : k);
      twin(draft, k, i, half === 'high' ? k : i);
      draft.opcode[k] = draft.opcodeNumber(high.replace('.hi', '.wide'));
      return true;
    }
    return false;
  }

  private isNumbered(i: number, flags: number): boolean {
    const { draft } = this;
    const { f } = draft;
    const form = draft.form(i);
    const isLoad = form.op === Op.Load;
    // constants are a matter of `recompute`
    if ((flags & InstructionFlag.Constant) !== 0 && !this.isSpecial(i)) return false;
    if ((flags & InstructionFlag.Constant) === 0 && !form.isPure && !isLoad) return false;
    if ((flags & (InstructionFlag.SideEffect | InstructionFlag.Call)) !== 0) return false;
    const first = draft.first[i];
    const r = draft.place.at(first);
    if (
      r < 0 ||
      draft.definer[r] !== i ||
      f.operandFlags[draft.from.at(first)] !== (OperandFlag.Definition as number)
    )
      return false;
    for (let o = first + 1; o < draft.end[i]; o++) {
      if (isDefinition(f, draft.from.at(o))) return false;
      const place = draft.place.at(o);
      if (place === NoRegister.SpecialVolatile || place === NoRegister.Unknown || place === NoRegister.Label)
        return false;
    }
    return true;
  }

  private isSpecial(i: number): boolean {
    return this.draft.place.at(this.draft.first[i] + 1) === (NoRegister.SpecialConstant as number);
  }

  private hash(i: number): number {
    return this.hashOf(i, this.draft.form(i).half !== '' ? PRODUCT : this.draft.opcode[i]);
  }

  private hashOf(i: number, opcode: number): number {
    const { draft } = this;
    let h = opcode * 0x9e3b;
    for (let o = draft.first[i] + 1; o < draft.end[i]; o++) h += this.keyOf(o) * 0x85eb;
    return h ^ (h >>> 13);
  }

  private keyOf(o: number): number {
    const { draft } = this;
    const place = draft.place.at(o);
    return (place >= 0 ? draft.canonical(place) : draft.payload.at(o) ^ place) ^ (draft.modifier.at(o) << 24);
  }

  private isEqual(k: number, i: number): boolean {
    const { draft } = this;
    // what was taken in everywhere is computed nowhere by itself
    if (draft.isDead[k]) return false;
    const [a, b] = [draft.first[k] + 1, draft.first[i] + 1];
    const count = draft.end[i] - b;
    if (draft.opcode[k] !== draft.opcode[i] || draft.end[k] - a !== count || !draft.reaches(k, i))
      return false;
    const [r, s] = [draft.place.at(a - 1), draft.place.at(b - 1)];
    if (
      draft.f.registerClass[r] !== draft.f.registerClass[s] ||
      draft.f.registerWidth[r] !== draft.f.registerWidth[s]
    )
      return false;
    const form = draft.form(i);
    if (form.op === Op.Load && !form.isPure && this.memory[k] !== this.stores) return false;
    let from = 0;
    if (form.commutes && count >= 2 && this.isSame(a, b + 1, k, i) && this.isSame(a + 1, b, k, i)) from = 2;
    for (let n = from; n < count; n++) if (!this.isSame(a + n, b + n, k, i)) return false;
    return true;
  }

  private isSame(p: number, q: number, k: number, i: number): boolean {
    const { draft } = this;
    const { f } = draft;
    if (draft.modifier.at(p) !== draft.modifier.at(q)) return false;
    const [a, b] = [draft.place.at(p), draft.place.at(q)];
    const [x, y] = [draft.from.at(p), draft.from.at(q)];
    if (
      draft.payload.at(p) !== draft.payload.at(q) ||
      (a < 0 && (a !== b || !hasText(a, draft.payload.at(p))))
    )
      return false;
    if (a < 0) return true;
    if (b < 0 || draft.canonical(a) !== draft.canonical(b)) return false;
    if (f.operandWidth[x] !== f.operandWidth[y] || f.operandOffset[x] !== f.operandOffset[y]) return false;
    return draft.isUnchanged(a, k, i);
  }
}

/** Both halves of a product hash alike. */
const PRODUCT = 1 << 20;

const CHANGES_MEMORY = InstructionFlag.WritesMemory | InstructionFlag.Barrier | InstructionFlag.Call;

/** Two numbers, symbols or special registers are the same only if it is known which they are. */
const hasText = (place: number, payload: number): boolean =>
  payload !== 0 || place === (NoRegister.Sink as number);
