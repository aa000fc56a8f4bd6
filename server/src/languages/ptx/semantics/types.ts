import type { Constant } from '../tree.js';
import { formatOf, fromNumber } from './arithmetic.js';
import { Unsupported } from './faults.js';
import { BF16, F16, F32, F64 } from './float.js';

/** Bits of a type's name: 32 for `f16x2`, 1 for `pred`. */
export function widthOf(type: string): number {
  const known = widths.get(type);
  if (known !== undefined) return known;
  const bits = computedWidth(type);
  widths.set(type, bits);
  return bits;
}

const widths = new Map<string, number>();

function computedWidth(type: string): number {
  if (type === 'pred') return 1;
  const match = /^[a-z]+(\d+)(?:x(\d))?$/.exec(type);
  if (match === null) throw new Unsupported(`the type ${type}`);
  return Number(match[1]) * Number(match[2] ?? 1);
}

/** A number of the text as a pattern of the type. Bit types take a float by their width. */
export function constantBits(value: Constant, type: string): bigint {
  const bits = widthOf(type);
  const format = formatOf(type);
  if (format !== undefined) return fromNumber(format, value.float ?? Number(value.integer ?? 0n));
  if (!value.isFloat) return BigInt.asUintN(bits, value.integer ?? 0n);
  const own = value.floatWidth === 32 ? F32 : F64;
  const byWidth = bits === 16 ? (type.startsWith('bf') ? BF16 : F16) : bits === 32 ? F32 : own;
  return fromNumber(byWidth, value.float ?? 0);
}
