import type { Function } from '../ir/function.js';
import { alignmentOf } from './alignment.js';
import type { LiveRanges } from './live-ranges.js';

/**
 * Slots for spilled registers: registers whose live ranges (from first to last point, holes filled) do not overlap
 * share a slot. Interval colouring with a heap of ends is optimal for equal widths; slots of different widths are
 * kept apart, which wastes at most what the other widths leave free. O(spilled log spilled).
 */
export interface SpillSlots {
  /** First unit of each register's slot, or -1. */
  readonly slotOf: Int32Array;
  /** Units of slots of each class. */
  readonly units: Int32Array;
}

export function spillSlotsOf(
  f: Function,
  ranges: LiveRanges,
  isSpilled: (register: number) => boolean,
): SpillSlots {
  const slotOf = new Int32Array(f.registerCount).fill(-1);
  const units = new Int32Array(f.classes.length);
  const groups = new Map<number, number[]>();
  for (let r = 0; r < f.registerCount; r++) {
    if (!isSpilled(r)) continue;
    const key = f.registerClass[r] * 65536 + f.registerWidth[r];
    const group = groups.get(key);
    if (group) group.push(r);
    else groups.set(key, [r]);
  }
  // the widest first, so that every slot is aligned without gaps
  for (const key of [...groups.keys()].sort((x, y) => (y & 0xffff) - (x & 0xffff))) {
    const c = key >>> 16;
    units[c] = colour(groups.get(key)!, ranges, slotOf, units[c], alignmentOf(key & 0xffff));
  }
  return { slotOf, units };
}

function colour(
  registers: readonly number[],
  ranges: LiveRanges,
  slotOf: Int32Array,
  firstUnit: number,
  size: number,
): number {
  const begin = (r: number): number => ranges.segmentFrom[ranges.registerStart[r]];
  const end = (r: number): number => ranges.segmentTo[ranges.registerStart[r + 1] - 1];
  const order = [...registers].sort((x, y) => begin(x) - begin(y) || x - y);
  const busy = new EndHeap(end);
  let next = firstUnit;
  for (const r of order) {
    const first = busy.first();
    if (first !== undefined && end(first) <= begin(r)) {
      slotOf[r] = slotOf[first];
      busy.replaceFirst(r);
      continue;
    }
    slotOf[r] = next;
    next += size;
    busy.push(r);
  }
  return next;
}

/** A binary heap of registers, the one that ends first on top. */
class EndHeap {
  private readonly items: number[] = [];

  constructor(private readonly end: (register: number) => number) {}

  first(): number | undefined {
    return this.items[0];
  }

  push(register: number): void {
    const { items, end } = this;
    let at = items.length;
    items.push(register);
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (end(items[above]) <= end(register)) break;
      items[at] = items[above];
      at = above;
    }
    items[at] = register;
  }

  replaceFirst(register: number): void {
    const { items, end } = this;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= items.length) break;
      if (child + 1 < items.length && end(items[child + 1]) < end(items[child])) child++;
      if (end(items[child]) >= end(register)) break;
      items[at] = items[child];
      at = child;
    }
    items[at] = register;
  }
}
