import { TokenKind, type Tokens } from './tree.js';

/**
 * gpir text to tokens. Blanks and line ends are the gaps between tokens, comments are tokens, and no byte is lost
 * whatever the text. A sign belongs to a number that follows it without a blank; before anything else it is a token
 * of its own. Letters of other scripts count to the word that they stand in, so that a name with one is still a
 * name; the parser refuses them.
 */

const WORD = 1;
const DIGIT = 2;
const BLANK = 4;
const LINE_END = 8;

const classes = new Uint8Array(128);
for (let code = 0; code < 128; code++) {
  const character = String.fromCharCode(code);
  if (/[\w.]/.test(character)) classes[code] |= WORD;
  if (/\d/.test(character)) classes[code] |= DIGIT;
  if (code <= 32) classes[code] |= BLANK;
  if (character === '\n' || character === '\r') classes[code] |= LINE_END;
}

const foreignWord = /[\p{L}\p{M}\p{N}]/u;
const foreignBlank = /[\s\u200b\u200c\u200d\u2060\ufeff]/;

const isForeignWord = (text: string, at: number): boolean =>
  foreignWord.test(String.fromCodePoint(text.codePointAt(at) ?? 0));

export const isBlank = (code: number): boolean =>
  code < 128 ? (classes[code] & BLANK) !== 0 : foreignBlank.test(String.fromCharCode(code));

export const isLineEnd = (code: number): boolean => code === 10 || code === 13;

const isDigit = (code: number): boolean => code >= 48 && code <= 57;

export const isWordCharacter = (code: number): boolean => code < 128 && (classes[code] & WORD) !== 0;

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

export function lineEnd(text: string, from: number): number {
  let i = from;
  while (i < text.length && !isLineEnd(text.charCodeAt(i))) i++;
  return i;
}

/** A digit, or a point and a digit. */
function startsNumber(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return isDigit(code) || (code === 46 && isDigit(text.charCodeAt(at + 1)));
}

/** End of the number that starts at `from`, behind its sign: all word characters, and the sign of an exponent. */
function numberEnd(text: string, from: number): number {
  let i = from;
  while (isDigit(text.charCodeAt(i)) || text.charCodeAt(i) === 46) i++;
  if ((text.charCodeAt(i) | 32) === 101) {
    const sign = text.charCodeAt(i + 1);
    if ((sign === 43 || sign === 45) && isDigit(text.charCodeAt(i + 2))) i += 2;
  }
  return wordEnd(text, i);
}

/** The end of `inf` or `nan`, or -1. */
function namedNumberEnd(text: string, at: number): number {
  if (!text.startsWith('inf', at) && !text.startsWith('nan', at)) return -1;
  return wordEnd(text, at) === at + 3 ? at + 3 : -1;
}

const KIND_BITS = 4;

const packed = (end: number, kind: TokenKind): number => end * (1 << KIND_BITS) + kind;

/** The token at `at`, which must not be a blank, as `end << KIND_BITS | kind`. */
function scanToken(text: string, at: number, startsLine: boolean): number {
  const code = text.charCodeAt(at);
  if (code >= 128) {
    if (isForeignWord(text, at)) return packed(wordEnd(text, at), TokenKind.Word);
    return packed(at + ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1), TokenKind.Unknown);
  }
  if ((classes[code] & WORD) !== 0) {
    if (code === 46 && startsLine) return packed(wordEnd(text, at), TokenKind.Directive);
    if (startsNumber(text, at)) return packed(numberEnd(text, at), TokenKind.Number);
    const end = wordEnd(text, at + 1);
    return packed(
      end,
      end === at + 3 && namedNumberEnd(text, at) === end ? TokenKind.Number : TokenKind.Word,
    );
  }
  switch (code) {
    case 37: // %
      return packed(wordEnd(text, at + 1), TokenKind.Value);
    case 64: // @
      return packed(wordEnd(text, at + 1), TokenKind.Register);
    case 36: // $
      return packed(wordEnd(text, at + 1), TokenKind.Physical);
    case 43: // +
    case 45: // -
      if (startsNumber(text, at + 1)) return packed(numberEnd(text, at + 1), TokenKind.Number);
      return namedNumberEnd(text, at + 1) >= 0
        ? packed(at + 4, TokenKind.Number)
        : packed(at + 1, TokenKind.Punctuation);
    case 44: // ,
    case 58: // :
    case 61: // =
      return packed(at + 1, TokenKind.Punctuation);
    case 59: // ;
      return packed(lineEnd(text, at), TokenKind.Comment);
    case 47: // /
      if (text.charCodeAt(at + 1) === 47) return packed(lineEnd(text, at), TokenKind.Comment);
      break;
  }
  return packed(at + 1, TokenKind.Unknown);
}

/** All tokens of a text of less than 2^28 code units. Linear. */
export function lex(text: string): Tokens {
  let capacity = (text.length >> 2) + 16;
  let kind = new Uint8Array(capacity);
  let startsLine = new Uint8Array(capacity);
  let start = new Int32Array(capacity);
  let end = new Int32Array(capacity);
  let count = 0;
  let isFirst = true;
  const length = text.length;
  for (let i = 0; i < length;) {
    const code = text.charCodeAt(i);
    if (code < 128 ? (classes[code] & BLANK) !== 0 : isBlank(code)) {
      if (isLineEnd(code)) isFirst = true;
      i++;
      continue;
    }
    const found = scanToken(text, i, isFirst);
    if (count === capacity) {
      capacity *= 2;
      kind = grown(kind, new Uint8Array(capacity));
      startsLine = grown(startsLine, new Uint8Array(capacity));
      start = grown(start, new Int32Array(capacity));
      end = grown(end, new Int32Array(capacity));
    }
    kind[count] = found & ((1 << KIND_BITS) - 1);
    startsLine[count] = isFirst ? 1 : 0;
    start[count] = i;
    i = found >>> KIND_BITS;
    end[count] = i;
    count++;
    isFirst = false;
  }
  return {
    count,
    kind: kind.slice(0, count),
    start: start.slice(0, count),
    end: end.slice(0, count),
    startsLine: startsLine.slice(0, count),
  };
}

function grown<A extends Uint8Array | Int32Array>(from: A, to: A): A {
  to.set(from);
  return to;
}
