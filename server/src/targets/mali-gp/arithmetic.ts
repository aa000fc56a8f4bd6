/**
 * What the operations compute. Every value is an IEEE float32; an operation is carried out in double and rounded
 * once, which is exact for sums, products and quotients (53 bits are more than twice 24 and two). The real special
 * functions are approximations of which nothing exact is known; here they are the correctly rounded results, in the
 * source and on the machine alike. exp and log are no functions of the machine: they mean the two operations that the
 * compiler makes of them, with the rounding of each.
 *
 * The sign of zero is carried but never decides: functions that could tell -0 from 0 take it as 0.
 */
import { exp2, log2, reciprocalRoot } from './special-functions.js';

const { fround } = Math;

/** Logarithm of e to the base 2, and of 2 to the base e, as float32. */
export const LOG2_E = fround(Math.LOG2E);
export const LN_2 = fround(Math.LN2);

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
  exp2,
  log2,
  exp: (a) => exp2(fround(a * LOG2_E)),
  log: (a) => fround(log2(a) * LN_2),
} as const satisfies Readonly<Record<string, Arithmetic>>;

export type ArithmeticName = keyof typeof arithmetic;

export const isArithmetic = (name: string): name is ArithmeticName => Object.hasOwn(arithmetic, name);
