import { OperandFlag, type Function } from '../../../../ir/function.js';
import { IntList } from '../../../../ir/int-list.js';
import { isLiveAtEntry, isLiveAtExit, type Liveness } from '../../../../passes/liveness.js';
import { kills } from '../../../../passes/occurrences.js';
import { GENERAL } from '../code.js';

/**
 * The values of one block: a register that is written again holds a new value. A partial or predicated definition
 * reads the old value and makes a new one. Says for each value how many instructions of the block still read it, so
 * that a scheduler knows at each step what is live and who would be the last reader.
 *
 * Instructions are numbered from the start of the block. Made anew for each block in time linear in its operands:
 * the tables by register are stamped, never cleared.
 */
export class BlockValues {
  first = 0;
  count = 0;
  /** By operand, from the block's first operand on: the value that it reads, and the one that it makes; or -1. */
  read = new Int32Array(0);
  made = new Int32Array(0);
  /** By operand: 1 where it is the first by which its instruction reads the value. */
  private counts = new Uint8Array(0);

  valueCount = 0;
  /** By value: its 32-bit registers (0 for one of another class), and the instruction that makes it (-1: came in). */
  width = new Int32Array(64);
  maker = new Int32Array(64);
  /** By value: readers that have not run, the sum of their numbers, and whether it leaves the block. */
  readers = new Int32Array(64);
  readerSum = new Float64Array(64);
  /** Both as they are before any instruction has run. */
  private readonly allReaders = new IntList(64);
  private readonly wholeSum: number[] = [];
  leaves = new Uint8Array(64);
  private lastReader = new Int32Array(64);
  /** By value: the operand that reads it last in the text, and by operand the one before. */
  lastRead = new Int32Array(64);
  readBefore = new Int32Array(0);
  /** By value: the value that the register held before, or -1. */
  previous = new Int32Array(64);

  private readonly current: Int32Array;
  private readonly stamp: Int32Array;
  private epoch = 0;
  private block = -1;
  private readonly touched: Int32Array;
  /** 32-bit registers live on entering each block. */
  private readonly liveIn: Int32Array;

  constructor(
    private readonly f: Function,
    private readonly liveness: Liveness,
  ) {
    this.current = new Int32Array(f.registerCount);
    this.stamp = new Int32Array(f.registerCount);
    this.touched = new Int32Array(f.registerCount);
    const change = new Int32Array(f.blockCount + 1);
    const { start, from, to } = liveness.entry;
    for (let r = 0; r < f.registerCount; r++) {
      if (f.registerClass[r] !== GENERAL) continue;
      for (let k = start[r]; k < start[r + 1]; k++) {
        change[from[k]] += f.registerWidth[r];
        change[to[k]] -= f.registerWidth[r];
      }
    }
    for (let b = 1; b <= f.blockCount; b++) change[b] += change[b - 1];
    this.liveIn = change;
  }

  /** Numbers the values of block `b`; returns the 32-bit registers live on entering it. */
  enter(b: number): number {
    if (b === this.block) this.restart();
    else this.find(b);
    return this.liveIn[b];
  }

  /** The block again, of which nothing has run. */
  private restart(): void {
    for (let v = 0; v < this.valueCount; v++) {
      this.readers[v] = this.allReaders.at(v);
      this.readerSum[v] = this.wholeSum[v];
    }
  }

  private find(b: number): void {
    const { f } = this;
    this.block = b;
    this.first = f.blockStart[b];
    this.count = f.blockStart[b + 1] - this.first;
    const base = f.operandStart[this.first];
    const operands = f.operandStart[this.first + this.count] - base;
    if (this.read.length < operands) {
      const room = 2 * operands;
      this.read = new Int32Array(room);
      this.made = new Int32Array(room);
      this.readBefore = new Int32Array(room);
      this.counts = new Uint8Array(room);
    }
    this.epoch++;
    this.valueCount = 0;
    let touched = 0;
    for (let n = 0; n < this.count; n++) {
      const from = f.operandStart[this.first + n];
      const to = f.operandStart[this.first + n + 1];
      for (let o = from; o < to; o++) {
        this.read[o - base] = -1;
        this.made[o - base] = -1;
        const r = f.operandPlace[o];
        if (r < 0) continue;
        if (this.stamp[r] !== this.epoch) {
          this.stamp[r] = this.epoch;
          this.touched[touched++] = r;
          this.current[r] = isLiveAtEntry(this.liveness, r, b) ? this.value(r, -1, -1) : -1;
        }
        const flags = f.operandFlags[o];
        const keepsOld = (flags & OperandFlag.Definition) !== 0 && !kills(f, o);
        if ((flags & OperandFlag.Use) !== 0 || keepsOld) this.reads(o - base, this.current[r], n);
      }
      for (let o = from; o < to; o++) {
        const r = f.operandPlace[o];
        if (r < 0 || (f.operandFlags[o] & OperandFlag.Definition) === 0) continue;
        const old = this.current[r];
        if (old >= 0 && this.maker[old] === n) {
          continue; // another part of a register that it makes
        }
        this.current[r] = this.value(r, n, old);
        this.made[o - base] = this.current[r];
      }
    }
    for (let k = 0; k < touched; k++) {
      const v = this.current[this.touched[k]];
      if (v < 0 || !isLiveAtExit(this.liveness, this.touched[k], b)) continue;
      this.leaves[v] = 1;
      this.readers[v]++;
    }
    this.allReaders.length = 0;
    for (let v = 0; v < this.valueCount; v++) {
      this.allReaders.push(this.readers[v]);
      this.wholeSum[v] = this.readerSum[v];
    }
  }

  /** Whether operand `o` of the function is the one by which its instruction counts as a reader. */
  isReader(o: number): boolean {
    return this.counts[o] === 1;
  }

  private reads(o: number, v: number, n: number): void {
    this.read[o] = v;
    this.counts[o] = 0;
    if (v < 0 || this.lastReader[v] === n) return;
    this.counts[o] = 1;
    this.readBefore[o] = this.lastRead[v];
    this.lastRead[v] = o;
    this.lastReader[v] = n;
    this.readers[v]++;
    this.readerSum[v] += n;
  }

  private value(r: number, maker: number, previous: number): number {
    const v = this.valueCount++;
    if (v === this.width.length) this.grow();
    this.width[v] = this.f.registerClass[r] === GENERAL ? this.f.registerWidth[r] : 0;
    this.maker[v] = maker;
    this.previous[v] = previous;
    this.readers[v] = 0;
    this.readerSum[v] = 0;
    this.leaves[v] = 0;
    this.lastReader[v] = -1;
    this.lastRead[v] = -1;
    return v;
  }

  private grow(): void {
    const wider = (old: Int32Array): Int32Array<ArrayBuffer> => {
      const fresh = new Int32Array(2 * old.length);
      fresh.set(old);
      return fresh;
    };
    const sums = new Float64Array(2 * this.width.length);
    sums.set(this.readerSum);
    const leaves = new Uint8Array(2 * this.width.length);
    leaves.set(this.leaves);
    this.width = wider(this.width);
    this.maker = wider(this.maker);
    this.previous = wider(this.previous);
    this.readers = wider(this.readers);
    this.lastReader = wider(this.lastReader);
    this.lastRead = wider(this.lastRead);
    this.readerSum = sums;
    this.leaves = leaves;
  }
}
