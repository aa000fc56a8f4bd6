import { IntList } from '../../../ir/int-list.js';
import { isLiveAtEntry, isLiveAtExit } from '../../../passes/liveness.js';
import { blocksOf, predecessorsOf, type LiveRanges } from '../live/ranges.js';
import type { Program } from '../program.js';

/**
 * Live ranges of a program that spill code goes into, kept right without computing liveness again.
 *
 * Positions instead of instruction numbers: instruction i of the input lies at `(i + 1) * GAP`; what is inserted before
 * it lies below it in the order of insertion, what is inserted behind it lies above. A range that ends (or starts) at a
 * block's border names the block, since instructions may be inserted at the border: the reference, which numbers its
 * instructions anew, then stretches the range over them.
 */
const GAP = 1024;

export const positionOf = (instruction: number): number => (instruction + 1) * GAP;

export class SpillRanges {
  /** By register, temporaries behind those of the input: positions, or -1 for no range. */
  readonly start = new IntList(256);
  readonly end = new IntList(256);
  /** By register: the block at whose border the range starts (ends), or -1. */
  readonly startBorder = new IntList(256);
  readonly endBorder = new IntList(256);
  private readonly moved = new Set<number>();
  private readonly blockOf: Int32Array;
  private readonly head: Int32Array;
  private readonly tail: Int32Array;
  private readonly insertedBefore: Uint16Array;
  private readonly insertedAfter: Uint16Array;
  private readonly lastAncestors = new Map<number, number>();
  private readonly predecessors: readonly (readonly number[])[];

  constructor(
    private readonly program: Program,
    live: LiveRanges,
  ) {
    const { blockStart } = program;
    const count = program.instructions.length;
    this.blockOf = blocksOf(program);
    this.predecessors = predecessorsOf(program);
    this.head = Int32Array.from(blockStart.subarray(0, -1), positionOf);
    this.tail = Int32Array.from(blockStart.subarray(1), (next) => positionOf(next - 1));
    this.insertedBefore = new Uint16Array(count);
    this.insertedAfter = new Uint16Array(count);
    for (let r = 0; r < program.registers.length; r++) this.take(r, live);
  }

  private take(register: number, live: LiveRanges): void {
    const [from, to] = [live.start[register], live.end[register]];
    if (from < 0) {
      this.push(0, 0);
      return;
    }
    const { blockStart } = this.program;
    const first = this.blockOf[from];
    const last = this.blockOf[to];
    let startsAtBorder = false;
    let endsAtBorder = false;
    for (let v = live.variableStart[register]; v < live.variableStart[register + 1]; v++) {
      startsAtBorder ||= from === blockStart[first] && isLiveAtEntry(live, v, first);
      endsAtBorder ||= to === blockStart[last + 1] - 1 && isLiveAtExit(live, v, last);
    }
    this.push(positionOf(from), positionOf(to));
    if (startsAtBorder) this.startBorder.set(register, first);
    if (endsAtBorder) this.endBorder.set(register, last);
  }

  private push(start: number, end: number): void {
    this.start.push(start);
    this.end.push(end);
    this.startBorder.push(-1);
    this.endBorder.push(-1);
  }

  /** The position of an instruction inserted right before instruction `at` of the input. */
  insertBefore(at: number): number {
    const block = this.blockOf[at];
    const position = positionOf(at) - GAP / 2 + ++this.insertedBefore[at];
    if (at === this.program.blockStart[block] && this.insertedBefore[at] === 1) {
      this.head[block] = position;
      this.move(this.startBorder, this.start, block, position);
    }
    return position;
  }

  /** The position of an instruction inserted behind instruction `at` and what was inserted there before. */
  insertAfter(at: number): number {
    const block = this.blockOf[at];
    const position = positionOf(at) + ++this.insertedAfter[at];
    if (at === this.program.blockStart[block + 1] - 1) {
      this.tail[block] = position;
      this.move(this.endBorder, this.end, block, position);
    }
    return position;
  }

  private move(borders: IntList, ends: IntList, block: number, position: number): void {
    const view = borders.view();
    for (let r = 0; r < view.length; r++)
      if (view[r] === block) {
        ends.set(r, position);
        this.moved.add(r);
      }
  }

  /** A temporary that nothing mentions yet. Returns its register number. */
  add(): number {
    this.push(-1, -1);
    return this.start.length - 1;
  }

  /** A temporary is written or read at a position; positions come in ascending order but for those of definitions. */
  define(register: number, position: number): void {
    if (this.start.at(register) < 0) this.start.set(register, position);
    this.reach(register, position);
  }

  /** The register is read at a position. */
  reach(register: number, position: number): void {
    if (position <= this.end.at(register)) return;
    this.end.set(register, position);
    this.endBorder.set(register, -1);
  }

  /**
   * A temporary that is not surely written before it is read: its old value is live wherever the reading instruction
   * can be reached from, as the liveness of vec4 programs has it.
   */
  reachUp(register: number, at: number): void {
    const block = this.blockOf[at];
    const last = this.lastAncestor(block);
    this.start.set(register, this.head[0]);
    this.startBorder.set(register, 0);
    if (last < 0 || this.tail[last] <= this.end.at(register)) return;
    this.end.set(register, this.tail[last]);
    this.endBorder.set(register, last);
  }

  /** The last block in text order from which a block can be reached by at least one edge; -1 for none. */
  private lastAncestor(block: number): number {
    const known = this.lastAncestors.get(block);
    if (known !== undefined) return known;
    const seen = new Set<number>();
    const pending = [block];
    let last = -1;
    for (let next = pending.pop(); next !== undefined; next = pending.pop())
      for (const from of this.predecessors[next])
        if (!seen.has(from)) {
          seen.add(from);
          pending.push(from);
          last = Math.max(last, from);
        }
    this.lastAncestors.set(block, last);
    return last;
  }

  /** Registers whose range has become longer with a border since this was asked last. */
  takeMoved(): number[] {
    const moved = [...this.moved];
    this.moved.clear();
    return moved;
  }

  /** Spilled: nothing mentions it any more. */
  remove(register: number): void {
    this.start.set(register, 0);
    this.end.set(register, 0);
    this.startBorder.set(register, -1);
    this.endBorder.set(register, -1);
  }
}
