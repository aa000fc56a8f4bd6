/** A block's edges, ordered by their beginnings. */
export interface EdgeLists {
  /** By instruction: number of instructions that it waits for. */
  readonly parents: Int32Array;
  /** Dependents of instruction i: `targets[start[i] .. start[i + 1] - 1]`, with the clocks that each must stay behind. */
  readonly start: Int32Array;
  readonly targets: Int32Array;
  readonly clocks: Int32Array;
}

/**
 * Edges under construction, each pair at most once. Barriers have an edge to everything up to the next barrier: those
 * are numbered in one run, so that they need no search. (The reference draws them up to the end of the block; what is
 * beyond the next barrier follows from it.)
 */
export class Edges {
  readonly #parents: Int32Array;
  readonly #isBarrier: Uint8Array;
  readonly #nextBarrier: Int32Array;
  /** Number of a barrier's edge to the instruction behind it. */
  readonly #barrierBase: Int32Array;
  /** The edge between the instruction in hand and another, valid while the stamp is that of the moment. */
  readonly #stamp: Int32Array;
  readonly #stamped: Int32Array;
  #now = 0;
  /** Edges in the order of their making; those with the same beginning are linked. */
  readonly #firstEdge: Int32Array;
  readonly #lastEdge: Int32Array;
  #nextEdge = new Int32Array(256);
  #to = new Int32Array(256);
  #clocks = new Int32Array(256);
  #edges = 0;

  constructor(count: number, isBarrier: Uint8Array) {
    this.#isBarrier = isBarrier;
    this.#parents = new Int32Array(count);
    this.#nextBarrier = new Int32Array(count);
    for (let i = count - 1, next = count - 1; i >= 0; i--) {
      this.#nextBarrier[i] = next;
      if (isBarrier[i] === 1) next = i;
    }
    this.#barrierBase = new Int32Array(count);
    this.#stamp = new Int32Array(count);
    this.#stamped = new Int32Array(count);
    this.#firstEdge = new Int32Array(count).fill(-1);
    this.#lastEdge = new Int32Array(count).fill(-1);
  }

  begin(): void {
    this.#now++;
  }

  /** Notes the edges that instruction n has already. */
  beginBackward(n: number): void {
    this.#now++;
    for (let edge = this.#firstEdge[n]; edge >= 0; edge = this.#nextEdge[edge]) {
      this.#stamp[this.#to[edge]] = this.#now;
      this.#stamped[this.#to[edge]] = edge;
    }
  }

  addBarrier(n: number): void {
    this.#barrierBase[n] = this.#edges;
    for (let after = n + 1; after <= this.#nextBarrier[n]; after++) this.#push(n, after, 0);
  }

  /** An edge to the instruction in hand, n, from one before it. */
  addBefore(before: number, n: number, clocks: number): void {
    if (this.#isBarrier[before] === 1 && n <= this.#nextBarrier[before])
      this.#raise(this.#barrierBase[before] + n - before - 1, clocks);
    else this.#add(before, n, before, clocks);
  }

  /** An edge from the instruction in hand, n, to one behind it. */
  addBehind(n: number, behind: number, clocks: number): void {
    this.#add(n, behind, behind, clocks);
  }

  #add(from: number, to: number, other: number, clocks: number): void {
    if (this.#stamp[other] === this.#now) {
      this.#raise(this.#stamped[other], clocks);
      return;
    }
    this.#stamp[other] = this.#now;
    this.#stamped[other] = this.#push(from, to, clocks);
  }

  #raise(edge: number, clocks: number): void {
    if (this.#clocks[edge] < clocks) this.#clocks[edge] = clocks;
  }

  #push(from: number, to: number, clocks: number): number {
    const edge = this.#edges++;
    if (edge === this.#to.length) {
      this.#to = grown(this.#to);
      this.#clocks = grown(this.#clocks);
      this.#nextEdge = grown(this.#nextEdge);
    }
    this.#to[edge] = to;
    this.#clocks[edge] = clocks;
    this.#nextEdge[edge] = -1;
    if (this.#lastEdge[from] < 0) this.#firstEdge[from] = edge;
    else this.#nextEdge[this.#lastEdge[from]] = edge;
    this.#lastEdge[from] = edge;
    this.#parents[to]++;
    return edge;
  }

  finish(): EdgeLists {
    const count = this.#parents.length;
    const start = new Int32Array(count + 1);
    const targets = new Int32Array(this.#edges);
    const clocks = new Int32Array(this.#edges);
    let next = 0;
    for (let from = 0; from < count; from++) {
      start[from] = next;
      for (let edge = this.#firstEdge[from]; edge >= 0; edge = this.#nextEdge[edge]) {
        targets[next] = this.#to[edge];
        clocks[next++] = this.#clocks[edge];
      }
    }
    start[count] = next;
    return { parents: this.#parents, start, targets, clocks };
  }
}

function grown(values: Int32Array): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(2 * values.length);
  larger.set(values);
  return larger;
}
