import { isBlank, isLineEnd, isWordCharacter } from './lexer.js';

/**
 * Where a gpir unit ends: before the next `.program` that begins a line, and before the comments directly above it
 * (without a blank line between), which are about that program. What stands before the first `.program` of a text
 * is a program of its own if there is any code in it, else it belongs to the first one.
 */
export function unitEnd(text: string, start: number): number {
  for (let at = text.indexOf(WORD, start); at >= 0; at = text.indexOf(WORD, at + WORD.length)) {
    if (isWordCharacter(text.charCodeAt(at + WORD.length))) continue;
    const line = lineStart(text, start, at);
    if (line < 0) continue;
    const end = beforeComments(text, start, line);
    if (end > start && hasCode(text, start, end)) return end;
  }
  return text.length;
}

const WORD = '.program';

/** Start of the line of which `at` is the first thing that is no blank, or -1. */
function lineStart(text: string, start: number, at: number): number {
  let i = at;
  while (i > start && isBlank(text.charCodeAt(i - 1))) {
    i--;
    if (isLineEnd(text.charCodeAt(i))) return i + 1;
  }
  return i === start ? start : -1;
}

/** Start of the comment lines that end at `line`. */
function beforeComments(text: string, start: number, line: number): number {
  let first = line;
  while (first > start) {
    let end = first - 1;
    if (text.charCodeAt(end) === 10 && end > start && text.charCodeAt(end - 1) === 13) end--;
    let above = end;
    while (above > start && !isLineEnd(text.charCodeAt(above - 1))) above--;
    if (!isCommentLine(text, above, end)) break;
    first = above;
  }
  return first;
}

function isCommentLine(text: string, from: number, to: number): boolean {
  const at = skipBlanks(text, from, to);
  return at < to && isComment(text, at);
}

const isComment = (text: string, at: number): boolean =>
  text.charCodeAt(at) === 59 || (text.charCodeAt(at) === 47 && text.charCodeAt(at + 1) === 47);

function skipBlanks(text: string, from: number, to: number): number {
  let i = from;
  while (i < to && isBlank(text.charCodeAt(i))) i++;
  return i;
}

/** Whether anything but blanks and comments stands there. Looks no further than the first code. */
function hasCode(text: string, from: number, to: number): boolean {
  for (let i = from; i < to;) {
    i = skipBlanks(text, i, to);
    if (i >= to) return false;
    if (!isComment(text, i)) return true;
    while (i < to && !isLineEnd(text.charCodeAt(i))) i++;
  }
  return false;
}
