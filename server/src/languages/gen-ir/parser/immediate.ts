import { isBlank, isDigit, report, shown, type Scanner } from './scanner.js';
import type { Type } from '../types.js';

/**
 * Numbers in operands, as the bits that the instruction holds. Both back-ends print the value and a suffix: `%fF`,
 * `%dD`, `%uU` in vec4 dumps, `%gf`, `%dd`, `%uu` and so on in scalar ones, so that of a float only as many digits
 * are left as were printed. `[1F, 0.5F, 0F, 2F]` is four restricted floats of eight bits: sign, three bits of
 * exponent with bias 3, four bits of fraction.
 */
export interface Immediate {
  start: number;
  end: number;
  type: Type;
  low: number;
  high: number;
  isFaulty: boolean;
}

/** Whether a number begins at `at`, its sign included. */
export function startsImmediate(text: string, at: number): boolean {
  let code = text.charCodeAt(at);
  if (code === 91 || code === 63) return true;
  let i = at;
  if (code === 45) code = text.charCodeAt(++i);
  if (isDigit(code)) return true;
  if (code === 46) return isDigit(text.charCodeAt(i + 1));
  return code === 105 || code === 110 ? namedNumber.test(text.slice(i, i + 7)) : false;
}

const namedNumber = /^(?:inf|nan)(?:hf|df|f|F|DF)(?:$|[^A-Za-z0-9_])/;

/** Filled anew for every number: the parser makes an operand of it at once. */
const found: Immediate = { start: 0, end: 0, type: 'INVALID', low: 0, high: 0, isFaulty: false };

function give(start: number, end: number, type: Type, low: number, high = 0, isFaulty = false): Immediate {
  found.start = start;
  found.end = end;
  found.type = type;
  found.low = low;
  found.high = high;
  found.isFaulty = isFaulty;
  return found;
}

/** The number at the scanner, which is left behind it. */
export function parseImmediate(s: Scanner): Immediate {
  const { text, at: start } = s;
  if (text.charCodeAt(start) === 91) return parseVector(s);
  let end = start + 1;
  while (end < s.end) {
    const code = text.charCodeAt(end);
    if (code === 44 || code === 40 || code === 123 || isBlank(code)) break;
    end++;
  }
  s.at = end;
  if (text.startsWith('???', start) && end === start + 3) return give(start, end, 'INVALID', 0);
  return scalar(s, start, end);
}

const dwords = new DataView(new ArrayBuffer(8));

function scalar(s: Scanner, start: number, end: number): Immediate {
  const { text } = s;
  const last = text.charCodeAt(end - 1);
  switch (last) {
    case 68: // D
    case 100: // d
      return integer(s, start, end - 1, end, 'D');
    case 85: // U
    case 117: // u
      return integer(s, start, end - 1, end, 'UD');
    case 113: // q
      if (text.charCodeAt(end - 2) === 117) return integer(s, start, end - 2, end, 'UQ');
      return integer(s, start, end - 1, end, 'Q');
    case 86: {
      // V
      const digits = text.charCodeAt(end - 2) === 85 ? end - 2 : end - 1;
      const hex = text.slice(start, digits);
      if (!/^[0-9a-fA-F]{1,8}$/.test(hex)) return malformed(s, start, end);
      return give(start, end, digits === end - 2 ? 'UV' : 'V', Number.parseInt(hex, 16) | 0);
    }
    case 70: // F
    case 102: {
      // f
      const before = text.charCodeAt(end - 2);
      if (before === 68 || before === 100) return float(s, start, end - 2, end, 'DF');
      if (before === 72 || before === 104) return float(s, start, end - 2, end, 'HF');
      return float(s, start, end - 1, end, 'F');
    }
    default:
      return malformed(s, start, end);
  }
}

function integer(s: Scanner, start: number, digits: number, end: number, type: Type): Immediate {
  const { text } = s;
  let i = start;
  const isNegative = text.charCodeAt(i) === 45;
  if (isNegative) i++;
  if (i === digits) return malformed(s, start, end);
  const first = i;
  let value = 0;
  for (; i < digits; i++) {
    const code = text.charCodeAt(i);
    if (!isDigit(code)) return malformed(s, start, end);
    value = value * 10 + code - 48;
  }
  if (type === 'Q' || type === 'UQ') {
    if (digits - first > 20) return malformed(s, start, end);
    const bits = BigInt.asIntN(64, BigInt(text.slice(start, digits)));
    return give(start, end, type, Number(BigInt.asIntN(32, bits)), Number(bits >> 32n));
  }
  if (value > (isNegative ? 0x8000_0000 : 0xffff_ffff)) {
    report(s, 'syntax/number', start, end, `${shown(text, start, end)} does not fit into 32 bits`);
    return give(start, end, type, 0, 0, true);
  }
  return give(start, end, type, isNegative ? -value | 0 : value | 0);
}

const floatForm = /^-?(?:\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?|inf|nan)$/;

/** The number that is written, or undefined. */
function numberOf(written: string): number | undefined {
  if (!floatForm.test(written)) return undefined;
  if (written.endsWith('inf')) return written.startsWith('-') ? -Infinity : Infinity;
  return Number(written);
}

function float(s: Scanner, start: number, digits: number, end: number, type: Type): Immediate {
  const value = numberOf(s.text.slice(start, digits));
  if (value === undefined) return malformed(s, start, end);
  if (!Number.isFinite(rounded(value, type)) && /\d/.test(s.text[digits - 1]))
    s.problems.push({
      code: 'syntax/number',
      severity: 'warning',
      span: { start, end },
      message: `${shown(s.text, start, end)} is too large for its type: it becomes infinity, which is written ${value < 0 ? '-' : ''}inf${s.text.slice(digits, end)}`,
    });
  if (type === 'DF') {
    dwords.setFloat64(0, value);
    return give(start, end, type, dwords.getInt32(4), dwords.getInt32(0));
  }
  if (type === 'HF') return give(start, end, type, halfBits(value));
  dwords.setFloat32(0, value);
  return give(start, end, type, dwords.getInt32(0));
}

function rounded(value: number, type: Type): number {
  if (type === 'HF') return (halfBits(value) & 0x7fff) === 0x7c00 ? Infinity : value;
  return type === 'F' ? Math.fround(value) : value;
}

/** Bits of the half float nearest to `value`, ties to even. */
export function halfBits(value: number): number {
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0;
  const magnitude = Math.abs(value);
  if (Number.isNaN(value)) return 0x7e00;
  if (magnitude === 0) return sign;
  const exponent = Math.max(Math.floor(Math.log2(magnitude)), -14);
  if (exponent > 15) return sign | 0x7c00;
  const scaled = magnitude / 2 ** (exponent - 10);
  let fraction = Math.floor(scaled);
  const rest = scaled - fraction;
  if (rest > 0.5 || (rest === 0.5 && (fraction & 1) === 1)) fraction++;
  const bits = ((exponent + 14) << 10) + fraction;
  return sign | Math.min(bits, 0x7c00);
}

function malformed(s: Scanner, start: number, end: number): Immediate {
  const last = s.text.charCodeAt(end - 1);
  const hint = isDigit(last) || last === 46 ? ': it needs a type behind it, such as F, D or U' : '';
  report(
    s,
    'syntax/number',
    start,
    end,
    `'${shown(s.text, start, end)}' is no number of a Gen program${hint}`,
  );
  return give(start, end, 'INVALID', 0, 0, true);
}

/** `[1F, 0.5F, 0F, 2F]` */
function parseVector(s: Scanner): Immediate {
  const { text, at: start } = s;
  const close = text.indexOf(']', start);
  if (close < 0 || close >= s.end) {
    s.at = s.end;
    report(s, 'syntax/unclosed', start, start + 1, 'the vector of four numbers has no closing bracket');
    return give(start, s.end, 'VF', 0, 0, true);
  }
  s.at = close + 1;
  const parts = text.slice(start + 1, Math.min(close, start + 400)).split(',');
  let low = 0;
  for (let k = 0; k < 4; k++) {
    const written = parts.at(k)?.trim() ?? '';
    const value = written.endsWith('F') ? numberOf(written.slice(0, -1)) : undefined;
    const bits = value === undefined ? undefined : restrictedBits(value);
    if (bits === undefined || parts.length !== 4) {
      report(
        s,
        'syntax/number',
        start,
        close + 1,
        'a vector immediate is four numbers such as [1F, 0.5F, 0F, 2F], each with four bits of fraction, from 0.125 to 31',
      );
      return give(start, close + 1, 'VF', 0, 0, true);
    }
    low |= bits << (8 * k);
  }
  return give(start, close + 1, 'VF', low);
}

/** The eight bits of a restricted float, or undefined where it has none for this value. */
function restrictedBits(value: number): number | undefined {
  const sign = value < 0 || Object.is(value, -0) ? 0x80 : 0;
  const magnitude = Math.abs(value);
  if (magnitude === 0) return sign;
  const exponent = Math.floor(Math.log2(magnitude));
  const fraction = (magnitude / 2 ** exponent - 1) * 16;
  // Six digits are printed, which is exact for all but the smallest ones.
  const rounded = Math.round(fraction);
  if (exponent < -3 || exponent > 4 || Math.abs(fraction - rounded) > 1e-3) return undefined;
  return sign | (((exponent + 3) << 4) + rounded);
}
