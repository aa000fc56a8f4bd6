import { intern } from '../../../text/intern.js';
import type { Code } from '../../../text/codes.js';
import type { Fix, Problem } from '../../../text/problem.js';
import type { Span } from '../../../text/span.js';
import { lookAlike } from '../../../text/look-alikes.js';
import { TokenKind, type Name, type Tokens } from '../tree.js';

/** Where a parser stands in a unit's tokens, and what it has found wrong. Comments and unknown characters are stepped over. */
export interface Cursor {
  readonly text: string;
  readonly tokens: Tokens;
  /** See `punctuation`. */
  readonly codes: Uint8Array;
  readonly problems: Problem[];
  /** Index of the current token; `tokens.count` at the end. */
  index: number;
  /** End of the last token that was stepped over, comments excluded. */
  previousEnd: number;
  /** A comment without end has swallowed the rest: what is missing at the end is not reported again. */
  readonly isCut: boolean;
  /** Nesting of expressions and vectors, see `MAX_NESTING`. */
  nesting: number;
}

/** Deeper nesting than any compiler writes; more gives one problem and no deep recursion. */
export const MAX_NESTING = 100;

/** The kind that `kindAt` gives at the end. */
export const END = -1;

export function openCursor(text: string, tokens: Tokens, problems: Problem[], isCut: boolean): Cursor {
  const codes = punctuationCodes(text, tokens);
  const cursor = { text, tokens, codes, problems, index: 0, previousEnd: 0, isCut, nesting: 0 };
  skipComments(cursor);
  return cursor;
}

function skipComments(c: Cursor): void {
  while (c.index < c.tokens.count && c.tokens.kind[c.index] >= TokenKind.LineComment) c.index++;
}

export const atEnd = (c: Cursor): boolean => c.index >= c.tokens.count;
export const kindOf = (c: Cursor): number => (c.index < c.tokens.count ? c.tokens.kind[c.index] : END);
/** Start of the current token; the text's end at the end. */
export const startOf = (c: Cursor): number =>
  c.index < c.tokens.count ? c.tokens.start[c.index] : c.text.length;
export const endOf = (c: Cursor): number =>
  c.index < c.tokens.count ? c.tokens.end[c.index] : c.text.length;
export const textOf = (c: Cursor): string =>
  c.index < c.tokens.count ? c.text.slice(c.tokens.start[c.index], c.tokens.end[c.index]) : '';

/**
 * Code of the current token's character when it is a punctuation of one character, else 0. Look-alikes count as
 * what they were meant to be.
 */
export const punctuation = (c: Cursor): number => (c.index < c.tokens.count ? c.codes[c.index] : 0);

function punctuationCodes(text: string, tokens: Tokens): Uint8Array {
  const { count, kind, start, end } = tokens;
  const codes = new Uint8Array(count);
  for (let i = 0; i < count; i++) {
    if (kind[i] !== TokenKind.Punctuation || end[i] - start[i] > 1) continue;
    const code = text.charCodeAt(start[i]);
    codes[i] = code < 128 ? code : (lookAlike(code)?.charCodeAt(0) ?? 0);
  }
  return codes;
}

export function advance(c: Cursor): void {
  if (c.index >= c.tokens.count) return;
  c.previousEnd = c.tokens.end[c.index];
  c.index++;
  skipComments(c);
}

/** Index of the token after the current one, comments skipped. */
export function following(c: Cursor, from: number = c.index): number {
  let i = from + 1;
  while (i < c.tokens.count && c.tokens.kind[i] >= TokenKind.LineComment) i++;
  return i;
}

export const codeAt = (c: Cursor, index: number): number =>
  index < c.tokens.count ? c.text.charCodeAt(c.tokens.start[index]) : 0;

/** Steps over `code` if it stands here. */
export function accept(c: Cursor, code: number): boolean {
  if (punctuation(c) !== code) return false;
  advance(c);
  return true;
}

/** The current token as a name, stepped over. */
export function takeName(c: Cursor): Name {
  const start = startOf(c);
  const end = endOf(c);
  advance(c);
  return { start, end, text: intern(c.text, start, end) };
}

/** True when a line break separates the current token from the one before. */
export const onNewLine = (c: Cursor): boolean => hasBreak(c, c.previousEnd, startOf(c));

export function hasBreak(c: Cursor, from: number, to: number): boolean {
  for (let i = from; i < to; i++) {
    const code = c.text.charCodeAt(i);
    if (code === 10 || code === 13) return true;
  }
  return false;
}

export function report(c: Cursor, code: Code, at: Span, message: string, fixes: readonly Fix[] = []): void {
  const span = { start: at.start, end: at.end };
  c.problems.push(
    fixes.length === 0
      ? { code, severity: 'error', span, message }
      : { code, severity: 'error', span, message, fixes },
  );
}

export const fix = (title: string, start: number, end: number, newText: string): Fix => ({
  title,
  edits: [{ span: { start, end }, newText }],
  preferred: true,
});

/** A repair that guesses what was meant, and may give the program another meaning. */
export const guess = (title: string, at: Span, newText: string): Fix => ({
  title,
  edits: [{ span: { start: at.start, end: at.end }, newText }],
});

export const tokenSpan = (c: Cursor): Span => ({ start: startOf(c), end: endOf(c) });

/** The last character before here: where something is missing. */
export const gapSpan = (c: Cursor): Span => ({ start: Math.max(0, c.previousEnd - 1), end: c.previousEnd });

/** A token as a message shows it; long ones are cut. */
export function shown(c: Cursor): string {
  if (atEnd(c)) return 'the end';
  const word = textOf(c);
  return `'${word.length > 40 ? `${word.slice(0, 37)}...` : word}'`;
}
