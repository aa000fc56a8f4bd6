/**
 * Cutting a text into units, and again after a change. A unit's end depends on its own text and on the two tokens
 * behind it (contract of `Language.unitEnd`), and a unit may be one token; therefore cutting begins two units before
 * the one that the change touches, and stops at the first old boundary behind the change: what follows is the same
 * text from there on.
 */
import type { Language } from '../languages/language.js';
import type { Change } from '../text/edit.js';
import type { LineIndex } from '../text/line-index.js';

/** The end of the unit at `start`; a language that breaks its contract cannot make the loop stand still. */
function unitEnd(language: Language, text: string, start: number): number {
  const end = language.unitEnd(text, start);
  return end > start && end <= text.length ? end : text.length;
}

/** Where the units start, and the text's length as the last element. An empty text is one empty unit. */
export function split(language: Language, text: string): Int32Array {
  const starts: number[] = [0];
  let at = 0;
  while (at < text.length) {
    at = unitEnd(language, text, at);
    starts.push(at);
  }
  if (starts.length === 1) starts.push(0);
  return new Int32Array(starts);
}

/** Old units that hold all tokens behind a unit that its end depends on. */
const LOOKAHEAD = 2;

/** Units `[first, oldEnd)` of the old text are replaced by the units that start at `starts`; the later ones move. */
export interface Resplit {
  readonly first: number;
  readonly oldEnd: number;
  /** Starts of the new units and, last, the end of the last one. */
  readonly starts: readonly number[];
}

export function resplit(language: Language, lines: LineIndex, old: Int32Array, change: Change): Resplit {
  const count = old.length - 1;
  const touched = unitIndexAt(old, Math.max(0, change.old.start - 1));
  const first = Math.max(0, touched - 2);
  let until = touched + 1;
  while (until < count && old[until] < change.old.end) until++;
  for (;;) {
    until = Math.min(count, until + LOOKAHEAD);
    const found = resplitUntil(language, lines, old, change, first, until);
    if (found !== undefined) return found;
    until += until - first;
  }
}

/**
 * Cuts the text from old unit `first` to the start of old unit `until`. Undefined when a unit reaches that far, or so
 * near that what its end depends on may not be there whole.
 */
function resplitUntil(
  language: Language,
  lines: LineIndex,
  old: Int32Array,
  change: Change,
  first: number,
  until: number,
): Resplit | undefined {
  const count = old.length - 1;
  const delta = change.fresh.end - change.old.end;
  const from = old[first];
  const to = until === count ? lines.length : old[until] + delta;
  const text = lines.slice(from, to);
  const starts: number[] = [from];
  let candidate = first;
  let at = from;
  while (at < to) {
    if (at >= change.fresh.end) {
      while (candidate < count && (old[candidate] < change.old.end || old[candidate] + delta < at))
        candidate++;
      if (old[candidate] + delta === at && candidate < count)
        return until === count || candidate + LOOKAHEAD <= until
          ? { first, oldEnd: candidate, starts }
          : undefined;
    }
    at = from + unitEnd(language, text, at - from);
    if (at >= to && until < count) return undefined;
    starts.push(at);
  }
  return { first, oldEnd: count, starts };
}

/** The unit that holds `offset`: at a boundary the later one, at the text's end the last one. */
export function unitIndexAt(starts: Int32Array, offset: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low + 1 < high) {
    const middle = (low + high) >>> 1;
    if (starts[middle] <= offset) low = middle;
    else high = middle;
  }
  return low;
}

/** The new starts array: the old one with the replaced part exchanged and the rest moved. */
export function splicedStarts(old: Int32Array, cut: Resplit, delta: number): Int32Array {
  const replaced = cut.starts.length - 1;
  const result = new Int32Array(cut.first + replaced + (old.length - cut.oldEnd));
  result.set(old.subarray(0, cut.first));
  result.set(cut.starts.slice(0, replaced), cut.first);
  for (let i = cut.oldEnd, o = cut.first + replaced; i < old.length; i++, o++) result[o] = old[i] + delta;
  return result;
}
