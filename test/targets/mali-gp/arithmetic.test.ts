import assert from 'node:assert/strict';
import fc from 'fast-check';
import { arithmetic, type ArithmeticName } from '../../../server/src/targets/mali-gp/arithmetic.js';
import { bitsToFloat } from '../../../server/src/ir/payload.js';
import { runs } from '../../support/fuzz.js';

/** Fixed-point numbers with this many bits behind the point. */
const BITS = 320n;
const ONE = 1n << BITS;

/** Exact for every double whose last bit is worth at least 2^-BITS. */
function fixed(x: number): bigint {
  let exponent = 0n;
  while (!Number.isInteger(x)) {
    x *= 2;
    exponent++;
  }
  return (BigInt(x) << BITS) >> exponent;
}

const LN2 = ((): bigint => {
  // ln 2 = sum of 1 / (k 2^k)
  let total = 0n;
  for (let k = 1n; k <= BITS; k++) total += (ONE >> k) / k;
  return total;
})();

/** e^x for fixed-point x, by halving the argument and squaring the series' value. */
function exp(x: bigint): bigint {
  const halvings = 12n;
  const r = x >> halvings;
  let term = ONE;
  let total = ONE;
  for (let k = 1n; term !== 0n; k++) {
    term = ((term * r) >> BITS) / k;
    if (term === -1n) break;
    total += term;
  }
  for (let k = 0n; k < halvings; k++) total = (total * total) >> BITS;
  return total;
}

const exp2 = (x: bigint): bigint => exp((x * LN2) >> BITS);

/** The nearest float32 neighbours. */
function neighbours(y: number): [number, number] {
  const bits = new DataView(new ArrayBuffer(4));
  bits.setFloat32(0, y);
  const pattern = bits.getInt32(0);
  const step = (by: number): number => bitsToFloat(pattern + by);
  return y > 0 ? [step(-1), step(1)] : [step(1), step(-1)];
}

const middle = (a: number, b: number): bigint => fixed((a + b) / 2);

const float32 = (most: number): fc.Arbitrary<number> =>
  fc.float({ noNaN: true, noDefaultInfinity: true, min: -Math.fround(most), max: Math.fround(most) });

/**
 * Inputs (as bits) whose results lie within 2^-48 of a rounding boundary, found by trying all of [1/16, 60]: the
 * double result alone does not decide them.
 */
const hard: Readonly<Record<'exp2' | 'log2' | 'rsqrt', readonly number[]>> = {
  exp2: [0x3dc9abe2, 0x3deb2f8e, 0x3f4746f3],
  log2: [0x3d8d64de, 0x3ea07ab9, 0x3feddffd, 0x40207ab9],
  rsqrt: [0x3e09f038, 0x3e3a18e3, 0x3f09f038, 0x3f3a18e3],
};

const examples = (name: keyof typeof hard): [number][] =>
  hard[name].map((bits): [number] => [bitsToFloat(bits)]);

describe('mali-gp: arithmetic', () => {
  const cases: readonly [ArithmeticName, readonly number[], number][] = [
    ['add', [2 ** 24, 1], 2 ** 24],
    ['add', [2 ** 24, 3], 2 ** 24 + 4],
    ['mul', [2 ** 127, 2], Infinity],
    ['mul', [1 + 2 ** -23, 1 + 2 ** -23], 1 + 2 ** -22],
    ['min', [-0, 0], -0],
    ['min', [0, -0], -0],
    ['max', [-0, 0], 0],
    ['min', [NaN, 3], 3],
    ['max', [3, NaN], 3],
    ['ge', [0, -0], 1],
    ['lt', [1, 1], 0],
    ['ge', [NaN, NaN], 0],
    ['eq', [0, -0], 1],
    ['ne', [NaN, NaN], 1],
    ['floor', [-0.5], -1],
    ['ceil', [-0.5], 0],
    ['ceil', [1.25], 2],
    ['sign', [-0], 0],
    ['sign', [-3], -1],
    ['abs', [-2], 2],
    ['not', [0.25], 0.75],
    ['select', [0, 1, 2], 2],
    ['select', [-0.5, 1, 2], 1],
    ['rcp', [-0], Infinity],
    ['rcp', [3], Math.fround(1 / 3)],
    ['rsqrt', [0.25], 2],
    ['rsqrt', [0], Infinity],
    ['rsqrt', [Infinity], 0],
    ['rsqrt', [-1], NaN],
    ['exp2', [-149], 2 ** -149],
    ['exp2', [-150], 0],
    ['exp2', [127.5], Math.fround(2 ** 127.5)],
    ['exp2', [128], Infinity],
    ['exp2', [-Infinity], 0],
    ['log2', [2 ** -149], -149],
    ['log2', [0], -Infinity],
    ['log2', [-1], NaN],
    ['log', [1], 0],
    ['exp', [0], 1],
  ];
  for (const [name, operands, expected] of cases)
    it(`${name} ${operands.join(', ')} is ${Object.is(expected, -0) ? '-0' : expected}`, () => {
      const [a, b = 0, c = 0] = operands;
      assert.ok(Object.is(arithmetic[name](a, b, c), expected));
    });

  it('rounds powers of 2 to the nearest float32', () => {
    fc.assert(
      fc.property(float32(60), (x) => {
        const y = arithmetic.exp2(x);
        const exact = exp2(fixed(x));
        const [low, high] = neighbours(y);
        assert.ok(exact >= middle(low, y) && exact <= middle(y, high), `exp2 ${x} is not ${y}`);
      }),
      { numRuns: runs(200), examples: examples('exp2') },
    );
  });

  it('rounds logarithms to the nearest float32', () => {
    fc.assert(
      fc.property(fc.float({ min: Math.fround(2 ** -60), max: Math.fround(2 ** 60), noNaN: true }), (x) => {
        const y = arithmetic.log2(x);
        if (y === 0) return assert.equal(x, 1);
        const [low, high] = neighbours(y);
        // y is the nearest if x lies between 2 to the powers of the boundaries around y.
        assert.ok(
          exp2(middle(low, y)) <= fixed(x) && fixed(x) <= exp2(middle(y, high)),
          `log2 ${x} is not ${y}`,
        );
      }),
      { numRuns: runs(200), examples: examples('log2') },
    );
  });

  it('computes exp and log as the two operations that the machine makes of them', () => {
    assert.equal(arithmetic.exp(1), Math.fround(2 ** Math.fround(Math.LOG2E)));
    assert.equal(arithmetic.log(8), Math.fround(3 * Math.fround(Math.LN2)));
  });

  it('rounds inverse roots to the nearest float32', () => {
    fc.assert(
      fc.property(fc.float({ min: Math.fround(2 ** -60), max: Math.fround(2 ** 60), noNaN: true }), (x) => {
        const y = arithmetic.rsqrt(x);
        const [low, high] = neighbours(y);
        // m < 1 / sqrt(x) exactly if m m x < 1
        const below = (m: bigint): boolean => m * m * fixed(x) <= ONE * ONE * ONE;
        assert.ok(below(middle(low, y)) && !below(middle(y, high) + 1n), `rsqrt ${x} is not ${y}`);
      }),
      { numRuns: runs(500), examples: examples('rsqrt') },
    );
  });
});
