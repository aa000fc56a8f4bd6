import { floatBits } from '../../../ir/payload.js';

/** Numbers of the text: decimal, with an exponent, `inf`, `nan`, or the bits of a float32 as `0x40200000`. */

export interface NumberFault {
  readonly message: string;
  /** What was probably meant. */
  readonly instead?: string;
}

const decimal = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
const bits = /^([+-]?)0[xX]([0-9a-fA-F]+)$/;

const SIGN = -0x8000_0000;

/** The float32 that a number stands for, as signed 32 bits, or what is wrong with it. */
export function numberBits(text: string): number | NumberFault {
  if (decimal.test(text)) return floatBits(Number(text));
  const isNegative = text.startsWith('-');
  const word = text.replace(/^[+-]/, '');
  if (word === 'inf' || word === 'nan')
    return floatBits(word === 'inf' ? Infinity : NaN) ^ (isNegative ? SIGN : 0);
  const hexadecimal = bits.exec(text);
  if (hexadecimal === null) return faultOf(text);
  if (hexadecimal[2].length > 8)
    return { message: `'${shortened(text)}' has more than 8 hexadecimal digits: a float32 has 32 bits` };
  return (parseInt(hexadecimal[2], 16) | 0) ^ (isNegative ? SIGN : 0);
}

/** A decimal number that is finite as written, and not as float32. */
export const overflows = (text: string, found: number): boolean =>
  (found & 0x7fff_ffff) === 0x7f80_0000 && decimal.test(text);

function faultOf(text: string): NumberFault {
  const shown = shortened(text);
  if (/^[+-]?0[xX]/.test(text)) return { message: `'${shown}' is no hexadecimal number` };
  const withoutSuffix = text.replace(/[fFlLdD]$/, '');
  if (decimal.test(withoutSuffix))
    return { message: `'${shown}' has a suffix; numbers have none here`, instead: withoutSuffix };
  if (/[eE]$/.test(text)) return { message: `'${shown}' has no digits in its exponent` };
  if (/\..*\./.test(text)) return { message: `'${shown}' has more than one point` };
  return {
    message: `'${shown}' is no number: digits, a point, an exponent, or bits such as 0x3f800000 expected`,
  };
}

const shortened = (text: string): string => (text.length > 40 ? `${text.slice(0, 37)}...` : text);
