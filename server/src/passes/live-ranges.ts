import type { Function } from '../ir/function.js';
import { isLiveAtEntry, isLiveAtExit, type Liveness } from './liveness.js';
import { isDefinition, isUse, kills } from './occurrences.js';

/**
 * Live ranges with holes, in points: instruction i reads at point 2i and writes at point 2i + 1. The segments of
 * register r are `[segmentFrom[k], segmentTo[k])` for k in `registerStart[r] .. registerStart[r + 1]`, ascending.
 */
export interface LiveRanges {
  readonly registerStart: Int32Array;
  readonly segmentFrom: Int32Array;
  readonly segmentTo: Int32Array;
}

/**
 * Live ranges with holes, from block-level liveness and each register's own occurrences. Instruction i reads at
 * point 2i and writes at point 2i + 1: a range that ends with a use at i includes 2i and not 2i + 1, so that the
 * result of i may take the place. A definition that nobody reads occupies the one point 2i + 1. A use that no
 * definition reaches is in no range. Segments that touch are one segment.
 *
 * O(occurrences log runs + runs): a register that is live through many blocks without being mentioned costs
 * nothing there.
 */
export function liveRangesOf(f: Function, liveness: Liveness): LiveRanges {
  const { registerCount, blockStart } = f;
  const { start, operand, instruction, blockOf } = liveness.occurrences;
  const { entry } = liveness;
  const registerStart = new Int32Array(registerCount + 1);
  const from: number[] = [];
  const to: number[] = [];
  let first = 0;
  const add = (begin: number, end: number): void => {
    if (begin >= end) return;
    if (to.length > first && to[to.length - 1] >= begin) to[to.length - 1] = Math.max(to[to.length - 1], end);
    else {
      from.push(begin);
      to.push(end);
    }
  };

  // the instructions of one register in one block: the first `count` elements (cutting an array frees its store)
  let count = 0;
  const at: number[] = [];
  const uses: boolean[] = [];
  const defines: boolean[] = [];
  const killsAll: boolean[] = [];
  const wantedAfter: boolean[] = [];

  let run = 0;
  let runEnd = 0;
  let runBlock = 0;
  /** Blocks that the register is live through without a mention, up to `limit`. */
  const passThrough = (limit: number): void => {
    while (run < runEnd && runBlock < limit) {
      const end = Math.min(entry.to[run], limit);
      add(2 * blockStart[runBlock], 2 * blockStart[end]);
      runBlock = end;
      if (end === entry.to[run] && ++run < runEnd) runBlock = entry.from[run];
    }
  };

  for (let r = 0; r < registerCount; r++) {
    first = from.length;
    run = entry.start[r];
    runEnd = entry.start[r + 1];
    runBlock = run < runEnd ? entry.from[run] : 0;
    for (let k = start[r]; k < start[r + 1];) {
      const block = blockOf[instruction[k]];
      passThrough(block);
      if (run < runEnd && runBlock === block && ++runBlock === entry.to[run]) {
        if (++run < runEnd) runBlock = entry.from[run];
      }
      count = 0;
      while (k < start[r + 1] && blockOf[instruction[k]] === block) {
        const i = instruction[k];
        let isUsed = false;
        let isDefined = false;
        let isKilled = false;
        for (; k < start[r + 1] && instruction[k] === i; k++) {
          isUsed ||= isUse(f, operand[k]);
          isDefined ||= isDefinition(f, operand[k]);
          isKilled ||= kills(f, operand[k]);
        }
        at[count] = i;
        uses[count] = isUsed;
        defines[count] = isDefined;
        killsAll[count++] = isKilled;
      }
      let wanted = isLiveAtExit(liveness, r, block);
      for (let n = count - 1; n >= 0; n--) {
        wantedAfter[n] = wanted;
        wanted = uses[n] || (wanted && !killsAll[n]);
      }
      let isAssigned = isLiveAtEntry(liveness, r, block);
      if (isAssigned && wanted) add(2 * blockStart[block], 2 * at[0]);
      for (let n = 0; n < count; n++) {
        if (isAssigned && (uses[n] || (wantedAfter[n] && !killsAll[n]))) add(2 * at[n], 2 * at[n] + 1);
        isAssigned ||= defines[n];
        if (!isAssigned) continue;
        const end = n + 1 < count ? 2 * at[n + 1] : 2 * blockStart[block + 1];
        if (wantedAfter[n]) add(2 * at[n] + 1, end);
        else if (defines[n]) add(2 * at[n] + 1, 2 * at[n] + 2);
      }
    }
    passThrough(f.blockCount);
    registerStart[r + 1] = from.length;
  }
  return { registerStart, segmentFrom: new Int32Array(from), segmentTo: new Int32Array(to) };
}

/** The segment of `register` that holds `point`, or -1. O(log segments). */
export function segmentAt(ranges: LiveRanges, register: number, point: number): number {
  let low = ranges.registerStart[register];
  const end = ranges.registerStart[register + 1];
  let high = end;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ranges.segmentTo[middle] <= point) low = middle + 1;
    else high = middle;
  }
  return low < end && ranges.segmentFrom[low] <= point ? low : -1;
}

export const isLiveAt = (ranges: LiveRanges, register: number, point: number): boolean =>
  segmentAt(ranges, register, point) >= 0;
