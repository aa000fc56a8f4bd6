import type { Function } from '../ir/function.js';
import type { Cfg } from './cfg.js';
import { componentsOf } from './components.js';
import { isDefinition, isUse, kills, occurrencesOf, type Occurrences } from './occurrences.js';

/**
 * Block-level liveness. A register is live at a point when some definition may reach the point and some use may be
 * reached from it before a definition that kills. Predicated and partial definitions do not kill, which is why the
 * first condition is needed: a register whose first writes are all predicated would otherwise be live from the
 * entry.
 *
 * Solved for 32 registers at a time, one word a block, by walks that start at the occurrences (in the spirit of
 * per-variable liveness, Appel, "Modern Compiler Implementation"; Brandner et al., "Computing liveness sets for
 * SSA-form programs", 2011): backward from upward-exposed uses, then forward from definitions within what the
 * first walk found. The second walk is exact although it stays inside: the last definition on a path to a live
 * point is followed by live points only. Time and memory follow the blocks that live ranges cover, never
 * registers times blocks; ranges that cover the same blocks share their words.
 *
 * The backward walk could run far above the definitions where one path goes round them; it stops at blocks whose
 * strongly connected component lies before that of every definition, since no definition reaches them.
 *
 * Results are kept as runs of consecutive blocks: a register live through 10 000 blocks in text order is one run.
 */
export interface Liveness {
  readonly occurrences: Occurrences;
  readonly entry: BlockRuns;
  readonly exit: BlockRuns;
}

/** The blocks of register r: `[from[k], to[k])` for k in `start[r] .. start[r + 1]`, ascending and not adjacent. */
export interface BlockRuns {
  readonly start: Int32Array;
  readonly from: Int32Array;
  readonly to: Int32Array;
}

export const isLiveAtEntry = (l: { readonly entry: BlockRuns }, register: number, block: number): boolean =>
  isInRuns(l.entry, register, block);

/** Live on leaving the block: live at the entry of some successor, through a definition that may reach it. */
export const isLiveAtExit = (l: { readonly exit: BlockRuns }, register: number, block: number): boolean =>
  isInRuns(l.exit, register, block);

function isInRuns(runs: BlockRuns, register: number, block: number): boolean {
  let low = runs.start[register];
  let high = runs.start[register + 1];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (runs.to[middle] <= block) low = middle + 1;
    else high = middle;
  }
  return low < runs.start[register + 1] && runs.from[low] <= block;
}

/** Registers of each block as lists: `registers[start[b] .. start[b + 1]]`, ascending. Size: all pairs; made for who needs it. */
export interface BlockSets {
  readonly start: Int32Array;
  readonly registers: Int32Array;
}

export function blockSets(runs: BlockRuns, blockCount: number): BlockSets {
  const start = new Int32Array(blockCount + 1);
  for (let k = 0; k < runs.from.length; k++) for (let b = runs.from[k]; b < runs.to[k]; b++) start[b + 1]++;
  for (let b = 0; b < blockCount; b++) start[b + 1] += start[b];
  const registers = new Int32Array(start[blockCount]);
  const fill = start.slice(0, blockCount);
  for (let r = 0; r + 1 < runs.start.length; r++)
    for (let k = runs.start[r]; k < runs.start[r + 1]; k++)
      for (let b = runs.from[k]; b < runs.to[k]; b++) registers[fill[b]++] = r;
  return { start, registers };
}

const GROUP = 32;

export function livenessOf(f: Function, cfg: Cfg, occurrences: Occurrences = occurrencesOf(f)): Liveness {
  const solver = new GroupSolver(f, cfg, occurrences);
  const entry = new RunBuilder(f.registerCount);
  const exit = new RunBuilder(f.registerCount);
  for (let first = 0; first < f.registerCount; first += GROUP) {
    const last = Math.min(first + GROUP, f.registerCount);
    const blocks = solver.solve(first, last);
    entry.add(first, last, blocks, solver.liveIn);
    exit.add(first, last, blocks, solver.liveOut);
    solver.clear();
  }
  return { occurrences, entry: entry.finish(), exit: exit.finish() };
}

/** By register of the group that is being solved: the first component with a definition. */
const firstDefinition = new Int32Array(GROUP);

/** Words of one group of registers, a word a block; reset after each group by the list of touched blocks. */
class GroupSolver {
  readonly liveIn: Int32Array;
  readonly liveOut: Int32Array;
  /** A use may be reached from the block's entry (exit) before a kill. */
  private readonly wantedIn: Int32Array;
  private readonly wantedOut: Int32Array;
  private readonly defined: Int32Array;
  private readonly killed: Int32Array;
  private readonly exposed: Int32Array;
  private readonly isTouched: Uint8Array;
  private readonly isPending: Uint8Array;
  private readonly touched: Int32Array;
  private touchedCount = 0;
  private readonly pending: number[] = [];
  private readonly component: Int32Array;
  /** The highest of `firstDefinition`. */
  private lastFirstDefinition = 0;

  constructor(
    private readonly f: Function,
    private readonly cfg: Cfg,
    private readonly occurrences: Occurrences,
  ) {
    const { blockCount } = cfg;
    const memory = new ArrayBuffer(4 * 8 * blockCount);
    const words = (table: number): Int32Array => new Int32Array(memory, 4 * table * blockCount, blockCount);
    this.liveIn = words(0);
    this.liveOut = words(1);
    this.wantedIn = words(2);
    this.wantedOut = words(3);
    this.defined = words(4);
    this.killed = words(5);
    this.exposed = words(6);
    this.touched = words(7);
    this.isTouched = new Uint8Array(cfg.blockCount);
    this.isPending = new Uint8Array(cfg.blockCount);
    this.component = componentsOf(cfg).of;
  }

  /** Solves registers `first .. last` and returns the blocks with anything to say, ascending. */
  solve(first: number, last: number): Int32Array {
    this.lastFirstDefinition = 0;
    for (let r = first; r < last; r++) {
      const found = this.scan(r, 1 << (r - first));
      firstDefinition[r - first] = found;
      this.lastFirstDefinition = Math.max(this.lastFirstDefinition, found);
    }
    this.walkBackward();
    this.walkForward();
    const blocks = this.touched.subarray(0, this.touchedCount);
    return isAscending(blocks) ? blocks : blocks.sort();
  }

  clear(): void {
    for (let k = 0; k < this.touchedCount; k++) {
      const block = this.touched[k];
      this.liveIn[block] = this.liveOut[block] = this.wantedIn[block] = this.wantedOut[block] = 0;
      this.defined[block] = this.killed[block] = this.exposed[block] = 0;
      this.isTouched[block] = 0;
    }
    this.touchedCount = 0;
  }

  private touch(block: number): void {
    if (this.isTouched[block]) return;
    this.isTouched[block] = 1;
    this.touched[this.touchedCount++] = block;
  }

  private push(block: number): void {
    if (this.isPending[block]) return;
    this.isPending[block] = 1;
    this.pending.push(block);
  }

  /**
   * An instruction reads before it writes, so the uses of one instruction come before its definitions. Returns the
   * first component with a definition.
   */
  private scan(register: number, bit: number): number {
    let earliest = this.cfg.blockCount;
    const { start, operand, instruction, blockOf } = this.occurrences;
    const end = start[register + 1];
    for (let k = start[register]; k < end;) {
      const at = instruction[k];
      const block = blockOf[at];
      let uses = false;
      let defines = false;
      let kill = false;
      for (; k < end && instruction[k] === at; k++) {
        uses ||= isUse(this.f, operand[k]);
        defines ||= isDefinition(this.f, operand[k]);
        kill ||= kills(this.f, operand[k]);
      }
      this.touch(block);
      if (uses && (this.killed[block] & bit) === 0) {
        this.exposed[block] |= bit;
        this.push(block);
      }
      if (defines) {
        this.defined[block] |= bit;
        earliest = Math.min(earliest, this.component[block]);
      }
      if (kill) this.killed[block] |= bit;
    }
    return earliest;
  }

  private walkBackward(): void {
    const { predecessorStart, predecessors } = this.cfg;
    const { wantedIn, wantedOut, killed, component, lastFirstDefinition, pending, isPending } = this;
    for (const block of pending) wantedIn[block] = this.exposed[block];
    while (pending.length > 0) {
      const block = pending.pop()!;
      isPending[block] = 0;
      const wanted = wantedIn[block];
      for (let e = predecessorStart[block]; e < predecessorStart[block + 1]; e++) {
        const from = predecessors[e];
        let fresh = wanted & ~wantedOut[from];
        if (component[from] < lastFirstDefinition) fresh &= this.reachable(fresh, component[from]);
        if (fresh === 0) continue;
        this.touch(from);
        wantedOut[from] |= fresh;
        const through = fresh & ~killed[from] & ~wantedIn[from];
        if (through === 0) continue;
        wantedIn[from] |= through;
        this.push(from);
      }
    }
  }

  /** Those of `bits` whose register some definition in this or an earlier component writes. */
  private reachable(bits: number, component: number): number {
    let kept = 0;
    for (; bits !== 0; bits &= bits - 1) {
      const bit = 31 - Math.clz32(bits & -bits);
      if (firstDefinition[bit] <= component) kept |= 1 << bit;
    }
    return kept;
  }

  private walkForward(): void {
    const { successorStart, successors } = this.cfg;
    const { wantedIn, wantedOut, liveIn, liveOut, defined, touched, pending, isPending } = this;
    for (let k = 0; k < this.touchedCount; k++)
      if ((wantedOut[touched[k]] & defined[touched[k]]) !== 0) this.push(touched[k]);
    while (pending.length > 0) {
      const block = pending.pop()!;
      isPending[block] = 0;
      const leaving = wantedOut[block] & (liveIn[block] | defined[block]);
      liveOut[block] = leaving;
      for (let e = successorStart[block]; e < successorStart[block + 1]; e++) {
        const to = successors[e];
        const fresh = leaving & wantedIn[to] & ~liveIn[to];
        if (fresh === 0) continue;
        liveIn[to] |= fresh;
        if ((fresh & wantedOut[to] & ~liveOut[to]) !== 0) this.push(to);
      }
    }
  }
}

function isAscending(blocks: Int32Array): boolean {
  for (let k = 1; k < blocks.length; k++) if (blocks[k] < blocks[k - 1]) return false;
  return true;
}

/**
 * The runs of the group that is being collected, by its registers: where an open one began, and the first `runLength`
 * elements of `runs`. Empty between two groups, so that they serve all.
 */
const openFrom = new Int32Array(GROUP);
const runs: readonly number[][] = Array.from({ length: GROUP }, () => []);
const runLength = new Int32Array(GROUP);

/** Collects runs of blocks of a group at a time: only words that change from one block to the next cost anything. */
export class RunBuilder {
  private readonly start: Int32Array;
  private readonly from: number[] = [];
  private readonly to: number[] = [];

  constructor(registerCount: number) {
    this.start = new Int32Array(registerCount + 1);
  }

  add(first: number, last: number, blocks: Int32Array, words: Int32Array): void {
    let open = 0;
    let previous = -1;
    for (let k = 0; k < blocks.length; k++) {
      const block = blocks[k];
      if (block !== previous + 1) {
        this.close(open, previous + 1);
        open = 0;
      }
      const word = words[block];
      this.close(open & ~word, block);
      for (let fresh = word & ~open; fresh !== 0; fresh &= fresh - 1)
        openFrom[31 - Math.clz32(fresh & -fresh)] = block;
      open = word;
      previous = block;
    }
    this.close(open, previous + 1);
    for (let r = first; r < last; r++) {
      const own = runs[r - first];
      for (let k = 0; k < runLength[r - first]; k += 2) {
        this.from.push(own[k]);
        this.to.push(own[k + 1]);
      }
      runLength[r - first] = 0;
      this.start[r + 1] = this.from.length;
    }
  }

  private close(bits: number, at: number): void {
    for (; bits !== 0; bits &= bits - 1) {
      const bit = 31 - Math.clz32(bits & -bits);
      runs[bit][runLength[bit]++] = openFrom[bit];
      runs[bit][runLength[bit]++] = at;
    }
  }

  finish(): BlockRuns {
    return { start: this.start, from: new Int32Array(this.from), to: new Int32Array(this.to) };
  }
}
