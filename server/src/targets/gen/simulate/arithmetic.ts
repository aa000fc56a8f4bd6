import type { Condition, Type } from '../program.js';
import { typeSize } from '../program.js';
import { fromHalf, roundEven, toHalf } from './numbers.js';

/**
 * What one channel of an arithmetic operation computes (facts B.4): numbers in, number out, before rounding to the
 * destination's type. Multiply-and-add has one rounding. Division by zero of integers gives all ones and leaves the
 * dividend.
 */
export type Operation = (a: number, b: number, c: number, types: Types) => number;

export interface Types {
  readonly first: Type;
  readonly isFloat: boolean;
  readonly saturate: boolean;
}

const identity: Operation = (a) => a;

/** Exact where a double holds it; else, unless the result is clamped, the low 32 bits. */
function product(a: number, b: number, { isFloat, saturate }: Types): number {
  const exact = a * b;
  return isFloat || saturate || Number.isSafeInteger(exact) ? exact : Math.imul(a, b);
}

const shiftCount = (b: number): number => b & 31;
const isSigned = (type: Type): boolean => type === 'D' || type === 'W' || type === 'B';

function firstBitHigh(a: number, _b: number, _c: number, { first }: Types): number {
  const bits = isSigned(first) && a < 0 ? ~a : a;
  const zeros = Math.clz32(bits);
  return zeros === 32 ? -1 : zeros;
}

function firstBitLow(a: number): number {
  const bits = a | 0;
  return bits === 0 ? -1 : 31 - Math.clz32(bits & -bits);
}

function countBits(a: number): number {
  let bits = a >>> 0;
  let count = 0;
  for (; bits !== 0; bits &= bits - 1) count++;
  return count;
}

function reversed(a: number): number {
  let out = 0;
  for (let k = 0; k < 32; k++) out |= ((a >>> k) & 1) << (31 - k);
  return out;
}

function extract(width: number, offset: number, value: number, { first }: Types): number {
  const w = width & 31;
  if (w === 0) return 0;
  const left = 32 - w - (offset & 31);
  const bits = left >= 0 ? value << left : value;
  const shift = left >= 0 ? 32 - w : Math.min(31, offset & 31);
  return isSigned(first) ? bits >> shift : bits >>> shift;
}

function quotient(a: number, b: number): number {
  return b === 0 ? -1 : Math.trunc(a / b);
}

function rotate(a: number, by: number): number {
  const k = by & 31;
  return k === 0 ? a | 0 : (a << k) | (a >>> (32 - k));
}

/** By name: channel by channel, each channel of the result from the same channel of the sources. */
export const operations: ReadonlyMap<string, Operation> = new Map<string, Operation>([
  ['mov', identity],
  ['unpack_uniform', identity],
  ['dim', identity],
  ['not', (a) => ~a],
  ['and', (a, b) => a & b],
  ['or', (a, b) => a | b],
  ['xor', (a, b) => a ^ b],
  ['shl', (a, b) => a << shiftCount(b)],
  ['shr', (a, b, _c, { first }) => lowBits(a, first) >>> shiftCount(b)],
  ['asr', (a, b) => a >> shiftCount(b)],
  ['rol', rotate],
  ['rsl', rotate],
  ['ror', (a, b) => rotate(a, 32 - (b & 31))],
  ['rsr', (a, b) => rotate(a, 32 - (b & 31))],
  ['add', (a, b) => a + b],
  ['mul', (a, b, _c, types) => product(a, b, types)],
  ['avg', (a, b) => Math.floor((a + b + 1) / 2)],
  ['frc', (a) => a - Math.floor(a)],
  ['rndd', (a) => Math.floor(a)],
  ['rndu', (a) => Math.ceil(a)],
  ['rnde', roundEven],
  ['rndz', (a) => Math.trunc(a)],
  ['lzd', (a) => Math.clz32(a)],
  ['fbh', firstBitHigh],
  ['fbl', firstBitLow],
  ['cbit', countBits],
  ['bfrev', reversed],
  ['bswap', (a) => ((a & 255) << 24) | ((a & 0xff00) << 8) | ((a >>> 8) & 0xff00) | (a >>> 24)],
  ['bfe', extract],
  ['bfi1', (width, offset) => (width & 31 ? -1 >>> (32 - (width & 31)) : 0) << (offset & 31)],
  ['bfi2', (mask, insert, base) => (mask & insert) | (~mask & base)],
  ['mad', (a, b, c, types) => a + product(b, c, types)],
  ['lrp', (a, b, c) => a * b + (1 - a) * c],
  ['f32to16', (a) => toHalf(a)],
  ['f16to32', (a) => fromHalf(a & 0xffff)],
  ['rcp', (a) => 1 / a],
  ['rsq', (a) => 1 / Math.sqrt(a)],
  ['sqrt', Math.sqrt],
  ['exp2', (a) => 2 ** a],
  ['log2', Math.log2],
  ['sin', Math.sin],
  ['cos', Math.cos],
  ['pow', (a, b) => Math.abs(a) ** b],
  ['fdiv', (a, b) => a / b],
  ['int_quot', quotient],
  ['int_rem', (a, b) => (b === 0 ? a : a % b)],
]);

/** Bits of a number of `type`, without the copies of the sign above them. */
const lowBits = (a: number, type: Type): number =>
  typeSize(type) === 2 ? a & 0xffff : typeSize(type) === 1 ? a & 0xff : a;

/** Operations that see floats as bits. */
export const isLogical = (name: string): boolean => logical.has(name);
const logical = new Set('not and or xor shl shr asr rol ror rsl rsr'.split(' '));

/** Operations that work on integers whatever their destination says. */
export const usesIntegers = (name: string): boolean => integer.has(name);
const integer = new Set('lzd fbh fbl cbit bfrev bfe bfi1 bfi2 f16to32 int_quot int_rem addc subb'.split(' '));

/** Whether `a` stands to `b` as the condition says; `r` and `o` (rounded, overflow) never hold here. */
export function holds(test: Condition, a: number, b: number): boolean {
  switch (test) {
    case 'z':
      return a === b;
    case 'nz':
      return a !== b;
    case 'g':
      return a > b;
    case 'ge':
      return a >= b;
    case 'l':
      return a < b;
    case 'le':
      return a <= b;
    case 'u':
      return Number.isNaN(a) || Number.isNaN(b);
    case 'r':
    case 'o':
      return false;
  }
}

/** `sel` with a condition: minimum or maximum; of a number and a NaN the number. */
export function select(test: Condition, a: number, b: number): number {
  if (Number.isNaN(a)) return b;
  if (Number.isNaN(b)) return a;
  return holds(test, a, b) ? a : b;
}

/** Products of a vertex's channels that a dot product sums. */
export const dotProducts: ReadonlyMap<string, number> = new Map([
  ['dp2', 2],
  ['dp3', 3],
  ['dp4', 4],
  ['dph', 4],
]);

type LongOperation = (a: bigint, b: bigint, c: bigint) => bigint;

/** 64-bit integers: Mesa's types Q and UQ, and Beignet's macros. */
export const longOperations: ReadonlyMap<string, LongOperation> = new Map<string, LongOperation>([
  ['mov', (a) => a],
  ['load_int64_imm', (a) => a],
  ['convi_to_i64', (a) => a],
  ['convi64_to_i', (a) => a],
  ['not', (a) => ~a],
  ['and', (a, b) => a & b],
  ['i64and', (a, b) => a & b],
  ['or', (a, b) => a | b],
  ['i64or', (a, b) => a | b],
  ['xor', (a, b) => a ^ b],
  ['i64xor', (a, b) => a ^ b],
  ['add', (a, b) => a + b],
  ['i64add', (a, b) => a + b],
  ['i64satadd', (a, b) => a + b],
  ['i64sub', (a, b) => a - b],
  ['i64satsub', (a, b) => a - b],
  ['mul', (a, b) => a * b],
  ['i64mul', (a, b) => a * b],
  ['shl', (a, b) => a << (b & 63n)],
  ['i64shl', (a, b) => a << (b & 63n)],
  ['shr', (a, b) => BigInt.asUintN(64, a) >> (b & 63n)],
  ['i64shr', (a, b) => BigInt.asUintN(64, a) >> (b & 63n)],
  ['asr', (a, b) => BigInt.asIntN(64, a) >> (b & 63n)],
  ['i64asr', (a, b) => BigInt.asIntN(64, a) >> (b & 63n)],
  ['i64hadd', (a, b) => (a + b) >> 1n],
  ['i64rhadd', (a, b) => (a + b + 1n) >> 1n],
  ['mad', (a, b, c) => a + b * c],
]);
