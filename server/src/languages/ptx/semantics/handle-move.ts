import { compareFloat, formatOf, type FloatMode } from './arithmetic.js';
import { convert, toTf32 } from './convert.js';
import type { Decoded } from './decode.js';
import { Unsupported } from './faults.js';
import { F16, type Rounding } from './float.js';
import { modeOf } from './handle-float.js';
import { has, oneOf, operand, writePair, type Handler, type Thread } from './handler.js';
import { compareInteger, integerType, saturate, number } from './integer.js';
import { widthOf } from './types.js';

/** Comparisons, selections, moves and conversions. */
const OPERATORS = new Set('eq ne lt le gt ge lo ls hi hs equ neu ltu leu gtu geu num nan'.split(' '));

function compare(t: Thread, d: Decoded, type: string): boolean {
  const operator = d.modifiers.find((m) => OPERATORS.has(m)) ?? '';
  const a = t.read(operand(d, 1), type);
  const b = t.read(operand(d, 2), type);
  const format = formatOf(type);
  const integer = integerType(type);
  const result =
    format !== undefined
      ? compareFloat(format, operator, a, b, has(d, 'ftz'))
      : integer !== undefined
        ? compareInteger(integer, operator, a, b)
        : undefined;
  if (result === undefined) throw new Unsupported(`a comparison of the type ${type}`);
  return result;
}

/** The comparison joined with a third operand: `setp.lt.and.s32 p, a, b, !c`. */
function combine(t: Thread, d: Decoded, holds: boolean): boolean {
  const operator = oneOf(d, 'and', 'or', 'xor');
  if (operator === undefined) return holds;
  const c = t.read(operand(d, 3), 'pred') !== 0n;
  return operator === 'and' ? holds && c : operator === 'or' ? holds || c : holds !== c;
}

function compareHalves(t: Thread, d: Decoded, type: string): readonly boolean[] {
  const operator = d.modifiers.find((m) => OPERATORS.has(m)) ?? '';
  return [0n, 16n].map((at) => {
    const [a, b] = [1, 2].map((n) => (t.read(operand(d, n), 'b32') >> at) & 0xffffn);
    return compareFloat(formatOf(type) ?? F16, operator, a, b, has(d, 'ftz')) === true;
  });
}

const setPredicate: Handler = (t, d) => {
  const type = d.types.at(0) ?? '';
  const packed = /^(b?f16)x2$/.exec(type);
  if (packed !== null) {
    const halves = compareHalves(t, d, packed[1]);
    writePair(t, operand(d, 0), combine(t, d, halves[0]), combine(t, d, halves[1]));
    return;
  }
  const holds = compare(t, d, type);
  writePair(t, operand(d, 0), combine(t, d, holds), combine(t, d, !holds));
};

/** All ones, or 1.0 for a floating-point result. */
const set: Handler = (t, d) => {
  const [to, from] = d.types;
  if (to === undefined || from === undefined) throw new Unsupported('a comparison without two types');
  const yes = TRUE[to.replace('x2', '')] ?? (1n << BigInt(widthOf(to.replace('x2', '')))) - 1n;
  const packed = /^(b?f16)x2$/.exec(from);
  if (packed === null) {
    t.write(operand(d, 0), `b${widthOf(to)}`, combine(t, d, compare(t, d, from)) ? yes : 0n);
    return;
  }
  const [low, high] = compareHalves(t, d, packed[1]).map((holds) => combine(t, d, holds));
  t.write(operand(d, 0), 'b32', (low ? yes & 0xffffn : 0n) | (high ? (yes & 0xffffn) << 16n : 0n));
};

const TRUE: Readonly<Record<string, bigint | undefined>> = { f32: 0x3f80_0000n, f16: 0x3c00n, bf16: 0x3f80n };

/** Only the chosen operand is read. */
const select: Handler = (t, d) => {
  const type = d.types.at(0) ?? 'b32';
  const chosen = t.read(operand(d, 3), 'pred') !== 0n ? 1 : 2;
  t.write(operand(d, 0), `b${widthOf(type)}`, t.read(operand(d, chosen), type));
};

const selectBySign: Handler = (t, d) => {
  const [type, by] = d.types;
  const c = t.read(operand(d, 3), by);
  const isNegative = by === 'f32' ? c >> 31n === 1n && (c & 0x7fff_ffffn) !== 0n : c >> 31n === 1n;
  const isNaN = by === 'f32' && (c & 0x7fff_ffffn) > 0x7f80_0000n;
  t.write(operand(d, 0), `b${widthOf(type)}`, t.read(operand(d, isNegative || isNaN ? 2 : 1), type));
};

/** Packs a vector of equal parts into one register, or takes one apart. */
const move: Handler = (t, d) => {
  const type = d.types.at(0) ?? 'b32';
  const from = operand(d, 1);
  const to = operand(d, 0);
  if (to.kind === 'vector' && from.kind === 'vector') {
    const element = d.modifiers.some((m) => /^v[24]$/.test(m))
      ? type
      : `b${widthOf(type) / to.elements.length}`;
    const values = from.elements.map((e) => t.read(e, element));
    to.elements.forEach((e, k) => t.write(e, element, values[k]));
    return;
  }
  t.write(to, type === 'pred' ? 'pred' : `b${widthOf(type)}`, t.read(from, type));
};

const INTEGRAL: Readonly<Record<string, Rounding>> = { rni: 'rn', rzi: 'rz', rmi: 'rm', rpi: 'rp' };

const conversion: Handler = (t, d) => {
  if (has(d, 'pack')) {
    pack(t, d);
    return;
  }
  const [to, from] = d.types;
  if (to === undefined || from === undefined) throw new Unsupported('a conversion without two types');
  const integral = d.modifiers.find((m) => m in INTEGRAL);
  const plain: FloatMode = modeOf(d);
  // without a rounding modifier a conversion to an integer cuts off
  const written = oneOf(d, 'rn', 'rz', 'rm', 'rp', 'rna') !== undefined;
  const isToInteger = integerType(to) !== undefined && formatOf(from) !== undefined;
  const rounding =
    integral !== undefined ? INTEGRAL[integral] : isToInteger && !written ? 'rz' : plain.rounding;
  const mode = { ...plain, rounding, integral: integral !== undefined };
  const convertOne = (type: string, n: number): bigint => {
    const result = convert(type, from, t.read(operand(d, n), from), mode);
    if (result === undefined) throw new Unsupported(`from ${from} to ${type}`);
    return result;
  };
  const packed = /^(b?f16)x2$/.exec(to);
  if (to === 'tf32')
    t.write(
      operand(d, 0),
      'b32',
      toTf32(t.read(operand(d, 1), 'f32'), oneOf(d, 'rna') === undefined ? rounding : 'rna'),
    );
  else if (packed !== null) {
    const high = convertOne(packed[1], 1);
    t.write(operand(d, 0), 'b32', (high << 16n) | convertOne(packed[1], 2));
  } else t.write(operand(d, 0), formatOf(to) === undefined ? to : `b${widthOf(to)}`, convertOne(to, 1));
};

/** `cvt.pack.sat.u8.s32.b32 d, a, b, c`: a and b clamped, above the low half of c. */
function pack(t: Thread, d: Decoded): void {
  const [to, from, below] = d.types;
  const target = integerType(to);
  const source = integerType(from);
  if (target === undefined || source === undefined) throw new Unsupported('this packing');
  const clamp = (n: number): bigint => saturate(target, number(source, t.read(operand(d, n), from)));
  const bits = BigInt(target.bits);
  const rest = below === undefined ? 0n : t.read(operand(d, 3), below) << (2n * bits);
  t.write(operand(d, 0), 'b32', rest | (clamp(1) << bits) | clamp(2));
}

const address: Handler = (t, d) => {
  const space = d.space ?? 'global';
  const type = d.types.at(0) ?? 'u64';
  const from = operand(d, 1);
  const value = t.read(from, type);
  t.write(operand(d, 0), type, has(d, 'to') ? t.resolve(value).address : t.generic(space, value));
};

export const moveHandlers: Readonly<Record<string, Handler>> = {
  setp: setPredicate,
  set,
  selp: select,
  slct: selectBySign,
  mov: move,
  cvt: conversion,
  cvta: address,
  isspacep: (t, d) => {
    const found = t.resolve(t.read(operand(d, 1), 'u64')).space;
    t.write(operand(d, 0), 'pred', BigInt(found === d.space));
  },
};
