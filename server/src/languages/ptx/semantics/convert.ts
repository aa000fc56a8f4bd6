import { finish, formatOf, NEAREST, type FloatMode } from './arithmetic.js';
import { decode, encode, F32, F64, finite, toIntegral, type Rounding } from './float.js';
import { highest, integerType, lowest, number, saturate, wrap } from './integer.js';

/**
 * `cvt` between integers and binary floating point. Floating point to integer rounds to an integral value and
 * clamps to the range; NaN gives 0, except that with a 64-bit type on either side it gives the pattern with only
 * the top bit set (PTX ISA, cvt). The mode `rni`, `rzi`, `rmi`, `rpi` between equal formats rounds to an integral
 * value.
 */
export interface ConvertMode extends FloatMode {
  /** Round to an integral value. */
  readonly integral: boolean;
}

/** The converted pattern, or undefined for types that are not known here. */
export function convert(to: string, from: string, bits: bigint, mode: ConvertMode): bigint | undefined {
  const source = formatOf(from);
  const target = formatOf(to);
  const sourceInteger = integerType(from);
  const targetInteger = integerType(to);
  if (source !== undefined && target !== undefined) {
    let value = decode(source, mode.ftz && from === 'f32' ? flushed(bits) : bits);
    if (mode.integral) value = toIntegral(value, mode.rounding);
    const isExact = target.precision >= source.precision && target.maxExponent >= source.maxExponent;
    const rounded = encode(target, value, isExact ? 'rn' : mode.rounding);
    return finish(target, rounded, { ...mode, ftz: mode.ftz && to === 'f32' });
  }
  if (source !== undefined && targetInteger !== undefined) {
    const value = decode(source, mode.ftz && from === 'f32' ? flushed(bits) : bits);
    if (value.kind === 'nan')
      return source === F64 || targetInteger.bits === 64 ? 1n << BigInt(targetInteger.bits - 1) : 0n;
    if (value.kind === 'infinite')
      return wrap(targetInteger, value.negative ? lowest(targetInteger) : highest(targetInteger));
    const whole = toIntegral(value, mode.rounding);
    if (whole.kind !== 'finite') return 0n;
    const size = whole.significand << BigInt(Math.max(0, whole.exponent));
    return saturate(targetInteger, whole.negative ? -size : size);
  }
  if (sourceInteger !== undefined && target !== undefined) {
    const value = number(sourceInteger, bits);
    const size = value < 0n ? -value : value;
    return finish(target, encode(target, finite(value < 0n, size, 0), mode.rounding), {
      ...mode,
      ftz: false,
    });
  }
  if (sourceInteger !== undefined && targetInteger !== undefined) {
    const value = number(sourceInteger, bits);
    return mode.sat ? saturate(targetInteger, value) : wrap(targetInteger, value);
  }
  return undefined;
}

const flushed = (bits: bigint): bigint => ((bits & 0x7fff_ffffn) < 0x80_0000n ? bits & 0x8000_0000n : bits);

/** Single precision cut to the 10 fraction bits of `tf32`, low bits zero. */
export function toTf32(bits: bigint, rounding: Rounding): bigint {
  const value = decode(F32, bits);
  return value.kind === 'nan' ? finish(F32, bits, NEAREST) : encode(TF32, value, rounding) << 13n;
}

const TF32 = { bits: 19, precision: 11, maxExponent: 127 };
