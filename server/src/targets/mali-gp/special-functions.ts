/**
 * exp2, log2 and 1/sqrt as float32, correctly rounded. The library's double result is at most a few units
 * in its last place off, so it decides unless a rounding boundary of float32 lies that near (Ziv's test). Then the
 * result is computed again with twice the digits, as an unevaluated sum of two doubles (Dekker 1971).
 */
const { fround } = Math;

/** The library functions are trusted to this relative error: 16 units in the last place. */
const TRUST = 2 ** -48;

/** The float32 that all values around `approximation` round to, or undefined where they do not agree. */
function agreed(approximation: number): number | undefined {
  const low = fround(approximation * (1 - TRUST));
  return low === fround(approximation * (1 + TRUST)) ? low : undefined;
}

export function reciprocalRoot(x: number): number {
  if (x === 0) return Infinity;
  if (!(x > 0) || x === Infinity) return x === Infinity ? 0 : NaN;
  const approximation = 1 / Math.sqrt(x);
  // One step of Newton's method from the double result, its residue exact: r (1 - x r r) / 2 is what is missing.
  return agreed(approximation) ?? round(refinedRoot(x, approximation));
}

function refinedRoot(x: number, r: number): Pair {
  const residue = sum(1, 0, ...negated(times(times([r, 0], [r, 0]), [x, 0])));
  return times([0.5 * r, 0], residue, [r, 0]);
}

export function exp2(x: number): number {
  if (Number.isNaN(x)) return x;
  // Beyond these, float32 overflows or rounds to 0 (which it does below half of 2^-149).
  if (x >= 128) return Infinity;
  if (x < -151) return 0;
  return agreed(2 ** x) ?? round(exp2Pair(x));
}

/** The logarithm lies above a rounding boundary exactly if x lies above 2 to the power of the boundary. */
export function log2(x: number): number {
  if (x === 0) return -Infinity;
  if (!(x > 0) || x === Infinity) return x === Infinity ? x : NaN;
  const approximation = Math.log2(x);
  const known = agreed(approximation);
  if (known !== undefined) return known;
  const low = fround(approximation * (1 - TRUST));
  const high = fround(approximation * (1 + TRUST));
  const [power, rest] = exp2Pair((low + high) / 2);
  const isAbove = x - power > rest;
  if (approximation > 0) return isAbove ? high : low;
  return isAbove ? low : high;
}

/** hi + lo, where lo is at most half a unit in the last place of hi. */
type Pair = readonly [hi: number, lo: number];

const LN2: Pair = [0.6931471805599453, 2.3190468138462996e-17];

const negated = ([hi, lo]: Pair): Pair => [-hi, -lo];

function exactSum(a: number, b: number): Pair {
  const s = a + b;
  const part = s - a;
  return [s, a - (s - part) + (b - part)];
}

function exactProduct(a: number, b: number): Pair {
  const p = a * b;
  const [ah, al] = halves(a);
  const [bh, bl] = halves(b);
  return [p, ah * bh - p + ah * bl + al * bh + al * bl];
}

function halves(a: number): Pair {
  const c = 134217729 * a;
  const hi = c - (c - a);
  return [hi, a - hi];
}

function sum(aHi: number, aLo: number, bHi: number, bLo: number): Pair {
  const [hi, rest] = exactSum(aHi, bHi);
  const [lo, tail] = exactSum(aLo, bLo);
  const [h, l] = exactSum(hi, rest + lo);
  return exactSum(h, l + tail);
}

function times(a: Pair, b: Pair, plus?: Pair): Pair {
  const [p, e] = exactProduct(a[0], b[0]);
  const product = exactSum(p, e + a[0] * b[1] + a[1] * b[0]);
  return plus === undefined ? product : sum(product[0], product[1], plus[0], plus[1]);
}

function quotient(a: Pair, divisor: number): Pair {
  const q = a[0] / divisor;
  const [p, e] = exactProduct(q, divisor);
  return exactSum(q, (a[0] - p - e + a[1]) / divisor);
}

/** 2^x: a power of two times the Taylor series of e^r, |r| <= ln 2 / 2, to 30 terms (below 2^-150). */
function exp2Pair(x: number): Pair {
  const power = Math.round(x);
  const r = times([x - power, 0], LN2);
  let series: Pair = [1, 0];
  for (let k = 30; k > 0; k--) series = times(quotient(r, k), series, [1, 0]);
  const scale = 2 ** power;
  return [series[0] * scale, series[1] * scale];
}

const bits = new DataView(new ArrayBuffer(8));

/**
 * A pair to the nearest float32. Rounded to an odd double first, which lies on no rounding boundary: where the low
 * part is not 0, of the two doubles around the sum the one with an odd last bit.
 */
function round([hi, lo]: Pair): number {
  if (lo === 0) return fround(hi);
  bits.setFloat64(0, hi);
  const pattern = bits.getBigInt64(0);
  if ((pattern & 1n) === 0n) bits.setBigInt64(0, pattern + (lo > 0 === hi > 0 ? 1n : -1n));
  return fround(bits.getFloat64(0));
}
