import type { Span, TextEdit } from './span.js';

/**
 * Taking elements out of a list such as `%a, %b, %c`, so that what is left looks as if it had been written that way.
 * Repairs of several elements cannot be made one beside the other: two of them want the same comma, and the last one
 * takes the whole statement with it.
 */
export interface ElementList {
  /** In text order, at least one. */
  readonly elements: readonly Span[];
  /** What goes when no element is left. */
  readonly whole: Span;
}

/** An element that a repair takes out. */
export interface RemovedElement {
  readonly list: ElementList;
  readonly index: number;
}

/** Sorted edits that take out the elements of these numbers. */
export function withoutElements({ elements, whole }: ElementList, removed: ReadonlySet<number>): TextEdit[] {
  const edits: TextEdit[] = [];
  const remove = (start: number, end: number): void => void edits.push({ span: { start, end }, newText: '' });
  let k = 0;
  while (k < elements.length && removed.has(k)) k++;
  if (k === elements.length) return [{ span: whole, newText: '' }];
  if (k > 0) remove(elements[0].start, elements[k].start);
  while (k < elements.length) {
    const kept = k++;
    while (k < elements.length && removed.has(k)) k++;
    if (k > kept + 1) remove(elements[kept].end, elements[k - 1].end);
  }
  return edits;
}

/** The number of the element that starts at `start`, or -1. */
export function elementAt({ elements }: ElementList, start: number): number {
  let low = 0;
  let high = elements.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (elements[middle].start < start) low = middle + 1;
    else high = middle;
  }
  return elements[low]?.start === start ? low : -1;
}
