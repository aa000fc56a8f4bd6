import type { Code } from '../../../text/codes.js';
import type { Fix, Problem, Severity } from '../../../text/problem.js';

/**
 * Where the parser is in one line. The language is a language of lines: no construct crosses one, so whatever a line
 * holds, the next one is read afresh.
 */
export interface Scanner {
  readonly text: string;
  at: number;
  /** End of the line's code: before its comment and its line break. */
  end: number;
  /** The line has a problem already: what follows from it is not reported. */
  hasProblem: boolean;
  readonly problems: Problem[];
}

const LETTER = 1;
const DIGIT = 2;
const BLANK = 4;

const classes = new Uint8Array(128);
for (let code = 0; code < 128; code++) {
  const character = String.fromCharCode(code);
  if (/[A-Za-z_]/.test(character)) classes[code] |= LETTER;
  if (/\d/.test(character)) classes[code] |= DIGIT;
  if (code <= 32) classes[code] |= BLANK;
}

const foreignBlank = /[\s\u200b\u200c\u200d\u2060\ufeff]/;

export const isBlank = (code: number): boolean =>
  code < 128 ? (classes[code] & BLANK) !== 0 : foreignBlank.test(String.fromCharCode(code));

export const isLineEnd = (code: number): boolean => code === 10 || code === 13;

export const isDigit = (code: number): boolean => code >= 48 && code <= 57;

/** Letters, digits and `_`. */
export const isWord = (code: number): boolean => code < 128 && (classes[code] & (LETTER | DIGIT)) !== 0;

export const isLetter = (code: number): boolean => code < 128 && (classes[code] & LETTER) !== 0;

export function wordEnd(text: string, from: number): number {
  let i = from;
  while (isWord(text.charCodeAt(i))) i++;
  return i;
}

export function digitsEnd(text: string, from: number): number {
  let i = from;
  while (isDigit(text.charCodeAt(i))) i++;
  return i;
}

const MOST = 0x7fff_ffff;

/** The decimal number that is written from `start` to `end`; at most 2^31 - 1. */
export function decimal(text: string, start: number, end: number): number {
  let value = 0;
  for (let i = start; i < end; i++) {
    value = value * 10 + text.charCodeAt(i) - 48;
    if (value > MOST) return MOST;
  }
  return value;
}

export function skipBlanks(s: Scanner): void {
  while (s.at < s.end && isBlank(s.text.charCodeAt(s.at))) s.at++;
}

/** The character at the scanner, or -1 at the end of the line's code. */
export const peek = (s: Scanner): number => (s.at < s.end ? s.text.charCodeAt(s.at) : -1);

/** Steps over `code` if it stands here. */
export function take(s: Scanner, code: number): boolean {
  if (s.at >= s.end || s.text.charCodeAt(s.at) !== code) return false;
  s.at++;
  return true;
}

/** Reports the first problem of a line; further ones in the same operand follow from it. */
export function report(
  s: Scanner,
  code: Code,
  start: number,
  end: number,
  message: string,
  severity: Severity = 'error',
  fixes?: readonly Fix[],
): void {
  s.hasProblem = true;
  s.problems.push({
    code,
    severity,
    span: { start, end },
    message,
    ...(fixes !== undefined && { fixes }),
  });
}

/** A piece of the text for a message; long ones are cut. */
export function shown(text: string, start: number, end: number): string {
  const piece = text.slice(start, Math.min(end, start + 41));
  return piece.length > 40 ? `${piece.slice(0, 37)}...` : piece;
}

/** End of the stretch that stands between commas and blanks. */
export function stretchEnd(s: Scanner, from: number): number {
  let i = from;
  while (i < s.end) {
    const code = s.text.charCodeAt(i);
    if (code === 44 || isBlank(code)) break;
    i++;
  }
  return i;
}

/** Goes to the next comma that stands in no brackets, or to the end. */
export function skipToComma(s: Scanner): void {
  let depth = 0;
  while (s.at < s.end) {
    const code = s.text.charCodeAt(s.at);
    if (code === 91) depth++;
    else if (code === 93) depth = 0;
    else if (code === 44 && depth === 0) return;
    else if (code === 123) return;
    s.at++;
  }
}
