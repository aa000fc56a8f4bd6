import { occurrenceAt, Role, type SymbolIndex, type UnitSymbol } from '../languages/symbols.js';
import { shift, touches, type Position, type Range, type Span } from '../text/span.js';
import type { Snapshot, Unit } from '../workspace/snapshot.js';

/** From places in documents to names in units and back: what every feature starts and ends with. */

/** A name under a cursor. */
export interface Occurrence {
  readonly unit: Unit;
  /** Number in the unit's `SymbolIndex`. */
  readonly index: number;
  /** Number of its symbol there. */
  readonly symbolNumber: number;
  readonly symbol: UnitSymbol;
}

export const rangeIn = (s: Snapshot, unit: Unit, place: Span): Range =>
  s.lines.range(shift(place, unit.start));

export const spanOfRange = (s: Snapshot, range: Range): Span => {
  const start = s.lines.offsetAt(range.start);
  return { start, end: Math.max(start, s.lines.offsetAt(range.end)) };
};

/** The name that the position touches. At the border of two names the later one, at the border of two units too. */
export function occurrenceIn(s: Snapshot, position: Position): Occurrence | undefined {
  const offset = s.lines.offsetAt(position);
  const unit = s.unitAt(offset);
  const found = inUnit(unit, offset);
  if (found !== undefined || offset !== unit.start || unit.index === 0) return found;
  return inUnit(s.units[unit.index - 1], offset);
}

function inUnit(unit: Unit, offset: number): Occurrence | undefined {
  const { symbols } = unit.bound;
  const index = occurrenceAt(symbols, offset - unit.start);
  if (index < 0) return declaredAt(unit, offset - unit.start);
  const symbolNumber = symbols.occurrenceSymbol[index];
  return { unit, index, symbolNumber, symbol: symbols.symbols[symbolNumber] };
}

/** A symbol whose declaration the offset touches though no occurrence is there. */
function declaredAt(unit: Unit, offset: number): Occurrence | undefined {
  const { symbols } = unit.bound.symbols;
  for (const symbolNumber of byName(unit).silent) {
    const symbol = symbols[symbolNumber];
    if (symbol.declaration !== undefined && touches(symbol.declaration, offset))
      return { unit, index: -1, symbolNumber, symbol };
  }
  return undefined;
}

/** Occurrences sorted by symbol, made when a unit is first asked about. */
interface ByName {
  /** Occurrences of symbol s: `occurrence[start[s] .. start[s + 1]]`, in text order. */
  readonly start: Int32Array;
  readonly occurrence: Int32Array;
  /** Symbols that are declared at a place of their own where no occurrence is. A range that declares many is none. */
  readonly silent: readonly number[];
}

const indices = new WeakMap<SymbolIndex, ByName>();

function byName(unit: Unit): ByName {
  const index = unit.bound.symbols;
  let known = indices.get(index);
  if (known === undefined) indices.set(index, (known = sortByName(index)));
  return known;
}

function sortByName(index: SymbolIndex): ByName {
  const { symbols, occurrenceSymbol, occurrenceStart } = index;
  const start = new Int32Array(symbols.length + 1);
  for (const symbol of occurrenceSymbol) start[symbol + 1]++;
  for (let k = 0; k < symbols.length; k++) start[k + 1] += start[k];
  const fill = start.slice(0, symbols.length);
  const occurrence = new Int32Array(occurrenceSymbol.length);
  for (let k = 0; k < occurrenceSymbol.length; k++) occurrence[fill[occurrenceSymbol[k]]++] = k;
  const silent: number[] = [];
  for (let k = 0; k < symbols.length; k++) {
    const { declaration, ownDeclaration } = symbols[k];
    if (declaration === undefined || ownDeclaration !== undefined) continue;
    const own = occurrence.subarray(start[k], start[k + 1]);
    if (!own.some((o) => occurrenceStart[o] === declaration.start)) silent.push(k);
  }
  return { start, occurrence, silent };
}

export const occurrenceSpan = (unit: Unit, index: number): Span => ({
  start: unit.bound.symbols.occurrenceStart[index],
  end: unit.bound.symbols.occurrenceEnd[index],
});

/** Occurrences of one symbol in its unit, in text order. */
export function occurrencesInUnit(unit: Unit, symbolNumber: number): number[] {
  const { start, occurrence } = byName(unit);
  return Array.from(occurrence.subarray(start[symbolNumber], start[symbolNumber + 1]));
}

/** True when the unit names `name` or leaves it open. O(log mentions). */
export function mentions(unit: Unit, name: string): boolean {
  const list = unit.parsed.mentions;
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (list[middle] < name) low = middle + 1;
    else high = middle;
  }
  return low < list.length && list[low] === name;
}

/** The units' own symbols that mean the module-level name; only units that mention it are bound. */
export function* globalSymbols(s: Snapshot, name: string): Generator<{ unit: Unit; symbolNumber: number }> {
  const declaring = new Set(s.declarations(name).map((d) => d.unit.index));
  for (const unit of s.units) {
    if (!declaring.has(unit.index) && !mentions(unit, name)) continue;
    const { symbols } = unit.bound.symbols;
    for (let k = 0; k < symbols.length; k++)
      if (symbols[k].isGlobal && symbols[k].name === name) yield { unit, symbolNumber: k };
  }
}

/** A place where the symbol stands; `index` is -1 for a declaration that names several (`%r<10>`). */
export interface Place {
  readonly unit: Unit;
  readonly index: number;
  readonly span: Span;
  readonly role: number;
}

/** Everywhere that the symbol stands in the document, its shared declaration included, in text order. */
export function placesOf(s: Snapshot, at: Occurrence): Place[] {
  const places: Place[] = [];
  const holders = at.symbol.isGlobal
    ? globalSymbols(s, at.symbol.name)
    : [{ unit: at.unit, symbolNumber: at.symbolNumber }];
  for (const { unit, symbolNumber } of holders) {
    const { occurrenceRole, symbols } = unit.bound.symbols;
    const own: Place[] = occurrencesInUnit(unit, symbolNumber).map((index) => ({
      unit,
      index,
      span: occurrenceSpan(unit, index),
      role: occurrenceRole[index],
    }));
    const d = symbols[symbolNumber].declaration;
    if (d !== undefined && !own.some((p) => p.span.start === d.start))
      own.push({ unit, index: -1, span: d, role: Role.Declaration });
    places.push(...own.sort((a, b) => a.span.start - b.span.start));
  }
  return places;
}

/** Number of the last instruction that starts at or before `offset` (relative to the unit), or -1. O(log instructions). */
export function instructionBefore(spanStart: Int32Array, offset: number): number {
  let low = 0;
  let high = spanStart.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (spanStart[middle] <= offset) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** First and last unit that the span touches. */
export function unitsIn(s: Snapshot, place: Span): readonly Unit[] {
  const first = s.unitAt(place.start).index;
  const last = s.unitAt(place.end).index;
  return s.units.slice(first, last + 1);
}
