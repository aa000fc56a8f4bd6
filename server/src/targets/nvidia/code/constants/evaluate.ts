import { Modifier } from '../operands.js';
import { Op, type Form } from '../fold/forms.js';

/**
 * What an instruction computes from constants, bit for bit, as far as it can be told without the language: integer
 * arithmetic, and floating-point sums and products that this program's own arithmetic rounds in the same way.
 * Values are the bits of registers as numbers from 0 on.
 */
export function evaluate(text: string, form: Form, sources: readonly bigint[]): bigint | undefined {
  if (form.kind === 'f') return evaluateFloat(text, form, sources);
  if (form.kind !== 'u' && form.kind !== 's' && form.kind !== 'b') return undefined;
  if (text.includes('.sat') || text.includes('.cc') || text.includes('.hi')) return undefined;
  const value = evaluateInteger(text, form, sources);
  return value === undefined ? undefined : BigInt.asUintN(widthOf(form), value);
}

/** The bits that an instruction of this form reads of a value. */
export function modified(value: bigint, modifiers: number, { kind, bits }: Form): bigint {
  if (modifiers === 0) return value;
  let read = value;
  if ((modifiers & Modifier.SignExtended) !== 0) read = BigInt.asIntN(32, read);
  if ((modifiers & Modifier.ZeroExtended) !== 0) read = BigInt.asUintN(32, read);
  if ((modifiers & Modifier.Inverted) !== 0) read = ~read;
  if (kind === 'f') {
    const sign = 1n << BigInt(bits - 1);
    if ((modifiers & Modifier.Absolute) !== 0) read &= ~sign;
    return (modifiers & Modifier.Negated) === 0 ? read : read ^ sign;
  }
  return BigInt.asUintN(64, (modifiers & Modifier.Negated) === 0 ? read : -read);
}

/** Bits of the result. */
const widthOf = ({ op, bits }: Form): number =>
  op === Op.MultiplyWide || op === Op.MultiplyAddWide ? 2 * bits : bits;

function evaluateInteger(text: string, form: Form, sources: readonly bigint[]): bigint | undefined {
  const { bits, kind } = form;
  if (bits < 32) return undefined;
  const read = (k: number, width = bits): bigint =>
    kind === 's' ? BigInt.asIntN(width, sources[k]) : BigInt.asUintN(width, sources[k]);
  switch (form.op) {
    case Op.Move:
      return sources.length === 1 ? read(0) : undefined;
    case Op.Convert:
      return convert(form, sources[0]);
    case Op.Add:
      return read(0) + read(1);
    case Op.Subtract:
      return read(0) - read(1);
    case Op.Multiply:
    case Op.MultiplyWide:
      return read(0) * read(1);
    case Op.MultiplyAdd:
      return read(0) * read(1) + read(2);
    case Op.MultiplyAddWide:
      return read(0) * read(1) + read(2, 2 * bits);
    case Op.Negate:
      return -read(0);
    case Op.And:
      return read(0) & read(1);
    case Op.Or:
      return read(0) | read(1);
    case Op.Xor:
      return read(0) ^ read(1);
    case Op.Not:
      return ~read(0);
    case Op.ShiftLeft:
      return read(0) << shiftOf(sources[1], bits);
    case Op.ShiftRight:
      return read(0) >> shiftOf(sources[1], bits);
    case Op.Minimum:
      return read(0) < read(1) ? read(0) : read(1);
    case Op.Maximum:
      return read(0) > read(1) ? read(0) : read(1);
    case Op.Pure:
      if (text.startsWith('iadd3.')) return read(0) + read(1) + read(2);
      return text.startsWith('lea.') ? (read(0) << shiftOf(sources[1], bits)) + read(2) : undefined;
    default:
      return undefined;
  }
}

/** PTX clamps distances to the width. */
function shiftOf(distance: bigint, bits: number): bigint {
  const clamped = BigInt.asUintN(32, distance);
  return clamped > BigInt(bits) ? BigInt(bits) : clamped;
}

function convert({ fromKind, fromBits }: Form, source: bigint): bigint | undefined {
  if (fromKind === 's') return BigInt.asIntN(fromBits, source);
  return fromKind === 'u' || fromKind === 'b' ? BigInt.asUintN(fromBits, source) : undefined;
}

const words = new DataView(new ArrayBuffer(8));

function toFloat(bits: bigint): number {
  words.setUint32(0, Number(bits & 0xffff_ffffn));
  return words.getFloat32(0);
}

function fromFloat(value: number): bigint {
  words.setFloat32(0, value);
  return BigInt(words.getUint32(0));
}

/** Single precision: a sum or product of two is rounded once from what 64 bits hold exactly or round innocuously. */
function evaluateFloat(text: string, form: Form, sources: readonly bigint[]): bigint | undefined {
  if (form.bits !== 32 || /\.(?:ftz|sat|rz|rm|rp)/.test(text)) return undefined;
  if (form.op === Op.Move) return sources.length === 1 ? sources[0] : undefined;
  if (form.op === Op.Convert) {
    if (form.fromBits > 32 || !text.includes('.rn.')) return undefined;
    const integer = form.fromKind === 'f' ? undefined : convert(form, sources[0]);
    return integer === undefined ? undefined : fromFloat(Math.fround(Number(integer)));
  }
  const [a, b, c] = sources.map(toFloat);
  switch (form.op) {
    case Op.Add:
      return known(Math.fround(a + b));
    case Op.Subtract:
      return known(Math.fround(a - b));
    case Op.Multiply:
      return known(Math.fround(a * b));
    case Op.MultiplyAdd: {
      const product = a * b;
      const sum = product + c;
      return sum - product === c && sum - c === product ? known(Math.fround(sum)) : undefined;
    }
    case Op.Negate:
      return known(-a);
    default:
      return undefined;
  }
}

/** The bits of a NaN are the machine's affair. */
const known = (value: number): bigint | undefined => (Number.isNaN(value) ? undefined : fromFloat(value));
