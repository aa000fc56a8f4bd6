import { GRF_BYTES } from '../program.js';
import type { Effects, Range } from './effects.js';
import type { Space } from './space.js';

/**
 * For each unit of the place and name spaces the steps that write it, in order, so that "the last write before this
 * step" is a binary search.
 */
export interface Occurrences {
  readonly start: Int32Array;
  readonly step: Int32Array;
}

/** Greatest unit, 32 bytes at most, of which everything that is touched is a whole number. */
export function commonUnit(effects: readonly Effects[]): number {
  let unit = GRF_BYTES;
  const meet = (value: number) => {
    while (value % unit !== 0) unit >>= 1;
  };
  for (const { reads, writes, undefines, copies, clobbers } of effects) {
    for (const list of [reads, writes, undefines])
      for (const { place, byte, length } of list) {
        if (place >= 0) meet(place);
        meet(byte);
        meet(length);
      }
    for (const { to, from, length } of copies) {
      meet(to);
      meet(from);
      meet(length);
    }
    for (const [from, to] of clobbers) {
      meet(from);
      meet(to);
    }
  }
  return unit;
}

/** First name of a range. */
export const nameOf = (space: Space, { register, byte }: Range): number =>
  (register < 0 ? space.fixedBase : space.registerBase[register]) + byte / space.unit;

function eachPlace(space: Space, effects: Effects, see: (place: number) => void): void {
  const { unit } = space;
  for (const { place, length } of effects.writes)
    if (place >= 0) for (let k = 0; k < length; k += unit) see((place + k) / unit);
  for (const { to, length } of effects.copies) for (let k = 0; k < length; k += unit) see((to + k) / unit);
  for (const [from, to] of effects.clobbers) for (let byte = from; byte < to; byte += unit) see(byte / unit);
}

function eachName(space: Space, effects: Effects, see: (name: number) => void): void {
  const { unit } = space;
  for (const list of [effects.writes, effects.undefines])
    for (const range of list) {
      const first = nameOf(space, range);
      for (let k = 0; k < range.length; k += unit) see(first + k / unit);
    }
}

function collect(
  count: number,
  effects: readonly Effects[],
  each: (effects: Effects, see: (index: number) => void) => void,
): Occurrences {
  const start = new Int32Array(count + 1);
  const last = new Int32Array(count).fill(-1);
  effects.forEach((one, step) => {
    each(one, (index) => {
      if (index >= count || last[index] === step) return;
      last[index] = step;
      start[index + 1]++;
    });
  });
  for (let k = 0; k < count; k++) start[k + 1] += start[k];
  const fill = start.slice();
  const steps = new Int32Array(start[count]);
  last.fill(-1);
  effects.forEach((one, step) => {
    each(one, (index) => {
      if (index >= count || last[index] === step) return;
      last[index] = step;
      steps[fill[index]++] = step;
    });
  });
  return { start, step: steps };
}

export const placeWrites = (space: Space, effects: readonly Effects[]): Occurrences =>
  collect(space.placeCount, effects, (one, see) => {
    eachPlace(space, one, see);
  });

export const nameWrites = (space: Space, effects: readonly Effects[]): Occurrences =>
  collect(space.nameCount, effects, (one, see) => {
    eachName(space, one, see);
  });

/** The last step in [from, before) among an index's, of which `counts` holds; -1 for none. */
export function lastBefore(
  { start, step }: Occurrences,
  index: number,
  from: number,
  before: number,
  counts: (step: number) => boolean,
): number {
  let low = start[index];
  let high = start[index + 1];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (step[middle] < before) low = middle + 1;
    else high = middle;
  }
  for (let k = low - 1; k >= start[index] && step[k] >= from; k--) if (counts(step[k])) return step[k];
  return -1;
}
