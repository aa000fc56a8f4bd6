import type { Arrangement } from './columns.js';
import { registerAt } from './columns.js';
import type { Model } from './model.js';

/** Where things are: rows and columns to pixels and back. All lengths are CSS pixels of the canvas. */

export interface Viewport {
  readonly scrollX: number;
  readonly scrollY: number;
  readonly width: number;
  readonly height: number;
  readonly rowHeight: number;
}

/** The parts from left to right: line numbers, loops, text, pressure, registers. */
export interface Frame {
  readonly headerHeight: number;
  readonly numbers: number;
  readonly loops: number;
  readonly text: number;
  readonly pressure: number;
  /** Where the registers begin. */
  readonly registers: number;
  readonly columnWidth: number;
}

export const HEADER_HEIGHT = 40;
export const LARGEST_ROW = 28;
/** Rows of less show no text. */
export const TEXT_ROW = 12;
/** Rows of less show no single definitions and uses. */
export const MARK_ROW = 5;
const LOOP_STEP = 4;
const GAP = 12;
/** A narrow canvas gives its width to the registers. */
const NARROW = 620;

export function frameOf(m: Model, { rowHeight, width }: Viewport): Frame {
  const digits = `${m.view.line + (m.count === 0 ? 0 : m.line[m.count - 1]) + 1}`.length;
  const numbers = 14 + 8 * Math.max(3, digits);
  const loops = m.deepestLoop === 0 ? 0 : 4 + LOOP_STEP * Math.min(m.deepestLoop, 6);
  const text = rowHeight < TEXT_ROW ? 0 : Math.round(Math.max(120, Math.min(310, width * 0.27)));
  const pressure = width < NARROW ? 90 : Math.round(Math.max(120, Math.min(220, width * 0.17)));
  return {
    headerHeight: HEADER_HEIGHT,
    numbers,
    loops,
    text,
    pressure,
    registers: numbers + loops + text + pressure + 2 * GAP,
    columnWidth: Math.max(5, Math.min(14, Math.round(rowHeight * 0.7))),
  };
}

/** Where the pressure curve begins. */
export const pressureLeft = (frame: Frame): number => frame.numbers + frame.loops + frame.text + GAP;

/** Size of everything that can be scrolled to. */
export function contentSize(
  m: Model,
  a: Arrangement,
  frame: Frame,
  rowHeight: number,
): { width: number; height: number } {
  return {
    width: frame.registers + a.columnCount * frame.columnWidth + 24,
    height: frame.headerHeight + m.count * rowHeight + rowHeight,
  };
}

/** Rows of which a part is visible, end excluded. */
export function visibleRows(
  { scrollY, height, rowHeight }: Viewport,
  { headerHeight }: Frame,
  count: number,
): readonly [first: number, end: number] {
  const first = Math.max(0, Math.floor(scrollY / rowHeight));
  const end = Math.min(count, Math.ceil((scrollY + height - headerHeight) / rowHeight));
  return [Math.min(first, count), Math.max(Math.min(first, count), end)];
}

/** Columns of which a part is visible, end excluded. */
export function visibleColumns(
  { scrollX, width }: Viewport,
  { registers, columnWidth }: Frame,
  columnCount: number,
): readonly [first: number, end: number] {
  const first = Math.max(0, Math.floor(scrollX / columnWidth));
  const end = Math.min(columnCount, Math.ceil((scrollX + width - registers) / columnWidth));
  return [Math.min(first, columnCount), Math.max(Math.min(first, columnCount), end)];
}

export const rowTop = ({ scrollY, rowHeight }: Viewport, { headerHeight }: Frame, row: number): number =>
  headerHeight + row * rowHeight - scrollY;

/** The middle of the row's upper half is where it reads, that of its lower half where it writes. */
export const pointTop = (v: Viewport, frame: Frame, point: number): number =>
  rowTop(v, frame, 0) + (point / 2) * v.rowHeight;

export const columnLeft = (
  { scrollX }: Viewport,
  { registers, columnWidth }: Frame,
  column: number,
): number => registers + column * columnWidth - scrollX;

export type Part = 'header' | 'numbers' | 'text' | 'pressure' | 'registers';

export interface Hit {
  readonly part: Part;
  /** The instruction there, or -1. */
  readonly row: number;
  /** The register whose extent is there, or -1. */
  readonly register: number;
}

/** What is drawn at a pixel. */
export function hitAt(m: Model, a: Arrangement, v: Viewport, frame: Frame, x: number, y: number): Hit {
  const inside = y - frame.headerHeight + v.scrollY;
  const found = Math.floor(inside / v.rowHeight);
  const row = y >= frame.headerHeight && found >= 0 && found < m.count ? found : -1;
  if (y < frame.headerHeight) return { part: 'header', row: -1, register: -1 };
  if (x < frame.numbers) return { part: 'numbers', row, register: -1 };
  if (x < pressureLeft(frame)) return { part: 'text', row, register: -1 };
  if (x < frame.registers) return { part: 'pressure', row, register: -1 };
  if (row < 0) return { part: 'registers', row, register: -1 };
  const column = Math.floor((x - frame.registers + v.scrollX) / frame.columnWidth);
  const point = Math.floor((2 * inside) / v.rowHeight);
  // a point is half a row high: in small rows the neighbour is meant as well
  const register = registerAt(m, a, column, point);
  const beside = register >= 0 ? register : registerAt(m, a, column, point % 2 === 0 ? point + 1 : point - 1);
  return { part: 'registers', row, register: beside };
}

/** The smallest row height: the whole function is visible, or a pixel holds some instructions. */
export const fitRow = (count: number, height: number): number =>
  Math.min(LARGEST_ROW, Math.max((height - HEADER_HEIGHT) / Math.max(1, count + 1), 0.02));

/** Another row height, such that what is at `y` stays there. */
export function zoomed(
  { scrollY, rowHeight, height }: Viewport,
  count: number,
  wanted: number,
  y: number,
): { readonly rowHeight: number; readonly scrollY: number } {
  const next = Math.min(LARGEST_ROW, Math.max(wanted, Math.min(fitRow(count, height), LARGEST_ROW)));
  const at = (scrollY + Math.max(0, y - HEADER_HEIGHT)) / rowHeight;
  return { rowHeight: next, scrollY: Math.max(0, at * next - Math.max(0, y - HEADER_HEIGHT)) };
}

/** The scroll position in which a row is visible, as near to the current one as there is; centred where it is far away. */
export function revealed({ scrollY, height, rowHeight }: Viewport, row: number): number {
  const room = height - HEADER_HEIGHT;
  const top = row * rowHeight;
  const margin = Math.max(0, Math.min(2 * rowHeight, (room - rowHeight) / 2));
  if (top - margin >= scrollY && top + rowHeight + margin <= scrollY + room) return scrollY;
  const isFar = top < scrollY - room / 2 || top > scrollY + 1.5 * room;
  if (isFar) return Math.max(0, top - (room - rowHeight) / 2);
  return Math.max(0, top - margin < scrollY ? top - margin : top + rowHeight + margin - room);
}

/** The scale of the pressure curve: units at its right end, and what of the limit and the steps lies inside. */
export function pressureScale(
  peak: number,
  limit: number,
  steps: readonly { readonly registers: number; readonly warps: number }[],
): {
  readonly most: number;
  readonly showsLimit: boolean;
  readonly steps: readonly { registers: number; warps: number }[];
} {
  const next = steps.find(({ registers }) => registers >= peak)?.registers ?? 0;
  const showsLimit = limit > 0 && limit <= Math.max(2 * peak, 8);
  const most = Math.max(4, peak * 1.08, showsLimit ? limit * 1.04 : 0, next <= 2 * peak ? next * 1.04 : 0);
  return { most, showsLimit, steps: steps.slice(0, -1).filter(({ registers }) => registers <= most) };
}
