/** A half-open range of UTF-16 code units. Offsets are relative to the text that the producer was given (a unit or a document). */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A place in a document: zero-based line, zero-based UTF-16 code unit within it. */
export interface Position {
  readonly line: number;
  readonly character: number;
}

export interface Range {
  readonly start: Position;
  readonly end: Position;
}

/** Replaces `span` by `newText`; an empty span inserts, an empty text deletes. */
export interface TextEdit {
  readonly span: Span;
  readonly newText: string;
}

export const span = (start: number, end: number): Span => ({ start, end });

/** True when `offset` lies in the span or directly at its end: where a cursor "touches" a word. */
export const touches = (s: Span, offset: number): boolean => s.start <= offset && offset <= s.end;

export const shift = (s: Span, by: number): Span => ({ start: s.start + by, end: s.end + by });
