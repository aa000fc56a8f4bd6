import type { Environment } from '../../language.js';
import { fileFacts } from '../declarations.js';
import type { PtxUnit } from '../tree.js';
import { headerOf, type Header } from './context.js';
import { dialectSetting } from './dialect.js';
import type { PtxBound } from './index.js';

/**
 * One kernel often stands in several files, each for another machine, or its `.target` is exchanged. Most functions need
 * nothing that one machine has and another has not: what was bound holds for the other one too, but for the header.
 */
interface Known {
  readonly bound: PtxBound;
  /** What of the environment was there to be seen, the target left out. */
  readonly seen: readonly string[];
}

/** What a unit was bound to last. */
const latest = new WeakMap<PtxUnit, Known>();

/** What `bind` makes of a unit, taken from what it made of it before where that comes out the same. */
export function boundAgain(unit: PtxUnit, environment: Environment, bind: () => PtxBound): PtxBound {
  if (environment.isFirst || !unit.items.every(({ kind }) => kind === 'function')) return bind();
  const seen = seenBy(unit, environment);
  const known = latest.get(unit);
  if (known !== undefined && equal(known.seen, seen)) {
    const header = headerOf(unit, environment, new Set(unit.mentions));
    if (holdsUnder(header, known.bound.header)) {
      header.gates.holdsFrom = known.bound.header.gates.holdsFrom;
      return withHeader(known.bound, header);
    }
  }
  const bound = bind();
  latest.set(unit, { bound, seen });
  return bound;
}

/** A spread would make the symbols, which nothing may ever ask for. */
const withHeader = (bound: PtxBound, header: Header): PtxBound => ({
  parsed: bound.parsed,
  get symbols() {
    return bound.symbols;
  },
  problems: bound.problems,
  functions: bound.functions,
  moduleNames: bound.moduleNames,
  header,
});

function holdsUnder(header: Header, before: Header): boolean {
  if (header.options.join() !== before.options.join()) return false;
  if (header.target === before.target) return true;
  if (header.target === undefined || before.target === undefined) return false;
  return header.gates.sm >= before.gates.holdsFrom;
}

/** Without what `.target` says. */
function seenBy(unit: PtxUnit, environment: Environment): readonly string[] {
  const seen = [JSON.stringify(environment.setting(dialectSetting)) ?? ''];
  for (const name of unit.mentions)
    for (const list of [environment.earlier(name), environment.later(name)]) {
      seen.push(`${list.length}`);
      for (const { signature, isDefinition } of list)
        seen.push(name === fileFacts.target ? '' : signature, isDefinition ? 'definition' : '');
    }
  return seen;
}

const equal = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((text, k) => text === b[k]);
