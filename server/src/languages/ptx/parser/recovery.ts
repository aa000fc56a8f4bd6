import type { Code } from '../../../text/codes.js';
import { TokenKind } from '../tree.js';
import {
  atEnd,
  codeAt,
  following,
  gapSpan,
  kindOf,
  onNewLine,
  punctuation,
  report,
  textOf,
  type Cursor,
} from './cursor.js';
import { bareInstructions } from './words.js';

/** Where a statement that was not finished ends: before what can only begin the next one. */

/**
 * Whether the current token, which is no operator, begins a new statement rather than an operand: it is an opcode
 * with modifiers or, on a new line, a guard, a directive, a label or one of the few opcodes that need no modifier.
 */
export function startsStatement(c: Cursor): boolean {
  if (!onNewLine(c)) return looksLikeOpcode(c) && /^[a-z]{2}/.test(textOf(c));
  const kind = kindOf(c);
  if (kind === TokenKind.Dotted) return true;
  const code = punctuation(c);
  if (code === 64 || code === 125 || (code === 123 && opensBlock(c))) return true;
  if (kind !== TokenKind.Identifier) return false;
  const next = following(c);
  return codeAt(c, next) === 58 || looksLikeOpcode(c) || bareInstructions.has(textOf(c));
}

/** Whether the line ended where an operand was to follow: the next line, if any, is a statement of its own. */
export const breaksOff = (c: Cursor): boolean => atEnd(c) || (onNewLine(c) && startsStatement(c));

/** `add.s32 a, b, -` and the end of the line: says what stands in front of the gap. */
export function reportBreak(c: Cursor, code: Code, what: string): void {
  report(c, code, gapSpan(c), `${what} expected after '${previousWord(c)}'`);
}

/** The token before here; long ones are cut. */
export function previousWord(c: Cursor): string {
  let i = c.index - 1;
  while (i > 0 && c.tokens.end[i] > c.previousEnd) i--;
  const word = i < 0 ? '' : c.text.slice(c.tokens.start[i], c.tokens.end[i]);
  return word.length > 40 ? `${word.slice(0, 37)}...` : word;
}

/**
 * Whether the `}` here, in an instruction, is the end of a vector without beginning: no block ends before a comma,
 * nor, behind operands on one line, before a semicolon. `split.ts` decides alike.
 */
export function endsVector(c: Cursor, hasComma: boolean): boolean {
  if (punctuation(c) !== 125) return false;
  const next = codeAt(c, following(c));
  return next === 44 || (next === 59 && hasComma && !onNewLine(c));
}

/** Whether the `{` here begins a block and no vector: a directive, a guard or an opcode stands behind it. */
function opensBlock(c: Cursor): boolean {
  const inner = following(c);
  if (inner >= c.tokens.count) return false;
  return c.tokens.kind[inner] === TokenKind.Dotted || codeAt(c, inner) === 64 || looksLikeOpcode(c, inner);
}

/** A word with modifiers, the first of which is not just a vector component or a part of a register. */
function looksLikeOpcode(c: Cursor, index: number = c.index): boolean {
  const { kind, start, end, count } = c.tokens;
  const next = index + 1;
  if (next >= count || kind[index] !== TokenKind.Identifier) return false;
  if (kind[next] !== TokenKind.Dotted || start[next] !== end[index]) return false;
  if (next + 1 < count && kind[next + 1] === TokenKind.Dotted && start[next + 1] === end[next]) return true;
  return end[next] - start[next] > 2 && !/^\.[bh]\d$/.test(c.text.slice(start[next], end[next]));
}
