/**
 * Binary floating-point arithmetic, exact before one rounding (IEEE 754-2019, 4.3): numbers are sign, integer
 * significand and power of two in bigints; sums, products and fused products are exact, quotients and roots carry
 * a sticky bit. One routine rounds to any format in any of the four PTX modes, so half, bfloat, single and double
 * agree by construction, and a fused multiply-add is rounded once.
 */
export interface Format {
  readonly bits: number;
  /** Significand bits with the hidden one. */
  readonly precision: number;
  /** Exponent of the largest finite number's leading bit. */
  readonly maxExponent: number;
}

export const F16: Format = { bits: 16, precision: 11, maxExponent: 15 };
export const BF16: Format = { bits: 16, precision: 8, maxExponent: 127 };
export const F32: Format = { bits: 32, precision: 24, maxExponent: 127 };
export const F64: Format = { bits: 64, precision: 53, maxExponent: 1023 };

/** Nearest even, towards zero, down, up, nearest with ties away from zero. */
export type Rounding = 'rn' | 'rz' | 'rm' | 'rp' | 'rna';

export type Real =
  | { readonly kind: 'nan' }
  | { readonly kind: 'infinite'; readonly negative: boolean }
  /** (-1)^negative * significand * 2^exponent; significand 0 is a signed zero. */
  | {
      readonly kind: 'finite';
      readonly negative: boolean;
      readonly significand: bigint;
      readonly exponent: number;
    };

const NAN: Real = { kind: 'nan' };
const infinite = (negative: boolean): Real => ({ kind: 'infinite', negative });
export const finite = (negative: boolean, significand: bigint, exponent: number): Real => ({
  kind: 'finite',
  negative,
  significand,
  exponent,
});
const zero = (negative: boolean): Real => finite(negative, 0n, 0);

const exponentBits = (f: Format): number => f.bits - f.precision;

export function decode(format: Format, bits: bigint): Real {
  const fraction = format.precision - 1;
  const negative = (bits >> BigInt(format.bits - 1)) & 1n;
  const field = Number((bits >> BigInt(fraction)) & ((1n << BigInt(exponentBits(format))) - 1n));
  const significand = bits & ((1n << BigInt(fraction)) - 1n);
  const least = 1 - format.maxExponent - fraction;
  if (field === 2 ** exponentBits(format) - 1) return significand === 0n ? infinite(negative === 1n) : NAN;
  if (field === 0) return finite(negative === 1n, significand, least);
  return finite(negative === 1n, significand | (1n << BigInt(fraction)), least + field - 1);
}

/** What PTX writes for a result that is no number: 0x7fffffff for single precision, all ones below the sign for halves. */
export function nanBits(format: Format): bigint {
  if (format === F64) return 0x7ff8_0000_0000_0000n;
  return (1n << BigInt(format.bits - 1)) - 1n;
}

export const infinityBits = (format: Format, negative: boolean): bigint =>
  sign(format, negative) | (((1n << BigInt(exponentBits(format))) - 1n) << BigInt(format.precision - 1));

const sign = (format: Format, negative: boolean): bigint => (negative ? 1n << BigInt(format.bits - 1) : 0n);

const bitLength = (n: bigint): number => (n === 0n ? 0 : n.toString(2).length);

/** Whether the kept significand is raised by one, for what was cut off: `half` compares it with one half (-1, 0, 1). */
function raises(
  mode: Rounding,
  negative: boolean,
  isOdd: boolean,
  isInexact: boolean,
  half: number,
): boolean {
  if (!isInexact) return false;
  switch (mode) {
    case 'rn':
      return half > 0 || (half === 0 && isOdd);
    case 'rna':
      return half >= 0;
    case 'rz':
      return false;
    case 'rm':
      return negative;
    case 'rp':
      return !negative;
  }
}

/** Cuts `shift` low bits off and rounds; `sticky` says that nonzero bits below were lost before. */
function shiftRight(
  value: bigint,
  shift: number,
  sticky: boolean,
  negative: boolean,
  mode: Rounding,
): bigint {
  if (shift <= 0) return value << BigInt(-shift);
  const amount = BigInt(shift);
  const kept = value >> amount;
  const cut = value - (kept << amount);
  const middle = 1n << (amount - 1n);
  let half = cut > middle ? 1 : cut < middle ? -1 : 0;
  if (half === 0 && sticky) half = 1;
  const isInexact = cut !== 0n || sticky;
  return raises(mode, negative, (kept & 1n) === 1n, isInexact, half) ? kept + 1n : kept;
}

/** Rounds to the format. `sticky`: the true value lies a little above the significand (below one unit of it). */
export function encode(format: Format, value: Real, mode: Rounding = 'rn', sticky = false): bigint {
  if (value.kind === 'nan') return nanBits(format);
  if (value.kind === 'infinite') return infinityBits(format, value.negative);
  const { negative, significand, exponent } = value;
  if (significand === 0n && !sticky) return sign(format, negative);
  const fraction = format.precision - 1;
  const least = 1 - format.maxExponent - fraction;
  const target = Math.max(least, exponent + bitLength(significand) - format.precision);
  // with a sticky bit and nothing to cut, one more digit makes room for it
  const spare = sticky && target <= exponent ? exponent - target + 2 : 0;
  let rounded = shiftRight(significand << BigInt(spare), target - exponent + spare, sticky, negative, mode);
  let power = target;
  if (bitLength(rounded) > format.precision) {
    rounded >>= 1n;
    power++;
  }
  if (bitLength(rounded) === format.precision && power + fraction > format.maxExponent) {
    const toInfinity = mode === 'rn' || mode === 'rna' || (mode === 'rp') === !negative;
    const isDirected = mode === 'rz' || !toInfinity;
    return isDirected ? largest(format, negative) : infinityBits(format, negative);
  }
  if (bitLength(rounded) < format.precision) return sign(format, negative) | rounded;
  const field = BigInt(power - least + 1);
  return sign(format, negative) | (field << BigInt(fraction)) | (rounded - (1n << BigInt(fraction)));
}

export const largest = (format: Format, negative: boolean): bigint => infinityBits(format, negative) - 1n;

/** Exact. `mode` decides the sign of an exact zero sum. */
export function add(a: Real, b: Real, mode: Rounding = 'rn'): Real {
  if (a.kind === 'nan' || b.kind === 'nan') return NAN;
  if (a.kind === 'infinite') return b.kind === 'infinite' && b.negative !== a.negative ? NAN : a;
  if (b.kind === 'infinite') return b;
  const exponent = Math.min(a.exponent, b.exponent);
  const scaled = (x: Extract<Real, { kind: 'finite' }>): bigint => {
    const size = x.significand << BigInt(x.exponent - exponent);
    return x.negative ? -size : size;
  };
  const sum = scaled(a) + scaled(b);
  if (sum !== 0n) return finite(sum < 0n, sum < 0n ? -sum : sum, exponent);
  if (a.significand === 0n && b.significand === 0n && a.negative === b.negative) return zero(a.negative);
  return zero(mode === 'rm');
}

export function negate(a: Real): Real {
  return a.kind === 'nan' ? a : { ...a, negative: !a.negative };
}

/** Exact. */
export function multiply(a: Real, b: Real): Real {
  if (a.kind === 'nan' || b.kind === 'nan') return NAN;
  const negative = a.negative !== b.negative;
  if (a.kind === 'infinite' || b.kind === 'infinite') {
    const isZero = (x: Real): boolean => x.kind === 'finite' && x.significand === 0n;
    return isZero(a) || isZero(b) ? NAN : infinite(negative);
  }
  return finite(negative, a.significand * b.significand, a.exponent + b.exponent);
}

/** A quotient or root to more bits than any format keeps, and whether something is left. */
export interface Inexact {
  readonly value: Real;
  readonly sticky: boolean;
}

const EXTRA = 130;

export function divide(a: Real, b: Real): Inexact {
  const exact = (value: Real): Inexact => ({ value, sticky: false });
  if (a.kind === 'nan' || b.kind === 'nan') return exact(NAN);
  const negative = a.negative !== b.negative;
  if (a.kind === 'infinite') return exact(b.kind === 'infinite' ? NAN : infinite(negative));
  if (b.kind === 'infinite') return exact(zero(negative));
  if (b.significand === 0n) return exact(a.significand === 0n ? NAN : infinite(negative));
  const scaled = a.significand << BigInt(EXTRA);
  const quotient = scaled / b.significand;
  const sticky = quotient * b.significand !== scaled;
  return { value: finite(negative, quotient, a.exponent - b.exponent - EXTRA), sticky };
}

export function squareRoot(a: Real): Inexact {
  if (a.kind === 'nan') return { value: NAN, sticky: false };
  if (a.kind === 'finite' && a.significand === 0n) return { value: a, sticky: false };
  if (a.negative) return { value: NAN, sticky: false };
  if (a.kind === 'infinite') return { value: a, sticky: false };
  const shift = 2 * EXTRA + (a.exponent & 1);
  const scaled = a.significand << BigInt(shift);
  const root = integerRoot(scaled);
  return { value: finite(false, root, (a.exponent - shift) / 2), sticky: root * root !== scaled };
}

/** Largest integer whose square is at most `n`: Newton's method from above. */
function integerRoot(n: bigint): bigint {
  let x = 1n << BigInt((bitLength(n) + 1) >> 1);
  for (;;) {
    const y = (x + n / x) >> 1n;
    if (y >= x) return x;
    x = y;
  }
}

/** The nearest integer in the mode, as a number; infinities and NaN as they are. Keeps the sign of zero. */
export function toIntegral(a: Real, mode: Rounding): Real {
  if (a.kind !== 'finite' || a.exponent >= 0) return a;
  return finite(a.negative, shiftRight(a.significand, -a.exponent, false, a.negative, mode), 0);
}

/** -1, 0, 1, or undefined when one of them is no number. Zeros are equal. */
export function compare(a: Real, b: Real): number | undefined {
  if (a.kind === 'nan' || b.kind === 'nan') return undefined;
  if (a.kind === 'infinite' || b.kind === 'infinite') {
    const size = (x: Real): number => (x.kind === 'infinite' ? (x.negative ? -1 : 1) : 0);
    return Math.sign(size(a) - size(b));
  }
  const difference = add(a, negate(b));
  if (difference.kind !== 'finite' || difference.significand === 0n) return 0;
  return difference.negative ? -1 : 1;
}
