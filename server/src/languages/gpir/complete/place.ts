import type { Span } from '../../../text/span.js';
import { lineStart, tokenFrom } from '../find.js';
import { TokenKind, type GpirUnit } from '../tree.js';

/**
 * Where the cursor is, from the tokens of its line before it: half-typed text has no tree worth the name. What is
 * being typed is the run of word characters that ends at the cursor, whatever the lexer makes of it so far.
 */
export type Place =
  | { readonly kind: 'nothing' }
  /** The first word of a line, or behind a label. */
  | { readonly kind: 'statement'; readonly span: Span; readonly prefix: string }
  /** Behind `%x =`. */
  | { readonly kind: 'operation'; readonly span: Span; readonly prefix: string }
  | {
      readonly kind: 'operand';
      readonly span: Span;
      readonly prefix: string;
      readonly opcode: string;
      /** Commas before the cursor. */
      readonly index: number;
      readonly isNegated: boolean;
    }
  /** Behind a directive: the words before the cursor, the directive first. */
  | {
      readonly kind: 'directive';
      readonly span: Span;
      readonly prefix: string;
      readonly words: readonly string[];
    };

const isTyped = (code: number): boolean =>
  (code >= 48 && code <= 57) ||
  (code >= 65 && code <= 90) ||
  (code >= 97 && code <= 122) ||
  code === 95 ||
  code === 46 ||
  code === 37 ||
  code === 64 ||
  code === 36;

/** Most tokens of one line that are looked at. */
const REACH = 100;

export function placeAt({ tokens, text }: GpirUnit, offset: number): Place {
  const begin = lineStart(text, offset);
  let start = offset;
  while (start > begin && isTyped(text.charCodeAt(start - 1))) start--;
  const first = tokenFrom(tokens, begin);
  const words: string[] = [];
  for (let t = first; t < tokens.count && tokens.start[t] < offset; t++) {
    if (tokens.kind[t] === TokenKind.Comment) return { kind: 'nothing' };
    if (tokens.start[t] >= start) break;
    if (words.length === REACH) return { kind: 'nothing' };
    words.push(text.slice(tokens.start[t], Math.min(start, tokens.end[t])));
  }
  const span = { start, end: offset };
  const prefix = text.slice(start, offset);
  if (/^\d/.test(prefix)) return { kind: 'nothing' };
  return inStatement(words, span, prefix);
}

function inStatement(line: readonly string[], span: Span, prefix: string): Place {
  if (line[0]?.startsWith('.')) return { kind: 'directive', span, prefix, words: line };
  const words = line[1] === ':' ? line.slice(2) : line;
  if (words.length === 0) return { kind: 'statement', span, prefix };
  const hasResult = words[1] === '=';
  if (!hasResult && words[0].startsWith('%')) return { kind: 'nothing' };
  const rest = hasResult ? words.slice(2) : words;
  if (rest.length === 0) return { kind: 'operation', span, prefix };
  const last = rest.at(-1) ?? '';
  const isNegated = last === '-';
  const before = isNegated ? rest.at(-2) : last;
  if (rest.length > (isNegated ? 2 : 1) && before !== ',') return { kind: 'nothing' };
  const index = rest.filter((word) => word === ',').length;
  return { kind: 'operand', span, prefix, opcode: rest[0], index, isNegated };
}
