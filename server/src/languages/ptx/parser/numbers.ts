/**
 * Number words of PTX, as ptxas 13.0.88 reads them: decimal, 0x, 0b, octal with a leading 0, suffix `U` (capital
 * alone), and the exact floats 0f with eight and 0d with sixteen hex digits. An integer wraps at 64 bits.
 */
export interface NumberFault {
  readonly message: string;
  /** What was surely meant. */
  readonly replacement?: string;
}

export interface IntegerWord {
  /** Unsigned, below 2^64. */
  readonly value: bigint;
  readonly isUnsigned: boolean;
}

const MASK_64 = (1n << 64n) - 1n;

const radixes: readonly (readonly [pattern: RegExp, prefix: string, name: string, digits: string])[] = [
  [/^0[xX][\da-fA-F]+U?$/, '0x', 'hexadecimal', '0 to 9 and A to F'],
  [/^0[bB][01]+U?$/, '0b', 'binary', '0 and 1'],
  [/^0[0-7]*U?$/, '0', 'octal', '0 to 7'],
  [/^[1-9]\d*U?$/, '', 'decimal', '0 to 9'],
];

export function readInteger(word: string): IntegerWord | NumberFault {
  const first = word.charCodeAt(0);
  if (word.length < 16 && (first !== 48 || word.length === 1) && /^\d+$/.test(word))
    return { value: BigInt(Number(word)), isUnsigned: false };
  const second = word.charAt(1).toLowerCase();
  const radix = radixes[first !== 48 ? 3 : second === 'x' ? 0 : second === 'b' ? 1 : 2];
  if (!radix[0].test(word)) return integerFault(word, radix);
  const isUnsigned = word.endsWith('U');
  const digits = isUnsigned ? word.slice(0, -1) : word;
  if (digits.length > MAX_DIGITS) return { message: `${word.slice(0, 20)}... does not fit in 64 bits` };
  const value = BigInt(radix[1] === '0' ? `0o0${digits.slice(1)}` : digits);
  if (radix[1] === '0' && value > MASK_64) return { message: `${word} does not fit in 64 bits` };
  return { value: value & MASK_64, isUnsigned };
}

/** Longer words cannot be meant; reading them would cost the square of their length. */
const MAX_DIGITS = 80;

function integerFault(word: string, radix: (typeof radixes)[number]): NumberFault {
  const shown = word.length > 30 ? `${word.slice(0, 27)}...` : word;
  if (/^0\d+$/.test(word))
    return { message: `${shown} starts with 0 and so is octal; 8 and 9 are not octal digits` };
  if (/^(?:0[xX][\da-fA-F]+|0[bB][01]+|\d+)[uU]?[lL]*$/.test(word)) {
    const replacement = word.replace(/[uUlL]+$/, /u/i.test(word.slice(2)) ? 'U' : '');
    return { message: `${shown}: the only suffix of an integer is U; write ${replacement}`, replacement };
  }
  return { message: `${shown} is not a ${radix[2]} number; its digits are ${radix[3]}` };
}

export interface FloatWord {
  readonly float: number;
  readonly width: 32 | 64;
}

const view = new DataView(new ArrayBuffer(8));

export function readFloat(word: string): FloatWord | NumberFault {
  const prefix = word.charAt(1).toLowerCase();
  if (word.startsWith('0') && (prefix === 'f' || prefix === 'd'))
    return readExactFloat(word, prefix === 'f' ? 32 : 64);
  if (/^(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(word)) return { float: Number(word), width: 64 };
  const plain = /^((?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)[fFdDlL]$/.exec(word);
  if (plain !== null)
    return {
      message: `${word}: PTX has no suffix for floating-point constants; write ${plain[1]}`,
      replacement: plain[1],
    };
  return { message: `${word.length > 30 ? `${word.slice(0, 27)}...` : word} is not a number` };
}

function readExactFloat(word: string, width: 32 | 64): FloatWord | NumberFault {
  const wanted = width / 4;
  const digits = word.slice(2);
  const prefix = word.slice(0, 2);
  const one = width === 32 ? '3F800000' : '3FF0000000000000';
  if (!/^[\da-fA-F]*$/.test(digits))
    return { message: `${prefix} needs exactly ${wanted} hex digits, such as ${prefix}${one}` };
  if (digits.length !== wanted)
    return {
      message: `${prefix} needs exactly ${wanted} hex digits (${prefix}${one}); ${digits.length} were given`,
    };
  view.setUint32(0, parseInt(digits.slice(0, 8), 16));
  if (width === 32) return { float: view.getFloat32(0), width };
  view.setUint32(4, parseInt(digits.slice(8), 16));
  return { float: view.getFloat64(0), width };
}
