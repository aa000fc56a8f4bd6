/**
 * What a unit sees of the others in its document, and the fingerprint by which two environments are told apart.
 */
import type { Declaration, Environment, ParsedUnit } from '../languages/language.js';

/** How many declarations of one name a unit sees on each side. It keeps thousands of doubles linear. */
export const NEAREST = 8;

/** Language settings that `bind` may look at, by name. */
export type LanguageSettings = Readonly<Record<string, string | number | boolean>>;

/**
 * Which units declare which names, by position. It holds for every version of a document whose units declare the
 * same names in the same places, whatever else changed.
 */
export class DeclarationTable {
  /** Alternately the unit's index and the number of the declaration in it, ascending. */
  private readonly places = new Map<string, number[]>();

  constructor(units: Iterable<ParsedUnit>) {
    let index = 0;
    for (const unit of units) {
      for (let ordinal = 0; ordinal < unit.declares.length; ordinal++) {
        const { name } = unit.declares[ordinal];
        const known = this.places.get(name);
        if (known === undefined) this.places.set(name, [index, ordinal]);
        else known.push(index, ordinal);
      }
      index++;
    }
  }

  /** All places of a name as `[unit, ordinal, unit, ordinal, ...]` in text order. */
  of(name: string): readonly number[] {
    return this.places.get(name) ?? [];
  }

  /** The first place (as a position in `of(name)`) whose unit is `index` or later. */
  private boundary(places: readonly number[], index: number): number {
    let low = 0;
    let high = places.length / 2;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (places[2 * middle] < index) low = middle + 1;
      else high = middle;
    }
    return 2 * low;
  }

  earlier(name: string, index: number, parsedAt: (unit: number) => ParsedUnit): Declaration[] {
    const places = this.of(name);
    const found: Declaration[] = [];
    for (let i = this.boundary(places, index) - 2; i >= 0 && found.length < NEAREST; i -= 2)
      found.push(parsedAt(places[i]).declares[places[i + 1]]);
    return found;
  }

  later(name: string, index: number, parsedAt: (unit: number) => ParsedUnit): Declaration[] {
    const places = this.of(name);
    const found: Declaration[] = [];
    for (let i = this.boundary(places, index + 1); i < places.length && found.length < NEAREST; i += 2)
      found.push(parsedAt(places[i]).declares[places[i + 1]]);
    return found;
  }

  /**
   * The unit that defines a name: the first one of several, -1 for none. Of many declarations only the outermost are
   * looked at.
   */
  defining(name: string, parsedAt: (unit: number) => ParsedUnit): number {
    const places = this.of(name);
    for (let i = 0; i < places.length; i += 2) {
      if (i === 2 * NEAREST) i = Math.max(i, places.length - 2 * NEAREST);
      if (parsedAt(places[i]).declares[places[i + 1]].isDefinition) return places[i];
    }
    return -1;
  }

  *namesBefore(index: number): Iterable<string> {
    for (const [name, places] of this.places) if (places[0] < index) yield name;
  }
}

/** The environment of unit `index`. */
export function environmentAt(
  index: number,
  table: DeclarationTable,
  parsedAt: (unit: number) => ParsedUnit,
  settings: LanguageSettings,
): Environment {
  return {
    earlier: (name) => table.earlier(name, index, parsedAt),
    later: (name) => table.later(name, index, parsedAt),
    names: () => table.namesBefore(index),
    setting: (name) => settings[name],
    isFirst: index === 0,
  };
}

/**
 * Everything that binding `unit` can depend on, as texts: whether it is the first unit, the language's settings,
 * and for each name that it mentions the signatures of the nearest declarations before and after it. Each list is
 * preceded by its length, so that no two environments share a fingerprint.
 */
export function fingerprintOf(
  unit: ParsedUnit,
  environment: Environment,
  settingNames: readonly string[],
): readonly string[] {
  const parts: string[] = [environment.isFirst ? 'first' : ''];
  for (const name of settingNames) parts.push(JSON.stringify(environment.setting(name)) ?? '');
  for (const name of unit.mentions) {
    for (const list of [environment.earlier(name), environment.later(name)]) {
      parts.push(String(list.length));
      for (const declaration of list)
        parts.push(declaration.signature, declaration.isDefinition ? 'definition' : '');
    }
  }
  return parts;
}

/** The names whose declarations differ between two stretches of units, their order within each name included. */
export function changedNames(before: Iterable<ParsedUnit>, after: Iterable<ParsedUnit>): Set<string> {
  const changed = new Set<string>();
  const old = declarationsByName(before);
  const fresh = declarationsByName(after);
  for (const [name, list] of old) if (!sameDeclarations(list, fresh.get(name))) changed.add(name);
  for (const name of fresh.keys()) if (!old.has(name)) changed.add(name);
  return changed;
}

function declarationsByName(units: Iterable<ParsedUnit>): Map<string, Declaration[]> {
  const byName = new Map<string, Declaration[]>();
  for (const unit of units)
    for (const declaration of unit.declares) {
      const known = byName.get(declaration.name);
      if (known === undefined) byName.set(declaration.name, [declaration]);
      else known.push(declaration);
    }
  return byName;
}

function sameDeclarations(a: readonly Declaration[], b: readonly Declaration[] | undefined): boolean {
  return (
    a.length === b?.length &&
    a.every((d, i) => d.signature === b[i].signature && d.isDefinition === b[i].isDefinition)
  );
}
