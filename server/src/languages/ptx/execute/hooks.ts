import { toNumber } from '../semantics/arithmetic.js';
import { Unsupported } from '../semantics/faults.js';
import { F64 } from '../semantics/float.js';
import type { Grid } from './grid.js';
import type { Lane } from './lane.js';

/** What runs in place of a function that has no body here. Returns its result. */
export interface HookCall {
  readonly lane: Lane;
  readonly grid: Grid;
  /** The arguments as bit patterns; of an array the first 16 bytes. */
  readonly inputs: readonly bigint[];
}

export type Hook = (call: HookCall) => bigint | void;

const load = (lane: Lane, address: bigint, bytes: number): bigint => lane.load(lane.resolve(address), bytes);

export function readString(lane: Lane, address: bigint): string {
  let text = '';
  for (let at = address; ; at++) {
    const c = Number(load(lane, at, 1));
    if (c === 0) return text;
    text += String.fromCharCode(c);
  }
}

const CONVERSION = /%([-+ #0]*)(\d*)(?:\.(\d+))?(hh|h|ll|l|z|j|t)?([diuxXocsfFeEgGp%])/g;

/**
 * `vprintf` of CUDA's device runtime: arguments lie one after the other, each at its natural alignment. Widths and
 * flags other than precision are left out: the text is for people and tests.
 */
export function formatted(lane: Lane, format: string, list: bigint): string {
  let at = list;
  const next = (bytes: number): bigint => {
    const size = BigInt(bytes);
    at = ((at + size - 1n) / size) * size;
    const value = load(lane, at, bytes);
    at += size;
    return value;
  };
  return format.replace(
    CONVERSION,
    (_, _flags, _width, precision: string | undefined, length: string | undefined, kind: string) => {
      const isLong = length === 'l' || length === 'll' || length === 'z' || length === 'j' || length === 't';
      const integer = (): bigint => next(isLong ? 8 : 4);
      const digits = precision === undefined ? 6 : Number(precision);
      switch (kind) {
        case '%':
          return '%';
        case 'd':
        case 'i':
          return BigInt.asIntN(isLong ? 64 : 32, integer()).toString();
        case 'x':
        case 'X':
          return integer().toString(16);
        case 'o':
          return integer().toString(8);
        case 'c':
          return String.fromCharCode(Number(next(4) & 0xffn));
        case 's':
          return readString(lane, next(8));
        case 'p':
          return `0x${next(8).toString(16)}`;
        case 'f':
        case 'F':
          return toNumber(F64, next(8)).toFixed(digits);
        case 'e':
        case 'E':
          return toNumber(F64, next(8)).toExponential(digits);
        case 'g':
        case 'G':
          return String(toNumber(F64, next(8)));
        default:
          return integer().toString();
      }
    },
  );
}

const print: Hook = ({ lane, grid, inputs: [format, list] }) => {
  const text = formatted(lane, readString(lane, format), list);
  grid.output.push(text);
  return BigInt(text.length);
};

export const standardHooks: Readonly<Record<string, Hook>> = {
  vprintf: print,
  /** GCC's: the caller of a variadic function passes the place of its arguments. */
  printf: print,
  malloc: ({ grid, inputs: [bytes] }) => grid.allocate(Number(bytes)),
  free: ({ grid, inputs: [address] }) => grid.free(address),
  __assertfail: ({ lane, inputs: [message] }) => {
    throw new Unsupported(`assertion failed: ${readString(lane, message)}`);
  },
};
