import type { PressureLines } from '../../../../server/src/features/pressure-lines.js';
import type { SameView } from '../../../../server/src/features/views/data.js';

/**
 * What is drawn on the lines for their pressure: which of a few fixed styles each visible line gets, and the lines that
 * are marked in the overview ruler. Lines are zero-based; neighbours of one style are one range.
 */
export type Mode = 'off' | 'gutter' | 'background';
/** What a full bar stands for: the function's own peak, or the limit. */
export type Scale = 'peak' | 'limit';
export type Theme = 'light' | 'dark';

/** Inclusive. */
export interface LineRange {
  readonly first: number;
  readonly last: number;
}

/** Lengths of bars. */
export const LEVELS = 8;
/** Shades of backgrounds: more would not be told apart. */
export const SHADES = 4;

/** `same` entries stand for what is known already; one that is not known is left out. */
export function merged(
  known: readonly PressureLines[],
  answer: readonly (PressureLines | SameView)[],
): PressureLines[] {
  const byId = new Map(known.map((f) => [f.id, f]));
  return answer.flatMap((entry) => {
    if (!('same' in entry)) return [entry];
    const same = byId.get(entry.same);
    return same === undefined ? [] : [{ ...same, line: entry.line }];
  });
}

/** From 1 to LEVELS; 0 where nothing is needed. */
export function levelOf(needed: number, full: number): number {
  if (needed <= 0 || full <= 0) return 0;
  return Math.min(LEVELS, Math.max(1, Math.ceil((LEVELS * needed) / full)));
}

/** Lines that need more than the limit as they are written look different from all others. */
export type StyleKey = `bar${number}` | `over${number}` | `shade${number}` | 'shadeOver';

export const barStyles: readonly { key: StyleKey; level: number; isOver: boolean }[] = [false, true].flatMap(
  (isOver) =>
    Array.from({ length: LEVELS }, (_, k) => ({
      key: styleOf('gutter', k + 1, isOver),
      level: k + 1,
      isOver,
    })),
);

export function styleOf(mode: 'gutter' | 'background', level: number, isOver: boolean): StyleKey {
  if (mode === 'gutter') return isOver ? `over${level}` : `bar${level}`;
  return isOver ? 'shadeOver' : `shade${Math.ceil((level * SHADES) / LEVELS)}`;
}

/** Ranges of lines by style, for the lines of `visible`. O(functions + visible lines, each with a short search). */
export function barsOf(
  functions: readonly PressureLines[],
  mode: 'gutter' | 'background',
  scale: Scale,
  visible: readonly LineRange[],
): Map<StyleKey, LineRange[]> {
  const bars = new Map<StyleKey, LineRange[]>();
  for (const f of functions) {
    const full = scale === 'limit' ? f.limit : f.peakCompiled;
    for (const { first, last } of joined(visible))
      for (let k = indexOf(f.lines, first - f.line); k < f.lines.length && f.line + f.lines[k] <= last; k++) {
        const level = levelOf(f.asCompiled[k], full);
        if (level > 0) addLine(bars, styleOf(mode, level, f.asWritten[k] > f.limit), f.line + f.lines[k]);
      }
  }
  return bars;
}

/** Ascending, and apart from each other. */
function joined(ranges: readonly LineRange[]): LineRange[] {
  const result: { first: number; last: number }[] = [];
  for (const { first, last } of [...ranges].sort((a, b) => a.first - b.first)) {
    const before = result.at(-1);
    if (before !== undefined && first <= before.last + 1) before.last = Math.max(before.last, last);
    else result.push({ first, last });
  }
  return result;
}

/** The first entry that is not below `line`. */
function indexOf(lines: readonly number[], line: number): number {
  let low = 0;
  let high = lines.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (lines[middle] < line) low = middle + 1;
    else high = middle;
  }
  return low;
}

function addLine(bars: Map<StyleKey, LineRange[]>, key: StyleKey, line: number): void {
  let ranges = bars.get(key);
  if (ranges === undefined) bars.set(key, (ranges = []));
  const before = ranges.at(-1);
  if (before?.last === line - 1) ranges[ranges.length - 1] = { first: before.first, last: line };
  else if (before?.last !== line) ranges.push({ first: line, last: line });
}

/** Lines that the overview ruler marks, of the whole document. */
export function marksOf(functions: readonly PressureLines[]): { peaks: number[]; spills: number[] } {
  const peaks = functions.flatMap((f) => f.peaks.map(({ line }) => f.line + line));
  const spills = functions.flatMap((f) => f.spills.map(({ line }) => f.line + line));
  return { peaks: [...new Set(peaks)], spills: [...new Set(spills)] };
}

/** Opaque enough for three to one on white and on black. */
const colours: Readonly<Record<Theme, { within: string; over: string }>> = {
  light: { within: '#1a6fc4', over: '#c2260f' },
  dark: { within: '#4ca0f5', over: '#ff7a63' },
};

/** Of the picture, in its own units. */
const WIDTH = 16;

/**
 * A bar that fills the height of its line, so that the bars of neighbouring lines make one silhouette. A bar of a
 * line over the limit has an end stop too: colour is not all that tells them apart.
 */
export function barSvg(level: number, isOver: boolean, theme: Theme): string {
  const colour = isOver ? colours[theme].over : colours[theme].within;
  const length = ((WIDTH - 4) * level) / LEVELS;
  const stop = isOver ? `<rect x="${WIDTH - 2}" width="2" height="16" fill="${colour}"/>` : '';
  return `<svg xmlns="http://www.w3.org/2000/svg" width="16" height="16" viewBox="0 0 ${WIDTH} 16" preserveAspectRatio="none"><rect width="${length}" height="16" fill="${colour}"/>${stop}</svg>`;
}
