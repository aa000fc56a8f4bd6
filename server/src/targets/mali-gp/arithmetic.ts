/**
 * What the operations compute. Every value is an IEEE float32; an operation is carried out in double and rounded
 * once, which is exact for sums, products and quotients (53 bits are more than twice 24 and two). The real special
 * functions are approximations of which nothing exact is known; here they are the correctly rounded results, in the
 * source and on the machine alike.
 *
 * The sign of zero is carried but never decides: functions that could tell -0 from 0 take it as 0.
 */
import { exponential, logarithm, reciprocalRoot } from './special-functions.js';

const { fround } = Math;

const truth = (holds: boolean): number => (holds ? 1 : 0);

/** Of two numbers the one that is one, if the other is NaN; -0 is less than 0. */
function min(a: number, b: number): number {
  if (Number.isNaN(a)) return b;
  if (Number.isNaN(b)) return a;
  if (a === b) return Object.is(a, -0) ? a : b;
  return a < b ? a : b;
}

function max(a: number, b: number): number {
  if (Number.isNaN(a)) return b;
  if (Number.isNaN(b)) return a;
  if (a === b) return Object.is(a, -0) ? b : a;
  return a > b ? a : b;
}

function sign(a: number): number {
  if (Number.isNaN(a)) return a;
  return a > 0 ? 1 : a < 0 ? -1 : 0;
}

export type Arithmetic = (a: number, b: number, c: number) => number;

/** By the operation's name in the source; operands beyond an operation's own are ignored. */
export const arithmetic = {
  add: (a, b) => fround(a + b),
  mul: (a, b) => fround(a * b),
  min,
  max,
  ge: (a, b) => truth(a >= b),
  lt: (a, b) => truth(a < b),
  eq: (a, b) => truth(a === b),
  ne: (a, b) => truth(a !== b),
  floor: (a) => Math.floor(a) + 0,
  ceil: (a) => Math.ceil(a) + 0,
  sign,
  abs: (a) => Math.abs(a),
  neg: (a) => -a,
  not: (a) => fround(1 - a),
  mov: (a) => a,
  select: (condition, a, b) => (condition !== 0 ? a : b),
  rcp: (a) => fround(1 / (a + 0)),
  rsqrt: (a) => reciprocalRoot(a + 0),
  exp2: (a) => exponential(a, 'base 2'),
  log2: (a) => logarithm(a + 0, 'base 2'),
  exp: (a) => exponential(a, 'base e'),
  log: (a) => logarithm(a + 0, 'base e'),
} as const satisfies Readonly<Record<string, Arithmetic>>;

export type ArithmeticName = keyof typeof arithmetic;

export const isArithmetic = (name: string): name is ArithmeticName => Object.hasOwn(arithmetic, name);
