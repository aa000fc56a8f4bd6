import assert from 'node:assert/strict';
import fc from 'fast-check';
import { NEAREST } from '../../../../server/src/languages/ptx/semantics/arithmetic.js';
import {
  bitMask,
  dotProduct,
  extendFrom,
  extractField,
  findLead,
  funnelShift,
  insertField,
  leadingZeros,
  lookup,
  permute,
  population,
  reverse,
} from '../../../../server/src/languages/ptx/semantics/bits.js';
import { convert, toTf32 } from '../../../../server/src/languages/ptx/semantics/convert.js';
import {
  compareInteger,
  product,
  product24,
  quotient,
  remainder,
  saturate,
  shiftLeft,
  shiftRight,
} from '../../../../server/src/languages/ptx/semantics/integer.js';
import { runs } from '../../../support/fuzz.js';

const u32 = { bits: 32, signed: false };
const s32 = { bits: 32, signed: true };
const s64 = { bits: 64, signed: true };
const u64 = { bits: 64, signed: false };
const word = fc.oneof(fc.bigInt(0n, 0xffff_ffffn), fc.bigInt(0n, 64n), fc.bigInt(0xffff_ffc0n, 0xffff_ffffn));

describe('integers', () => {
  it("32-bit results equal those of the machine's own 32-bit arithmetic", () => {
    fc.assert(
      fc.property(word, word, fc.integer({ min: 0, max: 40 }), (a, b, n) => {
        const [x, y] = [Number(a), Number(b)];
        const bits = (value: number): bigint => BigInt(value >>> 0);
        assert.equal(product(s32, a, b, 'lo'), bits(Math.imul(x, y)));
        if ((y | 0) !== 0) {
          assert.equal(quotient(s32, a, b), bits(Math.trunc((x | 0) / (y | 0)) | 0));
          assert.equal(remainder(s32, a, b), bits(((x | 0) % (y | 0)) | 0));
        }
        const amount = BigInt(n);
        assert.equal(shiftLeft(u32, a, amount), n > 31 ? 0n : bits(x << n));
        assert.equal(shiftRight(u32, a, amount), n > 31 ? 0n : bits(x >>> n));
        assert.equal(shiftRight(s32, a, amount), bits((x | 0) >> Math.min(n, 31)));
        assert.equal(leadingZeros(32, a), BigInt(Math.clz32(x)));
        assert.equal(compareInteger(s32, 'lt', a, b), (x | 0) < (y | 0));
        assert.equal(compareInteger(s32, 'lo', a, b), x < y);
      }),
      { numRuns: runs(300) },
    );
  });

  it('high products complete low ones to the wide product', () => {
    fc.assert(
      fc.property(fc.bigInt(0n, (1n << 64n) - 1n), fc.bigInt(0n, (1n << 64n) - 1n), (a, b) => {
        for (const t of [u64, s64])
          assert.equal((product(t, a, b, 'hi') << 64n) | product(t, a, b, 'lo'), product(t, a, b, 'wide'));
        assert.equal(product(u64, a, b, 'wide'), a * b);
      }),
      { numRuns: runs(100) },
    );
  });

  const known: readonly (readonly [string, bigint | undefined, bigint])[] = [
    ['-7 / 2 is -3', quotient(s32, 0xffff_fff9n, 2n), 0xffff_fffdn],
    ['-7 % 2 is -1', remainder(s32, 0xffff_fff9n, 2n), 0xffff_ffffn],
    ['the least number over -1 wraps', quotient(s32, 0x8000_0000n, 0xffff_ffffn), 0x8000_0000n],
    ['mul24.hi takes bits 47..16', product24(u32, 0xff_ffffn, 0xff_ffffn, 'hi'), 0xffff_fe00n],
    ['saturating add stays at the top', saturate(s32, 0x7fff_ffffn + 1n), 0x7fff_ffffn],
    ['an arithmetic shift by 40 leaves the sign', shiftRight(s32, 0x8000_0000n, 40n), 0xffff_ffffn],
    ['popc', population(0xf00f_0001n), 9n],
    ['brev', reverse(32, 0x8000_0003n), 0xc000_0001n],
    ['bfind of 0 is all ones', findLead(32, false, 0n, false), 0xffff_ffffn],
    ['bfind of a negative number looks for a zero', findLead(32, true, 0xffff_fff0n, false), 3n],
    ['bfind.shiftamt', findLead(32, false, 1n, true), 31n],
    ['bfe.u32', extractField(32, false, 0xabcd_1234n, 8n, 8n), 0x12n],
    ['bfe.s32 extends the sign', extractField(32, true, 0x0000_8000n, 8n, 8n), 0xffff_ff80n],
    ['bfe.s32 over the top takes the top bit', extractField(32, true, 0x8000_0000n, 28n, 16n), 0xffff_fff8n],
    ['bfe of length 0', extractField(32, true, 0xffff_ffffn, 4n, 0n), 0n],
    ['bfi', insertField(32, 0xabn, 0xffff_ffffn, 8n, 8n), 0xffff_abffn],
    ['bfi over the top is cut', insertField(32, 0xffn, 0n, 28n, 8n), 0xf000_0000n],
    ['prmt picks bytes', permute(0x3322_1100n, 0x7766_5544n, 0x7160n, ''), 0x7711_6600n],
    ['prmt repeats a sign', permute(0x0000_8000n, 0n, 0x0009n, ''), 0x0000_00ffn],
    ['prmt.b4e goes down', permute(0x3322_1100n, 0x7766_5544n, 1n, 'b4e'), 0x6677_0011n],
    ['prmt.rc16', permute(0x3322_1100n, 0n, 1n, 'rc16'), 0x3322_3322n],
    ['shf.l.wrap by 8', funnelShift(0xaabb_ccddn, 0x1122_3344n, 8n, true, true), 0x2233_44aan],
    [
      'shf.l.clamp by 40 gives the low word',
      funnelShift(0xaabb_ccddn, 0x1122_3344n, 40n, true, false),
      0xaabb_ccddn,
    ],
    [
      'shf.r.clamp by 40 gives the high word',
      funnelShift(0xaabb_ccddn, 0x1122_3344n, 40n, false, false),
      0x1122_3344n,
    ],
    ['bmsk', bitMask(4n, 8n, false), 0xff0n],
    ['bmsk above the top', bitMask(32n, 4n, false), 0n],
    ['szext.s32', extendFrom(true, 0xffn, 8n, false), 0xffff_ffffn],
    [
      'dp4a of -1 and 2 in each byte, on 5',
      dotProduct(
        0xffff_ffffn,
        0x0202_0202n,
        5n,
        [0, 8, 16, 24].map((k) => ({ a: k, b: k, aBits: 8, bBits: 8 })),
        true,
        false,
      ),
      0xffff_fffdn,
    ],
  ];
  for (const [why, found, expected] of known) it(why, () => assert.equal(found, expected));

  it('lop3 follows the table made from the masks F0, CC, AA', () => {
    const f = (a: bigint, b: bigint, c: bigint): bigint => (a & b) ^ c;
    fc.assert(
      fc.property(word, word, word, (a, b, c) =>
        assert.equal(lookup(32, a, b, c, f(0xf0n, 0xccn, 0xaan)), f(a, b, c)),
      ),
      { numRuns: runs(60) },
    );
  });
});

describe('cvt', () => {
  const mode = { ...NEAREST, integral: false };
  const to = (type: string, from: string, bits: bigint, more = {}): bigint | undefined =>
    convert(type, from, bits, { ...mode, ...more });
  const rzi = { rounding: 'rz', integral: true };
  const known: readonly (readonly [string, bigint | undefined, bigint])[] = [
    ['s8 from s32 wraps', to('s8', 's32', 0x1ffn), 0xffn],
    ['with sat it clamps', to('s8', 's32', 0x1ffn, { sat: true }), 0x7fn],
    ['u8.sat from a negative number', to('u8', 's32', 0xffff_ffffn, { sat: true }), 0n],
    ['s64 from s32 extends', to('s64', 's32', 0xffff_ffffn), 0xffff_ffff_ffff_ffffn],
    ['rni: 2.5 to 2', to('s32', 'f32', 0x4020_0000n, { integral: true }), 2n],
    ['rzi: -2.5 to -2', to('s32', 'f32', 0xc020_0000n, rzi), 0xffff_fffen],
    ['rmi: -2.5 to -3', to('s32', 'f32', 0xc020_0000n, { rounding: 'rm', integral: true }), 0xffff_fffdn],
    ['rpi: 2.5 to 3', to('s32', 'f32', 0x4020_0000n, { rounding: 'rp', integral: true }), 3n],
    ['too large clamps', to('s32', 'f32', 0x4f80_0000n, rzi), 0x7fff_ffffn],
    ['negative to unsigned clamps', to('u32', 'f32', 0xbf80_0000n, rzi), 0n],
    ['NaN gives 0', to('s32', 'f32', 0x7fff_ffffn, rzi), 0n],
    ['but 2^63 with a 64-bit target', to('s64', 'f32', 0x7fff_ffffn, rzi), 0x8000_0000_0000_0000n],
    ['f32 from 2^24 + 1 to nearest', to('f32', 's32', 0x100_0001n), 0x4b80_0000n],
    ['and up', to('f32', 's32', 0x100_0001n, { rounding: 'rp' }), 0x4b80_0001n],
    ['f16 from f32 0.1', to('f16', 'f32', 0x3dcc_cccdn), 0x2e66n],
    ['f64 from f32 0.1 is exact', to('f64', 'f32', 0x3dcc_cccdn), 0x3fb9_9999_a000_0000n],
    ['f32.rni from f32 2.5', to('f32', 'f32', 0x4020_0000n, { integral: true }), 0x4000_0000n],
    ['bf16 from f32 1 + 2^-8 ties to even', to('bf16', 'f32', 0x3f80_8000n), 0x3f80n],
    ['relu: a negative number is 0', to('bf16', 'f32', 0xbf80_0000n, { relu: true }), 0n],
    ['tf32 rounds ties away', toTf32(0x3f80_1000n, 'rna'), 0x3f80_2000n],
  ];
  for (const [why, found, expected] of known) it(why, () => assert.equal(found, expected));
});
