/**
 * What registers hold at the start of each block, as far as that is known beyond "whatever was stored last": a
 * constant, uniform or attribute, the same as another register, or nothing at all. Readers then take the leaf itself,
 * or the other register; a value that a dominating block has left in a register is read there and not computed again.
 *
 * The method is that of static single assignment, without rewriting the program into that form: each register has a
 * name for its value at each block's start, a new name where paths with different names meet, and results get their
 * name from the operation and the names of the inputs. Equal names at one point are equal values: a name stands for
 * the latest execution of what made it, and at the start of the block that makes it every path from the entry has
 * another one (what is stored on no path is a name, too).
 */
import {
  constantOperand,
  exitsOf,
  flowOf,
  isFixed,
  negated,
  predecessorsOf,
  valueKey,
  type Draft,
  type Operand,
} from './draft.js';
import { liveOf, MOST_PAIRS, type Live } from './live.js';
import { rebuild } from './rebuild.js';

export function propagate(draft: Draft): Draft {
  if (draft.blocks.length < 2 || draft.blocks.length * draft.registers.length > MOST_PAIRS) return draft;
  const names = new Names(draft);
  names.settle();
  const { registers, nodes } = names.replacements();
  if (nodes.size === 0 && registers.every((ofBlock) => ofBlock.size === 0)) return draft;
  return rebuild(draft, {
    registerAt: (block, register) => registers[block].get(register),
    nodeAs: (node) => nodes.get(node),
  });
}

/** A name with a sign: positive `2 n`, negated `2 n + 1`. */
type Signed = number;
const UNKNOWN = -1;

class Names {
  private readonly live: Live;
  private readonly predecessors: readonly (readonly number[])[];
  private readonly order: Int32Array;
  private readonly table = new Map<string, number>();
  /** By name: the operand that it is in every block, where there is one. */
  private readonly fixed = new Map<number, Operand>();
  /**
   * Names: `index(b, r)` for what register r holds where paths meet at the start of block b, of which there are
   * `meets`; then for each register what it was given at the program's start, then one for nothing; from `named` on
   * those in `table`.
   */
  private readonly meets: number;
  private readonly named: number;
  /** By block and register. */
  private readonly atStart: Int32Array;
  private readonly atEnd: Int32Array;
  /** By node. */
  private readonly ofNode: Int32Array;

  constructor(private readonly draft: Draft) {
    this.live = liveOf(draft);
    const exits = exitsOf(draft);
    this.predecessors = predecessorsOf(exits);
    this.order = flowOf(exits).order;
    const size = draft.blocks.length * draft.registers.length;
    this.meets = size;
    this.named = size + 2 * draft.registers.length;
    this.atStart = new Int32Array(size).fill(UNKNOWN);
    this.atEnd = new Int32Array(size).fill(UNKNOWN);
    this.ofNode = new Int32Array(draft.nodes.length).fill(UNKNOWN);
  }

  /** Ends, because the names at a block's start where paths meet change at most twice. */
  settle(): void {
    for (let isChanged = true; isChanged;) {
      isChanged = false;
      for (const b of this.order) if (this.visit(b)) isChanged = true;
    }
  }

  /** What is to be read in place of a register, by block, and in place of a node. */
  replacements(): {
    readonly registers: readonly ReadonlyMap<number, Operand>[];
    readonly nodes: ReadonlyMap<number, Operand>;
  } {
    const { draft, live } = this;
    const nodes = new Map<number, Operand>();
    const registers = draft.blocks.map((block, b) => {
      const found = new Map<number, Operand>();
      const holder = new Map<number, number>();
      const held = (name: Signed): Operand | undefined => {
        const register = holder.get(name >> 1);
        if (register === undefined) return undefined;
        const negate = ((name ^ this.atStart[this.index(b, register)]) & 1) === 1;
        return { kind: 'register', register, stored: false, negate };
      };
      // only registers that are wanted here anyway: another one would have to be kept alive
      for (let r = 0; r < draft.registers.length; r++) {
        if (live.atStart[this.index(b, r)] === 0) continue;
        const name = this.atStart[this.index(b, r)];
        if (name === UNKNOWN) continue;
        const fixed = this.fixed.get(name >> 1);
        const instead =
          fixed === undefined
            ? (held(name) ?? this.atHome(b, r, name))
            : (name & 1) === 1
              ? negated(fixed)
              : fixed;
        if (instead !== undefined) found.set(r, instead);
        else holder.set(name >> 1, r);
      }
      for (const id of block.nodes) {
        const instead = live.nodes[id] === 1 ? held(2 * this.ofNode[id]) : undefined;
        if (instead !== undefined) nodes.set(id, instead);
      }
      return found;
    });
    return { registers, nodes };
  }

  /** The register whose paths met in the value or that was handed over with it, if it still holds it: r is a copy. */
  private atHome(b: number, r: number, name: Signed): Operand | undefined {
    const home = this.homeOf(name >> 1);
    if (home === undefined || home === r) return undefined;
    const there = this.atStart[this.index(b, home)];
    if (there >> 1 !== name >> 1) return undefined;
    return { kind: 'register', register: home, stored: false, negate: ((name ^ there) & 1) === 1 };
  }

  /** The register that a name of a meeting or of what was given belongs to. */
  private homeOf(name: number): number | undefined {
    const registers = this.draft.registers.length;
    return name < this.meets + registers ? name % registers : undefined;
  }

  private index(b: number, register: number): number {
    return b * this.draft.registers.length + register;
  }

  private visit(b: number): boolean {
    const { draft } = this;
    let isChanged = this.enter(b);
    const block = draft.blocks[b];
    for (const id of block.nodes) {
      const { op, inputs } = draft.nodes[id];
      let key = `${op}`;
      for (const input of inputs) key += `,${this.nameOf(input, b)}`;
      this.ofNode[id] = this.intern(key);
    }
    const ends = this.atStart.slice(this.index(b, 0), this.index(b + 1, 0));
    for (const { to, value } of block.stores)
      if (to.kind === 'register') ends[to.register] = this.nameOf(value, b);
    for (let r = 0; r < ends.length; r++) {
      if (this.atEnd[this.index(b, r)] === ends[r]) continue;
      this.atEnd[this.index(b, r)] = ends[r];
      isChanged = true;
    }
    return isChanged;
  }

  private enter(b: number): boolean {
    let isChanged = false;
    const isSingle = this.predecessors[b].length === 1 && b > 0;
    for (let r = 0; r < this.draft.registers.length; r++) {
      const at = this.index(b, r);
      const own = 2 * this.index(b, r);
      if (this.atStart[at] === own) continue;
      let name = b === 0 ? this.initial(r) : UNKNOWN;
      for (const predecessor of this.predecessors[b]) {
        const incoming = this.atEnd[this.index(predecessor, r)];
        if (incoming === UNKNOWN) continue;
        name = name === UNKNOWN || name === incoming ? incoming : own;
      }
      if (name === this.atStart[at]) continue;
      // where paths meet, a second change means that they differ
      this.atStart[at] = this.atStart[at] === UNKNOWN || isSingle ? name : own;
      isChanged = true;
    }
    return isChanged;
  }

  private initial(register: number): Signed {
    if (this.draft.registers[register].isLiveIn) return 2 * (this.meets + register);
    const name = this.meets + this.draft.registers.length + register;
    this.fixed.set(name, constantOperand(0));
    return 2 * name;
  }

  private nameOf(operand: Operand, b: number): Signed {
    return this.unsignedNameOf(operand, b) ^ Number(operand.negate);
  }

  private unsignedNameOf(operand: Operand, b: number): Signed {
    if (operand.kind === 'node') return 2 * this.ofNode[operand.node];
    if (operand.kind === 'register') return this.atStart[this.index(b, operand.register)];
    const name = this.intern(valueKey(operand));
    if (isFixed(operand)) this.fixed.set(name, operand.negate ? negated(operand) : operand);
    return 2 * name;
  }

  private intern(key: string): number {
    let number = this.table.get(key);
    if (number === undefined) this.table.set(key, (number = this.named + this.table.size));
    return number;
  }
}
