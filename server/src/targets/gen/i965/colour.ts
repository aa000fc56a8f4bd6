import { NEVER, type InterferenceGraph } from './graph.js';

/**
 * Chaitin's colouring with Briggs's optimism, as Mesa's allocator does it (src/util/register_allocate.c).
 *
 * Simplify: a node whose neighbours can take fewer places than it has goes on the stack; when there is none, the node
 * with the smallest sum goes there all the same, in the hope that its neighbours share places. Nodes are looked at in
 * words of 32, the highest number first.
 *
 * Select: in the reverse order, each node gets the first free place, searched from behind the place that was given
 * last (so that the scheduler finds few false dependencies), but for the nodes above the first hopeful one: these are
 * searched from where that search began, which packs them. All places of size 1 count before those of size 2, and so
 * on: a search behind a place of another size begins at the first place of its own.
 */
export interface Colouring {
  /** By node: first GRF, -1 where the search did not come to. */
  readonly place: Int32Array;
  readonly isComplete: boolean;
  /** The node that found no place, and how many GRFs nothing beside it had. */
  readonly stuck?: { readonly node: number; readonly free: number };
  /** Nodes that still lay on the stack when a node found no place: taking one of them away would not have helped it. */
  readonly isOnStack: Uint8Array;
  /** Work done, in edges and words looked at, for budgets. */
  readonly steps: number;
}

export function colour(graph: InterferenceGraph): Colouring {
  graph.neighbours.reserve(graph.count);
  const { stack, hopefulFrom, isOnStack, steps } = simplify(graph);
  const place = graph.forced.toArray();
  const { registers } = graph;
  const size = graph.size.view();
  const start = graph.start.view();
  const { data, start: starts, length: lengths } = graph.neighbours;
  // by GRF: the last place that a search for node n must not take, stamped with n + 1
  const taken = new Int32Array(registers);
  let searchFrom = 0;
  for (let left = stack.length; left > 0; left--) {
    const node = stack[left - 1];
    isOnStack[node] = 0;
    const stamp = node + 1;
    for (const { grf, lastUse } of graph.hardware) if (start[node] <= lastUse) taken[grf] = stamp;
    const end = starts[node] + lengths[node];
    for (let k = starts[node]; k < end; k++) {
      const other = data[k];
      if (isOnStack[other] !== 0) continue;
      for (let grf = place[other] + size[other] - 1; grf >= place[other]; grf--) taken[grf] = stamp;
    }
    const classStart = firstOfClass(registers, size[node]);
    const found = freePlace(taken, stamp, size[node], searchFrom - classStart);
    if (found < 0) {
      const free = taken.reduce((sum, last) => sum + Number(last !== stamp), 0);
      return { place, isComplete: false, stuck: { node, free }, isOnStack, steps };
    }
    place[node] = found;
    // after this one `left - 1` nodes are on the stack
    if (left >= 2 && left - 2 <= hopefulFrom) searchFrom = classStart + found + 1;
  }
  return { place, isComplete: true, isOnStack, steps };
}

/** Number of the first place of `size` GRFs when all places of smaller sizes come before. */
const firstOfClass = (registers: number, size: number): number =>
  (size - 1) * (registers + 1) - ((size - 1) * size) / 2;

/** First of `size` GRFs in a row without the stamp, from `start` upward and round, or -1. */
function freePlace(taken: Int32Array, stamp: number, size: number, start: number): number {
  const places = taken.length - size + 1;
  const from = start >= 0 && start < places ? start : 0;
  for (const [first, last] of [
    [from, places],
    [0, from],
  ])
    for (let place = first; place < last;) {
      let k = size - 1;
      while (k >= 0 && taken[place + k] !== stamp) k--;
      if (k < 0) return place;
      place += k + 1;
    }
  return -1;
}

interface Stack {
  readonly stack: Int32Array;
  /** Length of the stack when the first hopeful node was put on it. */
  readonly hopefulFrom: number;
  readonly isOnStack: Uint8Array;
  readonly steps: number;
}

function simplify(graph: InterferenceGraph): Stack {
  const { count, registers, numbersBefore } = graph;
  const size = graph.size.view();
  const { data, start: starts, length: lengths } = graph.neighbours;
  const words = (count + numbersBefore + 31) >>> 5;
  const total = graph.qTotal.toArray();
  const isOnStack = new Uint8Array(count);
  const stack = new Int32Array(count);
  let stacked = 0;
  let steps = 0;
  let hopefulFrom = NEVER;
  // by word of 32 numbers, bit by bit: node `number - numbersBefore` is placed or on the stack, or has room for sure
  const isDone = new Int32Array(words).fill(-1);
  const hasRoom = new Int32Array(words);
  // by word: the smallest sum of its nodes and the highest node that has it; NEVER: to be found anew
  const least = new Int32Array(words).fill(NEVER);
  const leastNode = new Int32Array(words).fill(-1);
  for (let node = 0; node < count; node++) {
    const number = node + numbersBefore;
    if (graph.forced.at(node) < 0) isDone[number >>> 5] &= ~(1 << (number & 31));
    if (total[node] < registers - size[node] + 1) hasRoom[number >>> 5] |= 1 << (number & 31);
  }
  const push = (node: number): void => {
    const end = starts[node] + lengths[node];
    for (let k = starts[node]; k < end; k++) {
      const other = data[k];
      const number = other + numbersBefore;
      const word = number >>> 5;
      if ((isDone[word] >>> (number & 31)) & 1) continue;
      const sum = (total[other] -= size[node] + size[other] - 1);
      if (sum < registers - size[other] + 1) hasRoom[word] |= 1 << (number & 31);
      else if (
        least[word] !== NEVER &&
        (sum < least[word] || (sum === least[word] && other > leastNode[word]))
      ) {
        least[word] = sum;
        leastNode[word] = other;
      }
    }
    steps += lengths[node] + 1;
    stack[stacked++] = node;
    isOnStack[node] = 1;
    const number = node + numbersBefore;
    isDone[number >>> 5] |= 1 << (number & 31);
    least[number >>> 5] = NEVER;
  };
  const findLeast = (word: number): void => {
    for (let bits = ~isDone[word]; bits !== 0;) {
      const bit = 31 - Math.clz32(bits);
      bits &= ~(1 << bit);
      const node = word * 32 + bit - numbersBefore;
      if (total[node] >= least[word]) continue;
      least[word] = total[node];
      leastNode[word] = node;
    }
  };
  for (;;) {
    let hasMoved = false;
    let hopeful = -1;
    let hopefulSum = NEVER;
    for (let word = words - 1; word >= 0; word--) {
      const open = ~isDone[word];
      if (open === 0) continue;
      let ready = hasRoom[word] & open;
      if (ready !== 0) {
        hasMoved = true;
        while (ready !== 0) {
          const bit = 31 - Math.clz32(ready);
          push(word * 32 + bit - numbersBefore);
          ready = hasRoom[word] & open & ((1 << bit) - 1);
        }
      } else if (!hasMoved) {
        if (least[word] === NEVER) findLeast(word);
        if (least[word] < hopefulSum) {
          hopefulSum = least[word];
          hopeful = leastNode[word];
        }
      }
    }
    steps += words;
    if (hasMoved) continue;
    if (hopeful < 0) break;
    if (hopefulFrom === NEVER) hopefulFrom = stacked;
    push(hopeful);
  }
  return { stack: stack.subarray(0, stacked), hopefulFrom, isOnStack, steps };
}
