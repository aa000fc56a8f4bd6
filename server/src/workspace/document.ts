/**
 * One version of one document, made from the version before it. An edit costs: the units that it touches, plus a
 * few array copies. Other units keep their parsed and compiled results; they are only looked at when a declaration
 * that they mention has changed.
 */
import type { Function } from '../ir/function.js';
import type { BoundUnit, Declaration, Environment, Language, ParsedUnit } from '../languages/language.js';
import type { Compilation, Target, TargetOptions } from '../targets/target.js';
import { detached, type Change } from '../text/edit.js';
import { LineIndex } from '../text/line-index.js';
import {
  changedNames,
  DeclarationTable,
  environmentAt,
  fingerprintOf,
  type LanguageSettings,
} from './environment.js';
import type { Problem } from '../text/problem.js';
import type { Pair } from './registry.js';
import type { Settings } from './settings.js';
import type { Snapshot, Unit } from './snapshot.js';
import { resplit, split, splicedStarts, unitIndexAt, type Resplit } from './split.js';
import {
  askedModule,
  compilationOf,
  type Asked,
  RemovedUnits,
  resultsOf,
  type KnownCompilation,
  type UnitResults,
  type UnitText,
} from './units.js';
import { compilerFault, UnitView } from './unit-view.js';

/** Told of an exception in lowering or compiling one unit; the rest of the document goes on without it. */
export type FaultListener = (error: unknown, doing: string) => void;

/** What a step of `Document.improveAt` came to: more to do, nothing (more) to do, or a better program at hand. */
export type Improvement = 'searching' | 'ended' | 'improved';

/** What stays the same from version to version. */
interface Context {
  readonly uri: string;
  readonly pair: Pair;
  readonly removed: RemovedUnits;
  readonly onFault: FaultListener;
}

interface Content {
  readonly version: number;
  readonly lines: LineIndex;
  readonly settings: Settings;
  readonly starts: Int32Array;
  readonly results: readonly UnitResults[];
  readonly table: DeclarationTable;
}

export class Document implements Snapshot {
  private readonly views: (Unit | undefined)[] = [];
  private allUnits: readonly Unit[] | undefined;
  readonly targetOptions: TargetOptions;
  private readonly optionsKey: string;

  private constructor(
    private readonly context: Context,
    private readonly content: Content,
  ) {
    this.targetOptions = content.settings.targets[this.target.id] ?? {};
    this.optionsKey = JSON.stringify(this.target.options.map(({ name }) => this.targetOptions[name]));
  }

  static open(
    uri: string,
    pair: Pair,
    version: number,
    text: string,
    settings: Settings,
    onFault: FaultListener,
  ): Document {
    const context = { uri, pair, removed: new RemovedUnits(), onFault };
    return Document.fromScratch(context, version, LineIndex.of(text), settings, new Map());
  }

  private static fromScratch(
    context: Context,
    version: number,
    lines: LineIndex,
    settings: Settings,
    known: ReadonlyMap<string, UnitText>,
  ): Document {
    const { language } = context.pair;
    const { text } = lines;
    const starts = split(language, text);
    const units: UnitText[] = [];
    for (let i = 0; i + 1 < starts.length; i++)
      units.push(unitText(context, text.slice(starts[i], starts[i + 1]), known));
    const table = new DeclarationTable(units.map((unit) => unit.parsed));
    const parsedAt = (i: number): ParsedUnit => units[i].parsed;
    const ofLanguage = languageSettings(language, settings);
    const results = units.map((unit, i) =>
      resultsOf(
        unit,
        fingerprintOf(unit.parsed, environmentAt(i, table, parsedAt, ofLanguage), language.settings),
      ),
    );
    return new Document(context, { version, lines, settings, starts, results, table });
  }

  /** The next version: `lines` is this text after `change`. */
  edited(version: number, lines: LineIndex, change: Change): Document {
    const { starts, settings } = this.content;
    if (lines.length === 0 || this.lines.length === 0)
      return Document.fromScratch(this.context, version, lines, settings, this.textsIn(0));
    const cut = resplit(this.language, lines, starts, change);
    const delta = change.fresh.end - change.old.end;
    const replacing = this.replacingUnits(lines, cut, change.old.start);
    const content: Content = {
      version,
      lines,
      settings,
      starts: splicedStarts(starts, cut, delta),
      ...this.rebound(cut, replacing),
    };
    const kept = new Set(replacing);
    for (let i = cut.first; i < cut.oldEnd; i++) {
      const { unit } = this.content.results[i];
      if (!kept.has(unit)) this.context.removed.add(unit);
    }
    return new Document(this.context, content);
  }

  /** The same text under other settings. What does not depend on them is kept. */
  withSettings(settings: Settings): Document {
    const { version, lines, starts, table, results } = this.content;
    const ofLanguage = languageSettings(this.language, settings);
    const parsedAt = (i: number): ParsedUnit => results[i].unit.parsed;
    const rebound = results.map(({ unit }, i) =>
      resultsOf(
        unit,
        fingerprintOf(unit.parsed, environmentAt(i, table, parsedAt, ofLanguage), this.language.settings),
      ),
    );
    return new Document(this.context, { version, lines, starts, table, settings, results: rebound });
  }

  /** The texts of the units that replace `[cut.first, cut.oldEnd)`; what was parsed before is not parsed again. */
  private replacingUnits(lines: LineIndex, cut: Resplit, changeStart: number): UnitText[] {
    const { starts, results } = this.content;
    const known = this.textsIn(cut.first, cut.oldEnd);
    const units: UnitText[] = [];
    for (let k = 0; k + 1 < cut.starts.length; k++) {
      const start = cut.starts[k];
      const end = cut.starts[k + 1];
      const same = cut.first + k;
      if (end <= changeStart && starts[same] === start && starts[same + 1] === end)
        units.push(results[same].unit);
      else units.push(unitText(this.context, lines.slice(start, end), known));
    }
    return units;
  }

  private textsIn(from: number, to = this.content.results.length): Map<string, UnitText> {
    const known = new Map<string, UnitText>();
    for (let i = from; i < to; i++) {
      const { unit } = this.content.results[i];
      known.set(unit.parsed.text, unit);
    }
    return known;
  }

  /** The results of all units after the exchange. Outside of it only units that mention a changed name are looked at. */
  private rebound(cut: Resplit, replacing: readonly UnitText[]): Pick<Content, 'results' | 'table'> {
    const old = this.content.results;
    const removed = old.slice(cut.first, cut.oldEnd);
    const units: (UnitResults | undefined)[] = [
      ...old.slice(0, cut.first),
      ...replacing.map(() => undefined),
      ...old.slice(cut.oldEnd),
    ];
    const parsedAt = (i: number): ParsedUnit => (units[i]?.unit ?? replacing[i - cut.first]).parsed;
    const table = declareAlike(removed, replacing)
      ? this.content.table
      : new DeclarationTable(units.map((_, i) => parsedAt(i)));
    const ofLanguage = languageSettings(this.language, this.settings);
    const bind = (unit: UnitText, i: number): UnitResults =>
      resultsOf(
        unit,
        fingerprintOf(unit.parsed, environmentAt(i, table, parsedAt, ofLanguage), this.language.settings),
      );
    const changed = changedNames(
      removed.map(({ unit }) => unit.parsed),
      replacing.map((unit) => unit.parsed),
    );
    const results = units.slice();
    replacing.forEach((unit, k) => (results[cut.first + k] = bind(unit, cut.first + k)));
    if (changed.size > 0)
      units.forEach((known, i) => {
        if (known?.unit.parsed.mentions.some((name) => changed.has(name))) results[i] = bind(known.unit, i);
      });
    const behind = cut.first + replacing.length;
    const next = units[behind];
    if (cut.first === 0 && next !== undefined) results[behind] = bind(next.unit, behind);
    return { results: results as UnitResults[], table };
  }

  get uri(): string {
    return this.context.uri;
  }
  get version(): number {
    return this.content.version;
  }
  get language(): Language {
    return this.context.pair.language;
  }
  get target(): Target {
    return this.context.pair.target;
  }
  get settings(): Settings {
    return this.content.settings;
  }
  get text(): string {
    return this.content.lines.text;
  }
  get lines(): LineIndex {
    return this.content.lines;
  }
  get unitCount(): number {
    return this.content.results.length;
  }

  get units(): readonly Unit[] {
    this.allUnits ??= this.content.results.map((_, i) => this.unit(i));
    return this.allUnits;
  }

  /** Unit `index`; cheaper than `units` for one that only needs a few. */
  unit(index: number): Unit {
    return (this.views[index] ??= new UnitView(this, index));
  }

  unitAt(offset: number): Unit {
    return this.unit(unitIndexAt(this.content.starts, offset));
  }

  declarations(name: string): readonly { readonly unit: Unit; readonly declaration: Declaration }[] {
    const places = this.content.table.of(name);
    const found: { unit: Unit; declaration: Declaration }[] = [];
    for (let i = 0; i < places.length; i += 2)
      found.push({
        unit: this.unit(places[i]),
        declaration: this.parsedAt(places[i]).declares[places[i + 1]],
      });
    return found;
  }

  startOf(index: number): number {
    return this.content.starts[index];
  }

  parsedAt(index: number): ParsedUnit {
    return this.content.results[index].unit.parsed;
  }

  environment(index: number): Environment {
    return environmentAt(
      index,
      this.content.table,
      (i) => this.parsedAt(i),
      languageSettings(this.language, this.settings),
    );
  }

  boundAt(index: number): BoundUnit {
    const results = this.content.results[index];
    results.bound ??= this.language.bind(results.unit.parsed, this.environment(index));
    return results.bound;
  }

  functionAt(index: number): Function | undefined {
    const results = this.content.results[index];
    if (results.function === undefined) {
      const bound = this.boundAt(index);
      results.function =
        this.guarded(index, '', `lowering unit ${index}`, () => this.language.lower(bound)) ?? null;
    }
    return results.function ?? undefined;
  }

  compilationAt(index: number): Compilation | undefined {
    return this.knownCompilationAt(index)?.compilation;
  }

  private knownCompilationAt(index: number): KnownCompilation | undefined {
    const results = this.content.results[index];
    const [latest] = results.compilations;
    if (latest?.key === this.optionsKey && this.isCurrent(latest.asked)) return latest;
    const source = this.functionAt(index);
    if (source === undefined) return undefined;
    while (!this.compileStepAt(index));
    return compilationOf(results, this.optionsKey, this.isCurrent, () => {
      const { asked, module, close } = askedModule((name) => this.definition(name));
      const compilation = this.guarded(index, this.optionsKey, `compiling ${source.name}`, () =>
        this.target.compile(source, this.targetOptions, module),
      );
      close();
      if (compilation !== undefined) results.faults.delete(this.optionsKey);
      return { asked, compilation };
    });
  }

  private readonly isCurrent = (asked: Asked): boolean => {
    for (const [name, given] of asked) if (this.definition(name) !== given) return false;
    return true;
  };

  /** The function that the document defines under this name. */
  definition(name: string): Function | undefined {
    const unit = this.definingUnit(name);
    const found = unit < 0 ? undefined : this.functionAt(unit);
    return found?.name === name ? found : undefined;
  }

  /** As `isCurrent`, without lowering anything: a function that is not at hand is another one. */
  private isCurrentAtHand(asked: Asked): boolean {
    for (const [name, given] of asked) {
      const unit = this.definingUnit(name);
      const found = unit < 0 ? null : this.content.results[unit].function;
      if (found === undefined || (found?.name === name ? found : undefined) !== given) return false;
    }
    return true;
  }

  private definingUnit(name: string): number {
    return this.content.table.defining(name, (unit) => this.parsedAt(unit));
  }

  /** A few milliseconds of compiling unit `index`; true when its compilation is at hand, or takes no longer. */
  compileStepAt(index: number): boolean {
    const { target, optionsKey: key } = this;
    const results = this.content.results[index];
    const source = this.functionAt(index);
    if (source === undefined || target.compileInSteps === undefined || this.isCompiledAt(index)) return true;
    const { compiling } = results;
    const isBegun = compiling?.key === key && this.isCurrent(compiling.asked);
    const { asked, module, close } = isBegun ? compiling : askedModule((name) => this.definition(name));
    const step = this.guarded(index, key, `compiling ${source.name}`, () => {
      const steps = isBegun ? compiling.steps : target.compileInSteps!(source, this.targetOptions, module);
      results.compiling = { key, asked, module, close, steps };
      return steps.next();
    });
    if (step?.done === false) return false;
    results.compiling = undefined;
    close();
    if (step !== undefined) results.faults.delete(key);
    compilationOf(results, key, this.isCurrent, () => ({ asked, compilation: step?.value }));
    return true;
  }

  /**
   * One step, a few milliseconds long, towards a better program of unit `index`: the unit's compilation is exchanged
   * when the search ends. What it finds depends on nothing but the unit and the options, so every document that
   * holds the unit ends in the same state, in whatever order the steps are taken.
   */
  improveAt(index: number): Improvement {
    if (this.target.improve === undefined) return 'ended';
    const known = this.knownCompilationAt(index);
    const { compilation } = known ?? {};
    if (known === undefined || compilation === undefined || known.improvement === 'ended') return 'ended';
    const begun = known.improvement;
    const step = this.guarded(index, known.key, `improving ${compilation.source.name}`, () => {
      const search = begun ?? this.target.improve?.(compilation);
      known.improvement = search;
      return search?.next();
    });
    if (step?.done === false) return 'searching';
    known.improvement = 'ended';
    const better = step?.value ?? compilation;
    if (better === compilation) return 'ended';
    known.compilation = better;
    return 'improved';
  }

  /** The best program that the target finds for unit `index`, however long that takes. */
  improveWhollyAt(index: number): void {
    while (this.improveAt(index) === 'searching');
  }

  /** Whether a search for a better program of unit `index` has something left to do. */
  isImprovableAt(index: number): boolean {
    if (this.target.improve === undefined) return false;
    const known = this.knownCompilationAt(index);
    return known?.compilation !== undefined && known.improvement !== 'ended';
  }

  isCompiledAt(index: number): boolean {
    const { function: source, compilations } = this.content.results[index];
    if (source === null) return true;
    return compilations.some(({ key, asked }) => key === this.optionsKey && this.isCurrentAtHand(asked));
  }

  /** What went wrong so far in lowering unit `index`, or in compiling it under the options of now. */
  faultAt(index: number): Problem | undefined {
    const { faults } = this.content.results[index];
    return faults.get('') ?? faults.get(this.optionsKey);
  }

  /** An exception is told, and remembered with the unit for the set of options `key`. */
  private guarded<T>(index: number, key: string, doing: string, work: () => T): T | undefined {
    try {
      return work();
    } catch (error) {
      const results = this.content.results[index];
      results.faults.set(key, compilerFault(results, error, doing));
      this.context.onFault(error, `${doing} of ${this.uri}`);
      return undefined;
    }
  }
}

const languageSettings = (language: Language, settings: Settings): LanguageSettings =>
  settings.languages[language.id] ?? {};

function unitText(context: Context, slice: string, known: ReadonlyMap<string, UnitText>): UnitText {
  const found = known.get(slice) ?? context.removed.take(slice);
  if (found !== undefined) return found;
  return { parsed: context.pair.language.parse(detached(slice)), results: [] };
}

/** True when both stretches have the same units as far as the names that they declare go. */
function declareAlike(before: readonly UnitResults[], after: readonly UnitText[]): boolean {
  return (
    before.length === after.length &&
    before.every(({ unit: { parsed } }, k) => {
      const { declares } = after[k].parsed;
      return (
        declares.length === parsed.declares.length &&
        declares.every(({ name }, i) => name === parsed.declares[i].name)
      );
    })
  );
}
