/**
 * Blocks whose values outnumber the bypass network and the free registers together. Along the block's order, where a
 * value is one too many, the one whose removal costs least for the time that it frees goes: it is computed again
 * before its next reader, where leaves and one or two operations give it, or stored to a temporary as it is made
 * and read from there ever after. With equal costs that is Belady's choice, the furthest next use ("A study of
 * replacement algorithms", 1966).
 *
 * What is read from a temporary is a leaf and occupies nothing any more, so each eviction makes room for good; the
 * scan ends with a block that fits.
 */
import type { Block, Input, Node, Store, Value } from '../graph.js';
import { operations, Place } from '../operations.js';
import { rangesIn, type BlockGraph } from './block-graph.js';
import { isReadOnly, SCALAR_BYTES, withInputs, type Relief } from './relief.js';
import {
  groupIntoVectors,
  neighbours,
  vectorsIn,
  type Access,
  type Affinity,
  type TemporaryPlace,
} from './temporaries.js';

export interface ValueSpills {
  /** The block with its nodes in the given order, copies before their readers. */
  readonly block: Block;
  readonly reliefs: readonly Relief[];
  /** Vectors of temporary memory that it takes, from the top that was given downwards. */
  readonly vectors: number;
}

/** Slots and ports of a temporary store: the value's own unit, COMPLEX for the address, the port for the address's number. */
export const STORE_COST = 3;

/**
 * `nodes` is the program's table, to which copies are added and in which changed nodes are exchanged. `room`: by
 * gap of the order, how many values may live. `isKept`: registers whose value is there all through the block.
 */
export function spillValues(
  nodes: Node[],
  block: Block,
  graph: BlockGraph,
  order: ArrayLike<number>,
  room: ArrayLike<number>,
  isKept: (register: number) => boolean,
  top: number,
): ValueSpills {
  const scan = new ForwardScan(nodes, graph, order, room, isKept);
  scan.run();
  return scan.rewrite(block, top);
}

const NOTHING: readonly number[] = [];

const enum State {
  Unborn,
  Live,
  /** Gone, to be computed again for the next reader. */
  Forgotten,
  InTemporary,
  Dead,
}

/** What node `node` reads in place of the value of node `value`. */
interface Exchange {
  readonly node: number;
  readonly value: number;
  readonly by: { readonly copy: number } | { readonly item: number };
}

class ForwardScan {
  private readonly count: number;
  private readonly state: Uint8Array;
  /** By value: positions of its readers (and what else needs it), ascending, and how many of them have passed. */
  private readonly uses: number[][];
  private readonly passed: Int32Array;
  private readonly live = new Set<number>();
  private readonly copyOf = new Map<number, number>();
  private readonly emitted: number[] = [];
  private readonly exchanges: Exchange[] = [];
  /** By item, a scalar in temporary memory: its value. */
  private readonly items: number[] = [];
  private readonly itemOf = new Map<number, number>();
  private readonly evictions = new Map<number, { gap: number; count: number; cost: number }>();
  private readonly position: Int32Array;
  private readonly recomputeCosts = new Map<number, number>();

  constructor(
    private readonly nodes: Node[],
    private readonly graph: BlockGraph,
    private readonly order: ArrayLike<number>,
    private readonly room: ArrayLike<number>,
    private readonly isKept: (register: number) => boolean,
  ) {
    this.count = graph.ids.length;
    this.state = new Uint8Array(this.count).fill(State.Unborn);
    this.passed = new Int32Array(this.count);
    const { position, last } = rangesIn(graph, order);
    this.position = position;
    this.uses = graph.ids.map((_, k) => {
      const uses = graph.readers[k].map((reader) => position[reader]).sort((a, b) => a - b);
      if (last[k] >= 0 && last[k] !== uses[uses.length - 1]) uses.push(last[k]);
      return uses;
    });
  }

  run(): void {
    const { count, graph, order } = this;
    for (let p = 0; p < count; p++) {
      const k = order[p];
      for (const value of graph.inputs[k]) this.bring(value, k, p);
      this.emitted.push(graph.ids[k]);
      for (const value of [...graph.inputs[k], ...this.live]) this.pass(value, p);
      if (this.uses[k].length > 0) {
        this.state[k] = State.Live;
        this.live.add(k);
      }
      this.makeRoom(p + 1, NOTHING);
    }
  }

  /** Has a value ready as input of node `reader` at position p. */
  private bring(value: number, reader: number, p: number): void {
    const { graph, state } = this;
    if (state[value] === State.InTemporary) {
      this.exchanges.push({
        node: graph.ids[reader],
        value: graph.ids[value],
        by: { item: this.itemOf.get(value)! },
      });
      return;
    }
    if (state[value] === State.Forgotten) {
      this.copyOf.set(value, this.copy(value));
      state[value] = State.Live;
      this.live.add(value);
      this.makeRoom(p, graph.inputs[reader]);
    }
    const copy = this.copyOf.get(value);
    if (copy !== undefined)
      this.exchanges.push({ node: graph.ids[reader], value: graph.ids[value], by: { copy } });
  }

  /** The value again, computed just before whoever comes next. */
  private copy(value: number): number {
    const { nodes, graph } = this;
    const original = nodes[graph.ids[value]];
    const copies = new Map<number, number>();
    for (const input of graph.inputs[value]) {
      copies.set(graph.ids[input], this.emit(nodes[graph.ids[input]]));
    }
    return this.emit(
      withInputs(original, (input) =>
        input.kind === 'node' ? { kind: 'node', node: copies.get(input.node)! } : input,
      ),
    );
  }

  private emit(node: Node): number {
    const id = this.nodes.length;
    this.nodes.push({ ...node, id });
    this.emitted.push(id);
    return id;
  }

  private pass(value: number, p: number): void {
    if (this.state[value] !== State.Live) return;
    while (this.passed[value] < this.uses[value].length && this.uses[value][this.passed[value]] <= p)
      this.passed[value]++;
    if (this.passed[value] < this.uses[value].length) return;
    this.state[value] = State.Dead;
    this.live.delete(value);
  }

  private makeRoom(gap: number, spared: readonly number[]): void {
    const extra = gap < this.count ? this.graph.extra[this.order[gap]] : 0;
    while (this.live.size > Math.max(0, this.room[gap] - extra)) {
      const victim = this.cheapest(gap, spared);
      if (victim === undefined) return;
      this.evictions.set(victim.value, { gap, count: this.live.size, cost: victim.cost });
      this.live.delete(victim.value);
      if (victim.forgets) {
        this.state[victim.value] = State.Forgotten;
        continue;
      }
      this.state[victim.value] = State.InTemporary;
      this.itemOf.set(victim.value, this.items.length);
      this.items.push(victim.value);
    }
  }

  private cheapest(
    gap: number,
    spared: readonly number[],
  ): { value: number; cost: number; forgets: boolean } | undefined {
    let best: { value: number; cost: number; forgets: boolean } | undefined;
    for (const value of this.live) {
      if (spared.includes(value)) continue;
      const uses = this.uses[value];
      const next = uses[this.passed[value]];
      const readers = uses.length - this.passed[value];
      const again = this.recomputeCost(value);
      const options = [{ cost: again / Math.max(1, next - gap), forgets: true }];
      if (!this.copyOf.has(value))
        options.push({
          cost: (STORE_COST + readers) / Math.max(1, uses[uses.length - 1] - gap),
          forgets: false,
        });
      for (const option of options)
        if (Number.isFinite(option.cost) && (best === undefined || option.cost < best.cost))
          best = { value, ...option };
    }
    return best;
  }

  /** Operations that compute it from leaves that are there anyway; infinite where that is not cheap. */
  private recomputeCost(value: number): number {
    const known = this.recomputeCosts.get(value);
    if (known !== undefined) return known;
    const { graph } = this;
    let cost = 1;
    if (!this.isCheap(value) || graph.held[value].length > 0 || value === graph.condition) cost = Infinity;
    for (const input of graph.inputs[value]) {
      cost++;
      if (graph.inputs[input].length > 0 || !this.isCheap(input)) cost = Infinity;
    }
    if (cost > 2) cost = Infinity;
    this.recomputeCosts.set(value, cost);
    return cost;
  }

  private isCheap(value: number): boolean {
    const node = this.nodes[this.graph.ids[value]];
    const { place } = operations[node.op];
    if (place === Place.Sequence || place === Place.BothMultipliers) return false;
    return node.inputs.every(
      (input) =>
        input.kind === 'node' ||
        isReadOnly(input) ||
        (input.kind === 'register' && !input.stored && this.isKept(input.register)),
    );
  }

  rewrite(block: Block, top: number): ValueSpills {
    const { nodes, graph, items } = this;
    const places = groupIntoVectors(items.length, this.affinities(), top);
    const leaf = (item: number): Value => ({ kind: 'temporary', ...places[item], stored: true });
    for (const { node, value, by } of this.exchanges)
      nodes[node] = withInputs(nodes[node], (input: Input): Value => {
        if (input.kind !== 'node' || input.node !== value) return input;
        return 'copy' in by ? { kind: 'node', node: by.copy } : leaf(by.item);
      });
    const replaced = new Map<number, Value>();
    items.forEach((value, item) => {
      if (graph.held[value].length > 0 || value === graph.condition)
        replaced.set(graph.ids[value], leaf(item));
    });
    const exchange = (value: Value): Value =>
      (value.kind === 'node' ? replaced.get(value.node) : undefined) ?? value;
    const stores: Store[] = block.stores.map((store) =>
      store.to.kind === 'register' ? { ...store, value: exchange(store.value) } : store,
    );
    items.forEach((value, item) => {
      const { id, instruction } = nodes[graph.ids[value]];
      stores.push({
        to: { kind: 'temporary', ...places[item] },
        value: { kind: 'node', node: id },
        instruction,
        inserted: 'spill',
      });
    });
    const { branch } = block;
    return {
      block: {
        ...block,
        nodes: this.emitted,
        stores,
        ...(branch?.condition && { branch: { ...branch, condition: exchange(branch.condition) } }),
      },
      reliefs: this.reliefs(places),
      vectors: vectorsIn(places),
    };
  }

  /** Items that are stored or read about the same time. */
  private affinities(): Affinity[] {
    const stores = this.items.map((value, item) => ({ at: this.position[value], item }));
    const reads: Access[] = [];
    const positionOf = new Map(this.graph.ids.map((id, k) => [id, this.position[k]]));
    for (const { node, by } of this.exchanges)
      if ('item' in by) reads.push({ at: positionOf.get(node)!, item: by.item });
    return [...neighbours(stores, 1), ...neighbours(reads, 2)];
  }

  private reliefs(places: readonly TemporaryPlace[]): Relief[] {
    const { graph, nodes } = this;
    const readersOf = new Map<number, number[]>();
    for (const { node, value } of this.exchanges) {
      const list = readersOf.get(value);
      if (list) list.push(nodes[node].instruction);
      else readersOf.set(value, [nodes[node].instruction]);
    }
    return [...this.evictions].map(([value, { gap, count, cost }]) => {
      const id = graph.ids[value];
      const item = this.itemOf.get(value);
      const here = graph.ids[this.order[Math.min(gap, this.count - 1)]];
      const place = item === undefined ? undefined : places[item];
      const what =
        place === undefined
          ? `computing it again takes ${this.recomputeCost(value) === 1 ? 'one operation' : 'two operations'}`
          : `it waits longest for what it costs in temporary t${place.vector}.${'xyzw'[place.component]}`;
      return {
        subject: { kind: 'value', node: id },
        remedy: item === undefined ? 'recomputed' : 'spilled',
        cost,
        reason: `${count} values live at once, ${this.room[gap]} have room; ${what}`,
        bytes: item === undefined ? 0 : SCALAR_BYTES,
        peakInstruction: here === undefined ? -1 : nodes[here].instruction,
        stores: item === undefined ? [] : [nodes[id].instruction],
        reloads: readersOf.get(id) ?? [],
      };
    });
  }
}
