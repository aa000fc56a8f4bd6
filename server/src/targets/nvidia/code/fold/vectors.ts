import { InstructionFlag, OperandFlag } from '../../../../ir/function.js';
import { NoRegister } from '../../../../ir/place.js';
import type { CommonPass } from '../code.js';
import { Draft } from './draft.js';
import { formsOf, Op } from './forms.js';
import { trailingZeros } from './trailing-zeros.js';
import { join } from './join.js';

/**
 * Neighbouring words of shared memory are read and written by one instruction.
 *
 * Measured with ptxas 13.0: loads of one block from one base become LDS.128 where at least three of the four words of
 * an aligned 16 bytes are read, else LDS.64 where both words of an aligned 8 bytes are, in whatever order and however
 * far apart they stand, with no store to shared memory, generic store or barrier between. Stores join where all words
 * are written. The alignment of the base must be known (`tid * 16` is enough; arrays are aligned by ptxas itself).
 * Global memory is not touched, whatever the parameter promises.
 */
export const vectors: CommonPass = (code) => {
  if (!hasSeveralShared(code.f)) return code;
  const draft = new Draft(code);
  const { f, cfg } = draft;
  const joiner = new Joiner(draft);
  for (const block of cfg.order) {
    for (let i = f.blockStart[block]; i < f.blockStart[block + 1]; i++) joiner.pass(i);
    joiner.flush();
  }
  return joiner.joined === 0 ? code : draft.finish();
};

function hasSeveralShared(f: Draft['f']): boolean {
  const formOf = formsOf(f.opcodes);
  let count = 0;
  for (let i = 0; i < f.instructionCount && count < 2; i++)
    if ((f.instructionFlags[i] & (InstructionFlag.ReadsMemory | InstructionFlag.WritesMemory)) !== 0)
      if (formOf(f.opcode[i]).isSharedWord) count++;
  return count >= 2;
}

interface Access {
  readonly instruction: number;
  readonly offset: number;
  readonly bytes: number;
}

class Joiner {
  joined = 0;
  /** By base: the accesses since the last thing that they may not pass. */
  private readonly loads = new Map<number, Access[]>();
  private readonly stores = new Map<number, Access[]>();
  private readonly zeros: Uint8Array;

  constructor(private readonly draft: Draft) {
    this.zeros = trailingZeros(draft);
  }

  pass(i: number): void {
    const { draft } = this;
    if (draft.isDead[i]) return;
    const flags = draft.f.instructionFlags[i];
    const touches =
      InstructionFlag.ReadsMemory |
      InstructionFlag.WritesMemory |
      InstructionFlag.Barrier |
      InstructionFlag.Call;
    if ((flags & touches) !== 0) this.touch(i, flags);
    draft.passed(i);
  }

  private touch(i: number, flags: number): void {
    const { draft } = this;
    const text = draft.opcodeText(i);
    const isElsewhere = /\.(?:global|const|param|local)(?:\.|$)/.test(text) && !text.includes('.shared');
    if (isElsewhere && (flags & InstructionFlag.Barrier) === 0) return;
    const access = draft.form(i).isSharedWord && !draft.isGuarded(i) ? this.accessOf(i) : undefined;
    if (text.startsWith('ld.')) {
      if (this.stores.size > 0) this.flush();
      if (access !== undefined) this.add(this.loads, access);
    } else if (text.startsWith('st.')) {
      if (this.loads.size > 0) this.flush();
      if (access === undefined) this.flush();
      else {
        // a store to another base may hit the same words
        const key = this.baseOf(access.instruction);
        if (this.stores.size > 0 && !this.stores.has(key)) this.flush();
        this.add(this.stores, access);
      }
    } else this.flush();
  }

  private add(map: Map<number, Access[]>, access: Access): void {
    const key = this.baseOf(access.instruction);
    const known = map.get(key);
    if (known === undefined) map.set(key, [access]);
    else if (this.isSameBase(known[0].instruction, access.instruction)) known.push(access);
    else {
      this.flush();
      map.set(key, [access]);
    }
  }

  private addressOf(i: number): number {
    const { draft } = this;
    let o = draft.first[i];
    while (o < draft.end[i] && (draft.flags.at(o) & OperandFlag.Address) === 0) o++;
    return o;
  }

  /** A number for the base: its register, or the variable. */
  private baseOf(i: number): number {
    const { draft } = this;
    const o = this.addressOf(i);
    const place = draft.place.at(o);
    if (place === (NoRegister.Symbol as number)) return ~draft.payload.at(o);
    const d = draft.valueOf(o);
    if (d >= 0 && draft.form(d).op === Op.Move && draft.end[d] - draft.first[d] === 2) {
      const source = draft.first[d] + 1;
      if (draft.place.at(source) === (NoRegister.Symbol as number)) return ~draft.payload.at(source);
    }
    return draft.canonical(place);
  }

  private isSameBase(a: number, b: number): boolean {
    const { draft } = this;
    const [o, p] = [this.addressOf(a), this.addressOf(b)];
    const place = draft.place.at(o);
    if (place !== draft.place.at(p) || ((draft.flags.at(o) | draft.flags.at(p)) & OperandFlag.Equal) !== 0)
      return false;
    return place < 0 || draft.isUnchanged(place, a, b);
  }

  private accessOf(i: number): Access | undefined {
    const { draft } = this;
    const o = this.addressOf(i);
    if (o >= draft.end[i]) return undefined;
    const place = draft.place.at(o);
    if (place < 0 && place !== (NoRegister.Symbol as number)) return undefined;
    const isOffset = o + 1 < draft.end[i] && (draft.flags.at(o + 1) & OperandFlag.Address) !== 0;
    const offset = isOffset ? draft.integer(o + 1) : 0;
    if (offset === undefined) return undefined;
    const { bits } = draft.form(i);
    const elements = this.dataOf(i).length;
    return { instruction: i, offset, bytes: (bits / 8) * elements };
  }

  /** Operands that are loaded or stored. */
  private dataOf(i: number): number[] {
    const { draft } = this;
    const data: number[] = [];
    for (let o = draft.first[i]; o < draft.end[i]; o++)
      if ((draft.flags.at(o) & (OperandFlag.Address | OperandFlag.Guard)) === 0) data.push(o);
    return data;
  }

  flush(): void {
    for (const list of this.loads.values()) this.join(list, true);
    for (const list of this.stores.values()) this.join(list, false);
    this.loads.clear();
    this.stores.clear();
  }

  private join(list: readonly Access[], isLoad: boolean): void {
    if (list.length < 2) return;
    const aligned = this.alignmentOf(list[0].instruction);
    if (aligned < 8) return;
    const byWindow = new Map<number, Access[]>();
    for (const access of list) {
      const window = Math.floor(access.offset / 16);
      const known = byWindow.get(window);
      if (known) known.push(access);
      else byWindow.set(window, [access]);
    }
    for (const [window, inside] of byWindow) {
      const sorted = inside.sort((a, b) => a.offset - b.offset || a.instruction - b.instruction);
      if (!isDisjoint(sorted)) continue;
      const least = isLoad ? 12 : 16;
      if (aligned >= 16 && covered(sorted) >= least) this.replace(sorted, 16 * window, 16, isLoad);
      else
        for (const start of [16 * window, 16 * window + 8]) {
          const half = sorted.filter(({ offset, bytes }) => offset >= start && offset + bytes <= start + 8);
          if (half.length > 1 && covered(half) === 8) this.replace(half, start, 8, isLoad);
        }
    }
  }

  /** What the base is a multiple of, in bytes. */
  private alignmentOf(i: number): number {
    const { draft } = this;
    const place = draft.place.at(this.addressOf(i));
    return place < 0 ? 16 : 1 << this.zeros[draft.canonical(place)];
  }

  /** The accesses, in the order of their addresses, become one of `bytes` bytes at `start`. */
  private replace(accesses: readonly Access[], start: number, bytes: number, isLoad: boolean): void {
    const { draft } = this;
    if (
      accesses.length < 2 ||
      accesses.some(({ instruction }) => this.dataOf(instruction).some((o) => draft.place.at(o) < 0))
    )
      return;
    const order = accesses.map(({ instruction }) => instruction).sort((a, b) => a - b);
    const lead = isLoad ? order[0] : order[order.length - 1];
    const { bits, kind } = draft.form(lead);
    if (accesses.some(({ instruction }) => draft.form(instruction).bits !== bits)) return;
    if (!isLoad && !this.areUnchanged(order, lead)) return;
    const data: number[] = [];
    let at = start;
    for (const { instruction, offset, bytes: size } of accesses) {
      for (; at < offset; at += bits / 8) data.push(-1);
      data.push(...this.dataOf(instruction));
      at = offset + size;
    }
    for (; at < start + bytes; at += bits / 8) data.push(-1);
    join(draft, lead, order, data, this.addressOf(lead), start);
    const count = bytes / (bits / 8);
    draft.opcode[lead] = draft.opcodeNumber(`${isLoad ? 'ld' : 'st'}.shared.v${count}.${kind}${bits}`);
    this.joined++;
  }

  /** Whether what the stores write is still in its registers at the last of them. */
  private areUnchanged(order: readonly number[], lead: number): boolean {
    return order.every((i) =>
      this.dataOf(i).every((o) => this.draft.isUnchanged(this.draft.place.at(o), i, lead)),
    );
  }
}

const covered = (accesses: readonly Access[]): number => accesses.reduce((sum, { bytes }) => sum + bytes, 0);

const isDisjoint = (sorted: readonly Access[]): boolean =>
  sorted.every(({ offset, bytes }, k) => k + 1 === sorted.length || offset + bytes <= sorted[k + 1].offset);
