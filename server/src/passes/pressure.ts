import type { Function } from '../ir/function.js';
import { isLiveAt, type LiveRanges } from './live-ranges.js';
import { isLiveAtExit, type Liveness } from './liveness.js';
import { isDefinition } from './occurrences.js';

/**
 * Units live, for each register class, by instruction. `after[c][i]` counts class c directly after instruction i,
 * results that nobody reads left out. A register counts its whole width while any part of it lives.
 */
export interface Pressure {
  readonly after: readonly Uint16Array[];
  /**
   * Units needed while the instruction executes: the more of what is live where it reads (live-through and uses)
   * and where it writes (live-through and definitions, unread results included).
   */
  readonly during: readonly Uint16Array[];
  /** Highest `during` of each class and the first instruction that has it (-1 in an empty function). */
  readonly peak: readonly number[];
  readonly peakAt: readonly number[];
}

const MOST = 0xffff;

/** A sweep over the live ranges: O(instructions + segments). Counts above 65535 units stay there. */
export function pressureOf(f: Function, liveness: Liveness, ranges: LiveRanges): Pressure {
  const { instructionCount } = f;
  const points = 2 * instructionCount;
  const classes = f.classes.length;
  const change = int32Tables(classes, points + 1);
  for (let r = 0; r < f.registerCount; r++) {
    const ofClass = change[f.registerClass[r]];
    for (let k = ranges.registerStart[r]; k < ranges.registerStart[r + 1]; k++) {
      ofClass[ranges.segmentFrom[k]] += f.registerWidth[r];
      ofClass[ranges.segmentTo[k]] -= f.registerWidth[r];
    }
  }
  const unread = unreadResults(f, liveness, ranges);
  const after = uint16Tables(classes, instructionCount);
  const during = uint16Tables(classes, instructionCount);
  const peak: number[] = [];
  const peakAt: number[] = [];
  for (let c = 0; c < classes; c++) {
    const at = sweep(change[c], unread[c], after[c], during[c]);
    peakAt.push(at);
    peak.push(at < 0 ? 0 : during[c][at]);
  }
  return { after, during, peak, peakAt };
}

/** Fills in the counts of one class; returns the first instruction with the most, -1 where there is none. */
function sweep(change: Int32Array, unread: Int32Array, after: Uint16Array, during: Uint16Array): number {
  let live = 0;
  let peakAt = during.length > 0 ? 0 : -1;
  let peak = 0;
  for (let i = 0; i < during.length; i++) {
    const reading = live + change[2 * i];
    const writing = reading + change[2 * i + 1];
    live = writing;
    const most = Math.min(MOST, Math.max(reading, writing));
    during[i] = most;
    after[i] = Math.min(MOST, writing - unread[i]);
    if (most <= peak) continue;
    peak = most;
    peakAt = i;
  }
  return peakAt;
}

/** As many tables of one length, out of one piece of memory. */
function int32Tables(count: number, length: number): Int32Array[] {
  const memory = new ArrayBuffer(4 * count * length);
  return Array.from({ length: count }, (_, k) => new Int32Array(memory, 4 * k * length, length));
}

function uint16Tables(count: number, length: number): Uint16Array[] {
  const memory = new ArrayBuffer(2 * count * length);
  return Array.from({ length: count }, (_, k) => new Uint16Array(memory, 2 * k * length, length));
}

/** Units of each class that each instruction writes and nobody reads. */
function unreadResults(f: Function, liveness: Liveness, ranges: LiveRanges): Int32Array[] {
  const unread = int32Tables(f.classes.length, f.instructionCount);
  const { start, operand, instruction } = liveness.occurrences;
  for (let r = 0; r < f.registerCount; r++) {
    let counted = -1;
    for (let k = start[r]; k < start[r + 1]; k++) {
      const i = instruction[k];
      if (i === counted || !isDefinition(f, operand[k])) continue;
      counted = i;
      if (!isLiveAfter(f, liveness, ranges, r, i)) unread[f.registerClass[r]][i] += f.registerWidth[r];
    }
  }
  return unread;
}

/** True when the register's value is still wanted after the instruction, on some path. */
export function isLiveAfter(
  f: Function,
  liveness: Liveness,
  ranges: LiveRanges,
  register: number,
  instruction: number,
): boolean {
  const block = liveness.occurrences.blockOf[instruction];
  const isLast = instruction + 1 === f.blockStart[block + 1];
  return isLast ? isLiveAtExit(liveness, register, block) : isLiveAt(ranges, register, 2 * instruction + 2);
}

/** The registers live directly after `instruction`, ascending; results nobody reads left out. */
export function liveAfter(
  f: Function,
  liveness: Liveness,
  ranges: LiveRanges,
  instruction: number,
): number[] {
  const live: number[] = [];
  for (let r = 0; r < f.registerCount; r++)
    if (isLiveAfter(f, liveness, ranges, r, instruction)) live.push(r);
  return live;
}
