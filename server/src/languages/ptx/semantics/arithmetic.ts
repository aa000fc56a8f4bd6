import {
  add,
  BF16,
  compare,
  decode,
  divide,
  encode,
  F16,
  F32,
  F64,
  finite,
  multiply,
  nanBits,
  negate,
  squareRoot,
  type Format,
  type Real,
  type Rounding,
} from './float.js';

/**
 * PTX floating-point operations on bit patterns: rounding, `.ftz` (subnormal inputs and results become a zero of
 * the same sign), `.sat` (to [0, 1], NaN to 0), `.relu` (negative to 0). Single and double precision rounded to
 * nearest go through the machine's own arithmetic, which rounds once as well.
 */
export interface FloatMode {
  readonly rounding: Rounding;
  readonly ftz: boolean;
  readonly sat: boolean;
  readonly relu: boolean;
}

export const NEAREST: FloatMode = { rounding: 'rn', ftz: false, sat: false, relu: false };

/** The format of `f16`, `bf16`, `f32`, `f64`; undefined for other types. */
export const formatOf = (type: string): Format | undefined =>
  ({ f16: F16, bf16: BF16, f32: F32, f64: F64 })[type as 'f16' | 'bf16' | 'f32' | 'f64'];

const view = new DataView(new ArrayBuffer(8));

export function toNumber(format: Format, bits: bigint): number {
  if (format === F64) {
    view.setBigUint64(0, bits);
    return view.getFloat64(0);
  }
  if (format === F32) {
    view.setUint32(0, Number(bits));
    return view.getFloat32(0);
  }
  const value = decode(format, bits);
  if (value.kind === 'nan') return NaN;
  if (value.kind === 'infinite') return value.negative ? -Infinity : Infinity;
  const size = Number(value.significand) * 2 ** value.exponent;
  return value.negative ? -size : size;
}

/** Rounds a number (exact as a double) to nearest even. */
export function fromNumber(format: Format, value: number): bigint {
  if (Number.isNaN(value)) return nanBits(format);
  if (format === F64) {
    view.setFloat64(0, value);
    return view.getBigUint64(0);
  }
  if (format === F32) {
    view.setFloat32(0, value);
    return BigInt(view.getUint32(0));
  }
  return encode(format, decode(F64, fromNumber(F64, value)));
}

const signBit = (format: Format): bigint => 1n << BigInt(format.bits - 1);
const magnitude = (format: Format, bits: bigint): bigint => bits & (signBit(format) - 1n);
const isNegative = (format: Format, bits: bigint): boolean => (bits & signBit(format)) !== 0n;
const infinityOf = (format: Format): bigint => signBit(format) - (1n << BigInt(format.precision - 1));
export const isNaN = (format: Format, bits: bigint): boolean => magnitude(format, bits) > infinityOf(format);

export const flush = (format: Format, bits: bigint): bigint =>
  magnitude(format, bits) < 1n << BigInt(format.precision - 1) ? bits & signBit(format) : bits;

export function finish(format: Format, bits: bigint, mode: FloatMode): bigint {
  let result = mode.ftz ? flush(format, bits) : bits;
  if (isNaN(format, result)) return mode.sat ? 0n : nanBits(format);
  if ((mode.sat || mode.relu) && isNegative(format, result)) result = 0n;
  if (mode.sat) {
    const one = encode(format, finite(false, 1n, 0));
    if (magnitude(format, result) > one) result = one;
  }
  return result;
}

const input = (format: Format, bits: bigint, mode: FloatMode): bigint =>
  mode.ftz ? flush(format, bits) : bits;
const real = (format: Format, bits: bigint, mode: FloatMode): Real =>
  decode(format, input(format, bits, mode));

const isNative = (format: Format, mode: FloatMode): boolean =>
  mode.rounding === 'rn' && (format === F32 || format === F64);

type Binary = (format: Format, a: bigint, b: bigint, mode: FloatMode) => bigint;

/** Both formats are exact in doubles, and rounding a double result of +, -, *, / to single again is innocuous (2 * 24 + 2 <= 53). */
const native =
  (operation: (a: number, b: number) => number, exact: Binary): Binary =>
  (format, a, b, mode) => {
    if (!isNative(format, mode)) return exact(format, a, b, mode);
    const x = toNumber(format, input(format, a, mode));
    const y = toNumber(format, input(format, b, mode));
    return finish(format, fromNumber(format, operation(x, y)), mode);
  };

export const addFloat = native((a, b) => a + b, exactAdd);
export const multiplyFloat = native((a, b) => a * b, exactMultiply);
export const divideFloat = native((a, b) => a / b, exactDivide);
export const subtractFloat: Binary = (format, a, b, mode) =>
  addFloat(format, a, isNaN(format, b) ? b : b ^ signBit(format), mode);

export function exactAdd(format: Format, a: bigint, b: bigint, mode: FloatMode): bigint {
  const sum = add(real(format, a, mode), real(format, b, mode), mode.rounding);
  return finish(format, encode(format, sum, mode.rounding), mode);
}

export function exactMultiply(format: Format, a: bigint, b: bigint, mode: FloatMode): bigint {
  const product = multiply(real(format, a, mode), real(format, b, mode));
  return finish(format, encode(format, product, mode.rounding), mode);
}

export function exactDivide(format: Format, a: bigint, b: bigint, mode: FloatMode): bigint {
  const { value, sticky } = divide(real(format, a, mode), real(format, b, mode));
  return finish(format, encode(format, value, mode.rounding, sticky), mode);
}

/** a * b + c, rounded once. */
export function fusedMultiplyAdd(format: Format, a: bigint, b: bigint, c: bigint, mode: FloatMode): bigint {
  const product = multiply(real(format, a, mode), real(format, b, mode));
  const sum = add(product, real(format, c, mode), mode.rounding);
  return finish(format, encode(format, sum, mode.rounding), mode);
}

export function squareRootFloat(format: Format, a: bigint, mode: FloatMode): bigint {
  const { value, sticky } = squareRoot(real(format, a, mode));
  return finish(format, encode(format, value, mode.rounding, sticky), mode);
}

export function negateFloat(format: Format, a: bigint, mode: FloatMode): bigint {
  return finish(format, encode(format, negate(real(format, a, mode))), mode);
}

export const absoluteFloat = (format: Format, a: bigint, mode: FloatMode): bigint =>
  finish(format, magnitude(format, input(format, a, mode)), mode);

/**
 * min and max: a NaN gives way to the other operand unless `.NaN` is written; -0 is below +0; `.xorsign.abs`
 * compares magnitudes and takes the product of the signs.
 */
export function selectFloat(
  format: Format,
  a: bigint,
  b: bigint,
  wantsLess: boolean,
  options: { readonly ftz: boolean; readonly propagates: boolean; readonly xorsign: boolean },
): bigint {
  const mode = { ...NEAREST, ftz: options.ftz };
  let x = input(format, a, mode);
  let y = input(format, b, mode);
  const signs = (x ^ y) & signBit(format);
  if (isNaN(format, x) || isNaN(format, y)) {
    if (options.propagates || (isNaN(format, x) && isNaN(format, y))) return nanBits(format);
    return isNaN(format, x) ? y : x;
  }
  if (options.xorsign) {
    x = magnitude(format, x);
    y = magnitude(format, y);
  }
  const order = compare(decode(format, x), decode(format, y)) ?? 0;
  const xIsLess = order !== 0 ? order < 0 : isNegative(format, x);
  const chosen = xIsLess === wantsLess ? x : y;
  return options.xorsign ? magnitude(format, chosen) | signs : chosen;
}

/** `lt`, `leu`, `num`, ...: a name with `u` behind it holds for unordered operands too. */
export function compareFloat(
  format: Format,
  operator: string,
  a: bigint,
  b: bigint,
  ftz: boolean,
): boolean | undefined {
  const mode = { ...NEAREST, ftz };
  const order = compare(real(format, a, mode), real(format, b, mode));
  if (operator === 'num') return order !== undefined;
  if (operator === 'nan') return order === undefined;
  const ordered = ORDERED[operator.length === 3 ? operator.slice(0, 2) : operator];
  if (ordered === undefined) return undefined;
  if (order === undefined) return operator.length === 3;
  return ordered(order);
}

const ORDERED: Readonly<Record<string, ((order: number) => boolean) | undefined>> = {
  eq: (o) => o === 0,
  ne: (o) => o !== 0,
  lt: (o) => o < 0,
  le: (o) => o <= 0,
  gt: (o) => o > 0,
  ge: (o) => o >= 0,
};
