import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  addFloat,
  compareFloat,
  divideFloat,
  exactAdd,
  exactDivide,
  exactMultiply,
  finish,
  fromNumber,
  fusedMultiplyAdd,
  multiplyFloat,
  NEAREST,
  selectFloat,
  squareRootFloat,
  toNumber,
  type FloatMode,
} from '../../../../server/src/languages/ptx/semantics/arithmetic.js';
import {
  BF16,
  F16,
  F32,
  F64,
  infinityBits,
  nanBits,
  type Format,
  type Rounding,
} from '../../../../server/src/languages/ptx/semantics/float.js';
import { runs } from '../../../support/fuzz.js';

/** An exact number n / 2^k, from the definition of the formats, for comparisons only. */
interface Exact {
  readonly n: bigint;
  readonly k: number;
}

const SCALE = 1074 + 64;
function exact(format: Format, bits: bigint): Exact | undefined {
  const value = toNumber(format, bits);
  if (!Number.isFinite(value)) return undefined;
  // a double is an integer multiple of 2^-1074
  let x = Math.abs(value);
  let shift = 0;
  while (x !== Math.floor(x)) {
    x *= 2;
    shift++;
  }
  const n = BigInt(x) << BigInt(SCALE - shift);
  return { n: value < 0 ? -n : n, k: SCALE };
}

const multiplied = (a: Exact, b: Exact): Exact => ({ n: a.n * b.n, k: a.k + b.k });
const added = (a: Exact, b: Exact): Exact => {
  const k = Math.max(a.k, b.k);
  return { n: (a.n << BigInt(k - a.k)) + (b.n << BigInt(k - b.k)), k };
};
const order = (a: Exact, b: Exact): number => {
  const difference = added(a, { n: -b.n, k: b.k }).n;
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
};

/** The next pattern up (towards positive infinity) of a finite number. */
function up(format: Format, bits: bigint): bigint {
  const sign = 1n << BigInt(format.bits - 1);
  if (bits === sign) return 1n;
  return (bits & sign) === 0n ? bits + 1n : bits - 1n;
}
const down = (format: Format, bits: bigint): bigint => {
  const sign = 1n << BigInt(format.bits - 1);
  return up(format, bits ^ sign) ^ sign;
};

/**
 * Whether `result` is `true value` correctly rounded, given how the true value compares with any exact number and
 * with the midpoint of two (both exact): the definition in words, no shifting of bits.
 */
function isRounded(
  format: Format,
  result: bigint,
  mode: Rounding,
  compareWith: (x: Exact) => number,
): boolean {
  const r = exact(format, result);
  if (r === undefined) return true; // overflow has known-answer tests
  const above = exact(format, up(format, result));
  const below = exact(format, down(format, result));
  const side = compareWith(r); // sign of true - r
  if (side === 0) return true;
  const isNegative = compareWith({ n: 0n, k: 0 }) < 0;
  const directed = mode === 'rz' ? (isNegative ? 'rp' : 'rm') : mode;
  if (directed === 'rm') return side > 0 && (above === undefined || compareWith(above) < 0);
  if (directed === 'rp') return side < 0 && (below === undefined || compareWith(below) > 0);
  const neighbour = side > 0 ? above : below;
  if (neighbour === undefined) return true;
  const sum = added(r, neighbour);
  const towards = compareWith({ n: sum.n, k: sum.k + 1 });
  if (towards === 0) return (result & 1n) === 0n;
  return towards > 0 !== side > 0;
}

const formats: readonly (readonly [string, Format])[] = [
  ['half', F16],
  ['bfloat', BF16],
  ['single', F32],
  ['double', F64],
];
const modes: readonly Rounding[] = ['rn', 'rz', 'rm', 'rp'];

/** Patterns with exponents near each other, near the ends, and anywhere. */
const pattern = (format: Format): fc.Arbitrary<bigint> => {
  const max = (1n << BigInt(format.bits)) - 1n;
  const fraction = BigInt(format.precision - 1);
  const oneField = BigInt(format.maxExponent);
  const near = fc
    .tuple(fc.bigInt(0n, (1n << fraction) - 1n), fc.bigInt(-4n, 4n), fc.boolean())
    .map(([f, e, s]) => f | ((oneField + e) << fraction) | (s ? 1n << BigInt(format.bits - 1) : 0n));
  const small = fc.bigInt(0n, 1n << (fraction + 2n));
  return fc.oneof(fc.bigInt(0n, max), near, near, small);
};

const withMode = (rounding: Rounding): FloatMode => ({ ...NEAREST, rounding });

describe('floating point', () => {
  for (const [name, format] of formats) {
    it(`rounds ${name} sums, products, fused products, quotients and roots as defined`, () => {
      const p = pattern(format);
      fc.assert(
        fc.property(p, p, p, fc.constantFrom(...modes), (a, b, c, rounding) => {
          const [x, y, z] = [exact(format, a), exact(format, b), exact(format, c)];
          if (x === undefined || y === undefined || z === undefined) return;
          const mode = withMode(rounding);
          const sum = added(x, y);
          assert.ok(
            isRounded(format, addFloat(format, a, b, mode), rounding, (e) => order(sum, e)),
            'sum',
          );
          const times = multiplied(x, y);
          const fused = added(times, z);
          const check = (bits: bigint, compareWith: (e: Exact) => number, what: string): void =>
            assert.ok(isRounded(format, bits, rounding, compareWith), what);
          check(multiplyFloat(format, a, b, mode), (e) => order(times, e), 'product');
          check(fusedMultiplyAdd(format, a, b, c, mode), (e) => order(fused, e), 'fused');
          if (y.n !== 0n) {
            // x / y against e: x against e * y, turned round for a negative divisor
            const against = (e: Exact): number => order(x, multiplied(e, y)) * (y.n < 0n ? -1 : 1);
            check(divideFloat(format, a, b, mode), against, 'quotient');
          }
          if (x.n >= 0n) {
            const against = (e: Exact): number => (e.n < 0n ? 1 : order(x, multiplied(e, e)));
            check(squareRootFloat(format, a, mode), against, 'root');
          }
        }),
        { numRuns: runs(format === F64 ? 60 : 150) },
      );
    });
  }

  it("the exact way equals the machine's own arithmetic where that is rounded to nearest", () => {
    for (const format of [F32, F64]) {
      const p = pattern(format);
      fc.assert(
        fc.property(p, p, (a, b) => {
          const [x, y] = [toNumber(format, a), toNumber(format, b)];
          const rounded = (n: number): bigint =>
            Number.isNaN(n) ? nanBits(format) : fromNumber(format, format === F32 ? Math.fround(n) : n);
          assert.equal(exactAdd(format, a, b, NEAREST), rounded(x + y));
          assert.equal(exactMultiply(format, a, b, NEAREST), rounded(x * y));
          assert.equal(exactDivide(format, a, b, NEAREST), rounded(x / y));
          assert.equal(squareRootFloat(format, a, NEAREST), rounded(Math.sqrt(x)));
        }),
        { numRuns: runs(300) },
      );
    }
  });

  const f = (n: number): bigint => fromNumber(F32, n);
  const known: readonly (readonly [string, bigint, bigint])[] = [
    ['1 + 2^-24 to nearest even is 1', addFloat(F32, f(1), f(2 ** -24), NEAREST), f(1)],
    ['1 + 2^-24 up is the next number', addFloat(F32, f(1), f(2 ** -24), withMode('rp')), f(1) + 1n],
    ['1 + 3 * 2^-24 to nearest even goes up', addFloat(F32, f(1), f(3 * 2 ** -24), NEAREST), f(1) + 2n],
    ['1 - 1 rounded down is -0', addFloat(F32, f(1), f(-1), withMode('rm')), 0x8000_0000n],
    ['the largest number times 2 is infinite', multiplyFloat(F32, 0x7f7f_ffffn, f(2), NEAREST), 0x7f80_0000n],
    ['towards zero it stays', multiplyFloat(F32, 0x7f7f_ffffn, f(2), withMode('rz')), 0x7f7f_ffffn],
    ['negative and up it stays', multiplyFloat(F32, 0xff7f_ffffn, f(2), withMode('rp')), 0xff7f_ffffn],
    [
      'infinity times zero is the one NaN of PTX',
      multiplyFloat(F32, 0x7f80_0000n, 0n, NEAREST),
      0x7fff_ffffn,
    ],
    // (1 + 2^-12)^2 = 1 + 2^-11 + 2^-24: the last term survives only when rounded once
    [
      'a fused product keeps what a rounded one loses',
      fusedMultiplyAdd(F32, f(1 + 2 ** -12), f(1 + 2 ** -12), f(-1 - 2 ** -11), NEAREST),
      f(2 ** -24),
    ],
    // in doubles: 2^53 + 1 is not one, so product and sum rounded apart give 0
    [
      'double too',
      fusedMultiplyAdd(
        F64,
        fromNumber(F64, 2 ** 27 + 1),
        fromNumber(F64, 2 ** 27 - 1),
        fromNumber(F64, -(2 ** 54)),
        NEAREST,
      ),
      fromNumber(F64, -1),
    ],
    [
      'half: 2048 + 1 ties to even',
      addFloat(F16, fromNumber(F16, 2048), fromNumber(F16, 1), NEAREST),
      fromNumber(F16, 2048),
    ],
    [
      'half: 65504 + 16 overflows to infinity',
      addFloat(F16, fromNumber(F16, 65504), fromNumber(F16, 16), NEAREST),
      infinityBits(F16, false),
    ],
    ['ftz takes a subnormal input for zero', addFloat(F32, 1n, f(0), { ...NEAREST, ftz: true }), 0n],
    ['sat: -3 is 0', finish(F32, f(-3), { ...NEAREST, sat: true }), 0n],
    ['sat: 3 is 1', finish(F32, f(3), { ...NEAREST, sat: true }), f(1)],
    ['sat: NaN is 0', finish(F32, nanBits(F32), { ...NEAREST, sat: true }), 0n],
  ];
  for (const [why, found, expected] of known) it(why, () => assert.equal(found, expected));

  it('min and max pass NaN by, order the zeros, and take .NaN and .xorsign', () => {
    const plain = { ftz: false, propagates: false, xorsign: false };
    const nan = nanBits(F32);
    assert.equal(selectFloat(F32, nan, f(2), true, plain), f(2));
    assert.equal(selectFloat(F32, nan, f(2), true, { ...plain, propagates: true }), nan);
    assert.equal(selectFloat(F32, f(0), f(-0), true, plain), f(-0));
    assert.equal(selectFloat(F32, f(-0), f(0), false, plain), f(0));
    assert.equal(selectFloat(F32, f(-3), f(2), true, { ...plain, xorsign: true }), f(-2));
    assert.equal(selectFloat(F32, f(-3), f(-2), false, { ...plain, xorsign: true }), f(3));
  });

  it('ordered comparisons fail on NaN, unordered ones hold', () => {
    const nan = nanBits(F32);
    for (const op of ['eq', 'ne', 'lt', 'le', 'gt', 'ge']) {
      assert.equal(compareFloat(F32, op, nan, f(1), false), false, op);
      assert.equal(compareFloat(F32, `${op}u`, nan, f(1), false), true, `${op}u`);
    }
    assert.equal(compareFloat(F32, 'equ', f(0), f(-0), false), true);
    assert.equal(compareFloat(F32, 'num', f(0), nan, false), false);
    assert.equal(compareFloat(F32, 'lt', 1n, 2n, true), false, 'both are zero with ftz');
  });
});
