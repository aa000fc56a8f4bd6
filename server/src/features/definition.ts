import type { Position, Span } from '../text/span.js';
import type { Snapshot, Unit } from '../workspace/snapshot.js';
import { Role } from '../languages/symbols.js';
import type { Location } from './data.js';
import {
  occurrenceIn,
  occurrencesInUnit,
  occurrenceSpan,
  placesOf,
  rangeIn,
  type Occurrence,
} from './locate.js';
import { definitionPlaces } from './reaching.js';

/**
 * Where a name's value comes from. For a register that is every definition that may reach the use under the cursor
 * (in a loop the one before it and the one from the round before), of a physical register every write; on a
 * definition it is that definition. For all other names it is the declaration with the body, or the declarations when
 * there is none.
 */
export function definition(s: Snapshot, position: Position): Location[] {
  const at = occurrenceIn(s, position);
  if (at === undefined) return [];
  const spans = isRegister(at) ? registerDefinitions(s, at) : [];
  if (spans.length > 0) return spans.map((span) => ({ uri: s.uri, range: rangeIn(s, at.unit, span) }));
  const declared = placesOf(s, at).filter((p) => (p.role & Role.Declaration) !== 0);
  const bodies = declared.filter((p) => (p.role & Role.Definition) !== 0);
  return (bodies.length > 0 ? bodies : declared).map((p) => ({
    uri: s.uri,
    range: rangeIn(s, p.unit, p.span),
  }));
}

/** The line that declares the name: of a register the directive, of a function every declaration of it. */
export function declaration(s: Snapshot, position: Position): Location[] {
  const at = occurrenceIn(s, position);
  if (at === undefined) return [];
  return placesOf(s, at)
    .filter((p) => (p.role & Role.Declaration) !== 0)
    .map((p) => ({ uri: s.uri, range: rangeIn(s, p.unit, p.span) }));
}

const isRegister = (at: Occurrence): boolean =>
  at.symbol.kind === 'register' || at.symbol.kind === 'predicate';

function registerDefinitions(s: Snapshot, at: Occurrence): readonly Span[] {
  const { unit, index, symbolNumber } = at;
  const { occurrenceRole, occurrenceInstruction } = unit.bound.symbols;
  const role = index < 0 ? Role.Declaration : occurrenceRole[index];
  if ((role & (Role.Write | Role.Read)) === Role.Write) return [occurrenceSpan(unit, index)];
  const instruction = index < 0 ? -1 : occurrenceInstruction[index];
  if ((role & Role.Read) === 0 || instruction < 0) return writesOf(unit, symbolNumber);
  const place = occurrenceSpan(unit, index);
  const precise = s.language.definitionsReaching?.(unit.bound, place.start);
  if (precise !== undefined) return precise;
  const found = definitionPlaces(unit, place, instruction, at.symbol.register);
  return found.length === 0 && at.symbol.register < 0 ? writesOf(unit, symbolNumber) : found;
}

function writesOf(unit: Unit, symbolNumber: number): Span[] {
  const { occurrenceRole } = unit.bound.symbols;
  return occurrencesInUnit(unit, symbolNumber)
    .filter((k) => (occurrenceRole[k] & Role.Write) !== 0)
    .map((k) => occurrenceSpan(unit, k));
}
