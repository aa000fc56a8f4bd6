import type { Block, Program, Value } from '../graph.js';
import { operations, Place, type Op } from '../operations.js';

/**
 * The values of one block as a graph over places in `block.nodes`: who reads whom, once each, and what keeps a value
 * alive beside its readers.
 */
export interface BlockGraph {
  /** Node ids, as `block.nodes` has them. */
  readonly ids: readonly number[];
  readonly inputs: readonly (readonly number[])[];
  readonly readers: readonly (readonly number[])[];
  /**
   * By node: nodes that read what a store of it overwrites. The store comes no earlier than they, so until then the
   * value has to wait.
   */
  readonly held: readonly (readonly number[])[];
  /**
   * By node: nodes that come before it although it reads no result of theirs, because it reads back what the block
   * has stored: the node whose value that is, and those that still read what stood there before.
   */
  readonly follows: readonly (readonly number[])[];
  /**
   * Values that live only while the node executes, beside its inputs: the second multiplier that a `select` takes
   * away, the intermediate results of a special function.
   */
  readonly extra: Uint8Array;
  /** The node that the branch reads, or -1. */
  readonly condition: number;
  /** By cross-block register: the nodes that read what it held at the block's start. */
  readonly registerReaders: ReadonlyMap<number, readonly number[]>;
}

const NONE: readonly number[] = [];

const extraOf = (op: Op): number => {
  if (operations[op].place === Place.BothMultipliers) return 1;
  return operations[op].place === Place.Sequence ? 2 : 0;
};

/** O(nodes + reads + stores) of the block. */
export function blockGraph(program: Program, block: Block): BlockGraph {
  const ids = block.nodes;
  const placeOf = new Map<number, number>();
  ids.forEach((id, k) => placeOf.set(id, k));
  const inputs: (readonly number[])[] = ids.map(() => NONE);
  const readers: number[][] = ids.map(() => []);
  const extra = new Uint8Array(ids.length);
  const { before, after } = readersOfLocations(program, block);
  ids.forEach((id, k) => {
    const node = program.nodes[id];
    extra[k] = extraOf(node.op);
    const own: number[] = [];
    for (const input of node.inputs) {
      if (input.kind !== 'node') continue;
      const from = placeOf.get(input.node)!;
      if (own.includes(from)) continue;
      own.push(from);
      readers[from].push(k);
    }
    inputs[k] = own;
  });
  const held: (readonly number[])[] = ids.map(() => NONE);
  const follows: (readonly number[])[] = ids.map(() => NONE);
  for (const { to, value } of block.stores) {
    const k = value.kind === 'node' ? placeOf.get(value.node)! : -1;
    if (to.kind === 'varying' || to.kind === 'address') continue;
    const old = before.get(locationKey(to)) ?? NONE;
    if (k >= 0 && old.length > 0) held[k] = [...held[k], ...old.filter((reader) => reader !== k)];
    const earlier = k >= 0 ? [k, ...old] : old;
    for (const reader of after.get(locationKey(to)) ?? NONE)
      follows[reader] = [...follows[reader], ...earlier.filter((node) => node !== reader)];
  }
  const condition = block.branch?.condition;
  return {
    ids,
    inputs,
    readers,
    held,
    follows,
    extra,
    condition: condition?.kind === 'node' ? placeOf.get(condition.node)! : -1,
    registerReaders: registerReaders(program, block),
  };
}

type Location =
  | { readonly kind: 'register'; readonly register: number }
  | { readonly kind: 'temporary'; readonly vector: number; readonly component: number }
  | { readonly kind: 'varying' | 'address' };

/** One number for each register and each component of a temporary; -1 for what cannot be read back. */
export function locationKey(location: Location): number {
  if (location.kind === 'register') return 2 * location.register;
  return location.kind === 'temporary' ? 2 * (4 * location.vector + location.component) + 1 : -1;
}

function registerReaders(program: Program, block: Block): Map<number, number[]> {
  const readers = new Map<number, number[]>();
  block.nodes.forEach((id, k) => {
    for (const input of program.nodes[id].inputs) {
      if (input.kind !== 'register' || input.stored) continue;
      const list = readers.get(input.register);
      if (list === undefined) readers.set(input.register, [k]);
      else if (list[list.length - 1] !== k) list.push(k);
    }
  });
  return readers;
}

interface LocationReaders {
  /** By `locationKey`: places of the nodes that read what stood there at the block's start. */
  readonly before: ReadonlyMap<number, readonly number[]>;
  /** The same for those that read what the block has stored there. */
  readonly after: ReadonlyMap<number, readonly number[]>;
}

/** Of the locations that the block stores to. */
function readersOfLocations(program: Program, block: Block): LocationReaders {
  const before = new Map<number, number[]>();
  const after = new Map<number, number[]>();
  for (const { to } of block.stores) {
    if (to.kind === 'varying' || to.kind === 'address') continue;
    before.set(locationKey(to), []);
    after.set(locationKey(to), []);
  }
  if (before.size === 0) return { before, after };
  const visit = (value: Value, k: number): void => {
    if (value.kind !== 'register' && value.kind !== 'temporary') return;
    const list = (value.stored ? after : before).get(locationKey(value));
    if (list && list[list.length - 1] !== k) list.push(k);
  };
  block.nodes.forEach((id, k) => {
    for (const input of program.nodes[id].inputs) visit(input, k);
  });
  return { before, after };
}

/**
 * For an order of the nodes (their places in `ids`, first executed first): the position of each node, and the last
 * position that needs its value; the number of nodes stands for the block's end, -1 for a value that nothing
 * waits for but a store in its own word.
 */
export interface Ranges {
  readonly position: Int32Array;
  readonly last: Int32Array;
}

export function rangesIn(graph: BlockGraph, order: ArrayLike<number>): Ranges {
  const count = graph.ids.length;
  const position = new Int32Array(count);
  for (let p = 0; p < count; p++) position[order[p]] = p;
  const last = new Int32Array(count).fill(-1);
  for (let k = 0; k < count; k++) {
    for (const reader of graph.readers[k]) last[k] = Math.max(last[k], position[reader]);
    for (const reader of graph.held[k])
      if (position[reader] > position[k]) last[k] = Math.max(last[k], position[reader]);
  }
  if (graph.condition >= 0) last[graph.condition] = count;
  return { position, last };
}

/** The largest number of values that live at once in an order, and the sum over all positions. */
export function pressureOf(
  graph: BlockGraph,
  order: ArrayLike<number>,
): { readonly peak: number; readonly sum: number; readonly at: number } {
  const { position, last } = rangesIn(graph, order);
  const count = order.length;
  const change = new Int32Array(count + 2);
  for (let k = 0; k < count; k++) {
    if (last[k] < 0) continue;
    change[position[k] + 1]++;
    change[last[k] + 1]--;
  }
  let [live, peak, sum, at] = [0, 0, 0, 0];
  for (let gap = 0; gap <= count; gap++) {
    live += change[gap];
    sum += live;
    const here = gap < count ? live + graph.extra[order[gap]] : live;
    if (here > peak) [peak, at] = [here, gap];
  }
  return { peak, sum, at };
}
