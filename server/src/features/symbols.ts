import type { SymbolKind, UnitSymbol } from '../languages/symbols.js';
import type { Snapshot, Unit } from '../workspace/snapshot.js';
import type { DocumentSymbol, WorkspaceSymbol } from './data.js';
import { rangeIn } from './locate.js';

/** Kinds that an outline shows inside a function; registers are too many to be an outline. */
const innerKinds: ReadonlySet<SymbolKind> = new Set(['label', 'parameter', 'variable', 'prototype', 'block']);

/** The outline: module-level declarations, and in functions their parameters, variables and labels. */
export function documentSymbols(s: Snapshot): DocumentSymbol[] {
  return s.units.flatMap((unit) => symbolsOf(s, unit));
}

function symbolsOf(s: Snapshot, unit: Unit): DocumentSymbol[] {
  const outer: (DocumentSymbol & { readonly children: DocumentSymbol[] })[] = [];
  const inner: DocumentSymbol[] = [];
  for (const symbol of unit.bound.symbols.symbols) {
    if (symbol.declaration === undefined) continue;
    if (symbol.isGlobal) {
      if (symbol.kind !== 'value') outer.push(nodeOf(s, unit, symbol));
    } else if (innerKinds.has(symbol.kind) && symbol.ownDeclaration === undefined)
      inner.push(nodeOf(s, unit, symbol));
  }
  const holder = outer.find((o) => o.kind === 'kernel' || o.kind === 'function') ?? outer.at(0);
  if (holder === undefined) return [];
  const contains = (i: DocumentSymbol): boolean =>
    !isBefore(i.range.start, holder.range.start) && !isBefore(holder.range.end, i.range.end);
  holder.children.push(
    ...inner.filter(contains).sort((a, b) => (isBefore(a.range.start, b.range.start) ? -1 : 1)),
  );
  return outer;
}

const isBefore = (a: { line: number; character: number }, b: { line: number; character: number }): boolean =>
  a.line < b.line || (a.line === b.line && a.character < b.character);

function nodeOf(
  s: Snapshot,
  unit: Unit,
  symbol: UnitSymbol,
): DocumentSymbol & { children: DocumentSymbol[] } {
  const name = symbol.declaration!;
  const whole = symbol.extent ?? name;
  return {
    name: symbol.name,
    detail: symbol.detail,
    kind: symbol.kind,
    range: rangeIn(s, unit, { start: Math.min(whole.start, name.start), end: Math.max(whole.end, name.end) }),
    selectionRange: rangeIn(s, unit, name),
    children: [],
  };
}

/**
 * Module-level names of all documents whose letters contain those of `query` in order, definitions before other
 * declarations of the same name in one document; at most `limit`. Only units with a match are bound.
 */
export function workspaceSymbols(
  snapshots: Iterable<Snapshot>,
  query: string,
  limit = 500,
): WorkspaceSymbol[] {
  const wanted = query.toLowerCase();
  const found: WorkspaceSymbol[] = [];
  for (const s of snapshots) {
    const seen = new Map<string, { readonly at: number; readonly isDefinition: boolean }>();
    for (const unit of s.units)
      for (const declaration of unit.parsed.declares) {
        if (!containsInOrder(declaration.name.toLowerCase(), wanted)) continue;
        const known = seen.get(declaration.name);
        if (known !== undefined && (known.isDefinition || !declaration.isDefinition)) continue;
        const kind = unit.bound.symbols.symbols.find((x) => x.isGlobal && x.name === declaration.name)?.kind;
        if (kind === undefined || kind === 'value') continue;
        const at = known?.at ?? found.length;
        if (at >= limit) return found;
        seen.set(declaration.name, { at, isDefinition: declaration.isDefinition });
        found[at] = {
          name: declaration.name,
          kind,
          location: { uri: s.uri, range: rangeIn(s, unit, declaration.span) },
        };
      }
  }
  return found;
}

function containsInOrder(name: string, wanted: string): boolean {
  let at = 0;
  for (let k = 0; k < name.length && at < wanted.length; k++) if (name[k] === wanted[at]) at++;
  return at === wanted.length;
}
