import type { Code } from '../../../text/codes.js';
import { intern } from '../../../text/intern.js';
import type { Fix, Problem } from '../../../text/problem.js';
import type { Span } from '../../../text/span.js';
import type { NameTable } from '../names.js';
import type { Name, NumberedName, TokenKind, Tokens } from '../tree.js';

/**
 * One line of tokens under way. Nothing reaches across a line's end, so a bad line costs that line alone; and the
 * first problem of a line is its only one, since what follows is often its consequence.
 */
export interface Cursor {
  readonly text: string;
  readonly tokens: Tokens;
  readonly problems: Problem[];
  readonly names: NameTable;
  /** Token number. */
  at: number;
  /** Behind the last token of the line that is no comment. */
  end: number;
  hasProblem: boolean;
  /** The instruction has a problem that leaves in doubt what is meant, whether it was said or not. */
  isFaulty: boolean;
}

/** Problems beside which the line still says plainly what it means. */
const harmless: ReadonlySet<Code> = new Set<Code>(['syntax/missing-comma', 'syntax/statement']);

export const atEnd = (c: Cursor): boolean => c.at >= c.end;

/** Kind of the token here, or -1 at the line's end. */
export const kindHere = (c: Cursor): TokenKind | -1 => (c.at < c.end ? c.tokens.kind[c.at] : -1);

/** First character of token `at`, 0 behind the line's end. */
export const codeAt = (c: Cursor, at: number): number =>
  at < c.end ? c.text.charCodeAt(c.tokens.start[at]) : 0;

export const startHere = (c: Cursor): number => c.tokens.start[c.at];

/** Where the token before this one ends; the line's first token must have been taken. */
export const endBefore = (c: Cursor): number => c.tokens.end[c.at - 1];

export const spanHere = (c: Cursor): Span => ({ start: c.tokens.start[c.at], end: c.tokens.end[c.at] });

export const textAt = (c: Cursor, at: number): string => intern(c.text, c.tokens.start[at], c.tokens.end[at]);

/** Token `at` as a name. */
export const nameAt = (c: Cursor, at: number): Name => ({
  start: c.tokens.start[at],
  end: c.tokens.end[at],
  text: textAt(c, at),
});

/** Token `at` as the name of a value or register. */
export function numberedAt(c: Cursor, at: number): NumberedName {
  const start = c.tokens.start[at];
  const end = c.tokens.end[at];
  const number = c.names.number(start, end);
  return { start, end, text: c.names.texts[number], number };
}

/** Where something is missing: directly behind the token before here. */
export function gap(c: Cursor): Span {
  const end = endBefore(c);
  return { start: end, end };
}

export const fix = (title: string, span: Span, newText: string, preferred = false): Fix => ({
  title,
  edits: [{ span: { start: span.start, end: span.end }, newText }],
  ...(preferred && { preferred }),
});

/** Says what is wrong with the line, unless something was said already. */
export function report(c: Cursor, code: Code, span: Span, message: string, ...fixes: readonly Fix[]): void {
  if (!harmless.has(code)) c.isFaulty = true;
  if (c.hasProblem) return;
  c.hasProblem = true;
  c.problems.push({
    code,
    severity: 'error',
    span: { start: span.start, end: span.end },
    message,
    ...(fixes.length > 0 && { fixes }),
  });
}

/** The token at `at` for a message; long ones are cut. */
export function shown(c: Cursor, at: number): string {
  const word = c.text.slice(c.tokens.start[at], c.tokens.end[at]);
  return word.length > 40 ? `${word.slice(0, 37)}...` : word;
}
