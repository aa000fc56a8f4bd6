import type { ImmediateOperand, Type } from '../program.js';

/**
 * Numbers of the execution unit's types: how their bytes are read and written, rounded, wrapped and saturated.
 * Integers of 32 bits and less and all floats are numbers here, 64-bit integers are bigints. Floats are rounded to
 * nearest even once, from the exact result where double precision holds it; every NaN is written as the one quiet
 * NaN, so that no run depends on how the host carries payloads.
 */
export interface Bytes {
  readonly bytes: Uint8Array;
  readonly view: DataView;
}

export const isLong = (type: Type): boolean => type === 'Q' || type === 'UQ';

export const isFloating = (type: Type): boolean =>
  type === 'F' || type === 'DF' || type === 'HF' || type === 'VF' || type === 'NF';

const SMALLEST_HALF = 2 ** -24;
const LARGEST_HALF = 65504;

/** The number that 16 bits of half precision stand for. */
export function fromHalf(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >>> 10) & 31;
  const fraction = bits & 0x3ff;
  if (exponent === 31) return fraction === 0 ? sign * Infinity : NaN;
  if (exponent === 0) return sign * fraction * SMALLEST_HALF;
  return sign * (1024 + fraction) * 2 ** (exponent - 25);
}

/** Half precision bits nearest to a number, ties to even. */
export function toHalf(value: number): number {
  if (Number.isNaN(value)) return 0x7e00;
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0;
  const magnitude = Math.abs(value);
  if (magnitude < 2 ** -14) return sign | roundEven(magnitude / SMALLEST_HALF);
  if (magnitude >= LARGEST_HALF + 16) return sign | 0x7c00;
  const exponent = Math.min(15, Math.floor(Math.log2(magnitude)));
  // A fraction of 2048 carries into the exponent by itself.
  return sign | (((exponent + 14) << 10) + roundEven(magnitude / 2 ** (exponent - 10)));
}

/** The integer nearest to a number, ties to even. */
export function roundEven(value: number): number {
  const below = Math.floor(value);
  const over = value - below;
  if (over < 0.5) return below;
  if (over > 0.5) return below + 1;
  return below % 2 === 0 ? below : below + 1;
}

/** Reads the element at byte `at`; 64-bit integers lose their upper half (`readLong`). */
export function readNumber({ view, bytes }: Bytes, at: number, type: Type): number {
  switch (type) {
    case 'F':
    case 'VF':
      return view.getFloat32(at, true);
    case 'HF':
      return fromHalf(view.getUint16(at, true));
    case 'DF':
    case 'NF':
      return view.getFloat64(at, true);
    case 'D':
    case 'Q':
      return view.getInt32(at, true);
    case 'UD':
    case 'UQ':
    case 'INVALID':
      return view.getUint32(at, true);
    case 'W':
    case 'V':
      return view.getInt16(at, true);
    case 'UW':
    case 'UV':
      return view.getUint16(at, true);
    case 'B':
      return view.getInt8(at);
    case 'UB':
      return bytes[at];
  }
}

export const readLong = ({ view }: Bytes, at: number, type: Type): bigint =>
  type === 'Q' ? view.getBigInt64(at, true) : view.getBigUint64(at, true);

const ranges: Readonly<Partial<Record<Type, readonly [number, number]>>> = {
  D: [-0x8000_0000, 0x7fff_ffff],
  UD: [0, 0xffff_ffff],
  INVALID: [0, 0xffff_ffff],
  W: [-0x8000, 0x7fff],
  V: [-0x8000, 0x7fff],
  UW: [0, 0xffff],
  UV: [0, 0xffff],
  B: [-0x80, 0x7f],
  UB: [0, 0xff],
};

/** A float or integer as an integer of `type`: floats are cut toward zero and always saturate, integers wrap. */
function toInteger(value: number, type: Type, clamps: boolean): number {
  if (Number.isNaN(value)) return 0;
  if (!clamps) return value;
  const [low, high] = ranges[type]!;
  return Math.min(high, Math.max(low, Math.trunc(value)));
}

const WORD = 2 ** 32;

/** An exact integer's low 32 bits, signed. */
const low32 = (value: number): number =>
  Number.isSafeInteger(value) ? (value % WORD) | 0 : Number(BigInt.asIntN(32, BigInt(Math.trunc(value))));

/**
 * Writes `value` at byte `at`, rounded or wrapped to `type`. `fromFloat`: the value was computed in floating point.
 * Returns the number that was written.
 */
export function writeNumber(
  { view, bytes }: Bytes,
  at: number,
  type: Type,
  value: number,
  saturate: boolean,
  fromFloat: boolean,
): number {
  if (isFloating(type)) return writeFloat(view, at, type, saturate ? saturated(value) : value);
  if (isLong(type)) return writeLong(view, at, type, value, saturate);
  const whole = toInteger(value, type, saturate || fromFloat);
  switch (type) {
    case 'W':
    case 'V':
      view.setInt16(at, low32(whole), true);
      break;
    case 'UW':
    case 'UV':
      view.setUint16(at, low32(whole), true);
      break;
    case 'B':
    case 'UB':
      bytes[at] = low32(whole);
      break;
    default:
      view.setInt32(at, low32(whole), true);
  }
  return readNumber({ view, bytes }, at, type);
}

/** The unit interval; NaN becomes 0. */
const saturated = (value: number): number => (value > 0 ? Math.min(value, 1) : 0);

function writeFloat(view: DataView, at: number, type: Type, value: number): number {
  if (type === 'HF') {
    const bits = toHalf(value);
    view.setUint16(at, bits, true);
    return fromHalf(bits);
  }
  if (type === 'DF' || type === 'NF') {
    if (Number.isNaN(value)) view.setBigUint64(at, 0x7ff8_0000_0000_0000n, true);
    else view.setFloat64(at, value, true);
    return value;
  }
  if (Number.isNaN(value)) view.setUint32(at, 0x7fc0_0000, true);
  else view.setFloat32(at, value, true);
  return Math.fround(value);
}

function writeLong(view: DataView, at: number, type: Type, value: number, saturate: boolean): number {
  const whole = Number.isNaN(value) ? 0 : Math.trunc(value);
  const [low, high] = type === 'Q' ? [-(2 ** 63), 2 ** 63] : [saturate ? 0 : -(2 ** 63), 2 ** 64];
  if (whole >= high) view.setBigInt64(at, type === 'Q' ? 2n ** 63n - 1n : -1n, true);
  else view.setBigInt64(at, BigInt.asIntN(64, BigInt(Math.max(low, whole))), true);
  return value;
}

export function writeLongInteger(
  { view }: Bytes,
  at: number,
  type: Type,
  value: bigint,
  saturate: boolean,
): void {
  const [low, high] = type === 'Q' ? [-(2n ** 63n), 2n ** 63n - 1n] : [0n, 2n ** 64n - 1n];
  const kept = saturate ? (value < low ? low : value > high ? high : value) : value;
  view.setBigInt64(at, BigInt.asIntN(64, kept), true);
}

const scratch = new DataView(new ArrayBuffer(8));
const scratchBytes: Bytes = { view: scratch, bytes: new Uint8Array(scratch.buffer) };

/** The value of an immediate for channel `c`: the packed vectors V, UV and VF have one for each. */
export function immediateNumber(operand: ImmediateOperand, c: number): number {
  const { type, low, vector } = operand;
  if (type === 'VF')
    return vector === undefined ? restrictedFloat((low >>> (8 * (c & 3))) & 255) : vector[c & 3];
  if (type === 'V') return ((low >>> (4 * (c & 7))) << 28) >> 28;
  if (type === 'UV') return (low >>> (4 * (c & 7))) & 15;
  scratch.setUint32(0, low, true);
  scratch.setUint32(4, operand.high, true);
  return readNumber(scratchBytes, 0, type);
}

export function immediateLong(operand: ImmediateOperand): bigint {
  if (!isLong(operand.type)) return BigInt(Math.trunc(immediateNumber(operand, 0)) || 0);
  const bits = (BigInt(operand.high >>> 0) << 32n) | BigInt(operand.low >>> 0);
  return operand.type === 'Q' ? BigInt.asIntN(64, bits) : bits;
}

/** The 8-bit float of packed vectors: sign, three bits of exponent biased by 3, four of fraction; 0 and 80 are zero. */
export function restrictedFloat(bits: number): number {
  const sign = bits & 0x80 ? -1 : 1;
  if ((bits & 0x7f) === 0) return sign * 0;
  return sign * (1 + (bits & 15) / 16) * 2 ** (((bits >>> 4) & 7) - 3);
}

/** The unsigned type whose bits a logical operation sees. */
export const bitsType = (type: Type): Type =>
  type === 'F' || type === 'VF' ? 'UD' : type === 'HF' ? 'UW' : type === 'DF' || type === 'NF' ? 'UQ' : type;
