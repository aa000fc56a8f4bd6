import { functionName } from '../text/words.js';
import type { Compilation } from '../targets/target.js';
import type { Position, Range, Span } from '../text/span.js';
import type { Snapshot, Unit } from '../workspace/snapshot.js';

/**
 * The places that a person goes to when registers run short: peaks of pressure, and instructions at which a spilled
 * value is stored or reloaded.
 */

/** An instruction with the figure of each view in which it is a peak, in units of the first class. */
export interface PeakSite {
  readonly instruction: number;
  readonly asWritten?: number;
  readonly asCompiled?: number;
}

/** A peak needs at least this share of the function's highest one, */
const HIGH = 3 / 4;
/** and between two peaks the pressure falls below this share of it: smaller waves are one plateau. */
const LOW = 1 / 2;

/**
 * The peaks of the compiled program, and the highest one as written, which may be elsewhere; in text order.
 * O(instructions).
 */
export function peaksIn({ asWritten, asCompiled }: Compilation): PeakSite[] {
  const sites = new Map<number, PeakSite>();
  for (const instruction of summits(asCompiled.during[0], asCompiled.peakAt[0]))
    sites.set(instruction, { instruction, asCompiled: asCompiled.during[0][instruction] });
  const highest = asWritten.peakAt[0];
  if (highest >= 0 && asWritten.peak[0] > 0)
    sites.set(highest, { instruction: highest, ...sites.get(highest), asWritten: asWritten.peak[0] });
  return [...sites.values()].sort((a, b) => a.instruction - b.instruction);
}

/**
 * The highest instruction of each high stretch: `highest` in its own stretch, else the first of equal ones. An
 * instruction that needs nothing is gone from the compiled program, and tells nothing of its neighbours.
 */
function summits(needed: Uint16Array, highest: number): number[] {
  if (highest < 0 || needed[highest] === 0) return [];
  const high = HIGH * needed[highest];
  const low = LOW * needed[highest];
  const found: number[] = [];
  let summit = -1;
  for (let i = 0; i < needed.length; i++) {
    if (needed[i] === 0) continue;
    if (needed[i] < low) {
      if (summit >= 0) found.push(summit);
      summit = -1;
    } else if (needed[i] >= high && (summit < 0 || needed[i] > needed[summit] || i === highest)) summit = i;
  }
  if (summit >= 0) found.push(summit);
  return found;
}

/** An instruction with the registers that are stored after it and reloaded before it. */
export interface SpillSite {
  readonly instruction: number;
  readonly stores: readonly number[];
  readonly reloads: readonly number[];
}

/** In text order. */
export function spillsIn({ spills, source }: Compilation): SpillSite[] {
  const sites = new Map<number, { instruction: number; stores: number[]; reloads: number[] }>();
  const at = (instruction: number): { stores: number[]; reloads: number[] } => {
    let site = sites.get(instruction);
    if (site === undefined) sites.set(instruction, (site = { instruction, stores: [], reloads: [] }));
    return site;
  };
  const isPlace = (i: number): boolean => i >= 0 && i < source.instructionCount;
  for (const { register, stores, reloads } of spills) {
    for (const i of new Set(stores)) if (isPlace(i)) at(i).stores.push(register);
    for (const i of new Set(reloads)) if (isPlace(i)) at(i).reloads.push(register);
  }
  return [...sites.values()].sort((a, b) => a.instruction - b.instruction);
}

export const siteKinds = ['peak', 'spill'] as const;
export type SiteKind = (typeof siteKinds)[number];
export type Direction = 'next' | 'previous';

/** Where a search for a place has ended. */
export interface Site {
  readonly range: Range;
  /** What is there, in words. */
  readonly label: string;
  /** The search went on from the other end of the document. */
  readonly isWrapped: boolean;
}

/**
 * The nearest place behind the position, or before it; from the end of the document it goes on at its start, and the
 * other way round. Undefined where the document has none. Functions behind the one that is found are not compiled.
 */
export function nextSite(
  s: Snapshot,
  position: Position,
  kind: SiteKind,
  direction: Direction,
): Site | undefined {
  const cursor = s.lines.offsetAt(position);
  const { index: here } = s.unitAt(cursor);
  const step = direction === 'next' ? 1 : -1;
  const count = s.units.length;
  // the function of the position comes first and last: its places on the other side are the farthest
  for (let k = 0; k <= count; k++) {
    const index = here + step * k;
    const unit = s.units[(index + 2 * count) % count];
    const places = placesIn(unit, kind);
    const isWanted = ({ start }: Place): boolean => k > 0 || step * (unit.start + start - cursor) > 0;
    const found = direction === 'next' ? places.find(isWanted) : places.findLast(isWanted);
    if (found === undefined) continue;
    const { start, end, label } = found;
    const range = s.lines.range({ start: unit.start + start, end: unit.start + end });
    return { range, label, isWrapped: index < 0 || index >= count };
  }
  return undefined;
}

interface Place extends Span {
  readonly label: string;
}

const known: Readonly<Record<SiteKind, WeakMap<Compilation, readonly Place[]>>> = {
  peak: new WeakMap(),
  spill: new WeakMap(),
};

/** Relative to the unit, in text order; found once for each compilation. */
function placesIn({ compilation }: Unit, kind: SiteKind): readonly Place[] {
  if (compilation === undefined) return [];
  let places = known[kind].get(compilation);
  if (places === undefined) known[kind].set(compilation, (places = findPlaces(compilation, kind)));
  return places;
}

function findPlaces(c: Compilation, kind: SiteKind): readonly Place[] {
  const { source: f } = c;
  const spanOf = (i: number): Span =>
    f.spanStart[i] < 0
      ? { start: f.nameStart, end: f.nameEnd }
      : { start: f.spanStart[i], end: f.spanEnd[i] };
  const places: Place[] =
    kind === 'peak'
      ? peaksIn(c).map((site) => ({ ...spanOf(site.instruction), label: peakLabel(c, site) }))
      : spillsIn(c).map((site) => ({ ...spanOf(site.instruction), label: spillLabel(c, site) }));
  return places.sort((a, b) => a.start - b.start);
}

function peakLabel(c: Compilation, { asWritten, asCompiled }: PeakSite): string {
  const figures: string[] = [];
  if (asCompiled !== undefined) figures.push(`${asCompiled} as compiled`);
  if (asWritten !== undefined) figures.push(`${asWritten} as written`);
  const { name, classes } = c.source;
  return `Peak of ${functionName(name)}, in ${classes[0].unit}s: ${figures.join(', ')} (${c.model})`;
}

/** Names that a label of one line has room for. */
const NAMED = 4;

function spillLabel(c: Compilation, { stores, reloads }: SpillSite): string {
  const { name, registerNames } = c.source;
  const listed = (registers: readonly number[]): string =>
    [
      ...registers.slice(0, NAMED).map((r) => registerNames[r]),
      ...(registers.length > NAMED ? [`${registers.length - NAMED} more`] : []),
    ].join(', ');
  const work: string[] = [];
  if (reloads.length > 0) work.push(`reloads ${listed(reloads)}`);
  if (stores.length > 0) work.push(`stores ${listed(stores)}`);
  return `Spill in ${functionName(name)}: ${work.join(', ')} (${c.model})`;
}
