import type { OpcodeTable } from '../../../../ir/function.js';

/**
 * What the passes of this folder know of a PTX opcode: the operation, its type, and which operands the machine's
 * instruction can take from elsewhere than a register. One look at the text in the table's life.
 */
export const enum Op {
  Other,
  /** `mov` of one value, and what is a move on this machine. */
  Move,
  /** `mov.b64 r, {a, b}` and the other way round: the operand count tells. */
  Pack,
  ParameterLoad,
  Load,
  Store,
  Convert,
  Add,
  Subtract,
  Multiply,
  MultiplyWide,
  MultiplyAdd,
  MultiplyAddWide,
  Negate,
  Absolute,
  And,
  Or,
  Xor,
  Not,
  Logic3,
  ShiftLeft,
  ShiftRight,
  Funnel,
  Minimum,
  Maximum,
  Compare,
  Select,
  /** `x << k` added to a term: LEA. */
  ShiftAdd,
  /** A sum of three. */
  Add3,
  /** Computes from its operands alone, in a way that nothing here looks into. */
  Pure,
}

/** How many operands of an instruction may be an immediate or lie in a constant bank (zero is a register, RZ). */
export const enum Slots {
  /** Registers only: memory, matrix, texture instructions. */
  None,
  /** One of the sources: "CUDA Binary Utilities" and every disassembly; two are never encoded. */
  One,
  /** Any of them: fields of their own. */
  All,
}

export interface Form {
  readonly op: Op;
  /** `u`, `s`, `b`, `f`, `h` (half precision, packed or not), `p`, or '' where there is none. */
  readonly kind: string;
  /** Bits of the type. */
  readonly bits: number;
  /** For a conversion: kind and bits of what it reads. */
  readonly fromKind: string;
  readonly fromBits: number;
  readonly slots: Slots;
  /** The first two sources may change places. */
  readonly commutes: boolean;
  /** Equal operands give an equal result wherever it is computed. */
  readonly isPure: boolean;
  /** Half of an integer product. */
  readonly half: '' | 'low' | 'high';
  /** Accesses memory whose addresses have 32 bits: shared, local, constant. */
  readonly isShort: boolean;
  /** Accesses one or two words of shared memory. */
  readonly isSharedWord: boolean;
  /** A single-precision product or sum that may lose its rounding in between: no `.rn`, no `.sat`. */
  readonly mayFuse: boolean;
}

export const isInteger = (kind: string): boolean => kind === 'u' || kind === 's' || kind === 'b';

const PLAIN: Omit<Form, 'op'> = {
  kind: '',
  bits: 0,
  fromKind: '',
  fromBits: 0,
  slots: Slots.None,
  commutes: false,
  isPure: false,
  half: '',
  isShort: false,
  isSharedWord: false,
  mayFuse: false,
};

const operations: Readonly<Record<string, Op>> = {
  abs: Op.Absolute,
  add: Op.Add,
  and: Op.And,
  cvt: Op.Convert,
  fma: Op.MultiplyAdd,
  iadd3: Op.Add3,
  ld: Op.Load,
  ldu: Op.Load,
  lea: Op.ShiftAdd,
  lop3: Op.Logic3,
  mad: Op.MultiplyAdd,
  max: Op.Maximum,
  min: Op.Minimum,
  mov: Op.Move,
  mul: Op.Multiply,
  neg: Op.Negate,
  not: Op.Not,
  or: Op.Or,
  selp: Op.Select,
  setp: Op.Compare,
  shf: Op.Funnel,
  shl: Op.ShiftLeft,
  shr: Op.ShiftRight,
  st: Op.Store,
  sub: Op.Subtract,
  xor: Op.Xor,
};

/** Further opcodes that compute from their operands alone. */
const pure = new Set(
  (
    'bfe bfi bfind bmsk brev clz cnot copysign cos div dp2a dp4a ex2 fns lg2 mad24 mul24 popc prmt rcp ' +
    'rem rsqrt sad set sin slct sqrt szext tanh testp'
  ).split(' '),
);

const commuting = new Set([
  Op.Add,
  Op.Multiply,
  Op.MultiplyWide,
  Op.MultiplyAdd,
  Op.MultiplyAddWide,
  Op.And,
  Op.Or,
  Op.Xor,
  Op.Minimum,
  Op.Maximum,
]);

/** Instructions whose few numbers have fields of their own. */
const ownFields = new Set('bar barrier bra call shfl vote match redux nanosleep setmaxnreg'.split(' '));

const SHORT_SPACE = /^(?:ld|st|atom|red|ldmatrix|stmatrix)\.(?:[a-z_]+\.)*?(?:shared|local|const)(?:\.|:|$)/;
const SHARED_WORD = /^(?:ld|st)\.shared(?:::cta)?(?:\.v2)?\.[busf](?:32|64)$/;

const TYPE = /^([busf])(8|16|32|64|128)$/;
const HALF = /^(?:bf16|f16)(x2)?$/;

function typeOf(word: string): readonly [kind: string, bits: number] | undefined {
  const plain = TYPE.exec(word);
  if (plain) return plain[0] === 'f16' ? ['h', 16] : [plain[1], Number(plain[2])];
  const half = HALF.exec(word);
  if (half) return ['h', half[1] ? 32 : 16];
  if (word === 'pred') return ['p', 1];
  if (word === 'f32x2') return ['f', 64];
  return undefined;
}

/** As `formsOf`, for the dotted text of an opcode; any text is accepted. */
export function formOfText(text: string): Form {
  const words = text.split('.');
  const root = words[0];
  const types = words.slice(1).flatMap((word) => {
    const type = typeOf(word);
    return type ? [type] : [];
  });
  const [kind, bits] = (root === 'cvt' ? types.at(0) : types.at(-1)) ?? ['', 0];
  const typed = { ...PLAIN, kind, bits, isShort: SHORT_SPACE.test(text) };
  const has = (word: string): boolean => words.includes(word);
  if (root === 'cvta') {
    const isSame = has('global') || has('const') || has('param');
    return { ...typed, op: isSame ? Op.Move : Op.Pure, slots: Slots.One, isPure: true };
  }
  if (root === 'ld' && words[1]?.startsWith('param'))
    return { ...typed, op: Op.ParameterLoad, slots: Slots.All };
  let op = Object.hasOwn(operations, root) ? operations[root] : Op.Other;
  if (has('cc') || root === 'addc' || root === 'subc' || root === 'madc')
    return { ...typed, op: Op.Other, slots: Slots.One };
  const isSharedWord = SHARED_WORD.test(text);
  if (op === Op.Load)
    return {
      ...typed,
      op,
      isSharedWord,
      isPure: (has('nc') || words[1]?.startsWith('const')) && !has('volatile'),
    };
  if (op === Op.Store) return { ...typed, op, isSharedWord };
  if (op === Op.Other) {
    if (ownFields.has(root)) return { ...typed, op, slots: Slots.All };
    if (!pure.has(root)) return { ...typed, op };
    return { ...typed, op: Op.Pure, slots: Slots.One, isPure: true };
  }
  if (has('wide')) op = op === Op.Multiply ? Op.MultiplyWide : Op.MultiplyAddWide;
  const isHigh = has('hi') && op !== Op.Convert;
  const doesCommute = commuting.has(op);
  if (isHigh) op = Op.Pure;
  const [fromKind, fromBits] = root === 'cvt' ? (types.at(1) ?? ['', 0]) : ['', 0];
  return {
    ...typed,
    op,
    fromKind,
    fromBits,
    slots: Slots.One,
    commutes: doesCommute,
    isPure: true,
    half: root === 'mul' && bits === 32 && kind !== 'f' ? (isHigh ? 'high' : has('lo') ? 'low' : '') : '',
    mayFuse:
      kind === 'f' && bits === 32 && !has('rn') && !has('sat') && !has('rz') && !has('rm') && !has('rp'),
  };
}

const cache = new WeakMap<OpcodeTable, Form[]>();

/** The forms of a table's opcodes, by opcode number; those that were not asked for yet are missing. */
export function formsOf(opcodes: OpcodeTable): (opcode: number) => Form {
  let known = cache.get(opcodes);
  if (!known) cache.set(opcodes, (known = []));
  const forms = known;
  return (opcode) => (forms[opcode] ??= formOfText(opcodes.text(opcode)));
}
