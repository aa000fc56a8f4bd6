import { alignmentOf } from './alignment.js';
import type { Bundles } from './bundles.js';
import { UnitOccupation } from './interference.js';

/**
 * Linear scan over live ranges with holes (Poletto and Sarkar 1999; the holes after Traub, Holloway and Smith 1998):
 * bundles in the order of their first point, each to the lowest aligned units that are free in all its segments.
 *
 * This pass only proposes: a bundle that finds no units gets none (-1), although there may be room for it at every
 * single point. The allocation walk then moves it from place to place.
 */
export function homesOf(
  bundles: Bundles,
  units: readonly number[],
  reserved: readonly (readonly number[])[],
): Int32Array {
  const count = bundles.width.length;
  const home = new Int32Array(count).fill(-1);
  const files = units.map((n, c) => new UnitOccupation(n, reserved[c]));
  for (const b of inOrder(bundles)) {
    const begin = bundles.start[b];
    const end = bundles.start[b + 1];
    const file = files[bundles.registerClass[b]];
    const width = bundles.width[b];
    const step = alignmentOf(width);
    for (let unit = 0; unit + width <= file.units; unit += step) {
      if (!isFree(file, unit, width, bundles, begin, end)) continue;
      for (let u = unit; u < unit + width; u++) file.take(u, bundles.from, bundles.to, begin, end);
      home[b] = unit;
      break;
    }
  }
  return home;
}

function isFree(
  file: UnitOccupation,
  unit: number,
  width: number,
  { from, to }: Bundles,
  begin: number,
  end: number,
): boolean {
  for (let u = unit; u < unit + width; u++) if (!file.isFree(u, from, to, begin, end)) return false;
  return true;
}

/** Bundles with a live range, by first point; where several begin at once, the widest first. */
function inOrder({ start, from, width }: Bundles): Int32Array {
  const live: number[] = [];
  for (let b = 0; b < width.length; b++) if (start[b] < start[b + 1]) live.push(b);
  return Int32Array.from(live).sort(
    (x, y) => from[start[x]] - from[start[y]] || width[y] - width[x] || x - y,
  );
}
