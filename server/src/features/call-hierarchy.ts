import { Role, type UnitSymbol } from '../languages/symbols.js';
import type { Position, Range } from '../text/span.js';
import type { Snapshot, Unit } from '../workspace/snapshot.js';
import type { Call, CallHierarchyItem } from './data.js';
import { globalSymbols, occurrenceIn, occurrencesInUnit, occurrenceSpan, rangeIn } from './locate.js';

/** Who calls whom, over the calls that name their callee. An item is found again by its name. */
export function prepareCallHierarchy(s: Snapshot, position: Position): CallHierarchyItem | undefined {
  const at = occurrenceIn(s, position);
  if (at === undefined || !isCallable(at.symbol)) return undefined;
  return itemOf(s, at.symbol.name);
}

const isCallable = (symbol: UnitSymbol): boolean =>
  symbol.isGlobal && (symbol.kind === 'function' || symbol.kind === 'kernel');

/** The definition of a function, or its first declaration; undefined when the document has none. */
function itemOf(s: Snapshot, name: string): CallHierarchyItem | undefined {
  const declared = s.declarations(name);
  const chosen = declared.find((d) => d.declaration.isDefinition) ?? declared.at(0);
  if (chosen === undefined) return undefined;
  const { unit, declaration } = chosen;
  const symbol = unit.bound.symbols.symbols.find((x) => isCallable(x) && x.name === name);
  if (symbol === undefined) return undefined;
  return {
    name,
    kind: symbol.kind,
    detail: symbol.detail,
    uri: s.uri,
    range: rangeIn(s, unit, declaration.extent),
    selectionRange: rangeIn(s, unit, declaration.span),
  };
}

export function incomingCalls(s: Snapshot, name: string): Call[] {
  const byCaller = new Map<string, Range[]>();
  for (const { unit, symbolNumber } of globalSymbols(s, name)) {
    const places = callPlaces(s, unit, symbolNumber);
    const caller = places.length > 0 ? callerOf(unit) : undefined;
    if (caller === undefined) continue;
    const known = byCaller.get(caller);
    if (known === undefined) byCaller.set(caller, places);
    else known.push(...places);
  }
  return callsOf(s, byCaller);
}

export function outgoingCalls(s: Snapshot, name: string): Call[] {
  const byCallee = new Map<string, Range[]>();
  for (const { unit, declaration } of s.declarations(name)) {
    if (!declaration.isDefinition) continue;
    const { symbols, occurrenceSymbol, occurrenceRole } = unit.bound.symbols;
    for (let k = 0; k < occurrenceSymbol.length; k++) {
      const symbol = symbols[occurrenceSymbol[k]];
      if ((occurrenceRole[k] & Role.Call) === 0 || !isCallable(symbol)) continue;
      const range = rangeIn(s, unit, occurrenceSpan(unit, k));
      const known = byCallee.get(symbol.name);
      if (known === undefined) byCallee.set(symbol.name, [range]);
      else known.push(range);
    }
  }
  return callsOf(s, byCallee);
}

function callPlaces(s: Snapshot, unit: Unit, symbolNumber: number): Range[] {
  const { occurrenceRole } = unit.bound.symbols;
  return occurrencesInUnit(unit, symbolNumber)
    .filter((k) => (occurrenceRole[k] & Role.Call) !== 0)
    .map((k) => rangeIn(s, unit, occurrenceSpan(unit, k)));
}

/** A unit holds one function; its calls are that function's. */
const callerOf = (unit: Unit): string | undefined =>
  unit.parsed.declares.find(
    (d) => d.isDefinition && unit.bound.symbols.symbols.some((x) => isCallable(x) && x.name === d.name),
  )?.name;

const callsOf = (s: Snapshot, places: ReadonlyMap<string, readonly Range[]>): Call[] =>
  [...places].flatMap(([name, ranges]) => {
    const item = itemOf(s, name);
    return item === undefined ? [] : [{ item, places: ranges }];
  });
