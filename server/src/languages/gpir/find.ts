import type { Span } from '../../text/span.js';
import { TokenKind, type GpirUnit, type Instruction, type Statement, type Tokens } from './tree.js';

/** What stands where: binary searches over the tree, for everything that starts from a place in the text. */

/** Index of the first entry for which `isBehind` holds; entries are sorted by it. */
function firstBehind(count: number, isBehind: (i: number) => boolean): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBehind(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The token that holds `offset` or ends there; where two meet, the word before the punctuation. -1 for none. */
export function tokenAt(tokens: Tokens, offset: number): number {
  const at = firstBehind(tokens.count, (i) => tokens.start[i] > offset) - 1;
  if (at < 0 || tokens.end[at] < offset) return -1;
  const isMark = tokens.start[at] === offset && tokens.kind[at] === TokenKind.Punctuation;
  return isMark && at > 0 && tokens.end[at - 1] === offset ? at - 1 : at;
}

/** Index of the first token that starts at or behind `offset`. */
export const tokenFrom = (tokens: Tokens, offset: number): number =>
  firstBehind(tokens.count, (i) => tokens.start[i] >= offset);

/** The last of the sorted spans that starts at or before `offset`, if it reaches there. */
export function spanAt<S extends Span>(spans: readonly S[], offset: number): S | undefined {
  const at = firstBehind(spans.length, (i) => spans[i].start > offset) - 1;
  return at >= 0 && offset <= spans[at].end ? spans[at] : undefined;
}

export const statementAt = (unit: GpirUnit, offset: number): Statement | undefined =>
  spanAt(unit.statements, offset);

/** The instruction of the line that `offset` is in, if it begins before `offset`. */
export function instructionBefore(unit: GpirUnit, offset: number): Instruction | undefined {
  const { statements } = unit;
  const at = firstBehind(statements.length, (i) => statements[i].start > offset) - 1;
  const found = at >= 0 ? statements[at] : undefined;
  if (found?.kind !== 'instruction') return undefined;
  return hasLineBreak(unit.text, found.end, offset) ? undefined : found;
}

export function hasLineBreak(text: string, from: number, to: number): boolean {
  for (let i = from; i < to; i++) {
    const code = text.charCodeAt(i);
    if (code === 10 || code === 13) return true;
  }
  return false;
}

/** Line breaks between two places; CR LF is one. */
export function lineBreaks(text: string, from: number, to: number): number {
  let count = 0;
  for (let i = from; i < to; i++) {
    const code = text.charCodeAt(i);
    if (code === 10 || (code === 13 && text.charCodeAt(i + 1) !== 10)) count++;
  }
  return count;
}

/** Start of the line that `offset` is in. */
export function lineStart(text: string, offset: number): number {
  let at = offset;
  while (at > 0 && text.charCodeAt(at - 1) !== 10 && text.charCodeAt(at - 1) !== 13) at--;
  return at;
}
