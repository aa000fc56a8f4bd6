/**
 * Global allocation, the first of two levels: the cross-block registers get the 64 components of the register file by
 * graph colouring, after Chaitin and, for the optimism, Briggs, Cooper and Torczon ("Improvements to graph coloring
 * register allocation", TOPLAS 1994). Fixed registers are coloured beforehand.
 *
 * A register with fewer neighbours than there are components finds a place whenever it is its turn, so most of them
 * come last and in the order that serves the scheduler: whoever is drawn most strongly to those that have their
 * places already, into the vector that draws it. A few rounds of moves and exchanges follow.
 */
import { REGISTER_COMPONENTS, type Program } from '../graph.js';
import { Heap } from './heap.js';
import type { Interference } from './interference.js';

export interface Colouring {
  /** By register: `4 * vector + component`, or -1. */
  readonly places: Int8Array;
  /** Registers that found no place. */
  readonly unplaced: readonly number[];
}

/** What it is worth to store two registers in one word although their vectors differ: only as different halves. */
const OTHER_HALF = 0.6;
/** What it costs to take over a place within a block, in accesses that are not neighbours. */
const TAKE_OVER = 6;
const IMPROVEMENT_ROUNDS = 3;

/** `cost`: by register, of having no place; decides who is coloured late when all have too many neighbours. */
export function colourRegisters(
  { registers }: Program,
  interference: Interference,
  cost: ArrayLike<number>,
): Colouring {
  const { neighbours } = interference;
  const places = new Int8Array(registers.length).fill(-1);
  const score = scoreOf(interference, places);
  registers.forEach(({ fixed }, r) => (places[r] = fixed));
  const isFree = (r: number): boolean => registers[r].fixed < 0;
  const unplaced: number[] = [];
  const place = (r: number): void => {
    places[r] = bestPlace(r, interference, places, score);
    if (places[r] < 0) unplaced.push(r);
  };
  const { late, easy } = simplify(neighbours, isFree, cost);
  for (let k = late.length - 1; k >= 0; k--) place(late[k]);
  attracted(easy, interference, places, place);
  for (let round = 0; round < IMPROVEMENT_ROUNDS; round++) if (!improve(registers, interference, places, score)) break;
  return { places, unplaced };
}

/**
 * Registers in the order in which they are taken from the graph, those with fewer neighbours than components first
 * (`easy`: such from the beginning), of the others always the one with the lowest cost for each neighbour.
 */
function simplify(
  neighbours: readonly ReadonlySet<number>[],
  isFree: (r: number) => boolean,
  cost: ArrayLike<number>,
): { late: number[]; easy: number[] } {
  const degree = Int32Array.from(neighbours, (set) => set.size);
  const isTaken = new Uint8Array(neighbours.length);
  const late: number[] = [];
  const easy: number[] = [];
  const low: number[] = [];
  const high = new Heap<{ r: number; degree: number; worth: number }>(
    (a, b) => a.worth - b.worth || b.degree - a.degree || a.r - b.r,
  );
  const offer = (r: number): void =>
    high.push({ r, degree: degree[r], worth: cost[r] / Math.max(1, degree[r]) });
  neighbours.forEach((_, r) => {
    if (!isFree(r)) return;
    if (degree[r] >= REGISTER_COMPONENTS) return offer(r);
    easy.push(r);
    low.push(r);
    isTaken[r] = 1;
  });
  const lower = (r: number): void => {
    for (const other of neighbours[r]) {
      degree[other]--;
      if (isTaken[other] || !isFree(other)) continue;
      if (degree[other] >= REGISTER_COMPONENTS) continue;
      isTaken[other] = 1;
      low.push(other);
      late.push(other);
    }
  };
  for (;;) {
    for (let r = low.pop(); r !== undefined; r = low.pop()) lower(r);
    const next = high.pop();
    if (next === undefined) return { late, easy };
    if (isTaken[next.r]) continue;
    if (degree[next.r] !== next.degree) {
      offer(next.r);
      continue;
    }
    isTaken[next.r] = 1;
    late.push(next.r);
    lower(next.r);
  }
}

/** Places them by and by, first whoever is drawn most to those that stand. */
function attracted(
  easy: readonly number[],
  { affinity }: Interference,
  places: Int8Array,
  place: (r: number) => void,
): void {
  const pull = new Float64Array(places.length);
  const total = new Float64Array(places.length);
  for (const r of easy)
    for (const kind of [affinity.reads, affinity.stores])
      for (const [other, weight] of kind[r]) {
        total[r] += weight;
        if (places[other] >= 0) pull[r] += weight;
      }
  const waiting = new Set(easy);
  const heap = new Heap<{ r: number; pull: number }>(
    (a, b) => b.pull - a.pull || total[b.r] - total[a.r] || a.r - b.r,
  );
  for (const r of easy) heap.push({ r, pull: pull[r] });
  for (let next = heap.pop(); next !== undefined; next = heap.pop()) {
    const { r } = next;
    if (!waiting.has(r) || next.pull !== pull[r]) continue;
    waiting.delete(r);
    place(r);
    for (const kind of [affinity.reads, affinity.stores])
      for (const [other, weight] of kind[r]) {
        if (!waiting.has(other)) continue;
        pull[other] += weight;
        heap.push({ r: other, pull: pull[other] });
      }
  }
}

type Score = (r: number, place: number, without?: number) => number;

/** What a place is worth to a register beside all others that have one; `without`: a register that is left out. */
function scoreOf({ affinity, sharing }: Interference, places: Int8Array): Score {
  return (r, place, without = -1) => {
    let worth = 0;
    const vector = place >> 2;
    for (const [other, weight] of affinity.reads[r])
      if (other !== without && places[other] >= 0 && places[other] >> 2 === vector) worth += weight;
    for (const [other, weight] of affinity.stores[r]) {
      const at = places[other];
      if (other === without || at < 0 || at === place) continue;
      if (at >> 2 === vector) worth += weight;
      else if (((at ^ place) & 2) !== 0) worth += OTHER_HALF * weight;
    }
    for (const [other, times] of sharing[r])
      if (other !== without && places[other] === place) worth -= TAKE_OVER * times;
    return worth;
  };
}

function bestPlace(r: number, { neighbours }: Interference, places: Int8Array, score: Score): number {
  const taken = new Uint8Array(REGISTER_COMPONENTS);
  for (const other of neighbours[r]) if (places[other] >= 0) taken[places[other]] = 1;
  let best = -1;
  let bestScore = -Infinity;
  let bestRoom = -1;
  for (let p = 0; p < REGISTER_COMPONENTS; p++) {
    if (taken[p]) continue;
    const worth = score(r, p);
    // a vector with room lets the ones that belong to this register come to it
    const base = p & ~3;
    const room = 4 - taken[base] - taken[base + 1] - taken[base + 2] - taken[base + 3];
    if (worth < bestScore || (worth === bestScore && room <= bestRoom)) continue;
    [best, bestScore, bestRoom] = [p, worth, room];
  }
  return best;
}

/** One round of moves to free places, and exchanges with the single neighbour that has the wanted place. */
function improve(
  registers: Program['registers'],
  { neighbours }: Interference,
  places: Int8Array,
  score: Score,
): boolean {
  let improved = false;
  const occupants = new Int32Array(REGISTER_COMPONENTS);
  const occupant = new Int32Array(REGISTER_COMPONENTS);
  const fits = (r: number, place: number, without: number): boolean => {
    for (const other of neighbours[r]) if (other !== without && places[other] === place) return false;
    return true;
  };
  for (let r = 0; r < registers.length; r++) {
    if (places[r] < 0 || registers[r].fixed >= 0) continue;
    occupants.fill(0);
    for (const other of neighbours[r]) {
      if (places[other] < 0) continue;
      occupants[places[other]]++;
      occupant[places[other]] = other;
    }
    const from = places[r];
    const now = score(r, from);
    let [best, gain] = [from, 1e-9];
    for (let p = 0; p < REGISTER_COMPONENTS; p++) {
      if (p === from || occupants[p] > 1) continue;
      if (occupants[p] === 0) {
        const better = score(r, p) - now;
        if (better > gain) [best, gain] = [p, better];
        continue;
      }
      const other = occupant[p];
      if (registers[other].fixed >= 0 || !fits(other, from, r)) continue;
      const better =
        score(r, p, other) + score(other, from, r) - score(r, from, other) - score(other, p, r);
      if (better > gain) [best, gain] = [p, better];
    }
    if (best === from) continue;
    improved = true;
    places[r] = best;
    if (occupants[best] === 1) places[occupant[best]] = from;
  }
  return improved;
}
