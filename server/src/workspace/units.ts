/**
 * What is known of one unit, apart from where it stands. A unit's text gives one `UnitText`; under each environment
 * that it has been seen in, that text has one `UnitResults`. Both are shared by all snapshots that contain them, so
 * that nothing is parsed, bound, lowered or compiled twice.
 */
import type { Function } from '../ir/function.js';
import type { BoundUnit, ParsedUnit } from '../languages/language.js';
import type { Compilation, ModuleView } from '../targets/target.js';
import type { Problem } from '../text/problem.js';

/** How many environments of one text are remembered: enough for a change elsewhere and its undoing. */
const ENVIRONMENTS_KEPT = 3;
/** How many option sets of one unit are remembered. */
const COMPILATIONS_KEPT = 2;

export interface UnitText {
  readonly parsed: ParsedUnit;
  /** Most recently used first. */
  readonly results: UnitResults[];
}

export interface UnitResults {
  readonly unit: UnitText;
  readonly fingerprint: readonly string[];
  bound: BoundUnit | undefined;
  /** `undefined`: not lowered yet; `null`: the unit holds no function. */
  function: Function | null | undefined;
  readonly compilations: KnownCompilation[];
  /** A compilation that has begun (`Target.compileInSteps`). */
  compiling: Begun | undefined;
  /** Exceptions of the compiler, by the set of options under which they came; lowering's under `''`. */
  readonly faults: Map<string, Problem>;
}

interface Begun extends AskedModule {
  readonly key: string;
  readonly steps: Iterator<undefined, Compilation>;
}

/** The functions of the module that a compilation has asked for by name, and the definitions that it was given. */
export type Asked = ReadonlyMap<string, Function | undefined>;

interface AskedModule {
  readonly asked: Asked;
  readonly module: ModuleView;
  /** Lets go of what `definition` needs: from now on only what was asked for before is known. */
  readonly close: () => void;
}

/**
 * A module as a compilation sees it, and a note of what that has asked for. Compilations live longer than the version of
 * the document that they were made in, and may keep their module: `close` before one is remembered.
 */
export function askedModule(definition: (name: string) => Function | undefined): AskedModule {
  const asked = new Map<string, Function | undefined>();
  let find: typeof definition | undefined = definition;
  return {
    asked,
    module: {
      definition: (name) => {
        if (find !== undefined && !asked.has(name)) asked.set(name, find(name));
        return asked.get(name);
      },
    },
    close: () => (find = undefined),
  };
}

/** What is known of a unit under one set of options, for as long as the functions that it asked for are the same. */
export interface KnownCompilation {
  readonly key: string;
  readonly asked: Asked;
  /** `undefined`: compiling failed. */
  compilation: Compilation | undefined;
  /** A search for a better one (`Target.improve`) that has begun, or `ended`; undefined: not begun. */
  improvement: Iterator<undefined, Compilation> | 'ended' | undefined;
}

/** The results of a text under an environment, made empty when it was not seen there before. */
export function resultsOf(unit: UnitText, fingerprint: readonly string[]): UnitResults {
  const at = unit.results.findIndex((known) => equal(known.fingerprint, fingerprint));
  const found: UnitResults =
    at >= 0
      ? unit.results[at]
      : {
          unit,
          fingerprint,
          bound: undefined,
          function: undefined,
          compilations: [],
          compiling: undefined,
          faults: new Map(),
        };
  toFront(unit.results, at, found, ENVIRONMENTS_KEPT);
  return found;
}

/** The compilation under a set of options whose `asked` is current, made when it is not known. */
export function compilationOf(
  results: UnitResults,
  key: string,
  isCurrent: (asked: Asked) => boolean,
  compile: () => Pick<KnownCompilation, 'asked' | 'compilation'>,
): KnownCompilation {
  const at = results.compilations.findIndex((known) => known.key === key && isCurrent(known.asked));
  const found = at >= 0 ? results.compilations[at] : { key, ...compile(), improvement: undefined };
  toFront(results.compilations, at, found, COMPILATIONS_KEPT);
  return found;
}

/** Gives up what a search for a better compilation has in memory; it would begin again. */
function dropSearches(unit: UnitText): void {
  for (const { compilations } of unit.results)
    for (const known of compilations) if (known.improvement !== 'ended') known.improvement = undefined;
}

function toFront<T>(list: T[], at: number, item: T, most: number): void {
  if (at === 0) return;
  if (at > 0) list.splice(at, 1);
  list.unshift(item);
  if (list.length > most) list.length = most;
}

function equal(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((text, i) => text === b[i]);
}

/** Units that an edit removed, by text: undo brings them back with all their results. */
export class RemovedUnits {
  private readonly byText = new Map<string, UnitText>();
  private characters = 0;

  constructor(
    private readonly mostUnits = 16,
    private readonly mostCharacters = 400_000,
  ) {}

  add(unit: UnitText): void {
    const { text } = unit.parsed;
    dropSearches(unit);
    if (text.length > this.mostCharacters) return;
    this.take(text);
    this.byText.set(text, unit);
    this.characters += text.length;
    for (const oldest of this.byText.keys()) {
      if (this.byText.size <= this.mostUnits && this.characters <= this.mostCharacters) return;
      this.take(oldest);
    }
  }

  take(text: string): UnitText | undefined {
    const found = this.byText.get(text);
    if (found === undefined) return undefined;
    this.byText.delete(text);
    this.characters -= text.length;
    return found;
  }
}
