import { lookAlike } from '../../text/look-alikes.js';
import { TokenKind, type Tokens } from './tree.js';

/**
 * PTX text to tokens. Blanks are the gaps between tokens, comments are tokens, and no byte is lost whatever the
 * text. Measured with ptxas 13.0.88: comments do not nest; a string has no escapes; a dotted word that follows a
 * word without a blank belongs to it (`tex.2d`), elsewhere `.5` is a number; `5 %3` holds the word `%3`.
 *
 * Two liberties keep a mistake small: a string ends at the end of its line at the latest, and a number takes all
 * word characters that follow (`089`, `0f3F80`, `12abc` are one token each).
 */

const WORD_START = 1;
const WORD = 2;
const DIGIT = 4;
const BLANK = 8;

const classes = new Uint8Array(128);
for (let code = 0; code < 128; code++) {
  const character = String.fromCharCode(code);
  if (/[A-Za-z_$%]/.test(character)) classes[code] |= WORD_START;
  if (/[\w$]/.test(character)) classes[code] |= WORD;
  if (/\d/.test(character)) classes[code] |= DIGIT;
  if (code <= 32) classes[code] |= BLANK;
}

const foreignWord = /[\p{L}\p{M}\p{N}]/u;
const foreignBlank = /[\s\u200b\u200c\u200d\u2060\ufeff]/;

const isForeignWord = (text: string, at: number): boolean =>
  foreignWord.test(String.fromCodePoint(text.codePointAt(at) ?? 0));

export const isWordCharacter = (code: number): boolean => code < 128 && (classes[code] & WORD) !== 0;
export const isBlank = (code: number): boolean =>
  code < 128 ? (classes[code] & BLANK) !== 0 : foreignBlank.test(String.fromCharCode(code));

function wordEnd(text: string, from: number): number {
  let i = from;
  for (;;) {
    const code = text.charCodeAt(i);
    if (code < 128) {
      if ((classes[code] & WORD) === 0) return i;
      i++;
    } else if (i < text.length && isForeignWord(text, i)) {
      i += (text.codePointAt(i) ?? 0) > 0xffff ? 2 : 1;
    } else return i;
  }
}

const isDigit = (code: number): boolean => code >= 48 && code <= 57;

/** End of the number at `from` and whether it is a floating-point one, as `end * 2 + isFloat`. */
function numberEnd(text: string, from: number): number {
  let i = from;
  const second = text.charCodeAt(i + 1) | 32;
  if (text.charCodeAt(i) === 48 && (second === 102 || second === 100)) return wordEnd(text, i) * 2 + 1;
  if (text.charCodeAt(i) === 48 && (second === 120 || second === 98)) return wordEnd(text, i) * 2;
  let isFloat = 0;
  while (isDigit(text.charCodeAt(i))) i++;
  if (text.charCodeAt(i) === 46) {
    isFloat = 1;
    i++;
    while (isDigit(text.charCodeAt(i))) i++;
  }
  if ((text.charCodeAt(i) | 32) === 101) {
    let digits = i + 1;
    const sign = text.charCodeAt(digits);
    if (sign === 43 || sign === 45) digits++;
    if (isDigit(text.charCodeAt(digits))) {
      isFloat = 1;
      i = digits;
      while (isDigit(text.charCodeAt(i))) i++;
    }
  }
  return wordEnd(text, i) * 2 + isFloat;
}

function dottedEnd(text: string, dot: number): number {
  let i = wordEnd(text, dot + 1);
  while (text.charCodeAt(i) === 58 && text.charCodeAt(i + 1) === 58) {
    const end = wordEnd(text, i + 2);
    if (end === i + 2) break;
    i = end;
  }
  return i;
}

export function lineEnd(text: string, from: number): number {
  let i = from;
  while (i < text.length) {
    const code = text.charCodeAt(i);
    if (code === 10 || code === 13) break;
    i++;
  }
  return i;
}

function stringEnd(text: string, quote: number): number {
  for (let i = quote + 1; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 34) return i + 1;
    if (code === 10 || code === 13) return i;
  }
  return text.length;
}

function blockCommentEnd(text: string, from: number): number {
  const close = text.indexOf('*/', from + 2);
  return close < 0 ? text.length : close + 2;
}

/** `<<`, `>>`, `<=`, `>=`, `==`, `!=`, `&&`, `||`. */
function operatorLength(code: number, next: number): number {
  if (next === 61) return code === 60 || code === 62 || code === 61 || code === 33 ? 2 : 1;
  return next === code && (code === 60 || code === 62 || code === 38 || code === 124) ? 2 : 1;
}

export const KIND_BITS = 4;

/**
 * The token that starts at `at`, which must not be a blank, as `end << KIND_BITS | kind`. `joined`: a word ends
 * exactly here, so that `.2d` is its modifier and not a number.
 */
export function scanToken(text: string, at: number, joined: boolean): number {
  const code = text.charCodeAt(at);
  if (code >= 128) {
    if (isForeignWord(text, at)) return (wordEnd(text, at) << KIND_BITS) | TokenKind.Identifier;
    const length = (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
    return (
      ((at + length) << KIND_BITS) |
      (lookAlike(code) !== undefined ? TokenKind.Punctuation : TokenKind.Unknown)
    );
  }
  const flags = classes[code];
  if ((flags & WORD_START) !== 0) {
    const end = wordEnd(text, at + 1);
    if (code === 37 && end === at + 1) return (end << KIND_BITS) | TokenKind.Punctuation;
    return (end << KIND_BITS) | TokenKind.Identifier;
  }
  if ((flags & DIGIT) !== 0) return scanNumber(text, at);
  const next = at + 1 < text.length ? text.charCodeAt(at + 1) : 0;
  switch (code) {
    case 46: // .
      if (isDigit(next) && !joined) return scanNumber(text, at);
      return isWordCharacter(next) || (next >= 128 && isForeignWord(text, at + 1))
        ? (dottedEnd(text, at) << KIND_BITS) | TokenKind.Dotted
        : ((at + 1) << KIND_BITS) | TokenKind.Punctuation;
    case 34: // "
      return (stringEnd(text, at) << KIND_BITS) | TokenKind.String;
    case 47: // /
      if (next === 47) return (lineEnd(text, at) << KIND_BITS) | TokenKind.LineComment;
      if (next === 42) return (blockCommentEnd(text, at) << KIND_BITS) | TokenKind.BlockComment;
      break;
    case 35: // #
      return (lineEnd(text, at) << KIND_BITS) | TokenKind.Preprocessor;
    case 92: // \
    case 96: // `
    case 39: // '
    case 127:
      return ((at + 1) << KIND_BITS) | TokenKind.Unknown;
  }
  return ((at + operatorLength(code, next)) << KIND_BITS) | TokenKind.Punctuation;
}

function scanNumber(text: string, at: number): number {
  const packed = numberEnd(text, at);
  return ((packed >> 1) << KIND_BITS) | ((packed & 1) === 1 ? TokenKind.Float : TokenKind.Integer);
}

/** All tokens of a text of less than 2^27 code units. Linear. */
export function lex(text: string): Tokens {
  let capacity = (text.length >> 2) + 16;
  let kind = new Uint8Array(capacity);
  let start = new Int32Array(capacity);
  let end = new Int32Array(capacity);
  let count = 0;
  let wordAt = -1;
  const length = text.length;
  for (let i = 0; i < length;) {
    const code = text.charCodeAt(i);
    if (code < 128 ? (classes[code] & BLANK) !== 0 : isBlank(code)) {
      i++;
      continue;
    }
    const packed = scanToken(text, i, wordAt === i);
    if (count === capacity) {
      capacity *= 2;
      kind = grown(kind, new Uint8Array(capacity));
      start = grown(start, new Int32Array(capacity));
      end = grown(end, new Int32Array(capacity));
    }
    const tokenKind = packed & ((1 << KIND_BITS) - 1);
    kind[count] = tokenKind;
    start[count] = i;
    i = packed >> KIND_BITS;
    end[count] = i;
    count++;
    if (tokenKind <= TokenKind.Dotted) wordAt = i;
  }
  return { count, kind: kind.slice(0, count), start: start.slice(0, count), end: end.slice(0, count) };
}

function grown<A extends Uint8Array | Int32Array>(from: A, to: A): A {
  to.set(from);
  return to;
}
