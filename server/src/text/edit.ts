import type { Span, TextEdit } from './span.js';

/** The text after one edit. The span must lie in the text. */
export const applyEdit = (text: string, edit: TextEdit): string =>
  text.slice(0, edit.span.start) + edit.newText + text.slice(edit.span.end);

/** The text after edits that all refer to the text as given and do not overlap; any order. O(text + edits log edits). */
export function applyEdits(text: string, edits: readonly TextEdit[]): string {
  const sorted = [...edits].sort((a, b) => a.span.start - b.span.start || a.span.end - b.span.end);
  const pieces: string[] = [];
  let at = 0;
  for (const edit of sorted) {
    if (edit.span.start < at) throw new RangeError(`edits overlap at offset ${edit.span.start}`);
    pieces.push(text.slice(at, edit.span.start), edit.newText);
    at = edit.span.end;
  }
  pieces.push(text.slice(at));
  return pieces.join('');
}

const BLOCK = 2048;

/** How many leading characters agree. Blocks are compared whole, which engines do word by word. */
function commonPrefix(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  let n = 0;
  while (n + BLOCK <= most && a.slice(n, n + BLOCK) === b.slice(n, n + BLOCK)) n += BLOCK;
  while (n < most && a.charCodeAt(n) === b.charCodeAt(n)) n++;
  return n;
}

/** How many trailing characters agree, at most `most`. */
function commonSuffix(a: string, b: string, most: number): number {
  let n = 0;
  while (
    n + BLOCK <= most &&
    a.slice(a.length - n - BLOCK, a.length - n) === b.slice(b.length - n - BLOCK, b.length - n)
  )
    n += BLOCK;
  while (n < most && a.charCodeAt(a.length - n - 1) === b.charCodeAt(b.length - n - 1)) n++;
  return n;
}

/** The smallest single edit that turns `before` into `after`, or undefined when they are equal. */
export function smallestEdit(before: string, after: string): TextEdit | undefined {
  if (before === after) return undefined;
  const prefix = commonPrefix(before, after);
  const suffix = commonSuffix(before, after, Math.min(before.length, after.length) - prefix);
  return {
    span: { start: prefix, end: before.length - suffix },
    newText: after.slice(prefix, after.length - suffix),
  };
}

/** What a series of edits, one after the other, did altogether: `old` in the first text became `fresh` in the last. */
export interface Change {
  readonly old: Span;
  readonly fresh: Span;
}

export function changeOf(edit: TextEdit): Change {
  const { start, end } = edit.span;
  return { old: { start, end }, fresh: { start, end: start + edit.newText.length } };
}

/** The smallest single change that covers `first` and then `edit`, whose span refers to the text after `first`. */
export function thenEdit(first: Change, edit: TextEdit): Change {
  const { start, end } = edit.span;
  const delta = first.fresh.end - first.old.end;
  const from = Math.min(first.fresh.start, start);
  const to = Math.max(first.fresh.end, end);
  return {
    old: { start: from, end: to - delta },
    fresh: { start: from, end: to + edit.newText.length - (end - start) },
  };
}

/**
 * A copy that shares no memory with the text that `part` was cut from. Engines keep the whole text alive for a
 * part of it; results that outlive a version of a document would keep every version.
 */
export const detached = (part: string): string => (part.length < 13 ? part : ` ${part}`.slice(1));
