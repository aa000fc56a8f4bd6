import { placeKinds, type PlaceKind } from '../../../../server/src/features/views/data.js';
import { MinHeap } from './heap.js';
import type { Model } from './model.js';

/**
 * Which register is drawn in which column. In every order the registers of one column follow one another without
 * overlapping, so that what is visible of a column is found by a binary search.
 */
export type Order = 'packed' | 'definition' | 'place';

export interface Filter {
  /** Number in `view.classes`, or -1 for all. */
  readonly shownClass: number;
  /** Parts of names, separated by white space; one of them must occur. Empty: all. */
  readonly text: string;
}

/** A name above several columns. */
export interface ColumnGroup {
  readonly column: number;
  readonly span: number;
  readonly label: string;
}

export interface Arrangement {
  readonly columnCount: number;
  /** First column of each register, or -1 where it is not shown. */
  readonly column: Int32Array;
  /** Columns that it spans. */
  readonly span: Uint16Array;
  /** `register[start[c] .. start[c + 1]]`: the registers in column c by their first point; wide ones in each of theirs. */
  readonly start: Int32Array;
  readonly register: Int32Array;
  readonly groups: readonly ColumnGroup[];
  /** How many registers are shown. */
  readonly shown: number;
}

export function arrange(m: Model, order: Order, filter: Filter): Arrangement {
  const chosen = shownRegisters(m, filter);
  const column = new Int32Array(m.registerCount).fill(-1);
  const span = new Uint16Array(m.registerCount).fill(1);
  let columnCount: number;
  let groups: ColumnGroup[] = [];
  if (order === 'definition') {
    chosen.forEach((r, k) => (column[r] = k));
    columnCount = chosen.length;
  } else if (order === 'packed') {
    for (const r of chosen) span[r] = Math.max(1, Math.min(Math.ceil(m.view.registers.width[r]), WIDEST));
    columnCount = pack(m, chosen, span, column, 0);
  } else {
    ({ columnCount, groups } = byPlace(m, chosen, span, column));
  }
  return {
    columnCount,
    column,
    span,
    ...listsOf(chosen, column, span, columnCount),
    groups,
    shown: chosen.length,
  };
}

/** A register of more units is drawn as if it had so many. */
const WIDEST = 32;

/** Registers that are ever live and pass the filter, by their first point. */
function shownRegisters(m: Model, { shownClass, text }: Filter): number[] {
  const { names, class: classes } = m.view.registers;
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const chosen: number[] = [];
  for (let r = 0; r < m.registerCount; r++) {
    if (m.first[r] < 0 || classes[r] < 0) continue;
    if (shownClass >= 0 && classes[r] !== shownClass) continue;
    const name = names[r].toLowerCase();
    if (words.length > 0 && !words.some((word) => name.includes(word))) continue;
    chosen.push(r);
  }
  return chosen.sort((a, b) => m.first[a] - m.first[b] || a - b);
}

/** Points and columns are numbers below this. */
const RADIX = 2 ** 26;

/**
 * Puts each register into the leftmost columns that are free for its whole extent and of its width, new ones at the end
 * where none are. O(n log n). Returns the column behind the last.
 */
function pack(
  m: Model,
  byFirst: readonly number[],
  span: Uint16Array,
  column: Int32Array,
  firstColumn: number,
): number {
  let end = firstColumn;
  /** Ends of extents with their registers. */
  const active = new MinHeap();
  const free = new Map<number, MinHeap>();
  const release = (width: number, at: number): void => {
    let heap = free.get(width);
    if (heap === undefined) free.set(width, (heap = new MinHeap()));
    heap.push(at);
  };
  for (const r of byFirst) {
    for (
      let top = active.peek();
      top !== undefined && Math.floor(top / RADIX) <= m.first[r];
      top = active.peek()
    ) {
      active.pop();
      const ended = top % RADIX;
      release(span[ended], column[ended]);
    }
    const width = span[r];
    let best = -1;
    let bestWidth = 0;
    for (const [freeWidth, heap] of free) {
      const at = heap.peek();
      if (at === undefined || freeWidth < width) continue;
      if (best >= 0 && (freeWidth > bestWidth || (freeWidth === bestWidth && at > best))) continue;
      best = at;
      bestWidth = freeWidth;
    }
    if (best < 0) {
      best = end;
      end += width;
    } else {
      free.get(bestWidth)?.pop();
      if (bestWidth > width) release(bestWidth - width, best + width);
    }
    column[r] = best;
    active.push(m.last[r] * RADIX + r);
  }
  return end;
}

const kindLabels: Readonly<Record<PlaceKind, string>> = {
  register: '',
  spilled: 'spilled',
  recomputed: 'computed again',
  folded: 'copies',
  absorbed: 'absorbed',
  network: 'network',
  unused: 'unread',
  fixed: '',
};

/** A group for each register of the machine, then one for each other fate. */
function byPlace(
  m: Model,
  chosen: readonly number[],
  span: Uint16Array,
  column: Int32Array,
): { columnCount: number; groups: ColumnGroup[] } {
  const { kind, index, placeClass, placeClasses } = m.view.registers;
  const members = new Map<number, number[]>();
  for (const r of chosen) {
    const isPlaced = index[r] >= 0;
    const key = isPlaced ? placeClass[r] * 2 ** 20 + index[r] : 2 ** 40 + kind[r];
    const list = members.get(key);
    if (list === undefined) members.set(key, [r]);
    else list.push(r);
  }
  let columnCount = 0;
  const groups: ColumnGroup[] = [];
  for (const [, list] of [...members].sort(([a], [b]) => a - b)) {
    const end = pack(m, list, span, column, columnCount);
    const r = list[0];
    const word = kindLabels[placeKinds[kind[r]]];
    const initial = (placeClasses[placeClass[r]] ?? '').slice(0, 1).toUpperCase();
    const label = word === '' ? `${initial}${index[r]}` : word;
    groups.push({ column: columnCount, span: end - columnCount, label });
    columnCount = end;
  }
  return { columnCount, groups };
}

/** The registers of each column, in the order of `byFirst`: a counting sort. */
function listsOf(
  byFirst: readonly number[],
  column: Int32Array,
  span: Uint16Array,
  columnCount: number,
): Pick<Arrangement, 'start' | 'register'> {
  const start = new Int32Array(columnCount + 1);
  for (const r of byFirst) for (let k = 0; k < span[r]; k++) start[column[r] + k + 1]++;
  for (let c = 0; c < columnCount; c++) start[c + 1] += start[c];
  const fill = start.slice(0, columnCount);
  const register = new Int32Array(start[columnCount]);
  for (const r of byFirst) for (let k = 0; k < span[r]; k++) register[fill[column[r] + k]++] = r;
  return { start, register };
}

/** Index in `register` of the first one in a column whose extent ends behind a point. */
export function firstEndingAfter(m: Model, a: Arrangement, column: number, point: number): number {
  let low = a.start[column];
  let high = a.start[column + 1];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (m.last[a.register[middle]] <= point) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The register whose extent covers a point of a column, or -1. */
export function registerAt(m: Model, a: Arrangement, column: number, point: number): number {
  if (column < 0 || column >= a.columnCount) return -1;
  const k = firstEndingAfter(m, a, column, point);
  if (k >= a.start[column + 1]) return -1;
  const r = a.register[k];
  return m.first[r] <= point ? r : -1;
}
