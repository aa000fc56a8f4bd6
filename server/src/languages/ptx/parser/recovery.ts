import { TokenKind } from '../tree.js';
import { codeAt, following, kindOf, onNewLine, punctuation, textOf, type Cursor } from './cursor.js';
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
  if (code === 64 || code === 125) return true;
  if (kind !== TokenKind.Identifier) return false;
  const next = following(c);
  return codeAt(c, next) === 58 || looksLikeOpcode(c) || bareInstructions.has(textOf(c));
}

/** A word with modifiers, the first of which is not just a vector component or a part of a register. */
function looksLikeOpcode(c: Cursor): boolean {
  const { kind, start, end, count } = c.tokens;
  const next = c.index + 1;
  if (kindOf(c) !== TokenKind.Identifier || next >= count) return false;
  if (kind[next] !== TokenKind.Dotted || start[next] !== end[c.index]) return false;
  if (next + 1 < count && kind[next + 1] === TokenKind.Dotted && start[next + 1] === end[next]) return true;
  return end[next] - start[next] > 2 && !/^\.[bh]\d$/.test(c.text.slice(start[next], end[next]));
}
