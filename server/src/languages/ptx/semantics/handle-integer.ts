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
} from './bits.js';
import type { Decoded } from './decode.js';
import { Unsupported } from './faults.js';
import { has, oneOf, operand, type Handler } from './handler.js';
import {
  absolute,
  integerType,
  maximum,
  minimum,
  number,
  product,
  product24,
  quotient,
  remainder,
  saturate,
  shiftLeft,
  shiftRight,
  wrap,
  type IntegerType,
} from './integer.js';
import { widthOf } from './types.js';

/** Integer, logic, shift and bit instructions, by mnemonic. */
function typeOf(d: Decoded, n = 0): { readonly name: string; readonly type: IntegerType } {
  const name = d.types.at(n) ?? '';
  const type = integerType(name);
  if (type === undefined) throw new Unsupported(name === '' ? 'no type' : `the type ${name}`);
  return { name, type };
}

const isPacked = (d: Decoded): boolean => d.types.at(0)?.endsWith('16x2') === true;

/** d = f(a, b, ...) with every operand of the instruction's type; halves of `u16x2` one by one. */
const pure =
  (count: number, f: (type: IntegerType, values: readonly bigint[], d: Decoded) => bigint): Handler =>
  (t, d) => {
    if (isPacked(d)) {
      const type = { bits: 16, signed: d.types[0].startsWith('s') };
      const values = Array.from({ length: count }, (_, k) => t.read(operand(d, k + 1), 'b32'));
      const half = (at: bigint): bigint =>
        f(
          type,
          values.map((v) => (v >> at) & 0xffffn),
          d,
        ) << at;
      t.write(operand(d, 0), 'b32', half(0n) | half(16n));
      return;
    }
    const { name, type } = typeOf(d);
    const values = Array.from({ length: count }, (_, k) => t.read(operand(d, k + 1), name));
    t.write(operand(d, 0), name, f(type, values, d));
  };

/** Sum of the two numbers and the carry that comes in; `.cc` keeps what goes out of the top. */
const sum =
  (readsCarry: boolean, isDifference: boolean): Handler =>
  (t, d) => {
    const { name, type } = typeOf(d);
    const a = t.read(operand(d, 1), name);
    const b = t.read(operand(d, 2), name);
    const carry = readsCarry ? t.readCarry(d) : 0n;
    const signed = isDifference
      ? number(type, a) - number(type, b) - carry
      : number(type, a) + number(type, b) + carry;
    const unsigned = isDifference ? a - b - carry : a + b + carry;
    t.write(operand(d, 0), name, has(d, 'sat') ? saturate(type, signed) : wrap(type, signed));
    if (has(d, 'cc')) t.writeCarry(d, isDifference ? BigInt(unsigned < 0n) : unsigned >> BigInt(type.bits));
  };

const packedOr =
  (f: (type: IntegerType, a: bigint, b: bigint) => bigint, plain: Handler): Handler =>
  (t, d) =>
    isPacked(d) ? pure(2, (type, [a, b]) => f(type, a, b))(t, d) : plain(t, d);

const partOf = (d: Decoded): 'lo' | 'hi' | 'wide' =>
  (oneOf(d, 'lo', 'hi', 'wide') as 'lo' | 'hi' | 'wide' | undefined) ?? 'lo';

const wideName = (name: string, part: string): string =>
  part === 'wide' ? name[0] + String(2 * widthOf(name)) : name;

const multiply: Handler = (t, d) => {
  const { name, type } = typeOf(d);
  const part = partOf(d);
  const value = product(type, t.read(operand(d, 1), name), t.read(operand(d, 2), name), part);
  t.write(operand(d, 0), wideName(name, part), value);
};

const multiplyAdd =
  (readsCarry: boolean): Handler =>
  (t, d) => {
    const { name, type } = typeOf(d);
    const part = partOf(d);
    const result = wideName(name, part);
    const whole = { bits: widthOf(result), signed: type.signed };
    const value = product(type, t.read(operand(d, 1), name), t.read(operand(d, 2), name), part);
    const c = t.read(operand(d, 3), result);
    const carry = readsCarry ? t.readCarry(d) : 0n;
    const exact = number(whole, value) + number(whole, c) + carry;
    t.write(operand(d, 0), result, has(d, 'sat') ? saturate(whole, exact) : wrap(whole, exact));
    if (has(d, 'cc')) t.writeCarry(d, (value + c + carry) >> BigInt(whole.bits));
  };

/** The shift amount is 32 bits wide whatever is shifted. */
const shift =
  (f: (type: IntegerType, a: bigint, amount: bigint) => bigint): Handler =>
  (t, d) => {
    const { name, type } = typeOf(d);
    t.write(operand(d, 0), name, f(type, t.read(operand(d, 1), name), t.read(operand(d, 2), 'u32')));
  };

/** A 32-bit count of something in an operand of the type. */
const count =
  (f: (type: IntegerType, a: bigint, d: Decoded) => bigint): Handler =>
  (t, d) => {
    const { name, type } = typeOf(d);
    t.write(operand(d, 0), 'u32', f(type, t.read(operand(d, 1), name), d));
  };

/** Logic also works on predicates. */
const logic =
  (f: (a: bigint, b: bigint) => bigint): Handler =>
  (t, d) => {
    const name = d.types.at(0) ?? 'b32';
    const all = (1n << BigInt(widthOf(name))) - 1n;
    t.write(operand(d, 0), name, f(t.read(operand(d, 1), name), t.read(operand(d, 2), name)) & all);
  };

const dot =
  (size: 2 | 4): Handler =>
  (t, d) => {
    const [a, b] = [typeOf(d, 0), typeOf(d, 1)];
    const c = t.read(operand(d, 3), 'b32');
    const high = has(d, 'hi') ? 2 : 0;
    const parts = Array.from({ length: size }, (_, k) =>
      size === 4
        ? { a: 8 * k, b: 8 * k, aBits: 8, bBits: 8 }
        : { a: 16 * k, b: 8 * (k + high), aBits: 16, bBits: 8 },
    );
    const x = t.read(operand(d, 1), 'b32');
    const y = t.read(operand(d, 2), 'b32');
    t.write(operand(d, 0), 'b32', dotProduct(x, y, c, parts, a.type.signed, b.type.signed));
  };

const relu = (d: Decoded, type: IntegerType, value: bigint): bigint =>
  has(d, 'relu') && number(type, value) < 0n ? 0n : value;

const select =
  (choose: (a: bigint, b: bigint) => bigint): Handler =>
  (t, d) =>
    pure(d.operands.length - 1, (type, values) =>
      relu(d, type, wrap(type, values.map((v) => number(type, v)).reduce(choose))),
    )(t, d);

export const integerHandlers: Readonly<Record<string, Handler>> = {
  add: packedOr((type, a, b) => wrap(type, a + b), sum(false, false)),
  sub: packedOr((type, a, b) => wrap(type, a - b), sum(false, true)),
  addc: sum(true, false),
  subc: sum(true, true),
  mul: multiply,
  mad: multiplyAdd(false),
  madc: multiplyAdd(true),
  mul24: pure(2, (type, [a, b], d) => product24(type, a, b, has(d, 'hi') ? 'hi' : 'lo')),
  mad24: pure(3, (type, [a, b, c], d) => {
    const value = product24(type, a, b, has(d, 'hi') ? 'hi' : 'lo');
    const exact = number(type, value) + number(type, c);
    return has(d, 'sat') ? saturate(type, exact) : wrap(type, exact);
  }),
  sad: pure(3, (type, [a, b, c]) => wrap(type, absolute(number(type, a) - number(type, b)) + c)),
  div: pure(2, (type, [a, b]) => quotient(type, a, b)),
  rem: pure(2, (type, [a, b]) => remainder(type, a, b)),
  abs: pure(1, (type, [a]) => wrap(type, absolute(number(type, a)))),
  neg: pure(1, (type, [a]) => wrap(type, -a)),
  min: select(minimum),
  max: select(maximum),
  and: logic((a, b) => a & b),
  or: logic((a, b) => a | b),
  xor: logic((a, b) => a ^ b),
  not: (t, d) => {
    const name = d.types.at(0) ?? 'b32';
    t.write(operand(d, 0), name, ~t.read(operand(d, 1), name) & ((1n << BigInt(widthOf(name))) - 1n));
  },
  cnot: pure(1, (_, [a]) => BigInt(a === 0n)),
  lop3: (t, d) => {
    if (oneOf(d, 'or', 'and') !== undefined) throw new Unsupported('lop3 with a predicate');
    const [a, b, c] = [1, 2, 3].map((n) => t.read(operand(d, n), 'b32'));
    t.write(operand(d, 0), 'b32', lookup(32, a, b, c, t.read(operand(d, 4), 'b32')));
  },
  shl: shift(shiftLeft),
  shr: shift(shiftRight),
  shf: (t, d) => {
    const [a, b, c] = [1, 2, 3].map((n) => t.read(operand(d, n), 'b32'));
    t.write(operand(d, 0), 'b32', funnelShift(a, b, c, has(d, 'l'), has(d, 'wrap')));
  },
  popc: count((_, a) => population(a)),
  clz: count((type, a) => leadingZeros(type.bits, a)),
  bfind: count((type, a, d) => findLead(type.bits, type.signed, a, has(d, 'shiftamt'))),
  brev: pure(1, (type, [a]) => reverse(type.bits, a)),
  bfe: (t, d) => {
    const { name, type } = typeOf(d);
    const [position, length] = [t.read(operand(d, 2), 'u32'), t.read(operand(d, 3), 'u32')];
    t.write(
      operand(d, 0),
      name,
      extractField(type.bits, type.signed, t.read(operand(d, 1), name), position, length),
    );
  },
  bfi: (t, d) => {
    const { name, type } = typeOf(d);
    const [position, length] = [t.read(operand(d, 3), 'u32'), t.read(operand(d, 4), 'u32')];
    const [field, base] = [t.read(operand(d, 1), name), t.read(operand(d, 2), name)];
    t.write(operand(d, 0), name, insertField(type.bits, field, base, position, length));
  },
  bmsk: (t, d) =>
    t.write(
      operand(d, 0),
      'b32',
      bitMask(t.read(operand(d, 1), 'u32'), t.read(operand(d, 2), 'u32'), has(d, 'wrap')),
    ),
  szext: (t, d) => {
    const { name, type } = typeOf(d);
    const count = t.read(operand(d, 2), 'u32');
    t.write(operand(d, 0), name, extendFrom(type.signed, t.read(operand(d, 1), name), count, has(d, 'wrap')));
  },
  prmt: (t, d) => {
    const [a, b, c] = [1, 2, 3].map((n) => t.read(operand(d, n), 'b32'));
    const mode = oneOf(d, 'f4e', 'b4e', 'rc8', 'ecl', 'ecr', 'rc16') ?? '';
    t.write(operand(d, 0), 'b32', permute(a, b, c, mode));
  },
  dp4a: dot(4),
  dp2a: dot(2),
};
