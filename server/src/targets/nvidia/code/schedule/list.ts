import { InstructionFlag, type Function } from '../../../../ir/function.js';
import { IntList } from '../../../../ir/int-list.js';
import type { Family } from '../../architectures.js';
import { classify } from '../../classify.js';
import { sequenceOfOpcode } from '../uniform/sequences.js';
import { Heap } from './heap.js';
import { MemoryOrder } from './memory.js';
import { issueIntervals, resultCycles, unitNumber } from './timing.js';
import type { BlockValues } from './values.js';

/** Instructions that are ordered together; a longer block is cut, in the order of the text. */
const WINDOW = 1024;

/** Keys order by height, then by the order of the text; a window has fewer instructions than this. */
const STEP = 2048;

/**
 * Orders the instructions of a block as a list scheduler does: cycle by cycle, of the instructions whose operands
 * have arrived and whose unit is free the one that most cycles of work depend on. What would take the live
 * registers over the budget waits until something that frees registers has run, be it before its operands arrive;
 * when nothing frees any, the text's next instruction runs.
 *
 * Time: n log n in the instructions of the window.
 */
export class ListScheduler {
  private readonly memory: MemoryOrder;
  private readonly edgeFrom = new IntList();
  private readonly edgeTo = new IntList();
  private readonly edgeIsValue = new IntList();
  private readonly start = new Int32Array(WINDOW + 1);
  private readonly incoming = new Int32Array(WINDOW);
  private readonly height = new Int32Array(WINDOW);
  private readonly arrival = new Float64Array(WINDOW);
  private readonly isDone = new Uint8Array(WINDOW);
  private readonly isFree = new Uint8Array(WINDOW);
  private readonly unit = new Uint8Array(WINDOW);
  private readonly cycles = new Int32Array(WINDOW);
  private to = new Int32Array(0);
  private isValue = new Uint8Array(0);
  /** By instruction of the block: what running it adds to the live registers. */
  private change = new Int32Array(0);
  private readonly waiting = new Heap();
  private readonly ready: readonly Heap[];
  private readonly freeing = new Heap();
  private readonly textual = new Heap();
  private readonly unitFree: Float64Array;
  private readonly interval: readonly number[];
  private windowFirst = 0;
  private windowEnd = 0;
  private live = 0;
  private now = 0;

  constructor(
    private readonly f: Function,
    private readonly values: BlockValues,
    private readonly family: Family,
  ) {
    this.memory = new MemoryOrder(f);
    this.interval = issueIntervals(family);
    this.ready = this.interval.map(() => new Heap());
    this.unitFree = new Float64Array(this.interval.length);
  }

  /** Writes the new order of the block that `values` stands at to `order`; `live`: registers live on entering it. */
  block(live: number, budget: number, order: IntList): void {
    const { values } = this;
    this.live = live;
    this.prepareChanges();
    for (let from = 0; from < values.count;) {
      if (this.isFixed(values.first + from)) {
        this.run(from);
        order.push(values.first + from);
        from++;
        continue;
      }
      let end = from + 1;
      while (end < values.count && end - from < WINDOW && !this.isFixed(values.first + end)) end++;
      if (end - from === 1) {
        this.run(from);
        order.push(values.first + from);
      } else this.window(from, end, budget, order);
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
    const { values, f } = this;
    this.live += this.change[n];
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
      const inWindow = last - this.windowFirst;
      if (this.change[last] <= 0 && last < this.windowEnd && this.isFree[inWindow] === 1)
        this.freeing.push(inWindow, this.key(inWindow));
    }
  }

  private key(n: number): number {
    return n - this.height[n] * STEP;
  }

  private window(from: number, end: number, budget: number, order: IntList): void {
    const count = end - from;
    this.windowFirst = from;
    this.windowEnd = end;
    this.dependences(count);
    this.heights(count);
    this.waiting.clear();
    this.freeing.clear();
    this.textual.clear();
    for (const heap of this.ready) heap.clear();
    this.unitFree.fill(0);
    this.now = 0;
    this.isDone.fill(0, 0, count);
    this.isFree.fill(0, 0, count);
    this.arrival.fill(0, 0, count);
    for (let n = 0; n < count; n++) if (this.incoming[n] === 0) this.free(n);
    for (let done = 0; done < count; done++) {
      const n = this.choose(budget);
      this.issue(n);
      order.push(this.values.first + from + n);
    }
    this.windowEnd = 0;
  }

  /** All that `n` depends on has been issued. */
  private free(n: number): void {
    this.isFree[n] = 1;
    const key = this.key(n);
    if (this.arrival[n] > this.now) this.waiting.push(n, this.arrival[n]);
    else this.ready[this.unit[n]].push(n, key);
    this.textual.push(n, n);
    if (this.change[this.windowFirst + n] <= 0) this.freeing.push(n, key);
  }

  private choose(budget: number): number {
    for (;;) {
      while (this.waiting.size > 0 && this.waiting.topKey <= this.now) {
        const n = this.waiting.pop();
        if (this.isDone[n] === 0) this.ready[this.unit[n]].push(n, this.key(n));
      }
      let best = -1;
      let bestKey = Infinity;
      let soonest = Infinity;
      for (let u = 0; u < this.ready.length; u++) {
        const heap = this.ready[u];
        while (heap.size > 0 && this.isDone[heap.top] === 1) heap.pop();
        if (heap.size === 0) continue;
        if (this.unitFree[u] > this.now) {
          soonest = Math.min(soonest, this.unitFree[u]);
          continue;
        }
        if (heap.topKey >= bestKey) continue;
        bestKey = heap.topKey;
        best = heap.top;
      }
      if (best >= 0) {
        const change = this.change[this.windowFirst + best];
        return change > 0 && this.live + change > budget ? this.underPressure() : best;
      }
      if (this.waiting.size > 0) soonest = Math.min(soonest, this.waiting.topKey);
      if (soonest === Infinity) return this.underPressure();
      this.now = soonest;
    }
  }

  private underPressure(): number {
    const { freeing, textual, isDone } = this;
    while (freeing.size > 0 && isDone[freeing.top] === 1) freeing.pop();
    if (freeing.size > 0) return freeing.top;
    while (isDone[textual.top] === 1) textual.pop();
    return textual.top;
  }

  private issue(n: number): void {
    const unit = this.unit[n];
    this.isDone[n] = 1;
    this.now = Math.max(this.now, this.arrival[n], this.unitFree[unit]);
    this.unitFree[unit] = this.now + this.interval[unit];
    this.run(this.windowFirst + n);
    for (let e = this.start[n]; e < this.start[n + 1]; e++) {
      const to = this.to[e];
      const arrives = this.now + (this.isValue[e] === 1 ? this.cycles[n] : 1);
      if (arrives > this.arrival[to]) this.arrival[to] = arrives;
      if (--this.incoming[to] === 0) this.free(to);
    }
    this.now++;
  }

  private dependences(count: number): void {
    const { values, f, windowFirst } = this;
    this.edgeFrom.length = 0;
    this.edgeTo.length = 0;
    this.edgeIsValue.length = 0;
    this.memory.clear();
    const first = values.first + windowFirst;
    const base = f.operandStart[values.first];
    const edge = (before: number, after: number): void => this.edge(before, after, 0);
    const valueAt = (operand: number): number => values.read[operand - base];
    for (let n = 0; n < count; n++) {
      const i = first + n;
      for (let o = f.operandStart[i] - base; o < f.operandStart[i + 1] - base; o++) {
        const v = values.read[o];
        if (v >= 0 && values.isReader(o) && values.maker[v] >= windowFirst)
          this.edge(values.maker[v] - windowFirst, n, 1);
        const made = values.made[o];
        if (made >= 0 && values.previous[made] >= 0) this.behind(values.previous[made], n, first, base);
      }
      this.memory.add(n, i, valueAt, edge);
      const machineClass = classify(f.opcodes, f.opcode[i]);
      this.unit[n] = unitNumber(machineClass);
      this.cycles[n] = resultCycles(f, i, machineClass, this.family);
    }
    this.index(count);
  }

  /** The register is written again: behind who reads the old value, and who made it. */
  private behind(old: number, n: number, first: number, base: number): void {
    const { values, f, windowFirst } = this;
    if (values.maker[old] >= windowFirst && values.maker[old] - windowFirst < n)
      this.edge(values.maker[old] - windowFirst, n, 0);
    for (let o = values.lastRead[old]; o >= 0; o = values.readBefore[o]) {
      const reader = this.instructionOf(o + base, f, first) - first;
      if (reader < 0) break;
      if (reader !== n) this.edge(reader, n, 0);
    }
  }

  /** The instruction of an operand, by bisection from the window's first; before it where the operand is. */
  private instructionOf(operand: number, f: Function, first: number): number {
    if (operand < f.operandStart[first]) return -1;
    let low = first;
    let high = this.values.first + this.windowEnd;
    while (low + 1 < high) {
      const middle = (low + high) >>> 1;
      if (f.operandStart[middle] <= operand) low = middle;
      else high = middle;
    }
    return low;
  }

  private edge(from: number, to: number, isValue: number): void {
    this.edgeFrom.push(from);
    this.edgeTo.push(to);
    this.edgeIsValue.push(isValue);
  }

  private index(count: number): void {
    const { start, incoming } = this;
    const edges = this.edgeFrom.length;
    const [from, to, isValue] = [this.edgeFrom.view(), this.edgeTo.view(), this.edgeIsValue.view()];
    if (this.to.length < edges) {
      this.to = new Int32Array(2 * edges);
      this.isValue = new Uint8Array(2 * edges);
    }
    start.fill(0, 0, count + 1);
    incoming.fill(0, 0, count);
    for (let e = 0; e < edges; e++) {
      start[from[e]]++;
      incoming[to[e]]++;
    }
    let sum = 0;
    for (let n = 0; n <= count; n++) {
      sum += start[n];
      start[n] = sum;
    }
    for (let e = edges - 1; e >= 0; e--) {
      const at = --start[from[e]];
      this.to[at] = to[e];
      this.isValue[at] = isValue[e];
    }
  }

  /** The cycles from an instruction's issue to the end of the window along its longest chain. */
  private heights(count: number): void {
    for (let n = count - 1; n >= 0; n--) {
      let height = 0;
      for (let e = this.start[n]; e < this.start[n + 1]; e++) {
        const below = this.height[this.to[e]] + (this.isValue[e] === 1 ? this.cycles[n] : 1);
        if (below > height) height = below;
      }
      this.height[n] = height;
    }
  }
}
