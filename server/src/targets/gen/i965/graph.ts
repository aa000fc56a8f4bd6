import { IntList } from '../../../ir/int-list.js';
import { Adjacency } from './adjacency.js';

/**
 * Interference of virtual registers, each of 1 to 16 contiguous GRFs, and of hardware registers that hold payload or
 * stand for message registers. A register of s GRFs that interferes with one of t can lose at most s + t - 1 of its
 * possible places to it (Runeson and Nyström's q; `qTotal` sums it over the neighbours).
 *
 * Ranges are closed intervals of positions. Two registers interfere unless one ends where the other starts or before:
 * a result may take the place of a source that is read there for the last time.
 */
/** A position behind all others. A range that starts there and ends at -1 is none. */
export const NEVER = 0x3fff_ffff;
/** The start of a node that hardware registers do not interfere with either. */
const NOWHERE = 0x7fff_ffff;

export interface HardwareRange {
  readonly grf: number;
  /** It interferes with every virtual register that starts here or before. */
  readonly lastUse: number;
}

export class InterferenceGraph {
  /** By node. */
  readonly size = new IntList(256);
  /** Place that the node must have, or -1. */
  readonly forced = new IntList(256);
  /** Start and end of its range; a node whose range ends before all others start has none. */
  readonly start = new IntList(256);
  readonly end = new IntList(256);
  readonly qTotal = new IntList(256);
  neighbours = new Adjacency(new Int32Array(0));
  private readonly lastUses: Int32Array;

  constructor(
    /** GRFs that places lie in. */
    readonly registers: number,
    readonly hardware: readonly HardwareRange[],
    /** Nodes that are numbered before these in the reference: colouring looks at nodes in words of 32. */
    readonly numbersBefore = 0,
  ) {
    this.lastUses = Int32Array.from(hardware, ({ lastUse }) => lastUse).sort();
  }

  get count(): number {
    return this.size.length;
  }

  /** Adds a node without edges to other nodes. */
  add(size: number, start: number, end: number): number {
    this.size.push(size);
    this.forced.push(-1);
    this.start.push(start);
    this.end.push(end);
    this.qTotal.push(size * this.hardwareNeighbours(start));
    return this.count - 1;
  }

  /** Hardware registers that a register with this start interferes with. */
  hardwareNeighbours(start: number): number {
    const { lastUses } = this;
    let low = 0;
    let high = lastUses.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (lastUses[middle] < start) low = middle + 1;
      else high = middle;
    }
    return lastUses.length - low;
  }

  /** For two nodes that are not yet neighbours. */
  connect(a: number, b: number): void {
    this.neighbours.push(a, b);
    this.neighbours.push(b, a);
    const q = this.size.at(a) + this.size.at(b) - 1;
    this.qTotal.set(a, this.qTotal.at(a) + q);
    this.qTotal.set(b, this.qTotal.at(b) + q);
  }

  /** As `connect`, for nodes that may be neighbours already, or one. */
  connectOnce(a: number, b: number): void {
    if (a === b) return;
    const { neighbours } = this;
    const isShort = neighbours.lengthOf(a) <= neighbours.lengthOf(b);
    if (!(isShort ? neighbours.has(a, b) : neighbours.has(b, a))) this.connect(a, b);
  }

  connectPairs(pairs: readonly (readonly [number, number])[], from: number, to: number): void {
    for (let k = from; k < to; k++) this.connectOnce(pairs[k][0], pairs[k][1]);
  }

  /**
   * Takes all edges of a node away, and its range. Its own `qTotal` stays what it was with `keepsTotal`, as in the
   * reference's scalar back-end: colouring then puts the node off to the end, and places it before all others.
   */
  isolate(node: number, keepsTotal: boolean): void {
    const size = this.size.at(node);
    for (const other of this.neighbours.list(node)) {
      this.neighbours.remove(other, node);
      this.qTotal.set(other, this.qTotal.at(other) - (size + this.size.at(other) - 1));
    }
    this.neighbours.clear(node);
    if (!keepsTotal) this.qTotal.set(node, 0);
    this.start.set(node, NOWHERE);
    this.end.set(node, -1);
  }

  /** Connects a node with every earlier node whose range overlaps its own: O(nodes). */
  connectOverlapping(node: number): void {
    const start = this.start.view();
    const end = this.end.view();
    const [from, to] = [start[node], end[node]];
    for (let other = 0; other < node; other++)
      if (end[other] > from && start[other] < to) this.connect(node, other);
  }

  /** Gives a node another range and connects it with the nodes that only the new one overlaps: O(nodes). */
  stretch(node: number, from: number, to: number): void {
    const start = this.start.view();
    const end = this.end.view();
    const [oldFrom, oldTo] = [start[node], end[node]];
    for (let other = 0; other < start.length; other++)
      if (end[other] > from && start[other] < to && !(end[other] > oldFrom && start[other] < oldTo))
        this.connectOnce(node, other);
    const hardware = this.hardwareNeighbours(from) - this.hardwareNeighbours(oldFrom);
    this.qTotal.set(node, this.qTotal.at(node) + this.size.at(node) * hardware);
    this.start.set(node, from);
    this.end.set(node, to);
  }

  /** Connects all nodes by their ranges; for a graph without edges. */
  connectAll(): void {
    const degrees = new Int32Array(this.count);
    this.sweep((node, other) => {
      degrees[node]++;
      degrees[other]++;
    });
    this.neighbours = new Adjacency(degrees);
    this.sweep((node, other) => {
      this.connect(node, other);
    });
    for (let node = 0; node < this.count; node++) this.neighbours.list(node).sort();
  }

  /** Visits the pairs that overlap, going by starts and keeping the ranges that are open. */
  private sweep(visit: (node: number, other: number) => void): void {
    const start = this.start.view();
    const end = this.end.view();
    const open = new Int32Array(start.length);
    let openCount = 0;
    for (const node of byStart(start)) {
      const from = start[node];
      const to = end[node];
      let kept = 0;
      for (let k = 0; k < openCount; k++) {
        const other = open[k];
        if (end[other] <= from) continue;
        open[kept++] = other;
        if (to > start[other]) visit(node, other);
      }
      openCount = kept;
      open[openCount++] = node;
    }
  }
}

/** Nodes by their start, equal ones by number. */
function byStart(start: Int32Array): Int32Array {
  const nodes = Int32Array.from(start.keys());
  return nodes.sort((a, b) => start[a] - start[b] || a - b);
}
