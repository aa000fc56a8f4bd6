/**
 * PTX integer arithmetic on unsigned bit patterns of a width. Signed operations read the patterns in two's
 * complement. Division by zero has no defined result in PTX; here it gives all ones, and a remainder gives the
 * dividend.
 */
export interface IntegerType {
  readonly bits: number;
  readonly signed: boolean;
}

const TYPES: ReadonlyMap<string, IntegerType> = new Map(
  ['u', 's', 'b'].flatMap((kind) =>
    [8, 16, 32, 64, 128].map((bits) => [`${kind}${bits}`, { bits, signed: kind === 's' }]),
  ),
);

/** `u8` .. `s64`, `b8` .. `b128`; undefined for other types. */
export const integerType = (type: string): IntegerType | undefined => TYPES.get(type);

export const wrap = (t: IntegerType, value: bigint): bigint => BigInt.asUintN(t.bits, value);

/** The number that the pattern means. */
export const number = (t: IntegerType, bits: bigint): bigint =>
  t.signed ? BigInt.asIntN(t.bits, bits) : BigInt.asUintN(t.bits, bits);

export const lowest = (t: IntegerType): bigint => (t.signed ? -(1n << BigInt(t.bits - 1)) : 0n);
export const highest = (t: IntegerType): bigint => (1n << BigInt(t.signed ? t.bits - 1 : t.bits)) - 1n;

/** The nearest number of the type, as a pattern. */
export function saturate(t: IntegerType, value: bigint): bigint {
  const low = lowest(t);
  const high = highest(t);
  return wrap(t, value < low ? low : value > high ? high : value);
}

export const minimum = (a: bigint, b: bigint): bigint => (a < b ? a : b);
export const maximum = (a: bigint, b: bigint): bigint => (a > b ? a : b);

export function quotient(t: IntegerType, a: bigint, b: bigint): bigint {
  const divisor = number(t, b);
  return divisor === 0n ? wrap(t, -1n) : wrap(t, number(t, a) / divisor);
}

/** The sign follows the dividend. */
export function remainder(t: IntegerType, a: bigint, b: bigint): bigint {
  const divisor = number(t, b);
  return divisor === 0n ? wrap(t, a) : wrap(t, number(t, a) % divisor);
}

export const absolute = (value: bigint): bigint => (value < 0n ? -value : value);

/** Product of `mul`, `mad`: its low half, its high half or both. */
export function product(t: IntegerType, a: bigint, b: bigint, part: 'lo' | 'hi' | 'wide'): bigint {
  const whole = number(t, a) * number(t, b);
  if (part === 'lo') return wrap(t, whole);
  if (part === 'hi') return wrap(t, whole >> BigInt(t.bits));
  return BigInt.asUintN(2 * t.bits, whole);
}

/** `mul24`: the product of the low 24 bits, bits 31..0 or 47..16. */
export function product24(t: IntegerType, a: bigint, b: bigint, part: 'lo' | 'hi'): bigint {
  const small = { bits: 24, signed: t.signed };
  const whole = number(small, wrap(small, a)) * number(small, wrap(small, b));
  return BigInt.asUintN(32, part === 'lo' ? whole : whole >> 16n);
}

/** Amounts above the width count as the width, so nothing but the sign is left. */
export function shiftLeft(t: IntegerType, a: bigint, amount: bigint): bigint {
  return amount >= BigInt(t.bits) ? 0n : wrap(t, a << amount);
}

export function shiftRight(t: IntegerType, a: bigint, amount: bigint): bigint {
  return wrap(t, number(t, a) >> minimum(amount, BigInt(t.bits)));
}

export function compareInteger(t: IntegerType, operator: string, a: bigint, b: bigint): boolean | undefined {
  const unsigned = { bits: t.bits, signed: false };
  const as = UNSIGNED_NAMES[operator] === undefined ? t : unsigned;
  const x = number(as, a);
  const y = number(as, b);
  switch (UNSIGNED_NAMES[operator] ?? operator) {
    case 'eq':
      return x === y;
    case 'ne':
      return x !== y;
    case 'lt':
      return x < y;
    case 'le':
      return x <= y;
    case 'gt':
      return x > y;
    case 'ge':
      return x >= y;
    default:
      return undefined;
  }
}

const UNSIGNED_NAMES: Readonly<Record<string, string | undefined>> = {
  lo: 'lt',
  ls: 'le',
  hi: 'gt',
  hs: 'ge',
};
