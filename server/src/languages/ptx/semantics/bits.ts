/**
 * PTX bit operations on unsigned patterns, each after its definition in the PTX ISA manual: fields, counts, byte
 * permutation, three-input logic, funnel shifts, small dot products.
 */
export const mask = (bits: number): bigint => (1n << BigInt(bits)) - 1n;

export function population(value: bigint): bigint {
  let count = 0n;
  for (; value !== 0n; value &= value - 1n) count++;
  return count;
}

export const leadingZeros = (bits: number, value: bigint): bigint =>
  value === 0n ? BigInt(bits) : BigInt(bits - value.toString(2).length);

export function reverse(bits: number, value: bigint): bigint {
  return BigInt('0b' + [...value.toString(2).padStart(bits, '0')].reverse().join(''));
}

/** Position of the highest bit that differs from the sign, all ones when there is none; `.shiftamt`: how far from the top. */
export function findLead(bits: number, signed: boolean, value: bigint, isShiftAmount: boolean): bigint {
  const isNegative = signed && value >> BigInt(bits - 1) === 1n;
  const pattern = isNegative ? value ^ mask(bits) : value;
  if (pattern === 0n) return mask(32);
  const position = BigInt(pattern.toString(2).length - 1);
  return isShiftAmount ? BigInt(bits - 1) - position : position;
}

/** Position and length count in their low 8 bits; what lies above the top is the sign (or 0). */
export function extractField(
  bits: number,
  signed: boolean,
  value: bigint,
  position: bigint,
  length: bigint,
): bigint {
  const from = Number(position & 0xffn);
  const count = Number(length & 0xffn);
  if (count === 0) return 0n;
  const top = Math.min(from + count - 1, bits - 1);
  const sign = signed ? (value >> BigInt(top)) & 1n : 0n;
  let result = 0n;
  for (let k = 0; k < bits; k++) {
    const isInside = k < count && from + k < bits;
    const bit = isInside ? (value >> BigInt(from + k)) & 1n : sign;
    result |= bit << BigInt(k);
  }
  return result;
}

export function insertField(
  bits: number,
  field: bigint,
  base: bigint,
  position: bigint,
  length: bigint,
): bigint {
  const from = Number(position & 0xffn);
  const count = Number(length & 0xffn);
  let result = base;
  for (let k = 0; k < count && from + k < bits; k++) {
    const at = BigInt(from + k);
    result = (result & ~(1n << at)) | (((field >> BigInt(k)) & 1n) << at);
  }
  return result;
}

/** `bmsk`: ones from `start`, `length` of them; clamped or wrapped to 32. */
export function bitMask(start: bigint, length: bigint, wraps: boolean): bigint {
  const from = wraps ? start & 31n : start;
  const count = wraps ? length & 31n : length > 32n ? 32n : length;
  return from >= 32n ? 0n : (mask(Number(count)) << from) & mask(32);
}

/** `szext`: keeps `count` low bits and extends their sign (or zero). */
export function extendFrom(signed: boolean, value: bigint, count: bigint, wraps: boolean): bigint {
  const n = Number(wraps ? count & 31n : count > 32n ? 32n : count);
  if (n === 0) return 0n;
  return BigInt.asUintN(32, signed ? BigInt.asIntN(n, value) : BigInt.asUintN(n, value));
}

/** Bit 4a + 2b + c of the table, at every position. */
export function lookup(bits: number, a: bigint, b: bigint, c: bigint, table: bigint): bigint {
  let result = 0n;
  const all = mask(bits);
  for (let row = 0; row < 8; row++) {
    if (((table >> BigInt(row)) & 1n) === 0n) continue;
    const pick = (value: bigint, bit: number): bigint => ((row & bit) !== 0 ? value : value ^ all);
    result |= pick(a, 4) & pick(b, 2) & pick(c, 1);
  }
  return result;
}

/** `prmt`: bytes of b:a by selector nibbles (bit 3 repeats the byte's sign), or one of the fixed patterns. */
export function permute(a: bigint, b: bigint, selector: bigint, mode: string): bigint {
  const bytes = (b << 32n) | a;
  let result = 0n;
  for (let k = 0; k < 4; k++) {
    const choice = permuteSelection(selector, k, mode);
    const byte = (bytes >> BigInt(8 * (choice & 7))) & 0xffn;
    const value = (choice & 8) !== 0 ? (byte >> 7n) * 0xffn : byte;
    result |= value << BigInt(8 * k);
  }
  return result;
}

function permuteSelection(selector: bigint, k: number, mode: string): number {
  const s = Number(selector & 3n);
  switch (mode) {
    case 'f4e':
      return s + k;
    case 'b4e':
      return (s - k) & 7;
    case 'rc8':
      return s;
    case 'ecl':
      return Math.max(k, s);
    case 'ecr':
      return Math.min(k, s);
    case 'rc16':
      return (2 * (s & 1)) | (k & 1);
    default:
      return Number((selector >> BigInt(4 * k)) & 15n);
  }
}

/** `shf`: 64 bits b:a shifted by c, the high word (left) or the low word (right). */
export function funnelShift(a: bigint, b: bigint, amount: bigint, isLeft: boolean, wraps: boolean): bigint {
  const n = wraps ? amount & 31n : amount > 32n ? 32n : amount;
  const both = (b << 32n) | a;
  return isLeft ? ((both << n) >> 32n) & mask(32) : (both >> n) & mask(32);
}

/** `dp4a`, `dp2a`: sum of products of parts of a and b, plus c. */
export function dotProduct(
  a: bigint,
  b: bigint,
  c: bigint,
  parts: readonly {
    readonly a: number;
    readonly b: number;
    readonly aBits: number;
    readonly bBits: number;
  }[],
  aSigned: boolean,
  bSigned: boolean,
): bigint {
  let sum = c;
  for (const part of parts) {
    const x = BigInt.asUintN(part.aBits, a >> BigInt(part.a));
    const y = BigInt.asUintN(part.bBits, b >> BigInt(part.b));
    sum += (aSigned ? BigInt.asIntN(part.aBits, x) : x) * (bSigned ? BigInt.asIntN(part.bBits, y) : y);
  }
  return BigInt.asUintN(32, sum);
}
