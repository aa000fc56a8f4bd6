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
import type { Affinities, Interference } from './interference.js';

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
const LEAST_GAIN = 1e-9;

/** `cost`: by register, of having no place; decides who is coloured late when all have too many neighbours. */
export function colourRegisters(
  { registers }: Program,
  interference: Interference,
  affinity: Affinities,
  cost: ArrayLike<number>,
): Colouring {
  const { neighbours } = interference;
  const places = new Int8Array(registers.length).fill(-1);
  const attraction = attractionOf(interference, affinity);
  registers.forEach(({ fixed }, r) => (places[r] = fixed));
  const isFree = (r: number): boolean => registers[r].fixed < 0;
  const unplaced: number[] = [];
  const place = (r: number): void => {
    places[r] = bestPlace(r, interference, attraction, places);
    if (places[r] < 0) unplaced.push(r);
  };
  const { late, easy } = simplify(neighbours, isFree, cost);
  for (let k = late.length - 1; k >= 0; k--) place(late[k]);
  attracted(easy, affinity, places, place);
  for (let round = 0; round < IMPROVEMENT_ROUNDS; round++)
    if (!improve(registers, interference, attraction, places)) break;
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
  affinity: Affinities,
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

/** Neighbours in time as flat lists, since every choice of a place walks them. */
interface Attraction {
  readonly start: Int32Array;
  readonly other: Int32Array;
  readonly reads: Float64Array;
  readonly stores: Float64Array;
  /** What it costs to have the same place. */
  readonly sharing: Float64Array;
}

function attractionOf({ sharing }: Interference, affinity: Affinities): Attraction {
  const partners = affinity.reads.map(
    (reads, r) => new Set([...reads.keys(), ...affinity.stores[r].keys(), ...sharing[r].keys()]),
  );
  const start = new Int32Array(partners.length + 1);
  partners.forEach((set, r) => (start[r + 1] = start[r] + set.size));
  const all = (): Float64Array => new Float64Array(start[partners.length]);
  const made = {
    start,
    other: new Int32Array(start[partners.length]),
    reads: all(),
    stores: all(),
    sharing: all(),
  };
  partners.forEach((set, r) => {
    let k = start[r];
    for (const other of set) {
      made.other[k] = other;
      made.reads[k] = affinity.reads[r].get(other) ?? 0;
      made.stores[k] = affinity.stores[r].get(other) ?? 0;
      made.sharing[k++] = TAKE_OVER * (sharing[r].get(other) ?? 0);
    }
  });
  return made;
}

/** What each place is worth to a register beside all others that have one. */
function worthOf(
  r: number,
  { start, other, reads, stores, sharing }: Attraction,
  places: Int8Array,
): Float64Array {
  const worth = new Float64Array(REGISTER_COMPONENTS);
  for (let k = start[r]; k < start[r + 1]; k++) {
    const at = places[other[k]];
    if (at < 0) continue;
    const first = at & ~3;
    for (let p = first; p < first + 4; p++) worth[p] += reads[k] + stores[k];
    worth[at] -= stores[k] + sharing[k];
    if (stores[k] === 0) continue;
    for (let p = 2 - (at & 2); p < REGISTER_COMPONENTS; p += 4) {
      if (p >> 2 === at >> 2) continue;
      worth[p] += OTHER_HALF * stores[k];
      worth[p + 1] += OTHER_HALF * stores[k];
    }
  }
  return worth;
}

/** The same of one place, one other register left out. */
function worthAt(
  r: number,
  place: number,
  without: number,
  { start, other, reads, stores, sharing }: Attraction,
  places: Int8Array,
): number {
  let worth = 0;
  for (let k = start[r]; k < start[r + 1]; k++) {
    const at = places[other[k]];
    if (at < 0 || other[k] === without) continue;
    if (at >> 2 === place >> 2) worth += reads[k] + (at === place ? -sharing[k] : stores[k]);
    else if (((at ^ place) & 2) !== 0) worth += OTHER_HALF * stores[k];
  }
  return worth;
}

function bestPlace(
  r: number,
  { neighbours }: Interference,
  attraction: Attraction,
  places: Int8Array,
): number {
  const taken = new Uint8Array(REGISTER_COMPONENTS);
  for (const other of neighbours[r]) if (places[other] >= 0) taken[places[other]] = 1;
  const worth = worthOf(r, attraction, places);
  let best = -1;
  let bestRoom = -1;
  for (let p = 0; p < REGISTER_COMPONENTS; p++) {
    if (taken[p]) continue;
    // a vector with room lets the ones that belong to this register come to it
    const base = p & ~3;
    const room = 4 - taken[base] - taken[base + 1] - taken[base + 2] - taken[base + 3];
    if (best >= 0 && (worth[p] < worth[best] || (worth[p] === worth[best] && room <= bestRoom))) continue;
    best = p;
    bestRoom = room;
  }
  return best;
}

/** One round of moves to free places, and exchanges with the single neighbour that has the wanted place. */
function improve(
  registers: Program['registers'],
  { neighbours }: Interference,
  attraction: Attraction,
  places: Int8Array,
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
    const worth = worthOf(r, attraction, places);
    let [best, gain] = [from, LEAST_GAIN];
    for (let p = 0; p < REGISTER_COMPONENTS; p++) {
      if (p === from || occupants[p] > 1) continue;
      if (occupants[p] === 0) {
        if (worth[p] - worth[from] > gain) [best, gain] = [p, worth[p] - worth[from]];
        continue;
      }
      const other = occupant[p];
      // an exchange that serves the other one alone is found at its own turn
      if (worth[p] <= worth[from] || registers[other].fixed >= 0) continue;
      // what the two are worth to each other is the same after the exchange
      const better =
        worthAt(r, p, other, attraction, places) -
        worthAt(r, from, other, attraction, places) +
        worthAt(other, from, r, attraction, places) -
        worthAt(other, p, r, attraction, places);
      if (better > gain && fits(other, from, r)) [best, gain] = [p, better];
    }
    if (best === from) continue;
    improved = true;
    places[r] = best;
    if (occupants[best] === 1) places[occupant[best]] = from;
  }
  return improved;
}
