import type { BoundUnit } from '../languages/language.js';
import type { SymbolKind, UnitSymbol } from '../languages/symbols.js';
import type { Span } from '../text/span.js';
import type { Snapshot, Unit } from '../workspace/snapshot.js';
import type { DocumentSymbol, WorkspaceSymbol } from './data.js';
import { rangeIn } from './locate.js';

/** Kinds that an outline shows inside a function; registers are too many to be an outline. */
const innerKinds: ReadonlySet<SymbolKind> = new Set(['label', 'parameter', 'variable', 'prototype', 'block']);

/**
 * The outline: module-level declarations, and in functions their parameters, variables and labels; where no function
 * has a name (a shader program need not), those stand alone.
 */
export function documentSymbols(s: Snapshot): DocumentSymbol[] {
  return s.units.flatMap((unit) => outlineOf(unit.bound).map((node) => placed(s, unit, node)));
}

/** A symbol of the outline, relative to its unit. */
interface Node {
  readonly symbol: UnitSymbol;
  readonly whole: Span;
  readonly name: Span;
  readonly children: Node[];
}

const outlines = new WeakMap<BoundUnit, readonly Node[]>();

function outlineOf(bound: BoundUnit): readonly Node[] {
  let known = outlines.get(bound);
  if (known === undefined) outlines.set(bound, (known = makeOutline(bound)));
  return known;
}

function makeOutline(bound: BoundUnit): readonly Node[] {
  const outer: Node[] = [];
  const inner: Node[] = [];
  for (const symbol of bound.symbols.symbols) {
    if (symbol.declaration === undefined) continue;
    if (symbol.isGlobal) {
      if (symbol.kind !== 'value') outer.push(nodeOf(symbol, symbol.declaration));
    } else if (innerKinds.has(symbol.kind) && symbol.ownDeclaration === undefined)
      inner.push(nodeOf(symbol, symbol.declaration));
  }
  const holder = outer.find(({ symbol }) => symbol.kind === 'kernel' || symbol.kind === 'function');
  if (holder === undefined) return [...outer, ...inner].sort((a, b) => a.whole.start - b.whole.start);
  holder.children.push(
    ...inner
      .filter(({ whole }) => holder.whole.start <= whole.start && whole.end <= holder.whole.end)
      .sort((a, b) => a.whole.start - b.whole.start),
  );
  return outer;
}

function nodeOf(symbol: UnitSymbol, name: Span): Node {
  const { extent } = symbol;
  const whole =
    extent === undefined
      ? name
      : { start: Math.min(extent.start, name.start), end: Math.max(extent.end, name.end) };
  return { symbol, whole, name, children: [] };
}

const placed = (s: Snapshot, unit: Unit, node: Node): DocumentSymbol => ({
  name: node.symbol.name,
  detail: node.symbol.detail,
  kind: node.symbol.kind,
  range: rangeIn(s, unit, node.whole),
  selectionRange: rangeIn(s, unit, node.name),
  children: node.children.map((child) => placed(s, unit, child)),
});

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
