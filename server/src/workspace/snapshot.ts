import type { Function } from '../ir/function.js';
import type { BoundUnit, Declaration, Environment, Language, ParsedUnit } from '../languages/language.js';
import type { Compilation, ModuleView, Target } from '../targets/target.js';
import type { Problem } from '../text/problem.js';
import type { LineIndex } from '../text/line-index.js';
import type { Settings } from './settings.js';

/**
 * One version of one document; its text and settings never change. Everything that is derived (names, `ir/`, compilations) is made when it
 * is first asked for and shared with later snapshots for as long as the unit's text and environment are the same.
 */
export interface Snapshot extends ModuleView {
  readonly uri: string;
  readonly version: number;
  readonly language: Language;
  readonly target: Target;
  readonly settings: Settings;
  /** The whole text; `lines.slice` gives a part without putting it together. */
  readonly text: string;
  readonly lines: LineIndex;
  /** In text order; they cover the text. */
  readonly units: readonly Unit[];
  /** The unit that holds `offset` (at a boundary the later one; at the text's end the last one). O(log units). */
  unitAt(offset: number): Unit;
  /** All module-level declarations of a name in this document, in text order. */
  declarations(name: string): readonly { readonly unit: Unit; readonly declaration: Declaration }[];
}

/** A unit at its place in a document. Offsets inside `parsed`, `bound`, ... are relative to `start`. */
export interface Unit {
  readonly index: number;
  readonly start: number;
  readonly end: number;
  readonly parsed: ParsedUnit;
  /** What this unit sees of the others. */
  readonly environment: Environment;
  readonly bound: BoundUnit;
  readonly function: Function | undefined;
  /** The best that is known: between two messages a better one may take its place (`Target.improve`). */
  readonly compilation: Compilation | undefined;
  /** True when `compilation` is at hand and asking for it costs nothing. */
  readonly isCompiled: boolean;
  /** An exception in lowering or compiling the unit so far: a fault of ours, not of the program. */
  readonly fault: Problem | undefined;
}
