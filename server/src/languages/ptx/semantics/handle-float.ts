import {
  absoluteFloat,
  addFloat,
  divideFloat,
  finish,
  flush,
  formatOf,
  fromNumber,
  fusedMultiplyAdd,
  multiplyFloat,
  NEAREST,
  negateFloat,
  selectFloat,
  squareRootFloat,
  subtractFloat,
  toNumber,
  type FloatMode,
} from './arithmetic.js';
import type { Decoded } from './decode.js';
import { Unsupported } from './faults.js';
import { decode, encode, F32, finite, type Format, type Rounding } from './float.js';
import { has, oneOf, operand, type Handler, type Thread } from './handler.js';

/**
 * Floating-point instructions. A packed type (`f16x2`, `bf16x2`, `f32x2`) works part by part. Approximate
 * functions are computed in double precision and rounded once: closer than the hardware, and the same every time.
 */
export function modeOf(d: Decoded): FloatMode {
  const rounding = oneOf(d, 'rn', 'rz', 'rm', 'rp', 'rna') as Rounding | undefined;
  return { rounding: rounding ?? 'rn', ftz: has(d, 'ftz'), sat: has(d, 'sat'), relu: has(d, 'relu') };
}

type Operation = (format: Format, values: readonly bigint[], mode: FloatMode, d: Decoded) => bigint;

function apply(t: Thread, d: Decoded, count: number, operation: Operation): void {
  const name = d.types.at(0) ?? '';
  if (d.types.length > 1 && d.types.some((type) => type !== name))
    throw new Unsupported('operands of different types');
  const packed = /^(b?f\d+)x2$/.exec(name);
  const format = formatOf(packed === null ? name : packed[1]);
  if (format === undefined) throw new Unsupported(`the type ${name}`);
  const mode = modeOf(d);
  const whole = `b${format.bits * (packed === null ? 1 : 2)}`;
  const values = Array.from({ length: count }, (_, k) =>
    t.read(operand(d, k + 1), packed === null ? name : whole),
  );
  if (packed === null) {
    t.write(operand(d, 0), whole, operation(format, values, mode, d));
    return;
  }
  const size = BigInt(format.bits);
  const part = (at: bigint): bigint =>
    operation(
      format,
      values.map((v) => BigInt.asUintN(format.bits, v >> at)),
      mode,
      d,
    ) << at;
  t.write(operand(d, 0), whole, part(0n) | part(size));
}

const float =
  (count: number, operation: Operation): Handler =>
  (t, d) =>
    apply(t, d, count, operation);

/** A function of one number, in double precision, rounded once. */
const approximate = (f: (x: number) => number): Handler =>
  float(1, (format, [a], mode) => {
    const x = toNumber(format, mode.ftz ? flush(format, a) : a);
    return finish(format, fromNumber(format, f(x)), mode);
  });

const one = (format: Format): bigint => encode(format, finite(false, 1n, 0));

const select =
  (wantsLess: boolean): Handler =>
  (t, d) =>
    apply(t, d, d.operands.length - 1, (format, values, mode) =>
      values.reduce((a, b) =>
        selectFloat(format, a, b, wantsLess, {
          ftz: mode.ftz,
          propagates: has(d, 'NaN'),
          xorsign: has(d, 'xorsign'),
        }),
      ),
    );

const fused: Operation = (format, [a, b, c], mode) => fusedMultiplyAdd(format, a, b, c, mode);

export const floatHandlers: Readonly<Record<string, Handler>> = {
  add: float(2, (format, [a, b], mode) => addFloat(format, a, b, mode)),
  sub: float(2, (format, [a, b], mode) => subtractFloat(format, a, b, mode)),
  mul: float(2, (format, [a, b], mode) => multiplyFloat(format, a, b, mode)),
  fma: float(3, fused),
  mad: float(3, fused),
  div: float(2, (format, [a, b], mode) => divideFloat(format, a, b, mode)),
  rcp: float(1, (format, [a], mode) => divideFloat(format, one(format), a, mode)),
  sqrt: float(1, (format, [a], mode) => squareRootFloat(format, a, mode)),
  rsqrt: approximate((x) => 1 / Math.sqrt(x)),
  sin: approximate(Math.sin),
  cos: approximate(Math.cos),
  ex2: approximate((x) => 2 ** x),
  lg2: approximate(Math.log2),
  tanh: approximate(Math.tanh),
  abs: float(1, (format, [a], mode) => absoluteFloat(format, a, mode)),
  neg: float(1, (format, [a], mode) => negateFloat(format, a, mode)),
  min: select(true),
  max: select(false),
  copysign: float(2, (format, [a, b]) => {
    const sign = 1n << BigInt(format.bits - 1);
    return (b & (sign - 1n)) | (a & sign);
  }),
  testp: (t, d) => {
    const name = d.types.at(0) ?? '';
    const format = formatOf(name);
    if (format === undefined) throw new Unsupported(`the type ${name}`);
    const bits = t.read(operand(d, 1), name);
    const value = decode(format, bits);
    const isSubnormal = flush(format, bits) !== bits;
    const isZero = value.kind === 'finite' && value.significand === 0n;
    const answers: Readonly<Record<string, boolean>> = {
      finite: value.kind === 'finite',
      infinite: value.kind === 'infinite',
      number: value.kind !== 'nan',
      notanumber: value.kind === 'nan',
      normal: value.kind === 'finite' && !isSubnormal && !isZero,
      subnormal: isSubnormal,
    };
    const question = d.modifiers.find((m) => m in answers);
    if (question === undefined) throw new Unsupported('this test');
    t.write(operand(d, 0), 'pred', answers[question] ? 1n : 0n);
  },
};

/** Sums of atomics and reductions. */
export const addNumbers = (name: string, a: bigint, b: bigint, ftz: boolean): bigint => {
  const packed = /^(b?f16)x2$/.exec(name);
  const format = formatOf(packed === null ? name : packed[1]);
  if (format === undefined) throw new Unsupported(`the type ${name}`);
  const mode = { ...NEAREST, ftz: ftz && format === F32 };
  if (packed === null) return addFloat(format, a, b, mode);
  const half = (at: bigint): bigint => addFloat(format, (a >> at) & 0xffffn, (b >> at) & 0xffffn, mode) << at;
  return half(0n) | half(16n);
};
