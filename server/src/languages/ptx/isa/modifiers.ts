import { typeId } from './types.js';

/**
 * Modifier patterns (notation in schema.ts): compiled to a sequence of elements, matched against the modifiers of
 * an opcode in any order, as ptxas does. Types keep their order among each other; modifiers that belong to the
 * name stand first.
 */
export type Element =
  | { readonly kind: 'one'; readonly values: readonly string[]; readonly set: string | undefined }
  | { readonly kind: 'optional'; readonly elements: readonly Element[] };

export interface ModifierPattern {
  readonly name: readonly Element[];
  readonly rest: readonly Element[];
  /** Every modifier that the pattern knows. */
  readonly vocabulary: ReadonlySet<string>;
}

export interface Binding {
  /** Values of the sets, by name. */
  readonly sets: ReadonlyMap<string, string>;
}

/** More modifiers than any instruction has: such text is no opcode, and is not searched. */
export const maxModifiers = 24;

type Sets = Readonly<Record<string, string>>;

/** @throws Error when the pattern is not well formed: a fault of the tables, which a test finds. */
export function compileModifiers(pattern: string, sets: Sets): ModifierPattern {
  const caret = pattern.indexOf('^');
  const name = caret < 0 ? '' : pattern.slice(0, caret);
  const rest = caret < 0 ? pattern : pattern.slice(caret + 1);
  const vocabulary = new Set<string>();
  return {
    name: sequence(name, sets, vocabulary),
    rest: sequence(rest, sets, vocabulary),
    vocabulary,
  };
}

function sequence(text: string, sets: Sets, vocabulary: Set<string>): Element[] {
  const elements: Element[] = [];
  let at = 0;
  const fail = (why: string): never => {
    throw new Error(`modifier pattern '${text}': ${why} at ${at}`);
  };
  while (at < text.length) {
    if (text[at] === ' ') {
      at++;
      continue;
    }
    if (text[at] === '{') {
      const end = closing(text, at);
      if (end < 0) fail("'{' is not closed");
      elements.push({ kind: 'optional', elements: sequence(text.slice(at + 1, end), sets, vocabulary) });
      at = end + 1;
      continue;
    }
    if (text[at] !== '.') fail("expected '.'");
    at++;
    let values: readonly string[];
    let set: string | undefined;
    if (text[at] === '(') {
      const end = text.indexOf(')', at);
      if (end < 0) fail("'(' is not closed");
      values = text.slice(at + 1, end).split('|');
      at = end + 1;
    } else {
      const word = /^\$?[\w:]+/.exec(text.slice(at))?.[0] ?? fail('expected a modifier');
      at += word.length;
      if (word.startsWith('$')) {
        set = word.slice(1);
        values = (sets[set] ?? fail(`no set '${set}'`))
          .split(' ')
          .flatMap((value) => (value === '' ? [] : [value.split('=')[0]]));
      } else values = [word];
    }
    for (const value of values) vocabulary.add(value);
    elements.push({ kind: 'one', values, set });
  }
  return elements;
}

function closing(text: string, open: number): number {
  let depth = 0;
  for (let i = open; i < text.length; i++) {
    if (text[i] === '{') depth++;
    else if (text[i] === '}' && --depth === 0) return i;
  }
  return -1;
}

interface Search {
  readonly modifiers: readonly string[];
  readonly isType: readonly boolean[];
  readonly used: boolean[];
  readonly sets: Map<string, string>;
}

/** How the modifiers of an opcode fill the pattern, or undefined. */
export function matchModifiers(pattern: ModifierPattern, modifiers: readonly string[]): Binding | undefined {
  if (modifiers.length > maxModifiers) return undefined;
  for (const modifier of modifiers) if (!pattern.vocabulary.has(modifier)) return undefined;
  const search: Search = {
    modifiers,
    isType: modifiers.map((modifier) => typeId(modifier) !== 0),
    used: modifiers.map(() => false),
    sets: new Map(),
  };
  if (
    !fill(pattern.name, 0, search, true, () =>
      fill(pattern.rest, 0, search, false, () => !search.used.includes(false)),
    )
  )
    return undefined;
  return { sets: search.sets };
}

function fill(
  elements: readonly Element[],
  from: number,
  search: Search,
  inOrder: boolean,
  then: () => boolean,
): boolean {
  if (from === elements.length) return then();
  const element = elements[from];
  const next = (): boolean => fill(elements, from + 1, search, inOrder, then);
  if (element.kind === 'optional') return fill(element.elements, 0, search, inOrder, next) || next();
  const { modifiers, isType, used, sets } = search;
  let typeSeen = false;
  for (let i = 0; i < modifiers.length; i++) {
    if (used[i]) continue;
    const blocked = isType[i] && typeSeen;
    if (isType[i]) typeSeen = true;
    if (!blocked && element.values.includes(modifiers[i])) {
      used[i] = true;
      const before = element.set === undefined ? undefined : sets.get(element.set);
      if (element.set !== undefined) sets.set(element.set, modifiers[i]);
      if (next()) return true;
      used[i] = false;
      if (element.set !== undefined) {
        if (before === undefined) sets.delete(element.set);
        else sets.set(element.set, before);
      }
    }
    if (inOrder) return false;
  }
  return false;
}

/** How far the modifiers are from the pattern: which are too many, and what is missing. */
export interface Distance {
  readonly extra: readonly string[];
  /** For each place that is not filled, what may stand there. */
  readonly missing: readonly (readonly string[])[];
  readonly cost: number;
}

/** The best filling of the pattern that leaves something over, found greedily: for messages. */
export function distance(pattern: ModifierPattern, modifiers: readonly string[]): Distance {
  const left = modifiers.slice(0, maxModifiers);
  const missing: (readonly string[])[] = [];
  const take = (values: readonly string[]): boolean => {
    const firstType = left.findIndex((modifier) => typeId(modifier) !== 0);
    const at = left.findIndex(
      (modifier, i) => values.includes(modifier) && (typeId(modifier) === 0 || i === firstType),
    );
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  };
  const walk = (elements: readonly Element[], isOptional: boolean): void => {
    for (const element of elements) {
      if (element.kind === 'optional') {
        const first = element.elements.find((inner) => inner.kind === 'one');
        if (element.elements.length === 1 && first !== undefined) take(first.values);
        else if (first !== undefined && left.some((modifier) => first.values.includes(modifier)))
          walk(element.elements, false);
      } else if (!take(element.values) && !isOptional) missing.push(element.values);
    }
  };
  walk(pattern.name, false);
  walk(pattern.rest, false);
  const extra = [...left, ...modifiers.slice(maxModifiers)];
  return {
    extra,
    missing,
    cost: Math.max(extra.length, missing.length) + 0.5 * Math.min(extra.length, missing.length),
  };
}
