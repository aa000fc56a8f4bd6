import { Operand, OperandBit, packedRegion, typeBits } from '../operand.js';
import type { OperandFile } from '../tree.js';
import { typeAt, typeNames, upperEnd } from '../types.js';
import { parseImmediate, startsImmediate } from './immediate.js';
import {
  decimal,
  digitsEnd,
  isBlank,
  isDigit,
  isLetter,
  isWord,
  peek,
  report,
  shown,
  skipToComma,
  stretchEnd,
  wordEnd,
  type Scanner,
} from './scanner.js';

/** What an operand is read as: channels of a destination are a mask, of a source a swizzle. */
export type Position = 'destination' | 'source';

/** The register file that begins at `at`, with its numbers. Reused: the caller reads it at once. */
const register = { file: 'word' as OperandFile, number: 0, subregister: -1, end: 0 };

const FILES: Readonly<Record<number, OperandFile>> = {
  103: 'grf',
  109: 'message',
  117: 'uniform',
  115: 'slot',
};

/** True where a register's name begins at `at`; `register` tells which. */
function scanRegister(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  register.subregister = -1;
  switch (code) {
    case 118: // vgrf12
      return text.startsWith('vgrf', at) && numbered(text, at + 4, 'virtual');
    case 103: // g3, g4.16
      return numbered(text, at + 1, 'grf') && subregister(text, true);
    case 109: // m3
    case 117: // u3
    case 115: // s3
      return numbered(text, at + 1, FILES[code]);
    case 102: // f0.1
      return numbered(text, at + 1, 'flag') && subregister(text, false) && flagNumber();
    case 110: // null
      if (!text.startsWith('null', at) || isWord(text.charCodeAt(at + 4))) return false;
      register.file = 'null';
      register.number = 0;
      register.end = at + 4;
      return true;
    case 97: // attr1, acc0, a0.1, arf1.2
      if (text.startsWith('attr', at)) return numbered(text, at + 4, 'attribute');
      if (text.startsWith('acc', at)) return numbered(text, at + 3, 'accumulator');
      if (text.startsWith('arf', at))
        return numbered(text, at + 3, 'architecture') && subregister(text, false);
      return numbered(text, at + 1, 'address') && subregister(text, false);
  }
  return false;
}

function numbered(text: string, at: number, file: OperandFile): boolean {
  const end = digitsEnd(text, at);
  if (end === at || isLetter(text.charCodeAt(end))) return false;
  register.file = file;
  register.number = decimal(text, at, end);
  register.end = end;
  return true;
}

/** The number behind a dot, if there is one; false where there must be one and is none. */
function subregister(text: string, isOptional: boolean): boolean {
  const { end } = register;
  if (text.charCodeAt(end) !== 46 || !isDigit(text.charCodeAt(end + 1))) return isOptional;
  const last = digitsEnd(text, end + 1);
  register.subregister = decimal(text, end + 1, last);
  register.end = last;
  return true;
}

function flagNumber(): boolean {
  if (register.number > 1 || register.subregister > 1) return false;
  register.number = 2 * register.number + register.subregister;
  register.subregister = -1;
  return true;
}

/** The flag at `at` as 0 to 3, or -1; `flagEnd` is where it ends. */
export function flagAt(text: string, at: number): 0 | 1 | 2 | 3 | -1 {
  if (text.charCodeAt(at) !== 102 || text.charCodeAt(at + 2) !== 46) return -1;
  const first = text.charCodeAt(at + 1) - 48;
  const second = text.charCodeAt(at + 3) - 48;
  if (first < 0 || first > 1 || second < 0 || second > 1) return -1;
  return (2 * first + second) as 0 | 1 | 2 | 3;
}

const invalid = typeBits('INVALID');

const plain = (file: OperandFile, start: number, end: number, bits = invalid): Operand =>
  new Operand(file, start, end, end, 0, -1, 0, 0, -1, -1, -1, bits);

/** An operand that is not there, or is half-typed. */
export const missing = (start: number, end: number): Operand => plain('missing', start, end);

/** What `(null):UD` says, where nothing is written. */
export const absentAt = (at: number): Operand =>
  plain('none', at, at, OperandBit.Destination | typeBits('UD'));

/**
 * The operand at the scanner, which is left behind it. A malformed one is reported, skipped up to the next comma and
 * returned as `missing`.
 */
export function parseOperand(s: Scanner, position: Position): Operand {
  const { text, at: start } = s;
  if (start >= s.end) return lost(s, start, 'an operand is missing here');
  if (position === 'source' && startsImmediate(text, start)) return immediate(s);
  let at = start;
  const negate = text.charCodeAt(at) === 45;
  if (negate) at++;
  const absolute = text.charCodeAt(at) === 124;
  if (absolute) at++;
  if (text.charCodeAt(at) === 40) {
    if (!text.startsWith('(null)', at)) return lost(s, start);
    return absent(s, start, at + 6, position);
  }
  const isStarred = text.startsWith('***', at);
  if (isStarred) at += 3;
  if (!scanRegister(text, at)) return isStarred || negate || absolute ? lost(s, start) : word(s);
  const { file, number, subregister: sub } = register;
  const nameEnd = register.end;
  s.at = nameEnd;
  if (isStarred) {
    if (!text.startsWith('***', s.at)) return lost(s, start);
    s.at += 3;
  }
  let bits = position === 'destination' ? OperandBit.Destination : 0;
  if (negate) bits |= OperandBit.Negate;
  if (absolute) bits |= OperandBit.Absolute;
  if (isStarred) bits |= OperandBit.Starred;
  return region(s, position, start, nameEnd, file, number, sub, bits);
}

/** Everything behind a register's name: offset, channels, closing bar, stride, type. */
function region(
  s: Scanner,
  position: Position,
  start: number,
  nameEnd: number,
  file: OperandFile,
  number: number,
  sub: number,
  headBits: number,
): Operand {
  const { text } = s;
  let offsetRegisters = 0;
  let offsetBytes = 0;
  let offsetEnd = -1;
  if (text.charCodeAt(s.at) === 43) {
    const dot = digitsEnd(text, s.at + 1);
    offsetEnd = digitsEnd(text, dot + 1);
    if (dot === s.at + 1 || text.charCodeAt(dot) !== 46 || offsetEnd === dot + 1)
      return lost(s, start, 'an offset is written +REGISTERS.BYTES, such as +1.16');
    offsetRegisters = decimal(text, s.at + 1, dot);
    offsetBytes = decimal(text, dot + 1, offsetEnd);
    s.at = offsetEnd;
  }
  let channels = -1;
  if (text.charCodeAt(s.at) === 46) {
    const from = s.at + 1;
    const to = wordEnd(text, from);
    s.at = to;
    channels = position === 'destination' ? mask(s, from, to) : swizzle(s, from, to);
    if (channels < 0) return lost(s, start, '');
  }
  if ((headBits & OperandBit.Absolute) !== 0) {
    if (text.charCodeAt(s.at) !== 124)
      return lost(s, start, "the closing '|' of the absolute value is missing");
    s.at++;
  }
  let stride = -1;
  if (text.charCodeAt(s.at) === 60) {
    stride = strideAt(s);
    if (stride < 0) return lost(s, start, 'a stride is written <1>, a region <8,8,1>, in elements');
  }
  let bits = headBits | invalid;
  if (text.charCodeAt(s.at) === 58) {
    const typeStart = s.at + 1;
    const typeEnd = upperEnd(text, typeStart);
    const type = isWord(text.charCodeAt(typeEnd)) ? undefined : typeAt(text, typeStart, typeEnd);
    if (type === undefined) return unknownType(s, start, typeStart);
    bits = headBits | typeBits(type) | OperandBit.HasType;
    s.at = typeEnd;
  } else if (s.at < s.end) {
    const code = text.charCodeAt(s.at);
    if (code !== 44 && !isBlank(code)) return lost(s, start);
  }
  return new Operand(
    file,
    start,
    s.at,
    nameEnd,
    number,
    sub,
    offsetRegisters,
    offsetBytes,
    offsetEnd,
    channels,
    stride,
    bits,
  );
}

/** The stride or region at the scanner, packed; -1 where it is malformed. */
function strideAt(s: Scanner): number {
  const { text, at } = s;
  const close = at + 2;
  if (text.charCodeAt(close) === 62 && isDigit(text.charCodeAt(at + 1))) {
    s.at = close + 1;
    return text.charCodeAt(at + 1) - 48;
  }
  const end = text.indexOf('>', at);
  const numbers = end < 0 || end > at + 30 ? null : regionForm.exec(text.slice(at + 1, end));
  if (numbers === null) return -1;
  s.at = end + 1;
  if (numbers[2] === undefined) return Number(numbers[1]);
  return packedRegion(Number(numbers[1]), Number(numbers[2]), Number(numbers[3]));
}

const regionForm = /^(\d{1,2})(?:,(\d{1,2}),(\d{1,2}))?$/;

const channelOf = (code: number): number => (code === 119 ? 3 : code - 120);

/** Bits of `xyz`, in this order; -1 (reported) where it is no mask. */
function mask(s: Scanner, start: number, end: number): number {
  const { text } = s;
  if (start === end) {
    report(
      s,
      'syntax/write-mask',
      start - 1,
      start,
      'the write mask is empty: the instruction writes nothing; name the channels that it writes, such as .xy',
    );
    return -1;
  }
  let bits = 0;
  let last = -1;
  for (let i = start; i < end; i++) {
    const channel = channelOf(text.charCodeAt(i));
    if (channel < 0 || channel > 3 || channel <= last) {
      report(
        s,
        'syntax/write-mask',
        start,
        end,
        `'${shown(text, start, end)}' is no write mask: each of x, y, z, w at most once, in this order`,
      );
      return -1;
    }
    last = channel;
    bits |= 1 << channel;
  }
  return bits;
}

/** Two bits a channel; -1 (reported) where it is no swizzle. */
function swizzle(s: Scanner, start: number, end: number): number {
  const { text } = s;
  let bits = 0;
  for (let i = start; i < end; i++) {
    const channel = channelOf(text.charCodeAt(i));
    if (channel < 0 || channel > 3) bits = -1;
    else if (bits >= 0) bits |= channel << (2 * (i - start));
  }
  if (bits >= 0 && end - start === 4) return bits;
  report(
    s,
    'syntax/swizzle',
    start - 1,
    Math.max(end, start),
    start === end
      ? 'the swizzle is missing: four letters of x, y, z, w, one for each channel'
      : `'${shown(text, start, end)}' is no swizzle: four letters of x, y, z, w, one for each channel that reads`,
  );
  return -1;
}

function immediate(s: Scanner): Operand {
  const { start, end, type, low, high, isFaulty } = parseImmediate(s);
  if (isFaulty) return missing(start, end);
  return new Operand('immediate', start, end, end, low, high, 0, 0, -1, -1, -1, typeBits(type));
}

/** `(null):UD`, whose type may be left out. */
function absent(s: Scanner, start: number, nameEnd: number, position: Position): Operand {
  s.at = nameEnd;
  const bits = position === 'destination' ? OperandBit.Destination : 0;
  if (peek(s) !== 58) return plain('none', start, nameEnd, bits | invalid);
  const typeStart = nameEnd + 1;
  const typeEnd = upperEnd(s.text, typeStart);
  const type = typeAt(s.text, typeStart, typeEnd);
  if (type === undefined) return unknownType(s, start, typeStart);
  s.at = typeEnd;
  const typed = bits | typeBits(type) | OperandBit.HasType;
  return new Operand('none', start, typeEnd, nameEnd, 0, -1, 0, 0, -1, -1, -1, typed);
}

function word(s: Scanner): Operand {
  const { text, at: start } = s;
  let end = start;
  if (isLetter(text.charCodeAt(start))) end = wordEnd(text, start);
  const after = end < s.end ? text.charCodeAt(end) : -1;
  if (end === start || !(after < 0 || after === 44 || after === 123 || isBlank(after))) return lost(s, start);
  s.at = end;
  return plain('word', start, end);
}

function unknownType(s: Scanner, start: number, typeStart: number): Operand {
  const end = Math.max(wordEnd(s.text, typeStart), typeStart);
  const written = shown(s.text, typeStart, end);
  report(
    s,
    'syntax/unknown-type',
    end > typeStart ? typeStart : typeStart - 1,
    end,
    end > typeStart
      ? `there is no type '${written}'; types are ${typeNames.slice(0, -1).join(', ')}`
      : "a type such as F or UD must follow the ':'",
  );
  s.at = end;
  skipToComma(s);
  return missing(start, trimmedEnd(s, start));
}

/** Reports a malformed operand (without a message: it has been reported) and goes to the next comma. */
function lost(s: Scanner, start: number, message?: string): Operand {
  const end = stretchEnd(s, start);
  if (message !== '') {
    const text = message ?? `'${shown(s.text, start, end)}' is no operand of a Gen program`;
    if (end === start && start > 0 && message === undefined)
      report(s, 'syntax/operand', start, end, 'an operand is missing here');
    else report(s, 'syntax/operand', start, end, text);
  }
  s.at = Math.max(s.at, start);
  skipToComma(s);
  return missing(start, trimmedEnd(s, start));
}

function trimmedEnd(s: Scanner, start: number): number {
  let end = s.at;
  while (end > start && isBlank(s.text.charCodeAt(end - 1))) end--;
  return end;
}
