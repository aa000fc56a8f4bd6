import { intern } from '../../../text/intern.js';
import type { Name, RegisterName } from './tree.js';
import { isBlank, skipBlanks } from './sections.js';

/** A place in one line of the text; `end` is the line's end without blanks. */
export interface Cursor {
  readonly text: string;
  at: number;
  readonly end: number;
}

/** The character code at the cursor, or -1 at the line's end. */
export const peek = (c: Cursor): number => (c.at < c.end ? c.text.charCodeAt(c.at) : -1);

export const isAtEnd = (c: Cursor): boolean => c.at >= c.end;

export function blanks(c: Cursor): void {
  c.at = skipBlanks(c.text, c.at, c.end);
}

/** Consumes `word` if it stands at the cursor. */
export function take(c: Cursor, word: string): boolean {
  if (c.at + word.length > c.end || !c.text.startsWith(word, c.at)) return false;
  c.at += word.length;
  return true;
}

export const isDigit = (code: number): boolean => code >= 48 && code <= 57;
export const isUpper = (code: number): boolean => code >= 65 && code <= 90;
export const isLower = (code: number): boolean => code >= 97 && code <= 122;
export const isWord = (code: number): boolean =>
  isDigit(code) || isUpper(code) || isLower(code) || code === 95;

/** Larger numbers than any dump has all read as this. */
const LARGEST = 0x7fff_ffff;

/** A decimal number; -1 where there is none. */
export function takeNumber(c: Cursor): number {
  if (!isDigit(peek(c))) return -1;
  let value = 0;
  while (isDigit(peek(c))) {
    value = Math.min(LARGEST, value * 10 + c.text.charCodeAt(c.at) - 48);
    c.at++;
  }
  return value;
}

/** A number with an optional minus sign; undefined where there is none. */
export function takeSigned(c: Cursor): number | undefined {
  const start = c.at;
  const isNegative = take(c, '-');
  const value = takeNumber(c);
  if (value < 0) {
    c.at = start;
    return undefined;
  }
  return isNegative ? -value : value;
}

/** The characters for which `belongs` holds; undefined for none. */
export function takeWhile(c: Cursor, belongs: (code: number) => boolean): Name | undefined {
  const start = c.at;
  while (c.at < c.end && belongs(c.text.charCodeAt(c.at))) c.at++;
  return c.at === start ? undefined : { start, end: c.at, text: intern(c.text, start, c.at) };
}

export const takeWord = (c: Cursor): Name | undefined => takeWhile(c, isWord);

/** Everything up to the next blank. */
export const takeChunk = (c: Cursor): Name | undefined => takeWhile(c, (code) => !isBlank(code));

/** `%12` */
export function takeRegister(c: Cursor): RegisterName | undefined {
  const start = c.at;
  if (!take(c, '%')) return undefined;
  const number = takeNumber(c);
  if (number < 0) {
    c.at = start;
    return undefined;
  }
  return { start, end: c.at, number };
}
