import type { Span } from '../../../text/span.js';
import { rangePrefix } from '../declarations.js';
import type { Block, FunctionItem } from '../tree.js';
import { EntityKind, entity, type Entity, type RangeDeclaration } from './entities.js';

/**
 * Scopes of a PTX function. A body opens one, every nested `{ }` another; inner ones may declare a name again.
 * Registers, variables and labels share one name space. Registers and variables are seen from their declaration
 * on, labels in the whole of their block and in the blocks inside it, but never from outside (a branch may leave
 * a block, not enter one). The parameters live in the body's own scope.
 */
export interface Scope {
  readonly parent: Scope | undefined;
  readonly span: Span;
  readonly names: Map<string, Entity>;
  /** By prefix: `%r` for `%r<10>`. */
  ranges: Map<string, RangeDeclaration> | undefined;
  /** Single names with a number at the end, by prefix: the one with the lowest number. */
  numbered: Map<string, { readonly entity: Entity; readonly index: number }> | undefined;
}

export const openScope = (parent: Scope | undefined, span: Span): Scope => ({
  parent,
  span: { start: span.start, end: span.end },
  names: new Map(),
  ranges: undefined,
  numbered: undefined,
});

/** Remembers a name that a later range `prefix<N>` may declare again. */
export function noteNumber(scope: Scope, e: Entity): void {
  rangePrefix(e.name, (prefix, index) => {
    if (e.name !== prefix + String(index)) return false;
    scope.numbered ??= new Map();
    const known = scope.numbered.get(prefix);
    if (known === undefined || index < known.index) scope.numbered.set(prefix, { entity: e, index });
    return false;
  });
}

/** Adds the labels of `block` itself, which are seen before they are reached. The first of doubles wins. */
export function declareLabels(scope: Scope, block: Block): void {
  for (const statement of block.statements) {
    if (statement.kind !== 'label') continue;
    const { name } = statement;
    if (scope.names.has(name.text)) continue;
    scope.names.set(
      name.text,
      entity(EntityKind.Label, name.text, { declaration: name, extent: statement, scope: scope.span }),
    );
  }
}

/** What `name` stands for here, or undefined. Registers of a range come into being when they are first asked for. */
export function lookUp(scope: Scope, name: string): Entity | undefined {
  for (let s: Scope | undefined = scope; s !== undefined; s = s.parent) {
    const found = s.names.get(name);
    if (found !== undefined) return found;
    if (s.ranges !== undefined) {
      const fresh = fromRange(s, s.ranges, name);
      if (fresh !== undefined) return fresh;
    }
  }
  return undefined;
}

function fromRange(
  scope: Scope,
  ranges: ReadonlyMap<string, RangeDeclaration>,
  name: string,
): Entity | undefined {
  const prefix = rangePrefix(name, (text, index) => index < (ranges.get(text)?.count ?? 0));
  if (prefix === undefined) return undefined;
  const range = ranges.get(prefix)!;
  range.used++;
  const fresh = entity(range.space === '.reg' ? EntityKind.Register : EntityKind.Variable, name, {
    type: range.type,
    vector: range.vector,
    space: range.space,
    declaration: range.declaration,
    extent: range.extent,
    scope: range.scope,
    range,
  });
  scope.names.set(name, fresh);
  return fresh;
}

/** A declaration somewhere in the function, for telling why a name is not seen. */
export interface HiddenDeclaration {
  readonly span: Span;
  readonly extent: Span;
  readonly block: Span;
  readonly isLabel: boolean;
  /** Of a range, the number of registers; -1 for single names. */
  readonly count: number;
}

/**
 * Every declaration of a body by name (ranges by prefix), wherever it stands. Made once, when the first unknown
 * name turns up.
 */
export function allDeclarations(item: FunctionItem): ReadonlyMap<string, readonly HiddenDeclaration[]> {
  const found = new Map<string, HiddenDeclaration[]>();
  const add = (name: string, hidden: HiddenDeclaration): void => {
    const list = found.get(name);
    if (list === undefined) found.set(name, [hidden]);
    else if (list.length < 64) list.push(hidden);
  };
  const open: Block[] = item.body === undefined ? [] : [item.body];
  for (let block = open.pop(); block !== undefined; block = open.pop()) {
    for (const statement of block.statements) {
      if (statement.kind === 'block') open.push(statement);
      else if (statement.kind === 'label')
        add(statement.name.text, {
          span: statement.name,
          extent: statement,
          block,
          isLabel: true,
          count: -1,
        });
      else if (statement.kind === 'targets' || statement.kind === 'prototype')
        add(statement.label.text, {
          span: statement.label,
          extent: statement,
          block,
          isLabel: true,
          count: -1,
        });
      else if (statement.kind === 'variable')
        for (const declarator of statement.declarators)
          add(declarator.name.text, {
            span: declarator.name,
            extent: statement,
            block,
            isLabel: false,
            count: declarator.range === undefined ? -1 : Number(declarator.range.integer ?? 0n),
          });
    }
  }
  return found;
}

/** Hidden declarations that would give `name`, ranges included. */
export function hiddenDeclarations(
  all: ReadonlyMap<string, readonly HiddenDeclaration[]>,
  name: string,
): readonly HiddenDeclaration[] {
  const single = (all.get(name) ?? []).filter((hidden) => hidden.count < 0);
  const ranged: HiddenDeclaration[] = [];
  rangePrefix(name, (prefix, index) => {
    for (const hidden of all.get(prefix) ?? []) if (index < hidden.count) ranged.push(hidden);
    return false;
  });
  return [...single, ...ranged];
}

/** Names that can be used at this point, innermost first; at most `limit`. */
export function visible(scope: Scope, limit: number): Entity[] {
  const seen = new Set<string>();
  const found: Entity[] = [];
  for (let s: Scope | undefined = scope; s !== undefined; s = s.parent)
    for (const e of s.names.values()) {
      if (found.length >= limit) return found;
      if (seen.has(e.name)) continue;
      seen.add(e.name);
      found.push(e);
    }
  return found;
}
