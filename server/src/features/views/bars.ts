import type { Compilation, FixedRange } from '../../targets/target.js';
import type { Snapshot } from '../../workspace/snapshot.js';
import { classesOf } from '../live-table.js';

/**
 * What holds units of a register class as written: the virtual registers, and behind them what the machine holds
 * beside them. Their units add up to the pressure as written, rounded up to whole ones.
 */
export interface Bars {
  readonly count: number;
  readonly virtualCount: number;
  readonly fixed: readonly FixedRange[];
  readonly registerClass: ArrayLike<number>;
  readonly width: ArrayLike<number>;
  /** Segments of bar k are `start[k] .. start[k + 1]`. */
  readonly start: ArrayLike<number>;
  readonly from: ArrayLike<number>;
  readonly to: ArrayLike<number>;
}

export function barsOf({ target }: Snapshot, c: Compilation): Bars {
  const { source: f, liveRanges } = c;
  const { registerStart: start, segmentFrom: from, segmentTo: to } = liveRanges;
  const virtualCount = f.registerCount;
  const found = target.display?.holders?.(c);
  const { registerClass, width } = found ?? { registerClass: f.registerClass, width: f.registerWidth };
  const fixed = found?.fixed ?? [];
  if (fixed.length === 0)
    return { count: virtualCount, virtualCount, fixed, registerClass, width, start, from, to };
  const virtual = <T>(list: ArrayLike<T>, count: number): T[] =>
    Array.from({ length: count }, (_, k) => list[k]);
  const ends: number[] = [];
  let end = from.length;
  for (const range of fixed) ends.push((end += range.from.length));
  return {
    count: virtualCount + fixed.length,
    virtualCount,
    fixed,
    registerClass: [...virtual(registerClass, virtualCount), ...fixed.map((range) => range.registerClass)],
    width: [...virtual(width, virtualCount), ...fixed.map((range) => range.width)],
    start: [...virtual(start, virtualCount + 1), ...ends],
    from: [...from, ...fixed.flatMap((range) => range.from)],
    to: [...to, ...fixed.flatMap((range) => range.to)],
  };
}

/** Numbers of the register classes to show: not those whose registers all count in another one (parts of a register file). */
export function drawnClasses(c: Compilation, bars: Bars): number[] {
  const counted = new Set(Array.from(bars.registerClass));
  return classesOf(c).filter((k) => k === 0 || counted.has(k) || c.asWritten.peak[k] === 0);
}

/**
 * By class and point, the units that are held. O(bars + segments + points).
 */
export function unitsAtPoints({ source: f }: Compilation, bars: Bars): Float64Array[] {
  const change = f.classes.map(() => new Float64Array(2 * f.instructionCount + 1));
  for (let r = 0; r < bars.count; r++) {
    const ofClass = change.at(bars.registerClass[r]);
    if (ofClass === undefined) continue;
    for (let k = bars.start[r]; k < bars.start[r + 1]; k++) {
      ofClass[bars.from[k]] += bars.width[r];
      ofClass[bars.to[k]] -= bars.width[r];
    }
  }
  for (const ofClass of change)
    for (let point = 1; point < ofClass.length; point++) ofClass[point] += ofClass[point - 1];
  return change;
}
