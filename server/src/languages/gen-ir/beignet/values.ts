/** Types and numbers of the selection IR and of GEN IR in the words of the lowered function. */

/** Types as the selection prints them, but for the two traps: `V` on a register is DF, nothing is HF. */
const selectionTypes: Readonly<Record<string, string>> = {
  UD: 'UD',
  UW: 'UW',
  UB: 'UB',
  HF: 'HF',
  D: 'D',
  W: 'W',
  B: 'B',
  V: 'V',
  UV: 'UV',
  VF: 'VF',
  UL: 'UQ',
  L: 'Q',
  UQ: 'UQ',
  Q: 'Q',
  F: 'F',
  DF: 'DF',
};

export const selectionTypeNames: readonly string[] = [
  'UD',
  'UW',
  'UB',
  'HF',
  'D',
  'W',
  'B',
  'V',
  'UL',
  'L',
  'F',
];

/** Of a register; undefined: there is no such type. */
export const registerType = (text: string): string | undefined =>
  text === '' ? 'HF' : text === 'V' ? 'DF' : selectionTypes[text];

/** Of an immediate; a lost DF value prints `V` and no digits. */
export const immediateType = (text: string, isLost: boolean): string | undefined =>
  isLost && (text === 'V' || text === '') ? 'DF' : selectionTypes[text];

const irTypes: Readonly<Record<string, string>> = {
  bool: 'W',
  int8: 'B',
  uint8: 'UB',
  int16: 'W',
  uint16: 'UW',
  int32: 'D',
  uint32: 'UD',
  int64: 'Q',
  uint64: 'UQ',
  half: 'HF',
  float: 'F',
  double: 'DF',
};

export const irTypeNames: readonly string[] = Object.keys(irTypes);

/** Of a type word of GEN IR, or undefined. */
export const irType = (word: string): string | undefined => irTypes[word];

const sizes: Readonly<Record<string, number>> = {
  UB: 1,
  B: 1,
  UW: 2,
  W: 2,
  HF: 2,
  UV: 2,
  V: 2,
  DF: 8,
  UQ: 8,
  Q: 8,
};

export const typeBytes = (type: string): number => sizes[type] ?? 4;

const view = new DataView(new ArrayBuffer(8));

const hex = (value: number): string => (value >>> 0).toString(16).padStart(8, '0');

/** `#F:3f800000`: type and bits, as an operand's canonical text. */
export function immediateText(text: string, type: string): string {
  return `#${type}:${bitsOf(text, type)}`;
}

function bitsOf(text: string, type: string): string {
  if (type === 'F' && !text.startsWith('0x')) {
    view.setFloat32(0, numberOf(text));
    return hex(view.getUint32(0));
  }
  if (type === 'DF') {
    view.setFloat64(0, numberOf(text));
    return hex(view.getUint32(0)) + hex(view.getUint32(4));
  }
  if (type === 'UQ' || type === 'Q')
    return (integerOf(text) & 0xffff_ffff_ffff_ffffn).toString(16).padStart(16, '0');
  if (type === 'HF' && !text.startsWith('0x')) return hex(halfBits(numberOf(text)));
  const mask =
    typeBytes(type) === 1 ? 0xffn : typeBytes(type) === 2 && !type.endsWith('V') ? 0xffffn : 0xffff_ffffn;
  return hex(Number(integerOf(text) & mask));
}

/** As C++ streams print them: `1.5e-05`, `inf`, `-nan`. */
function numberOf(text: string): number {
  const word = text.replace(/^[-+]/, '');
  const value = word.startsWith('inf') ? Infinity : word.startsWith('nan') ? NaN : Number(word);
  return text.startsWith('-') ? -value : value;
}

function integerOf(text: string): bigint {
  const isNegative = text.startsWith('-');
  const digits = isNegative || text.startsWith('+') ? text.slice(1) : text;
  if (!/^(0x[0-9a-fA-F]+|[0-9]+)$/.test(digits) || digits.length > 40) {
    const value = Number(digits);
    return Number.isFinite(value) ? BigInt(Math.trunc(isNegative ? -value : value)) : 0n;
  }
  return isNegative ? -BigInt(digits) : BigInt(digits);
}

/** Whether the digits of an immediate can be read. */
export const isImmediate = (text: string): boolean =>
  /^[-+]?(0x[0-9a-fA-F]+|([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?|inf|nan)$/.test(text);

/** Bits of the half nearest to a number, ties to even. */
export function halfBits(value: number): number {
  view.setFloat32(0, value);
  const bits = view.getUint32(0);
  const sign = (bits >>> 16) & 0x8000;
  const magnitude = bits & 0x7fff_ffff;
  if (magnitude > 0x7f80_0000) return sign | 0x7e00;
  if (magnitude >= 0x4780_0000) return sign | 0x7c00;
  if (magnitude < 0x3300_0000) return sign;
  const exponent = (magnitude >>> 23) - 127;
  const mantissa = (magnitude & 0x7f_ffff) | 0x80_0000;
  const shift = exponent < -14 ? -1 - exponent : 13;
  const base = exponent < -14 ? 0 : (exponent + 14) << 10;
  const kept = mantissa >>> shift;
  const rest = mantissa & ((1 << shift) - 1);
  const half = 1 << (shift - 1);
  const isUp = rest > half || (rest === half && (kept & 1) === 1);
  return sign | (base + kept + (isUp ? 1 : 0));
}
