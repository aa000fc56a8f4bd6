import type { CompletionItem, Signatures } from '../languages/language.js';
import type { SymbolKind } from '../languages/symbols.js';
import type { Severity } from '../text/problem.js';
import type { Position, Range } from '../text/span.js';

/**
 * What features answer with: plain data, close to the protocol's shapes and free of its types. Features take and
 * give lines and UTF-16 characters (zero-based) of the snapshot's document; other encodings are made in `lsp/`.
 * "Nothing here" is `undefined` for one thing and an empty list for many; no feature throws, whatever the position.
 */
export interface Location {
  readonly uri: string;
  readonly range: Range;
}

/** Edits of one answer lie inside the document, are sorted and never overlap. */
export interface Edit {
  readonly range: Range;
  readonly newText: string;
}

export interface Diagnostic {
  readonly range: Range;
  readonly severity: Severity;
  readonly code: string;
  readonly message: string;
  /** Path in the repository with the anchor of the code's heading: `docs/diagnostics.md#spillregister`. */
  readonly documentation: string;
  readonly related: readonly { readonly location: Location; readonly message: string }[];
  readonly tags: readonly ('unnecessary' | 'deprecated')[];
  /** Whose finding it is; absent: Spillway's. */
  readonly source?: string;
}

export interface Diagnostics {
  /** In text order. */
  readonly items: readonly Diagnostic[];
  /** Problems beyond `settings.diagnostics.maximum`; the items that are left are the most severe. */
  readonly omitted: number;
}

/** `contents` is Markdown. */
export interface Hover {
  readonly range: Range;
  readonly contents: string;
}

export interface Highlight {
  readonly range: Range;
  readonly kind: 'text' | 'read' | 'write';
}

export interface DocumentSymbol {
  readonly name: string;
  readonly detail: string;
  readonly kind: SymbolKind;
  readonly range: Range;
  /** The name, inside `range`. */
  readonly selectionRange: Range;
  readonly children: readonly DocumentSymbol[];
}

export interface WorkspaceSymbol {
  readonly name: string;
  readonly kind: SymbolKind;
  readonly location: Location;
}

/** An answer that may be refused with a reason for the person who asked. */
export type Refusable<T> = T | { readonly refused: string };

export interface RenameTarget {
  readonly range: Range;
  readonly placeholder: string;
}

export interface Completions {
  /** What an item's text replaces. */
  readonly range: Range;
  readonly items: readonly CompletionItem[];
  readonly isIncomplete: boolean;
}

export type SignatureHelp = Signatures;

export interface InlayHint {
  readonly position: Position;
  readonly label: string;
  /** Markdown. */
  readonly tooltip: string;
}

export interface CodeLens {
  readonly range: Range;
  readonly title: string;
  readonly command: { readonly id: string; readonly arguments: readonly (string | number)[] } | undefined;
}

export interface FoldingRange {
  readonly startLine: number;
  readonly endLine: number;
  readonly kind: 'region' | 'comment';
}

/** Innermost first; each range contains the one before it. */
export type SelectionRanges = readonly Range[];

export interface CodeAction {
  readonly title: string;
  readonly kind: 'quickfix' | 'refactor.rewrite' | 'refactor.rewrite.pressure' | 'source.fixAll';
  readonly edits: readonly Edit[];
  readonly isPreferred: boolean;
  /** Why it cannot be done here; `edits` is empty. */
  readonly refused?: string;
  /** The problem that it repairs. */
  readonly repairs?: { readonly code: string; readonly range: Range };
}

export interface CallHierarchyItem {
  readonly name: string;
  readonly kind: SymbolKind;
  readonly detail: string;
  readonly uri: string;
  readonly range: Range;
  readonly selectionRange: Range;
}

/** A call in either direction, with every place in the caller where it is made. */
export interface Call {
  readonly item: CallHierarchyItem;
  readonly places: readonly Range[];
}

export interface DocumentLink {
  readonly range: Range;
  /** A path as the text gives it, absolute or relative to what its producer took as working folder. */
  readonly path: string;
  /** One-based. */
  readonly line: number | undefined;
}

/** For a status bar. `function` and `summary` when the position is in a function that is compiled. */
export interface Status {
  readonly language: string;
  readonly target: string;
  /** Of the function there, else of the first that is compiled; in words why there is none. */
  readonly model: string;
  /** Settings that change what is modelled, without the prefix: `targets.nvidia.arch`. */
  readonly settings: readonly string[];
  readonly function?: string;
  readonly summary?: string;
  /** What ptxas itself says of that function, where it was asked. */
  readonly ptxas?: string;
}
