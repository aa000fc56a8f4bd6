import type { Function } from '../ir/function.js';
import { isLiveAt, type LiveRanges } from './live-ranges.js';
import { isDefinition, isUse, kills } from './occurrences.js';

/**
 * Which registers give up their place so that the rest fits. A removed register lives elsewhere (in its spill slot,
 * or nowhere when it is recomputed) and needs a register only while an instruction reads or writes it.
 *
 * A sweep over the points of the program in text order with exact counts: whenever more is live than `limit`, the
 * register with the lowest cost for what it frees goes, among those that the instruction at hand does not touch
 * (they would need a register all the same). Cost over benefit is Chaitin's measure (1982), with the benefit taken
 * as the unit-points above the limit that the register covers. A removal never makes an earlier point worse, so
 * one sweep is enough. O(points + segments + removals * limit).
 */
export const enum Removal {
  None = 0,
  Spilled = 1,
  Recomputed = 2,
}

export interface RemovalRequest {
  readonly registerClass: number;
  /** Units that may be live at once. */
  readonly limit: number;
  /** Cost of removing a register, in loop-weighted operations; Infinity for those that must stay. */
  readonly cost: Float64Array;
  /** What a removed register becomes. */
  readonly kind: (register: number) => Removal;
  /** By instruction: units that it needs beside its operands while it runs. */
  readonly temporaries?: Uint8Array | undefined;
}

export interface Removed {
  readonly register: number;
  readonly kind: Removal;
  readonly cost: number;
  /** Cost divided by the unit-points above the limit that it covers: the lowest was taken. */
  readonly rating: number;
  /** Points above the limit that it covers. */
  readonly covers: number;
  /** The instruction at whose pressure it had to go. */
  readonly instruction: number;
  /** The next best register at that point, or -1. */
  readonly runnerUp: number;
  readonly runnerUpRating: number;
}

/**
 * Marks removals in `removal` (which may hold earlier ones) and returns the new ones in the order of the sweep.
 * Where nothing may be removed any more the sweep goes on with too much live.
 */
export function chooseRemovals(
  f: Function,
  ranges: LiveRanges,
  removal: Uint8Array,
  request: RemovalRequest,
): Removed[] {
  const sweep = new Sweep(f, ranges, removal, request.registerClass, request.temporaries);
  const excess = sweep.excess(request.limit);
  if (excess[excess.length - 1] === 0) return [];
  const covers = coveredPoints(f, ranges, excess);
  const removed: Removed[] = [];
  sweep.run((point, live) => {
    while (live > request.limit) {
      const best = cheapest(f, sweep, request, covers, point);
      if (best === undefined) return;
      removal[best.register] = best.kind;
      sweep.drop(best.register);
      live -= f.registerWidth[best.register];
      removed.push(best);
    }
  });
  return removed;
}

/** The most units of a class that are ever needed at once, with `removal` applied. */
export function peakUnits(
  f: Function,
  ranges: LiveRanges,
  removal: Uint8Array,
  registerClass: number,
  temporaries?: Uint8Array,
): number {
  let peak = 0;
  new Sweep(f, ranges, removal, registerClass, temporaries).run((_, live) => {
    if (live > peak) peak = live;
  });
  return peak;
}

function cheapest(
  f: Function,
  sweep: Sweep,
  { cost, kind }: RemovalRequest,
  covers: Int32Array,
  point: number,
): Removed | undefined {
  let best = -1;
  let bestRating = Infinity;
  let runnerUp = -1;
  let runnerUpRating = Infinity;
  for (let k = 0; k < sweep.activeCount; k++) {
    const r = sweep.active[k];
    if (sweep.isTouched(r) || cost[r] === Infinity) continue;
    const rating = cost[r] / (f.registerWidth[r] * Math.max(1, covers[r]));
    if (rating < bestRating || (rating === bestRating && r < best)) {
      runnerUp = best;
      runnerUpRating = bestRating;
      best = r;
      bestRating = rating;
    } else if (rating < runnerUpRating) {
      runnerUp = r;
      runnerUpRating = rating;
    }
  }
  if (best < 0) return undefined;
  return {
    register: best,
    kind: kind(best),
    cost: cost[best],
    rating: bestRating,
    covers: covers[best],
    instruction: point >> 1,
    runnerUp,
    runnerUpRating,
  };
}

/** By register: the points above the limit that it covers. */
function coveredPoints(f: Function, ranges: LiveRanges, excess: Int32Array): Int32Array {
  const covers = new Int32Array(f.registerCount);
  for (let r = 0; r < f.registerCount; r++)
    for (let k = ranges.registerStart[r]; k < ranges.registerStart[r + 1]; k++)
      covers[r] += excess[ranges.segmentTo[k]] - excess[ranges.segmentFrom[k]];
  return covers;
}

/** The live set of one class from point to point. */
class Sweep {
  readonly active: Int32Array;
  activeCount = 0;
  private readonly activeAt: Int32Array;
  private readonly starts: Events;
  private readonly ends: Events;
  private readonly touched: Int32Array;
  private stamp = 0;
  private live = 0;

  constructor(
    private readonly f: Function,
    private readonly ranges: LiveRanges,
    private readonly removal: Uint8Array,
    private readonly registerClass: number,
    private readonly needed?: Uint8Array,
  ) {
    const counts = (r: number): boolean => f.registerClass[r] === registerClass && removal[r] === 0;
    this.starts = eventsOf(f, ranges, ranges.segmentFrom, counts);
    this.ends = eventsOf(f, ranges, ranges.segmentTo, counts);
    this.active = new Int32Array(f.registerCount);
    this.activeAt = new Int32Array(f.registerCount).fill(-1);
    this.touched = new Int32Array(f.registerCount);
  }

  isTouched(register: number): boolean {
    return this.touched[register] === this.stamp;
  }

  /** Prefix sums over the points: how many of the points before p have more than `limit` live. */
  excess(limit: number): Int32Array {
    const sums = new Int32Array(2 * this.f.instructionCount + 2);
    this.run((point, live) => {
      sums[point + 1] = live > limit ? 1 : 0;
    });
    for (let p = 1; p < sums.length; p++) sums[p] += sums[p - 1];
    return sums;
  }

  /** Calls `visit` at each point with the units live there, temporaries of removed registers included. */
  run(visit: (point: number, live: number) => void): void {
    this.activeAt.fill(-1);
    this.activeCount = 0;
    this.live = 0;
    for (let i = 0; i < this.f.instructionCount; i++) {
      this.move(2 * i);
      const needed = this.needed?.[i] ?? 0;
      const read = this.temporaries(i, false);
      visit(2 * i, this.live + read + needed);
      this.move(2 * i + 1);
      const written = this.temporaries(i, true);
      visit(2 * i + 1, this.live + written + needed);
    }
  }

  drop(register: number): void {
    const at = this.activeAt[register];
    if (at < 0) return;
    this.activeAt[register] = -1;
    const last = this.active[--this.activeCount];
    this.live -= this.f.registerWidth[register];
    if (last === register) return;
    this.active[at] = last;
    this.activeAt[last] = at;
  }

  private move(point: number): void {
    for (let k = this.ends.start[point]; k < this.ends.start[point + 1]; k++)
      this.drop(this.ends.register[k]);
    for (let k = this.starts.start[point]; k < this.starts.start[point + 1]; k++) {
      const r = this.starts.register[k];
      if (this.removal[r] !== 0 || this.activeAt[r] >= 0) continue;
      this.activeAt[r] = this.activeCount;
      this.active[this.activeCount++] = r;
      this.live += this.f.registerWidth[r];
    }
  }

  /** Marks what instruction i touches at this side and returns the units that removed registers need for it. */
  private temporaries(i: number, writing: boolean): number {
    const { f, removal } = this;
    this.stamp++;
    let units = 0;
    for (let o = f.operandStart[i]; o < f.operandStart[i + 1]; o++) {
      const r = f.operandPlace[o];
      if (r < 0 || f.registerClass[r] !== this.registerClass || this.touched[r] === this.stamp) continue;
      if (!(writing ? isDefinition(f, o) : this.reads(o, i))) continue;
      this.touched[r] = this.stamp;
      if (removal[r] === Removal.Spilled || (removal[r] === Removal.Recomputed && !writing))
        units += f.registerWidth[r];
    }
    return units;
  }

  /** A write that keeps a part of the old value needs the old value. */
  private reads(operand: number, instruction: number): boolean {
    if (isUse(this.f, operand)) return true;
    if (!isDefinition(this.f, operand) || kills(this.f, operand)) return false;
    return isLiveAt(this.ranges, this.f.operandPlace[operand], 2 * instruction);
  }
}

interface Events {
  /** The registers of point p are `register[start[p] .. start[p + 1]]`. */
  readonly start: Int32Array;
  readonly register: Int32Array;
}

function eventsOf(
  f: Function,
  { registerStart }: LiveRanges,
  points: Int32Array,
  counts: (register: number) => boolean,
): Events {
  const start = new Int32Array(2 * f.instructionCount + 2);
  let total = 0;
  for (let r = 0; r < f.registerCount; r++) {
    if (!counts(r)) continue;
    for (let k = registerStart[r]; k < registerStart[r + 1]; k++, total++) start[points[k] + 1]++;
  }
  for (let p = 1; p < start.length; p++) start[p] += start[p - 1];
  const register = new Int32Array(total);
  const fill = start.slice();
  for (let r = 0; r < f.registerCount; r++) {
    if (!counts(r)) continue;
    for (let k = registerStart[r]; k < registerStart[r + 1]; k++) register[fill[points[k]]++] = r;
  }
  return { start, register };
}
