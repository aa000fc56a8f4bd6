import type { Span } from '../text/span.js';

/**
 * What editor features need of a text: which name stands where, what it refers to and how it is used. Each
 * language fills one in while it binds a unit; definition, references, rename, highlight, symbols and tokens are
 * written once over it. Occurrences are sorted by start and never overlap. Offsets are relative to the unit.
 */
export interface SymbolIndex {
  readonly symbols: readonly UnitSymbol[];
  readonly occurrenceStart: Int32Array;
  readonly occurrenceEnd: Int32Array;
  /** Index in `symbols`. */
  readonly occurrenceSymbol: Int32Array;
  /** Bits of `Role`. */
  readonly occurrenceRole: Uint8Array;
  /** The source instruction that the occurrence belongs to, numbered as in the lowered function, or -1. */
  readonly occurrenceInstruction: Int32Array;
}

export const enum Role {
  Declaration = 1 << 0,
  Write = 1 << 1,
  Read = 1 << 2,
  Call = 1 << 3,
  /** A branch to a label, or another mention that neither reads nor writes. */
  Reference = 1 << 4,
  /** With Declaration: the one with the body. */
  Definition = 1 << 5,
}

export type SymbolKind =
  | 'register'
  | 'predicate'
  | 'label'
  | 'function'
  | 'kernel'
  | 'variable'
  | 'parameter'
  | 'prototype'
  | 'value'
  | 'block';

export interface UnitSymbol {
  readonly name: string;
  readonly kind: SymbolKind;
  /** What the language calls it, where that is not the word of `kind`: `program`, `attribute`. */
  readonly kindName?: string | undefined;
  /** What a person would want beside the name: the type, the state space. */
  readonly detail: string;
  /** Where it is declared in this unit (a range such as `%r<10>` for all of its registers), or undefined. */
  readonly declaration?: Span | undefined;
  /** The whole declaring construct, for outlines. */
  readonly extent?: Span | undefined;
  /** Where the name may be used; undefined for the whole unit. */
  readonly scope?: Span;
  /** Known to other units by its name. */
  readonly isGlobal: boolean;
  /** Number of the virtual register in the lowered function, or -1. */
  readonly register: number;
  /**
   * How to give this one a declaration of its own when it is renamed, for names that share a declaration: insert
   * `before + newName + after` at `at`. Undefined: the declaration is renamed like every other occurrence.
   */
  readonly ownDeclaration?: { readonly at: number; readonly before: string; readonly after: string };
}

/** Index of the occurrence that touches `offset` (its end included), or -1. O(log occurrences). */
export function occurrenceAt(index: SymbolIndex, offset: number): number {
  let low = 0;
  let high = index.occurrenceStart.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (index.occurrenceStart[middle] <= offset) low = middle + 1;
    else high = middle;
  }
  const at = low - 1;
  if (at >= 0 && offset <= index.occurrenceEnd[at]) return at;
  return -1;
}
