import { InstructionFlag, type Function } from '../../../../ir/function.js';
import type { IntList } from '../../../../ir/int-list.js';
import { sequenceOfOpcode } from '../uniform/sequences.js';
import { Heap } from './heap.js';
import { Thrift, ThriftyOrder } from './thrift.js';
import { FAR, type Expected } from './timing.js';
import type { BlockValues } from './values.js';
import { DependenceWindow, WINDOW } from './window.js';

/** Keys order by height, then by the order of the text. */
const STEP = 2 * WINDOW;

/**
 * Registers that further loads may take count as needed, up to this many (measured with ptxas 13.0: beside b + 6 live
 * registers, with loads to come, b = 20, 26, 34, 42, 50, 58, 66 are the last that keep to the steps 32 to 80; where
 * all loads are over, kernels fill their step to the last two or three registers).
 */
export const ROOM_FOR_LOADS = 6;

/** How many cycles ahead of the critical path an early result is made. */
const MARGIN = 16;

/**
 * Orders the instructions of a block as a list scheduler does: cycle by cycle, of the instructions whose operands
 * have arrived and whose unit is free the one that most cycles of work depend on.
 *
 * Registers are minded in three ways, all measured with ptxas 13.0. What would take the live registers over the budget
 * waits until something that frees registers has run, be it before its operands arrive; when nothing frees any, the
 * thrifty order goes on (of 64 loads that one chain of additions needs, 57 stand before the first addition where 64
 * registers are free, and further loads alternate with additions). And a result that waits for a load before it is of
 * use is not made while the load is under way (round keys, addresses of stores), unless that keeps no further
 * register. And what adds a live register, loads and their addresses apart, only fills cycles that nothing else can
 * use, whatever hangs on it (of four long chains of 8 cycles a link on a unit that takes one link every 4, two run at a time). An address goes in front of the load that reads
 * the one before it, when both may run (a pointer that moves on from load to load: the next one is made, then the load
 * gets the register of its own address).
 *
 * Time: n log n in the instructions of a window.
 */
export class ListScheduler {
  /** The most 32-bit registers live in the last block, in its new order. */
  peak = 0;
  /** The most of what is live and, up to `ROOM_FOR_LOADS`, what loads will make that have not run. */
  need = 0;
  /** Whether the thrifty order was asked under some budget: another budget would give another order. */
  hasYielded = false;

  private readonly window: DependenceWindow;
  private readonly thrifty: ThriftyOrder;
  private readonly arrival: Float64Array;
  private readonly isDone: Uint8Array;
  private readonly isFree: Uint8Array;
  /** By instruction of the block: what running it adds to the live registers. */
  private change = new Int32Array(0);
  /**
   * All that an instruction of these depends on has been issued: operands are under way; or there, by unit, and
   * apart those that add a live register.
   */
  private readonly waiting = new Heap();
  private readonly ready: readonly Heap[];
  private readonly raising: readonly Heap[];
  private readonly isAdmitted: Uint8Array;
  /** Of the same, those that add no live register, and all: kept from when the thrifty order is first asked. */
  private readonly freeing = new Heap();
  private readonly all = new Heap();
  private isThrifty = false;
  /** What running an instruction of the window adds to the live registers before any of them has run. */
  private readonly changeBefore: Int32Array;
  /** Of the same, those held back; and all but early ones by their path's end, kept from when one is held back. */
  private readonly early = new Heap();
  private readonly critical = new Heap();
  private holdsBack = false;
  private readonly unitFree: Float64Array;
  /** The units that instructions of the window need. */
  private readonly unitsUsed: number[] = [];
  private readonly interval: readonly number[];
  private inWindow = false;
  private budget = 0;
  private thrift: Thrift = Thrift.Sunk;
  /** 32-bit registers that loads of the window will write. */
  private loads = 0;
  private live = 0;
  private now = 0;

  constructor(
    private readonly f: Function,
    private readonly values: BlockValues,
    expected: Expected,
  ) {
    let longest = 1;
    for (let b = 0; b < f.blockCount; b++) longest = Math.max(longest, f.blockStart[b + 1] - f.blockStart[b]);
    const size = Math.min(WINDOW, longest);
    this.arrival = new Float64Array(size);
    this.isDone = new Uint8Array(size);
    this.isFree = new Uint8Array(size);
    this.isAdmitted = new Uint8Array(size);
    this.window = new DependenceWindow(f, values, expected, size);
    this.changeBefore = new Int32Array(size);
    this.thrifty = new ThriftyOrder(this.window);
    this.interval = expected.interval;
    this.ready = this.interval.map(() => new Heap());
    this.raising = this.interval.map(() => new Heap());
    this.unitFree = new Float64Array(this.interval.length);
  }

  /**
   * Writes the new order of block `b` to `order`. A budget of 0 registers follows the thrifty order alone, after what
   * adds no live register.
   */
  block(b: number, budget: number, thrift: Thrift, order: IntList): void {
    const { values } = this;
    this.budget = budget;
    this.thrift = thrift;
    this.live = values.enter(b);
    this.peak = this.live;
    this.need = this.live;
    this.loads = 0;
    this.prepareChanges();
    for (let from = 0; from < values.count;) {
      let end = from;
      while (end < values.count && end - from < WINDOW && !this.isFixed(values.first + end)) end++;
      if (end - from > 1) this.order(from, end, order);
      else {
        end = from + 1;
        this.run(from);
        order.push(values.first + from);
      }
      from = end;
    }
  }

  /** Stays where it is, and nothing passes it. */
  private isFixed(instruction: number): boolean {
    const fixed =
      InstructionFlag.Branch | InstructionFlag.Return | InstructionFlag.Call | InstructionFlag.Entry;
    if ((this.f.instructionFlags[instruction] & fixed) !== 0) return true;
    return sequenceOfOpcode(this.f.opcodes, this.f.opcode[instruction]).branches;
  }

  private prepareChanges(): void {
    const { values } = this;
    if (this.change.length < values.count) this.change = new Int32Array(2 * values.count);
    this.change.fill(0, 0, values.count);
    for (let v = 0; v < values.valueCount; v++) {
      if (values.width[v] === 0) continue;
      const maker = values.maker[v];
      if (maker >= 0 && values.readers[v] > 0) this.change[maker] += values.width[v];
      if (values.readers[v] === 1 && values.leaves[v] === 0)
        this.change[values.readerSum[v]] -= values.width[v];
    }
  }

  /** Instruction `n` of the block runs: who reads last, what is live. */
  private run(n: number): void {
    const { values, f, window } = this;
    this.live += this.change[n];
    if (this.live > this.peak) this.peak = this.live;
    const need = this.live + Math.min(ROOM_FOR_LOADS, this.loads);
    if (need > this.need) this.need = need;
    const base = f.operandStart[values.first];
    const from = f.operandStart[values.first + n] - base;
    const to = f.operandStart[values.first + n + 1] - base;
    for (let o = from; o < to; o++) {
      const v = values.read[o];
      if (v < 0 || !values.isReader(o)) continue;
      values.readers[v]--;
      values.readerSum[v] -= n;
      if (values.readers[v] !== 1 || values.leaves[v] === 1 || values.width[v] === 0) continue;
      const last = values.readerSum[v];
      this.change[last] -= values.width[v];
      const k = last - window.first;
      if (!this.inWindow || k >= window.count || this.change[last] > 0) continue;
      if (this.isThrifty && this.isFree[k] === 1) this.freeing.push(k, this.thrifty.rank[k]);
      if (this.isAdmitted[k] === 1) this.ready[window.unit[k]].push(k, this.key(k));
    }
  }

  private order(from: number, end: number, order: IntList): void {
    this.enter(from, end);
    const { window } = this;
    if (this.budget === 0) this.beginThrifty();
    for (let n = 0; n < window.count; n++) if (window.incoming[n] === 0) this.free(n);
    for (let done = 0; done < window.count; done++) {
      const n = this.budget === 0 ? this.nextThrifty() : this.next();
      this.issue(n);
      order.push(this.values.first + from + n);
    }
    this.inWindow = false;
  }

  /** Nothing of the window has run. */
  private enter(from: number, end: number): void {
    const { window } = this;
    window.enter(from, end);
    const { count } = window;
    this.isThrifty = false;
    this.changeBefore.set(this.change.subarray(from, end));
    this.holdsBack = false;
    this.waiting.clear();
    this.early.clear();
    for (const unit of this.unitsUsed) {
      this.ready[unit].clear();
      this.raising[unit].clear();
    }
    this.isAdmitted.fill(0, 0, count);
    this.now = 0;
    this.isDone.fill(0, 0, count);
    this.isFree.fill(0, 0, count);
    this.arrival.fill(0, 0, count);
    this.inWindow = true;
    this.loads = 0;
    this.unitFree.fill(-1);
    this.unitsUsed.length = 0;
    for (let n = 0; n < count; n++) {
      if (window.cycles[n] >= FAR) this.loads += this.made(n);
      const unit = window.unit[n];
      if (this.unitFree[unit] === 0) continue;
      this.unitFree[unit] = 0;
      this.unitsUsed.push(unit);
    }
  }

  /** 32-bit registers that an instruction of the window writes. */
  private made(n: number): number {
    const { values, f } = this;
    const base = f.operandStart[values.first];
    const i = values.first + this.window.first + n;
    let width = 0;
    for (let o = f.operandStart[i] - base; o < f.operandStart[i + 1] - base; o++)
      if (values.made[o] >= 0) width += values.width[values.made[o]];
    return width;
  }

  private key(n: number): number {
    return n - this.window.height[n] * STEP;
  }

  /** All that `n` depends on has been issued. */
  private free(n: number): void {
    const { arrival } = this;
    this.isFree[n] = 1;
    if (this.isThrifty) this.addThrifty(n);
    if (this.budget === 0) return;
    if (this.holdsBack) this.addCritical(n);
    if (arrival[n] > this.now) this.waiting.push(n, arrival[n]);
    else this.offer(n);
  }

  /** Operands have arrived. */
  private offer(n: number): void {
    const { window } = this;
    if (window.isEarly[n] === 1 && this.change[window.first + n] >= 0) {
      if (!this.holdsBack) this.beginHolding();
      this.early.push(n, this.key(n));
    } else this.admit(n);
  }

  private admit(n: number): void {
    const { window } = this;
    const raises = this.change[window.first + n] > 0 && window.cycles[n] < FAR && window.isForLoad[n] === 0;
    this.isAdmitted[n] = 1;
    (raises ? this.raising : this.ready)[window.unit[n]].push(n, this.key(n));
  }

  private next(): number {
    for (;;) {
      while (this.waiting.topKey <= this.now) {
        const n = this.waiting.pop();
        if (this.isDone[n] === 0) this.offer(n);
      }
      this.releaseEarly();
      const best = this.bestReady();
      if (best >= 0) {
        const change = this.change[this.window.first + best];
        return change > 0 && this.live + change > this.budget ? this.nextThrifty() : best;
      }
      if (this.soonest === Infinity) return this.nextThrifty();
      this.now = this.soonest;
    }
  }

  /** When something may be ready that is not now: an operand arrives, a unit is free. */
  private soonest = Infinity;

  private bestReady(): number {
    this.soonest = this.waiting.topKey;
    const best = this.bestOf(this.ready);
    return best >= 0 ? best : this.bestOf(this.raising);
  }

  private bestOf(heaps: readonly Heap[]): number {
    let best = -1;
    let bestKey = Infinity;
    for (const u of this.unitsUsed) {
      const heap = heaps[u];
      if (heap.size > 0) this.dropDone(heap);
      if (heap.size === 0) continue;
      if (this.unitFree[u] > this.now) {
        this.soonest = Math.min(this.soonest, this.unitFree[u]);
        continue;
      }
      if (heap.topKey >= bestKey) continue;
      bestKey = heap.topKey;
      best = heap.top;
    }
    return best;
  }

  /** What was held back runs when about as much work hangs on it as on anything else, other such instructions included. */
  private releaseEarly(): void {
    const { early, critical, window, arrival } = this;
    while (early.size > 0) {
      this.dropDone(early);
      if (early.size === 0) return;
      this.dropDone(critical);
      const remaining = critical.size === 0 ? 0 : -critical.topKey - this.now;
      if (window.height[early.top] + MARGIN < remaining) return;
      const n = early.pop();
      critical.push(n, -(Math.max(this.now, arrival[n]) + window.height[n]));
      this.admit(n);
    }
  }

  private beginHolding(): void {
    this.holdsBack = true;
    this.critical.clear();
    for (let n = 0; n < this.window.count; n++)
      if (this.isFree[n] === 1 && this.isDone[n] === 0) this.addCritical(n);
  }

  private addCritical(n: number): void {
    const { window, arrival } = this;
    if (window.isEarly[n] === 0) this.critical.push(n, -(arrival[n] + window.height[n]));
  }

  private beginThrifty(): void {
    this.isThrifty = true;
    this.thrifty.find(this.thrift, this.changeBefore);
    this.freeing.clear();
    this.all.clear();
    for (let n = 0; n < this.window.count; n++)
      if (this.isFree[n] === 1 && this.isDone[n] === 0) this.addThrifty(n);
  }

  private addThrifty(n: number): void {
    const rank = this.thrifty.rank[n];
    this.all.push(n, rank);
    if (this.change[this.window.first + n] <= 0) this.freeing.push(n, rank);
  }

  private nextThrifty(): number {
    if (!this.isThrifty) {
      this.hasYielded = true;
      this.beginThrifty();
    }
    this.dropDone(this.freeing);
    if (this.freeing.size > 0) return this.freeing.top;
    this.dropDone(this.all);
    return this.all.top;
  }

  private dropDone(heap: Heap): void {
    while (heap.size > 0 && this.isDone[heap.top] === 1) heap.pop();
  }

  /** Time passes where a budget is minded: the thrifty order knows none. */
  private issue(n: number): void {
    const { window, arrival } = this;
    this.isDone[n] = 1;
    if (this.budget > 0) this.startAt(n);
    if (window.cycles[n] >= FAR) this.loads -= this.made(n);
    this.run(window.first + n);
    for (let e = window.start[n]; e < window.start[n + 1]; e++) {
      const to = window.to[e];
      const arrives = this.now + (window.isValue[e] === 1 ? window.cycles[n] : 1);
      if (arrives > arrival[to]) arrival[to] = arrives;
      if (--window.incoming[to] === 0) this.free(to);
    }
    this.now++;
  }

  private startAt(n: number): void {
    const unit = this.window.unit[n];
    this.now = Math.max(this.now, this.arrival[n], this.unitFree[unit]);
    this.unitFree[unit] = this.now + this.interval[unit];
  }
}
