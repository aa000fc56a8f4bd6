import type { DependenceGraph } from './dependences.js';

/**
 * The list scheduler of i965's vec4 back-end after allocation (facts B.11): of the instructions that wait for nobody
 * the one that is unblocked first, in the order of their list on ties. Instructions that become ready go to the head
 * of the list, the first dependent foremost. A heap over (time, place in the list) picks the same as the reference's
 * walk over the list, without going quadratic.
 */
export interface BlockSchedule {
  /** Instructions of the block, relative to its first, in their new order. */
  readonly order: Int32Array;
  /** By place in the new order: clocks of waiting before issue. */
  readonly stalls: Int32Array;
  readonly clocks: number;
}

export function scheduleByTime(
  graph: DependenceGraph,
  issueClocks: (instruction: number) => number,
): BlockSchedule {
  const { count, start, targets, clocks } = graph;
  const waiting = graph.parents.slice();
  const unblocked = new Int32Array(count);
  const place = new Int32Array(count);
  const ready = new Heap(count, (a, b) => unblocked[a] - unblocked[b] || place[a] - place[b]);
  for (let i = 0; i < count; i++) {
    place[i] = i;
    if (waiting[i] === 0) ready.push(i);
  }
  const order = new Int32Array(count);
  const stalls = new Int32Array(count);
  let head = 0;
  let time = 0;
  for (let n = 0; n < count; n++) {
    const chosen = ready.pop();
    order[n] = chosen;
    stalls[n] = Math.max(0, unblocked[chosen] - time);
    time = Math.max(time, unblocked[chosen]) + issueClocks(chosen);
    for (let edge = start[chosen + 1] - 1; edge >= start[chosen]; edge--) {
      const dependent = targets[edge];
      unblocked[dependent] = Math.max(unblocked[dependent], time + clocks[edge]);
      if (--waiting[dependent] > 0) continue;
      place[dependent] = --head;
      ready.push(dependent);
    }
  }
  return { order, stalls, clocks: time };
}

/** A binary heap of numbers below `capacity`, each in it once; the smallest by `compare` leaves first. */
export class Heap {
  readonly #items: Int32Array;
  /** By number: its place among the items, while it is there. */
  readonly #at: Int32Array;
  readonly #compare: (a: number, b: number) => number;
  #size = 0;

  constructor(capacity: number, compare: (a: number, b: number) => number) {
    this.#items = new Int32Array(capacity);
    this.#at = new Int32Array(capacity);
    this.#compare = compare;
  }

  get size(): number {
    return this.#size;
  }

  get top(): number {
    return this.#items[0];
  }

  push(item: number): void {
    this.#up(this.#size++, item);
  }

  /** Tells that an item, which is in the heap, has become smaller. */
  rise(item: number): void {
    this.#up(this.#at[item], item);
  }

  pop(): number {
    const items = this.#items;
    const top = items[0];
    const item = items[--this.#size];
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      if (below >= this.#size) break;
      if (below + 1 < this.#size && this.#compare(items[below + 1], items[below]) < 0) below++;
      if (this.#compare(item, items[below]) <= 0) break;
      this.#put(at, items[below]);
      at = below;
    }
    this.#put(at, item);
    return top;
  }

  #up(from: number, item: number): void {
    let at = from;
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (this.#compare(this.#items[above], item) <= 0) break;
      this.#put(at, this.#items[above]);
      at = above;
    }
    this.#put(at, item);
  }

  #put(at: number, item: number): void {
    this.#items[at] = item;
    this.#at[item] = at;
  }
}
