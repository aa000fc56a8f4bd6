import type { Function } from '../../../../ir/function.js';
import { IntList } from '../../../../ir/int-list.js';
import { MemoryOrder } from './memory.js';
import { FAR, type Expected } from './timing.js';
import type { BlockValues } from './values.js';

/** Instructions that are ordered together; a longer block is cut, in the order of the text. */
export const WINDOW = 1024;

/**
 * A result that waits longer than this many cycles for what it is used with is early. Any figure from 8 to 40 gives
 * the same orders on nearly all kernels.
 */
const EARLY = 16;

/**
 * The dependence graph of some instructions of a block in a row, numbered from the first of them, with the cycles that
 * results take. Edges go from who must run first; those of kind value wait for the result, the others only for the
 * issue.
 */
export class DependenceWindow {
  /** The first instruction's number in the block. */
  first = 0;
  count = 0;
  /** The first instruction's number in the function. */
  private entered = -1;
  /** Edges of instruction n: `start[n] .. start[n + 1]` of `to` and `isValue`. */
  readonly start: Int32Array;
  to = new Int32Array(0);
  isValue = new Uint8Array(0);
  readonly incoming: Int32Array;
  /** Cycles until the result is there, and the unit that executes. */
  readonly cycles: Int32Array;
  readonly unit: Uint8Array;
  /** Cycles of the longest chain that hangs on the instruction. */
  readonly height: Int32Array;
  /** 1 where some reader of the result has to wait for something else much longer, loads from far memory left out. */
  readonly isEarly: Uint8Array;
  /** 1 where a load from far memory waits for the result: its address, and what that is computed from. */
  readonly isForLoad: Uint8Array;

  private readonly memory: MemoryOrder;
  private readonly edgeFrom = new IntList();
  private readonly edgeTo = new IntList();
  private readonly edgeIsValue = new IntList();
  private readonly soonest: Int32Array;

  /** `size`: the most instructions that a window of the function has. */
  constructor(
    private readonly f: Function,
    readonly values: BlockValues,
    private readonly expected: Expected,
    readonly size: number,
  ) {
    this.memory = new MemoryOrder(f);
    this.start = new Int32Array(size + 1);
    this.incoming = new Int32Array(size);
    this.cycles = new Int32Array(size);
    this.unit = new Uint8Array(size);
    this.height = new Int32Array(size);
    this.isEarly = new Uint8Array(size);
    this.isForLoad = new Uint8Array(size);
    this.soonest = new Int32Array(size);
  }

  /** Instructions `from .. end` of the block that `values` stands at. Blocks are ordered several times: the graph stays. */
  enter(from: number, end: number): void {
    const start = this.values.first + from;
    if (start === this.entered && end - from === this.count) {
      this.countIncoming();
      return;
    }
    this.entered = start;
    this.first = from;
    this.count = end - from;
    this.edgeFrom.length = 0;
    this.edgeTo.length = 0;
    this.edgeIsValue.length = 0;
    this.memory.clear();
    this.findEdges();
    this.index();
    this.findHeights();
    this.findEarly();
  }

  /** Calls `visit` with each instruction of the window whose result instruction n reads. */
  eachMaker(n: number, visit: (maker: number) => void): void {
    const { values, f, first } = this;
    const base = f.operandStart[values.first];
    const i = values.first + first + n;
    for (let o = f.operandStart[i] - base; o < f.operandStart[i + 1] - base; o++) {
      const v = values.read[o];
      if (v >= 0 && values.isReader(o) && values.maker[v] >= first) visit(values.maker[v] - first);
    }
  }

  private findEdges(): void {
    const { values, f, first, count, expected } = this;
    const start = values.first + first;
    const base = f.operandStart[values.first];
    const edge = (before: number, after: number): void => this.edge(before, after, 0);
    const valueAt = (operand: number): number => values.read[operand - base];
    for (let n = 0; n < count; n++) {
      const i = start + n;
      for (let o = f.operandStart[i] - base; o < f.operandStart[i + 1] - base; o++) {
        const v = values.read[o];
        if (v >= 0 && values.isReader(o) && values.maker[v] >= first)
          this.edge(values.maker[v] - first, n, 1);
        const made = values.made[o];
        if (made >= 0 && values.previous[made] >= 0) this.behind(values.previous[made], n);
      }
      this.memory.add(n, i, valueAt, edge);
      this.unit[n] = expected.unit[i];
      this.cycles[n] = expected.cycles[i];
    }
  }

  /** Instruction n writes a register again: it stays behind who reads the old value, and who made it. */
  private behind(old: number, n: number): void {
    const { values, f, first } = this;
    const maker = values.maker[old] - first;
    if (maker >= 0 && maker < n) this.edge(maker, n, 0);
    const start = values.first + first;
    const base = f.operandStart[values.first];
    for (let o = values.lastRead[old]; o >= 0; o = values.readBefore[o]) {
      if (o + base < f.operandStart[start]) break;
      const reader = this.instructionOf(o + base) - start;
      if (reader !== n) this.edge(reader, n, 0);
    }
  }

  /** The instruction of an operand of the window. */
  private instructionOf(operand: number): number {
    const { operandStart } = this.f;
    let low = this.values.first + this.first;
    let high = low + this.count;
    while (low + 1 < high) {
      const middle = (low + high) >>> 1;
      if (operandStart[middle] <= operand) low = middle;
      else high = middle;
    }
    return low;
  }

  private edge(from: number, to: number, isValue: number): void {
    this.edgeFrom.push(from);
    this.edgeTo.push(to);
    this.edgeIsValue.push(isValue);
  }

  private index(): void {
    const { start, count } = this;
    const edges = this.edgeFrom.length;
    const { edgeFrom, edgeTo, edgeIsValue } = this;
    if (this.to.length < edges) {
      this.to = new Int32Array(2 * edges);
      this.isValue = new Uint8Array(2 * edges);
    }
    start.fill(0, 0, count + 1);
    for (let e = 0; e < edges; e++) start[edgeFrom.at(e)]++;
    let sum = 0;
    for (let n = 0; n <= count; n++) {
      sum += start[n];
      start[n] = sum;
    }
    for (let e = edges - 1; e >= 0; e--) {
      const at = --start[edgeFrom.at(e)];
      this.to[at] = edgeTo.at(e);
      this.isValue[at] = edgeIsValue.at(e);
    }
    this.countIncoming();
  }

  private countIncoming(): void {
    const { incoming, start, to, count } = this;
    incoming.fill(0, 0, count);
    for (let e = 0; e < start[count]; e++) incoming[to[e]]++;
  }

  private findHeights(): void {
    const { start, to, isValue, cycles, height, isForLoad } = this;
    for (let n = this.count - 1; n >= 0; n--) {
      let most = 0;
      isForLoad[n] = 0;
      for (let e = start[n]; e < start[n + 1]; e++) {
        most = Math.max(most, height[to[e]] + (isValue[e] === 1 ? cycles[n] : 1));
        if (isValue[e] === 1 && (cycles[to[e]] >= FAR || isForLoad[to[e]] === 1)) isForLoad[n] = 1;
      }
      height[n] = most;
    }
  }

  private findEarly(): void {
    const { start, to, isValue, cycles, soonest, isEarly, count } = this;
    soonest.fill(0, 0, count);
    for (let n = 0; n < count; n++)
      for (let e = start[n]; e < start[n + 1]; e++)
        soonest[to[e]] = Math.max(soonest[to[e]], soonest[n] + (isValue[e] === 1 ? cycles[n] : 1));
    for (let n = 0; n < count; n++) {
      isEarly[n] = 0;
      if (cycles[n] >= FAR) continue;
      for (let e = start[n]; e < start[n + 1]; e++)
        if (isValue[e] === 1 && soonest[to[e]] - soonest[n] - cycles[n] > EARLY) isEarly[n] = 1;
    }
  }
}
