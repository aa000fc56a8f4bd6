import type { Function, RegisterClass } from '../ir/function.js';
import type { Problem } from '../text/problem.js';
import type { Span, TextEdit } from '../text/span.js';
import type { UnitFrame } from './frames.js';
import type { SymbolIndex } from './symbols.js';

/**
 * A language: text to units, units to names, names to `ir/`. All methods are pure and none throws, whatever the
 * text. A document is a sequence of units (function, module-level declaration) that cover every byte; a unit is
 * parsed from its own text alone and bound against the few names that it leaves open, so that an edit costs what
 * it changes. All offsets are relative to the unit.
 */
export interface Language<P extends ParsedUnit = ParsedUnit, B extends BoundUnit = BoundUnit> {
  readonly id: string;
  readonly name: string;
  /** With the dot. */
  readonly extensions: readonly string[];
  /** Settings of the language that `bind` looks at; part of what a cached result depends on. */
  readonly settings: readonly string[];
  /** Register classes of its functions. The first is the one that a limit is about. */
  readonly classes: readonly RegisterClass[];

  /**
   * The end of the unit that starts at `start` (greater than `start`; the text's length for the last one). It
   * depends on the text from `start` on, and on no more than the unit itself and the two tokens behind it.
   */
  unitEnd(text: string, start: number): number;
  parse(text: string): P;
  bind(unit: P, environment: Environment): B;
  /** The function that the unit holds, if any. Faulty instructions are left out, the rest is there. */
  lower(unit: B): Function | undefined;

  /** What is not a name: opcodes, directives, numbers, comments, for semantic tokens. */
  lexical(unit: B): LexicalTokens;
  /** Reference text for what stands at `offset` (instruction, directive, special register, modifier, address), or undefined. */
  describe(unit: B, offset: number): Description | undefined;
  complete(unit: B, offset: number, environment: Environment): CompletionList;
  /** Documentation of a completion item, by its `key`; Markdown. */
  resolveCompletion(key: string): string | undefined;
  signatures(unit: B, offset: number): Signatures | undefined;
  format(unit: P, options: FormatOptions): readonly TextEdit[];
  folds(unit: P): readonly Fold[];
  /** The spans that enclose `offset`, innermost first. */
  enclosing(unit: P, offset: number): readonly Span[];
  links(unit: B, environment: Environment): readonly Link[];
  /**
   * Names of the definitions that reach the use that begins at `offset`, in text order, for languages that know
   * registers in finer parts than the units of their class (channels, bytes). Undefined: what `ir/` says will do.
   */
  definitionsReaching?(unit: B, offset: number): readonly Span[] | undefined;
  /** The stack frame of the unit's function, and whom it calls; undefined where the unit has no function with a body. */
  frame?(unit: B): UnitFrame | undefined;
  /**
   * Problems that need more than one unit, or more than names and types, by index in `units`: all of a document in text
   * order. They are relative to their unit. What is known of a unit is kept with it, so that an edit costs a merge; an
   * unchanged problem is the same object as before.
   */
  moduleProblems?(units: readonly PlacedUnit<B>[]): ReadonlyMap<number, readonly Problem[]>;
  /** Where a directive of the unit's function stands (`DirectiveFix`); undefined where it is not there just once. */
  directiveAt?(unit: P, directive: string): Span | undefined;
  /**
   * Rewrites that a person may ask for where `place` stands; spans and edits are offsets of the document. `units` are all of
   * the document, in text order.
   */
  refactorings?(units: readonly PlacedUnit<B>[], place: Span): readonly Refactoring[];
  /**
   * How a register of the unit's function gets a second name that holds the same value; undefined where this one cannot,
   * absent in languages where no name is worth anything (`docs/rewrites.md` says why).
   */
  naming?(unit: B, register: number): RegisterNaming | undefined;
}

/** A second name for a register. */
export interface RegisterNaming {
  /** The new name; `k` tells several for one register apart. Free in the whole unit. */
  name(k: number): string;
  /** What declares `name`, where the language declares registers. */
  declaration?(name: string): TextEdit;
  /**
   * Statements without their line ends that, in front of instruction `before`, make `to` equal to `from`, whole and in
   * every lane; undefined where none can stand there.
   */
  copy(to: string, from: string, before: number): readonly string[] | undefined;
}

/** A unit where it stands in its document. */
export interface PlacedUnit<B extends BoundUnit = BoundUnit> {
  readonly start: number;
  readonly bound: B;
  /** What `lower` gives for it; without the property the language lowers it itself where it needs to. */
  readonly function?: Function | undefined;
}

/** A rewrite that a person chooses: what it does, or why it cannot be done here. */
export type Refactoring =
  | { readonly title: string; readonly edits: readonly TextEdit[] }
  | { readonly title: string; readonly refused: string };

/** A unit's tree. Languages extend it with their own. */
export interface ParsedUnit {
  readonly text: string;
  readonly problems: readonly Problem[];
  /** What other units may see, in text order. */
  readonly declares: readonly Declaration[];
  /** Names that this unit leaves open or that matter to it (its own declared names included, where doubles matter). Sorted, unique. */
  readonly mentions: readonly string[];
}

/** A module-level declaration. Header facts are declarations too: PTX's `.version 8.0` declares the name `.version`. */
export interface Declaration {
  readonly name: string;
  /** The name itself. */
  readonly span: Span;
  /** The whole declaration. */
  readonly extent: Span;
  /** Everything that others may depend on, as text; two declarations with equal signatures are interchangeable. */
  readonly signature: string;
  readonly isDefinition: boolean;
}

/** What a unit sees of the others. */
export interface Environment {
  /** The declarations of a name in units before this one, and in units after it, nearest first; at most the nearest 8 of each. */
  earlier(name: string): readonly Declaration[];
  later(name: string): readonly Declaration[];
  /** Every name declared at module level before this unit, for completion. */
  names(): Iterable<string>;
  setting(name: string): string | number | boolean | undefined;
  readonly isFirst: boolean;
}

/** A unit with its names resolved. */
export interface BoundUnit {
  readonly parsed: ParsedUnit;
  readonly symbols: SymbolIndex;
  /** Syntax problems are in `parsed.problems`; these are names, types and rules of the instruction set. */
  readonly problems: readonly Problem[];
}

export const enum LexicalKind {
  Comment,
  Directive,
  Instruction,
  Modifier,
  Type,
  Number,
  String,
  Operator,
  SpecialRegister,
}

export interface LexicalTokens {
  readonly start: Int32Array;
  readonly end: Int32Array;
  readonly kind: Uint8Array;
}

export interface Description {
  readonly span: Span;
  /** Markdown. */
  readonly text: string;
}

export type CompletionKind =
  | 'instruction'
  | 'modifier'
  | 'type'
  | 'directive'
  | 'register'
  | 'specialRegister'
  | 'label'
  | 'function'
  | 'variable'
  | 'parameter'
  | 'value'
  | 'snippet';

export interface CompletionItem {
  readonly label: string;
  readonly kind: CompletionKind;
  readonly detail?: string;
  /** For `resolveCompletion`. */
  readonly key?: string;
  /** Text to insert when it is not the label; `isSnippet` when it has tab stops. */
  readonly insert?: string;
  readonly isSnippet?: boolean;
  readonly sort?: string;
}

export interface CompletionList {
  /** What is replaced. */
  readonly span: Span;
  readonly items: readonly CompletionItem[];
  readonly isIncomplete?: boolean;
}

export interface Signatures {
  readonly items: readonly {
    readonly label: string;
    readonly documentation?: string;
    readonly parameters: readonly { readonly label: string; readonly documentation?: string }[];
  }[];
  readonly activeItem: number;
  readonly activeParameter: number;
}

export interface FormatOptions {
  readonly tabSize: number;
  readonly insertSpaces: boolean;
}

export interface Fold {
  readonly span: Span;
  readonly kind: 'region' | 'comment';
}

export interface Link {
  readonly span: Span;
  /** A path as the text gives it, with an optional one-based line. */
  readonly path: string;
  readonly line?: number;
}
