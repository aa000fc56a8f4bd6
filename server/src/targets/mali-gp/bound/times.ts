/**
 * How early and how late each operation of a block can stand, whatever the schedule: its head (words before it) and
 * its tail (words after it). Both are longest paths over the least distances of the machine:
 *
 * - a result is readable 1 word after the one that makes it; that of complex1, which ends rcp, rsqrt and exp2, 2 words
 *   after, and only by an arithmetic unit: to be stored it has to be moved;
 * - a store stands in the word of the unit that makes or moves its value; a register store never in a block's last 2
 *   words, a temporary store never in its last 3;
 * - a branch reads its condition in the block's last word, an address register is set by an operation of COMPLEX that
 *   reads the value, never in a block's last 3 words.
 *
 * A schedule may compute or load a value several times. That cannot undercut these figures: a head holds for every
 * instance, and a tail for at least one, the instance that its most urgent reader reads.
 */
import type { BlockTask, Node, Store, Value } from '../graph.js';
import { Op, patterns } from '../operations.js';
import { portHead } from './ports.js';

/** Words that must follow a store. */
const AFTER_STORE = { varying: 0, register: 2, temporary: 3, address: 3 } as const;

/** One needed node of the block. */
export interface TimedNode {
  readonly node: Node;
  /** Its operands; those that this block stores and reads back as what they were before. */
  readonly inputs: readonly Value[];
  /** Words before the first word of the operation. */
  head: number;
  /** Words behind the first word of the operation. */
  tail: number;
}

export interface TimedStore {
  readonly store: Store;
  readonly value: Value;
  head: number;
  tail: number;
}

export interface BlockTimes {
  /** Each after those whose results it reads. Only what a store or the branch needs. */
  readonly nodes: readonly TimedNode[];
  readonly stores: readonly TimedStore[];
  readonly condition: Value | undefined;
  /** Words before the branch, or -1 without one. */
  readonly branchHead: number;
  /** Longest chain of results, stores and branch, in words. */
  readonly criticalPath: number;
}

/** Words from the first word of the operation to the one that makes its result. */
export const resultWord = (op: Op): number => patterns[op]?.result ?? 0;

/** Words from the one that makes a result to the first that can read it. */
const resultLatency = (op: Op): number => (endsInComplex1(op) ? 2 : 1);

export const endsInComplex1 = (op: Op): boolean => op === Op.Rcp || op === Op.Rsqrt || op === Op.Exp2;

/** Words from the one that makes a result to the first that can store it. */
const storeLatency = (op: Op): number => (endsInComplex1(op) ? 2 : 0);

/**
 * What an operand is before it was stored: a leaf that reads back what this block stores is the stored value itself,
 * which a schedule may take from wherever it still is.
 */
function origins(stores: readonly Store[]): (value: Value) => Value {
  const stored = new Map<string, Value>();
  for (const { to, value } of stores)
    if (to.kind === 'register' || to.kind === 'temporary') stored.set(placeKey(to), value);
  return (value) => {
    let origin = value;
    for (let hops = 0; hops <= stores.length; hops++) {
      if ((origin.kind !== 'register' && origin.kind !== 'temporary') || !origin.stored) break;
      const before = stored.get(placeKey(origin));
      if (!before) break;
      origin = before;
    }
    return origin;
  };
}

/** Whether a register is to get what its place holds already, from another register that shares it. */
const isInPlace = ({ to }: Store, value: Value, places: ArrayLike<number>): boolean =>
  to.kind === 'register' &&
  value.kind === 'register' &&
  !value.stored &&
  places[to.register] === places[value.register];

const placeKey = (
  place:
    | { readonly kind: 'register'; readonly register: number }
    | { readonly kind: 'temporary'; readonly vector: number; readonly component: number },
): string => (place.kind === 'register' ? `r${place.register}` : `t${4 * place.vector + place.component}`);

/** Nodes that `roots` need, each after those whose results it reads. */
function neededNodes(
  task: BlockTask,
  roots: readonly Value[],
  origin: (value: Value) => Value,
): Map<number, TimedNode> {
  const needed = new Map<number, TimedNode>();
  const isEntered = new Set<number>();
  const stack: { node: Node; inputs: readonly Value[]; next: number }[] = [];
  const enter = (value: Value): void => {
    if (value.kind !== 'node' || isEntered.has(value.node)) return;
    isEntered.add(value.node);
    const node = task.program.nodes[value.node];
    stack.push({ node, inputs: node.inputs.map(origin), next: 0 });
  };
  for (const root of roots) {
    enter(root);
    for (let top = stack.at(-1); top; top = stack.at(-1)) {
      if (top.next < top.inputs.length) {
        enter(top.inputs[top.next++]);
        continue;
      }
      stack.pop();
      needed.set(top.node.id, { node: top.node, inputs: top.inputs, head: 0, tail: 0 });
    }
  }
  return needed;
}

/** Heads and tails of all that the block has to do. */
export function blockTimes(task: BlockTask): BlockTimes {
  const { block, places } = task;
  const origin = origins(block.stores);
  const stores: TimedStore[] = [];
  for (const store of block.stores) {
    const value = origin(store.value);
    if (isInPlace(store, value, places)) continue;
    stores.push({ store, value, head: 0, tail: AFTER_STORE[store.to.kind] });
  }
  const condition = block.branch?.condition && origin(block.branch.condition);
  const roots = stores.map(({ value }) => value);
  if (condition) roots.push(condition);
  const needed = neededNodes(task, roots, origin);
  const nodes = [...needed.values()];

  const producer = (value: Value): TimedNode | undefined =>
    value.kind === 'node' ? needed.get(value.node) : undefined;
  const readableAt = (value: Value): number => {
    const made = producer(value);
    return made ? made.head + resultWord(made.node.op) + resultLatency(made.node.op) : 0;
  };
  for (const timed of nodes)
    timed.head = timed.inputs.reduce(
      (head, input) => Math.max(head, readableAt(input)),
      portHead(timed.node.op, timed.inputs, places),
    );

  /** Makes sure that `words` words follow the one that makes the result of `made`. */
  const follow = (made: TimedNode | undefined, words: number): void => {
    if (made) made.tail = Math.max(made.tail, words + resultWord(made.node.op));
  };
  if (condition) {
    const made = producer(condition);
    if (made) follow(made, resultLatency(made.node.op));
  }
  for (const timed of stores) {
    const made = producer(timed.value);
    if (!made) continue;
    const isRead = timed.store.to.kind === 'address';
    const latency = isRead ? resultLatency(made.node.op) : storeLatency(made.node.op);
    timed.head = made.head + resultWord(made.node.op) + latency;
    follow(made, timed.tail + latency);
  }
  for (const timed of nodes.toReversed()) {
    for (const input of timed.inputs) {
      const made = producer(input);
      if (made) follow(made, timed.tail + resultLatency(made.node.op));
    }
  }

  const branchHead = block.branch ? (condition ? readableAt(condition) : 0) : -1;
  const ends = [...nodes, ...stores].map(({ head, tail }) => head + 1 + tail);
  const criticalPath = ends.reduce((longest, end) => Math.max(longest, end), branchHead + 1);
  return { nodes, stores, condition, branchHead, criticalPath };
}
