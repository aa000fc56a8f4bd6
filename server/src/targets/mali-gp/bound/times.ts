/**
 * How early and how late each operation of a block can stand, whatever the schedule: its head (words before it) and
 * its tail (words after it). Both are longest paths over the least distances of the machine:
 *
 * - a result is readable 1 word after the one that makes it; that of complex1, which ends rcp, rsqrt and exp2, 2 words
 *   after, and only by an arithmetic unit: to be stored it has to be moved;
 * - a store stands in the word of the unit that makes or moves its value; a register store never in a block's last 2
 *   words, a temporary store never in its last 3;
 * - what this block stored is readable 3 (register) or 4 (temporary) words after the store;
 * - a branch reads its condition in the block's last word.
 *
 * A schedule may compute or load a value several times. That cannot undercut these figures: a head holds for every
 * instance, and a tail for at least one, the instance that its most urgent reader reads.
 */
import type { BlockTask, Leaf, Node, Store, Value } from '../graph.js';
import { Op, patterns } from '../operations.js';
import { portHead } from './ports.js';

/** Least distance from the word that stores to one that reads it again. */
const RELOAD = { register: 3, temporary: 4 } as const;
/** Words that must follow a store. */
const AFTER_STORE = { varying: 0, register: 2, temporary: 3 } as const;

/** One needed node of the block. */
export interface TimedNode {
  readonly node: Node;
  /** Words before the first word of the operation. */
  head: number;
  /** Words behind the first word of the operation. */
  tail: number;
}

export interface TimedStore {
  readonly store: Store;
  head: number;
  tail: number;
}

export interface BlockTimes {
  /** Each after those whose results it reads, directly or through a store. Only what a store or the branch needs. */
  readonly nodes: readonly TimedNode[];
  readonly stores: readonly TimedStore[];
  /** Words before the branch, or -1 without one. */
  readonly branchHead: number;
  /** Words before the first in which the port can hold this value; 0 but for what this block stored. */
  loadHead(value: Value): number;
  /** Longest chain of results, stores and branch, in words. */
  readonly criticalPath: number;
}

/** Words from the first word of the operation to the one that makes its result. */
export const resultWord = (op: Op): number => patterns[op]?.result ?? 0;

/** Words from the one that makes a result to the first that can read it. */
export const resultLatency = (op: Op): number => (endsInComplex1(op) ? 2 : 1);

export const endsInComplex1 = (op: Op): boolean => op === Op.Rcp || op === Op.Rsqrt || op === Op.Exp2;

/** Words from the one that makes a result to the first that can store it. */
const storeLatency = (op: Op): number => (endsInComplex1(op) ? 2 : 0);

type Step =
  | { readonly kind: 'node'; readonly timed: TimedNode }
  | { readonly kind: 'store'; readonly timed: TimedStore };

const placeKey = (leaf: Leaf | Store['to']): string =>
  leaf.kind === 'register'
    ? `r${String(leaf.register)}`
    : leaf.kind === 'temporary'
      ? `t${String(4 * leaf.vector + leaf.component)}`
      : '';

/** Heads and tails of all that the block has to do. */
export function blockTimes(task: BlockTask): BlockTimes {
  const { program, block, places } = task;
  const nodes = new Map<number, TimedNode>();
  const storeOf = new Map<string, TimedStore>();
  const stores = block.stores.map((store): TimedStore => {
    const timed = { store, head: 0, tail: AFTER_STORE[store.to.kind] };
    if (store.to.kind !== 'varying') storeOf.set(placeKey(store.to), timed);
    return timed;
  });

  const steps: Step[] = [];
  const isEntered = new Set<TimedStore | number>();
  const producer = (value: Value): TimedStore | number | undefined => {
    if (value.kind === 'node') return value.node;
    return (value.kind === 'register' || value.kind === 'temporary') && value.stored
      ? storeOf.get(placeKey(value))
      : undefined;
  };
  const valuesOf = (key: TimedStore | number): readonly Value[] =>
    typeof key === 'number' ? program.nodes[key].inputs : [key.store.value];

  /** Appends `root` and what it needs to `steps`, producers first. */
  const enter = (root: TimedStore | number): void => {
    if (isEntered.has(root)) return;
    isEntered.add(root);
    const stack = [{ key: root, values: valuesOf(root), next: 0 }];
    for (let top = stack.at(-1); top; top = stack.at(-1)) {
      if (top.next < top.values.length) {
        const value = top.values[top.next++];
        const key = producer(value);
        if (key === undefined || isEntered.has(key)) continue;
        isEntered.add(key);
        stack.push({ key, values: valuesOf(key), next: 0 });
        continue;
      }
      stack.pop();
      if (typeof top.key !== 'number') {
        steps.push({ kind: 'store', timed: top.key });
        continue;
      }
      const node = program.nodes[top.key];
      const timed = { node, head: 0, tail: 0 };
      nodes.set(node.id, timed);
      steps.push({ kind: 'node', timed });
    }
  };
  for (const store of stores) enter(store);
  const condition = block.branch?.condition;
  const conditionProducer = condition && producer(condition);
  if (conditionProducer !== undefined) enter(conditionProducer);

  const readyAt = (value: Value): number => {
    if (value.kind === 'node') {
      const made = nodes.get(value.node);
      return made ? made.head + resultWord(made.node.op) + resultLatency(made.node.op) : 0;
    }
    const store = producer(value);
    if (typeof store !== 'object' || (value.kind !== 'register' && value.kind !== 'temporary')) return 0;
    return store.head + RELOAD[value.kind];
  };
  for (const step of steps) {
    if (step.kind === 'node') {
      const { timed } = step;
      timed.head = timed.node.inputs.reduce(
        (head, input) => Math.max(head, readyAt(input)),
        portHead(timed.node, places),
      );
      continue;
    }
    const { timed } = step;
    const { value } = timed.store;
    const made = value.kind === 'node' ? nodes.get(value.node) : undefined;
    timed.head = made ? made.head + resultWord(made.node.op) + storeLatency(made.node.op) : readyAt(value);
  }

  /** Makes sure that `words` words follow the first one that can read `value`. */
  const follow = (value: Value, words: number): void => {
    const key = producer(value);
    if (typeof key === 'number') {
      const made = nodes.get(key);
      if (made)
        made.tail = Math.max(made.tail, words + resultLatency(made.node.op) + resultWord(made.node.op));
    } else if (key && (value.kind === 'register' || value.kind === 'temporary')) {
      key.tail = Math.max(key.tail, words + RELOAD[value.kind]);
    }
  };
  if (condition) follow(condition, 0);
  for (const step of steps.reverse()) {
    if (step.kind === 'node') {
      for (const input of step.timed.node.inputs) follow(input, step.timed.tail);
      continue;
    }
    const { timed } = step;
    const { value } = timed.store;
    const made = value.kind === 'node' ? nodes.get(value.node) : undefined;
    if (made)
      made.tail = Math.max(made.tail, timed.tail + storeLatency(made.node.op) + resultWord(made.node.op));
    else follow(value, timed.tail);
  }

  const branchHead = block.branch ? (condition ? readyAt(condition) : 0) : -1;
  let criticalPath = branchHead + 1;
  for (const timed of nodes.values()) criticalPath = Math.max(criticalPath, timed.head + 1 + timed.tail);
  for (const timed of stores) criticalPath = Math.max(criticalPath, timed.head + 1 + timed.tail);
  const loadHead = (value: Value): number => (value.kind === 'node' ? 0 : readyAt(value));
  return { nodes: [...nodes.values()], stores, branchHead, loadHead, criticalPath };
}
