/**
 * Value allocation, the second of two levels: the values of one block share the bypass network, which carries 11 of
 * them (five results of two words ago and six of the word before), and the register places that no cross-block
 * register occupies at that moment. A linear scan from the block's end to its start gives each value a colour. The
 * colours are no places in which anything is kept; they yield edges for the scheduler. Whoever takes a colour next
 * is not computed before the last reader of the one who had it, so that in every schedule that respects the edges
 * no more values wait at once than there are colours.
 *
 * Loads and stores of cross-block registers are preallocated. A place is free until a register is stored to it, and
 * from the last read of a register that dies in the block. A value that has the place and is older than that last
 * read is split there: before it the value has another colour. The split costs a few edges and no instruction, as the
 * scheduler decides for every word anew where a value is, and it makes the scan exact: it fails only where more
 * values live than there are colours.
 *
 * All edges lead forward in the given order, so they close no cycle. Colours are given out in turn (the one that
 * has been free for longest), because an edge between nodes that are far apart rarely binds.
 */
import { REGISTER_COMPONENTS } from '../graph.js';
import { rangesIn, type BlockGraph } from './block-graph.js';
import { fillsBlock, type Presence } from './presence.js';

/** Values that the bypass network carries. */
export const BYPASS_VALUES = 11;

export interface PlacedPresence extends Presence {
  readonly place: number;
}

export interface ValueAllocation {
  readonly kind: 'fits';
  /** By place in `BlockGraph.ids`: colour at the definition; places first, then the bypass; -1 for none. */
  readonly colours: Int8Array;
  /** Pairs of node ids as in `BlockTask.order`. */
  readonly edges: readonly (readonly [number, number])[];
  /** Times that a value changed its colour. */
  readonly splits: number;
}

/** More values than colours in a gap of the order. */
export interface ValueOverflow {
  readonly kind: 'overflow';
  readonly gap: number;
}

export function allocateValues(
  graph: BlockGraph,
  order: ArrayLike<number>,
  registers: readonly PlacedPresence[],
  bypass = BYPASS_VALUES,
): ValueAllocation | ValueOverflow {
  return new BackwardScan(graph, order, registers, bypass).run();
}

const NOBODY = -1;

class BackwardScan {
  private readonly count: number;
  private readonly last: Int32Array;
  private readonly colourCount: number;
  /** By colour: the value that has it in the present gap, or `NOBODY`. */
  private readonly holder: Int32Array;
  /** By colour: 1 where a cross-block register occupies it in the present gap. */
  private readonly occupied: Uint8Array;
  /** By colour: the node that ends the time in which it was free, seen from below; -1 where it stays free to the end. */
  private readonly next: Int32Array;
  private readonly releasedAt: Int32Array;
  private readonly colour: Int8Array;
  private readonly edges: [number, number][] = [];
  private readonly seen = new Set<number>();
  /** By node: the values whose store waits for it. */
  private readonly heldBy = new Map<number, number[]>();
  private splits = 0;

  constructor(
    private readonly graph: BlockGraph,
    private readonly order: ArrayLike<number>,
    private readonly registers: readonly PlacedPresence[],
    bypass: number,
  ) {
    this.count = graph.ids.length;
    this.last = rangesIn(graph, order).last;
    this.colourCount = REGISTER_COMPONENTS + bypass;
    this.holder = new Int32Array(this.colourCount).fill(NOBODY);
    this.occupied = new Uint8Array(this.colourCount);
    this.next = new Int32Array(this.colourCount).fill(NOBODY);
    this.releasedAt = new Int32Array(this.colourCount).fill(this.count + 1);
    this.colour = new Int8Array(this.count).fill(-1);
  }

  run(): ValueAllocation | ValueOverflow {
    const { count, graph, order, colour, holder, last } = this;
    const events = this.registerEvents();
    for (const { place, until, from } of this.registers)
      if (until >= count || from <= count) this.occupied[place] = 1;
    if (graph.condition >= 0 && !this.assign(graph.condition, [])) return { kind: 'overflow', gap: count };
    for (let gap = count - 1; gap >= 0; gap--) {
      const node = order[gap];
      if (colour[node] >= 0 && last[node] >= 0) {
        holder[colour[node]] = NOBODY;
        this.release(colour[node], node, gap);
      }
      for (const place of events.stored[gap] ?? []) {
        this.occupied[place] = 0;
        this.release(place, node, gap);
      }
      const displaced: { value: number; place: number }[] = [];
      for (const place of events.read[gap] ?? []) {
        this.occupied[place] = 1;
        if (holder[place] !== NOBODY) displaced.push({ value: holder[place], place });
        else this.wait(events.readers.get(place) ?? [], this.next[place]);
        holder[place] = NOBODY;
      }
      for (const { value, place } of displaced) {
        this.splits++;
        if (!this.assign(value, events.readers.get(place) ?? [])) return { kind: 'overflow', gap };
      }
      for (const value of this.endingAt(node, gap))
        if (!this.assign(value, [])) return { kind: 'overflow', gap };
      if (!this.passBy(node, gap)) return { kind: 'overflow', gap };
    }
    return { kind: 'fits', colours: colour, edges: this.edges, splits: this.splits };
  }

  /** Values whose last reader, or last obstacle to their store, is this node. */
  private endingAt(node: number, gap: number): number[] {
    const values = this.graph.inputs[node].filter((value) => this.last[value] === gap);
    for (const value of this.heldBy.get(node) ?? [])
      if (this.last[value] === gap && !values.includes(value)) values.push(value);
    return values;
  }

  private registerEvents(): {
    /** By position: places in which a register is stored there. */
    readonly stored: (number[] | undefined)[];
    /** By position: places whose register is read there for the last time. */
    readonly read: (number[] | undefined)[];
    /** By place: the nodes that read the register which dies in it. */
    readonly readers: ReadonlyMap<number, readonly number[]>;
  } {
    const { count, graph } = this;
    graph.held.forEach((readers, value) => {
      for (const reader of readers) {
        const list = this.heldBy.get(reader);
        if (list) list.push(value);
        else this.heldBy.set(reader, [value]);
      }
    });
    const stored: (number[] | undefined)[] = new Array<number[] | undefined>(count);
    const read: (number[] | undefined)[] = new Array<number[] | undefined>(count);
    const readers = new Map<number, readonly number[]>();
    for (const presence of this.registers) {
      if (fillsBlock(presence)) continue;
      const { register, place, until, from } = presence;
      if (from >= 1 && from <= count) (stored[from - 1] ??= []).push(place);
      if (until < 0 || until >= count) continue;
      (read[until] ??= []).push(place);
      readers.set(place, graph.registerReaders.get(register) ?? []);
    }
    return { stored, read, readers };
  }

  private release(colour: number, node: number, gap: number): void {
    this.next[colour] = node;
    this.releasedAt[colour] = gap;
  }

  /**
   * Gives a value the colour that has been free for longest. `leaving`: nodes after which it has left the colour,
   * where its readers are not what ends its stay.
   */
  private assign(value: number, leaving: readonly number[]): boolean {
    const colour = this.choose();
    if (colour < 0) return false;
    this.colour[value] = colour;
    this.holder[colour] = value;
    const { readers, held } = this.graph;
    if (leaving.length > 0) this.wait(leaving, this.next[colour]);
    else {
      this.wait(readers[value], this.next[colour]);
      this.wait(held[value], this.next[colour]);
    }
    return true;
  }

  private choose(): number {
    let best = -1;
    for (let c = this.colourCount - 1; c >= 0; c--) {
      if (this.holder[c] !== NOBODY || this.occupied[c]) continue;
      if (best < 0 || this.releasedAt[c] > this.releasedAt[best]) best = c;
    }
    return best;
  }

  /** Finds colours for what lives only while the node executes. */
  private passBy(node: number, gap: number): boolean {
    const taken: number[] = [];
    let fits = true;
    for (let n = this.graph.extra[node]; n > 0 && fits; n--) {
      const colour = this.choose();
      fits = colour >= 0;
      if (!fits) break;
      this.wait([node], this.next[colour]);
      this.occupied[colour] = 1;
      taken.push(colour);
    }
    for (const colour of taken) {
      this.occupied[colour] = 0;
      this.release(colour, node, gap);
    }
    return fits;
  }

  /** Edges from the nodes to the one that needs their colour, but where it reads their results anyway. */
  private wait(nodes: readonly number[], next: number): void {
    if (next === NOBODY) return;
    const { ids, inputs } = this.graph;
    for (const node of nodes) {
      if (node === next || inputs[next].includes(node)) continue;
      const key = node * this.count + next;
      if (this.seen.has(key)) continue;
      this.seen.add(key);
      this.edges.push([ids[node], ids[next]]);
    }
  }
}
