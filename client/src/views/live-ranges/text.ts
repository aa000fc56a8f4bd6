import { placeKinds, type ClassView } from '../../../../server/src/features/views/data.js';
import { lastIn, lineOfRow, liveDuring, nextIn, segmentAt, type Model } from './model.js';

/** The picture in words: for tooltips, for the table beside it, and for those who do not see it. */

const count = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? '' : 's'}`;

/** One-based line of an instruction, as a person counts. */
export const lineName = (m: Model, row: number): number => lineOfRow(m, row) + 1;

const MOST_LINES = 6;

function linesOf(m: Model, rows: Iterable<number>): string {
  const lines = [...new Set([...rows].map((row) => lineName(m, row)))];
  if (lines.length === 0) return 'never';
  if (lines.length <= MOST_LINES) return lines.join(', ');
  return `${lines.slice(0, MOST_LINES - 1).join(', ')}, … ${lines[lines.length - 1]} (${lines.length})`;
}

const part = (start: Int32Array, all: Int32Array, r: number): Int32Array =>
  all.subarray(start[r], start[r + 1]);

export const definitionsOf = (m: Model, r: number): Int32Array => part(m.definitionStart, m.definitions, r);
export const usesOf = (m: Model, r: number): Int32Array => part(m.useStart, m.uses, r);

/** `4–9, 12`: the lines of the segments. */
function liveLines(m: Model, r: number): string {
  const words: string[] = [];
  const end = m.segmentStart[r + 1];
  for (let k = m.segmentStart[r]; k < end; k++) {
    const from = lineName(m, m.from[k] >> 1);
    const to = lineName(m, (m.to[k] - 1) >> 1);
    words.push(from === to ? `${from}` : `${from}–${to}`);
    if (words.length === MOST_LINES && k + 2 < end) {
      words.push(`… ${lineName(m, (m.to[end - 1] - 1) >> 1)}`);
      break;
    }
  }
  return words.length === 0 ? 'never' : words.join(', ');
}

const sizeWords = (width: number, unit: string | undefined): string =>
  unit === undefined ? `${width}` : width < 1 ? `${width} of a ${unit}` : count(width, unit);

/** A payload is there before the function begins. */
function writtenWords(m: Model, r: number): string {
  const lines = linesOf(m, definitionsOf(m, r));
  if (!isFixed(m, r) || m.first[r] !== 0) return lines;
  return lines === 'never' ? 'before the first instruction' : `before the first instruction; ${lines}`;
}

/** What is known of a register, as pairs of name and text. */
export function registerFacts(m: Model, r: number): (readonly [name: string, text: string])[] {
  const { registers, classes, spills } = m.view;
  const shownClass = classes[registers.class[r]];
  const facts: (readonly [string, string])[] = [
    ['Place', registers.place[r]],
    ['Size', sizeWords(registers.width[r], shownClass?.unit)],
    ['Written', writtenWords(m, r)],
    ['Read', linesOf(m, usesOf(m, r))],
    ['Live', liveLines(m, r)],
  ];
  const spill = spills[m.spillOf[r]];
  if (spill !== undefined) {
    facts.push(['Stored after', linesOf(m, spill.stores)], ['Reloaded before', linesOf(m, spill.reloads)]);
    facts.push(['Why', spill.reason]);
  }
  return facts;
}

/** One live register in a row of the table. */
export interface LiveRow {
  readonly register: number;
  readonly name: string;
  readonly place: string;
  /** What the instruction does with it, or when it is next read. */
  readonly role: string;
}

/** Who is live while an instruction executes: first what it touches, then by the distance to the next use, far ones first. */
export function liveRows(m: Model, row: number, shownClass: number): LiveRow[] {
  if (row < 0 || row >= m.count) return [];
  const { registers } = m.view;
  return liveDuring(m, row, shownClass)
    .map((register) => {
      const reads = lastIn(m.useStart, m.uses, register, row) === row;
      const writes = lastIn(m.definitionStart, m.definitions, register, row) === row;
      const next = nextIn(m.useStart, m.uses, register, row + 1);
      const role = roleWords(m, register, row, reads, writes, next);
      const distance = reads || writes ? -1 : next < 0 ? m.count : next - row;
      return { register, name: registers.names[register], place: registers.place[register], role, distance };
    })
    .sort(
      (a, b) =>
        (a.distance < 0 ? 0 : 1) - (b.distance < 0 ? 0 : 1) ||
        b.distance - a.distance ||
        a.register - b.register,
    )
    .map(({ register, name, place, role }) => ({ register, name, place, role }));
}

function roleWords(m: Model, r: number, row: number, reads: boolean, writes: boolean, next: number): string {
  const isLast = reads && !writes && segmentAt(m, r, 2 * row + 1) < 0;
  if (reads && writes) return 'read and written here';
  if (writes) return 'written here';
  if (isLast) return 'last read here';
  if (reads) return 'read here';
  if (next >= 0) return `next read: ${lineName(m, next)}`;
  return isFixed(m, r) ? 'held, not read below' : 'next read: next turn';
}

/** What an instruction needs and does, in one sentence or two. */
export function rowWords(m: Model, row: number, shownClass: number): string {
  if (row < 0 || row >= m.count) return 'No instruction.';
  const k = Math.max(0, shownClass);
  const pressure = m.view.classes[k];
  const line = `Line ${lineName(m, row)}: ${m.texts[row].replace(/;$/, '')}.`;
  return pressure === undefined ? line : `${line} ${liveWords(pressure, row)}`;
}

/** `Live: 26 as written, the peak; 15 as compiled, in 32-bit registers.` */
export function liveWords(
  { asWritten, asCompiled, peakWritten, peakCompiled, unit }: ClassView,
  row: number,
): string {
  const peak = (value: number, most: number): string => (value === most && most > 0 ? ', the peak' : '');
  const written = `${asWritten[row]} as written${peak(asWritten[row], peakWritten)}`;
  const compiled = `${asCompiled[row]} as compiled${peak(asCompiled[row], peakCompiled)}`;
  return `Live: ${written}; ${compiled}; in ${unit}s.`;
}

/** The line and who is live there, for a screen reader. */
export function rowAnnouncement(m: Model, row: number, shownClass: number): string {
  const rows = liveRows(m, row, shownClass);
  const named = rows.slice(0, 8).map(({ name, role }) => `${name}, ${role}`);
  const rest = rows.length > named.length ? `; and ${rows.length - named.length} more` : '';
  const live = rows.length === 0 ? 'Nothing is live.' : `Live: ${named.join('; ')}${rest}.`;
  return `${rowWords(m, row, shownClass)} ${live}`;
}

/** The whole picture in some sentences. */
export function summaryWords(m: Model): string {
  const { view } = m;
  const parts = [
    `Live ranges of ${view.name}, ${view.model}: ${count(m.count, 'instruction')}, ${count(m.virtualCount, 'virtual register')}.`,
  ];
  const fixed = view.registers.names.slice(m.virtualCount);
  if (fixed.length > 0)
    parts.push(
      `Beside them hold values: ${fixed.slice(0, 6).join(', ')}${fixed.length > 6 ? ` and ${fixed.length - 6} more` : ''}.`,
    );
  view.classes.forEach((c, k) => {
    if (c.peakWritten === 0 && c.peakCompiled === 0) return;
    const limit = k === 0 ? `; the limit is ${view.limit}` : '';
    const written =
      c.peakWrittenAt >= 0 && c.peakWrittenAt < m.count ? ` in line ${lineName(m, c.peakWrittenAt)}` : '';
    const compiled =
      c.peakCompiledAt >= 0 && c.peakCompiledAt < m.count ? ` in line ${lineName(m, c.peakCompiledAt)}` : '';
    parts.push(
      `Of ${c.name}, at most ${count(c.peakWritten, c.unit)} as written${written} and ${c.peakCompiled} as compiled${compiled}${limit}.`,
    );
  });
  if (view.spills.length === 0) parts.push('Nothing is spilled.');
  else {
    const named = view.spills
      .slice(0, 6)
      .map(
        ({ register, stores, reloads }) =>
          `${view.registers.names[register]} (${count(stores.length, 'store')}, ${count(reloads.length, 'reload')})`,
      );
    const rest = view.spills.length > named.length ? ` and ${view.spills.length - named.length} more` : '';
    parts.push(`Spilled: ${named.join(', ')}${rest}.`);
  }
  return parts.join(' ');
}

/** A register of the machine, that no virtual one stands for. */
export const isFixed = (m: Model, r: number): boolean => r >= m.virtualCount;

/** Whether a register holds its value in a register only where it is touched, and what that is called. */
export const kindOf = (m: Model, r: number): (typeof placeKinds)[number] =>
  placeKinds[m.view.registers.kind[r]];
