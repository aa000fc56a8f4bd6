import { opcodeOf, type Opcode } from './opcodes.js';
import {
  XYZW,
  type Condition,
  type ImmediateOperand,
  type OtherOperand,
  type PredicateMode,
  type Type,
} from './program.js';

/**
 * The canonical texts in which the language hands heads and operands over, read once each. Both are exact: the
 * language writes them, no person does; a text that does not fit becomes an opaque word and not an error.
 */
export interface Head {
  readonly opcode: Opcode;
  readonly execSize: 1 | 2 | 4 | 8 | 16 | 32;
  readonly saturate: boolean;
  readonly condition: Condition | undefined;
  /** Flag that the condition writes: 0 to 3, -1 for a virtual one (or for none at all). */
  readonly conditionFlag: number;
  readonly isPredicated: boolean;
  readonly predicateFlag: number;
  readonly inverse: boolean;
  readonly mode: PredicateMode;
  readonly noMask: boolean;
  readonly group: number;
  readonly mlen: number | undefined;
  readonly exMlen: number;
  readonly baseMrf: number | undefined;
  readonly header: number;
  readonly rlen: number | undefined;
  readonly isEndOfThread: boolean;
  readonly offset: number | undefined;
  readonly noDDClear: boolean;
  readonly noDDCheck: boolean;
  readonly writesAccumulator: boolean;
  readonly switchesThread: boolean;
  readonly sharedFunction: string | undefined;
  readonly descriptor: number | undefined;
  readonly target: number;
}

const flagNumber = (text: string): number => {
  const digits = /^f([01])\.([01])$/.exec(text);
  return digits === null ? -1 : 2 * Number(digits[1]) + Number(digits[2]);
};

const integer = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : Number(text);

const heads = new Map<string, Head>();
const memoLimit = 1 << 15;

export function readHead(text: string): Head {
  const known = heads.get(text);
  if (known !== undefined) return known;
  const made = parseHead(text);
  if (heads.size >= memoLimit) heads.clear();
  heads.set(text, made);
  return made;
}

function parseHead(text: string): Head {
  const words = text.split(' ');
  const open = words[0].lastIndexOf('(');
  const name = open < 0 ? words[0] : words[0].slice(0, open);
  const width = open < 0 ? 8 : Number(words[0].slice(open + 1, -1));
  const fields = new Map<string, string>();
  for (const word of words.slice(1)) {
    const equals = word.indexOf('=');
    if (equals < 0) fields.set(word, '');
    else fields.set(word.slice(0, equals), word.slice(equals + 1));
  }
  const [test, ...conditionFlag] = (fields.get('cond') ?? '').split('.');
  const predicate = /^([+-])(f\d\.\d|v)(?:\.(\w+))?$/.exec(fields.get('pred') ?? '');
  const descriptor = fields.get('desc');
  return {
    opcode: opcodeOf(name),
    execSize: width as Head['execSize'],
    saturate: fields.has('sat'),
    condition: test === '' ? undefined : (test as Condition),
    conditionFlag: flagNumber(conditionFlag.join('.')),
    isPredicated: predicate !== null,
    predicateFlag: predicate === null ? -1 : flagNumber(predicate[2]),
    inverse: predicate?.[1] === '-',
    mode: (predicate?.[3] as PredicateMode | undefined) ?? 'normal',
    noMask: fields.has('nomask'),
    group: Number(fields.get('group') ?? 0),
    mlen: integer(fields.get('mlen')),
    exMlen: Number(fields.get('ex_mlen') ?? 0),
    baseMrf: integer(fields.get('base_mrf')),
    header: Number(fields.get('header') ?? 0),
    rlen: integer(fields.get('rlen')),
    isEndOfThread: fields.has('eot'),
    offset: integer(fields.get('offset')),
    noDDClear: fields.has('NoDDClr'),
    noDDCheck: fields.has('NoDDChk'),
    writesAccumulator: fields.has('AccWrEn'),
    switchesThread: fields.has('Switch'),
    sharedFunction: fields.get('sfid'),
    descriptor: descriptor === undefined ? undefined : Number.parseInt(descriptor.replace(/^0x/, ''), 16),
    target: Number(fields.get('target') ?? -1),
  };
}

/** An operand's text without what the place says: `file` is `virtual` or `grf` where the place has the number. */
export interface OperandText {
  readonly file: OtherOperand['file'] | 'virtual' | 'grf';
  readonly number: number;
  readonly type: Type;
  readonly offset: number;
  readonly negate: boolean;
  readonly absolute: boolean;
  readonly swizzle: number;
  readonly mask: number;
  readonly stride: number;
  readonly region: readonly [number, number, number] | undefined;
  readonly immediate: Omit<ImmediateOperand, 'operand'> | undefined;
}

const sources = new Map<string, OperandText>();
const destinations = new Map<string, OperandText>();

export function readOperand(text: string, isDestination: boolean): OperandText {
  const memo = isDestination ? destinations : sources;
  const known = memo.get(text);
  if (known !== undefined) return known;
  const made = parseOperand(text, isDestination);
  if (memo.size >= memoLimit) memo.clear();
  memo.set(text, made);
  return made;
}

const shape =
  /^(-?)(\|?)(?:(v|none|null|a0)|acc(\d+)|f(\d)\.(\d)|arf(\d+)(?:\.(\d+))?|(g|m|u|attr|s)(\d+))(?:\+(\d+))?(?:\.([xyzw]*))?\|?(?:<(\d+)(?:,(\d+),(\d+))?>)?:([A-Z]+)$/;

const opaque: OperandText = {
  file: 'word',
  number: 0,
  type: 'UD',
  offset: 0,
  negate: false,
  absolute: false,
  swizzle: XYZW,
  mask: 15,
  stride: 1,
  region: undefined,
  immediate: undefined,
};

const files = { g: 'grf', m: 'message', u: 'uniform', attr: 'attribute', s: 'slot' } as const;
const named = { v: 'virtual', none: 'none', null: 'null', a0: 'address' } as const;

function parseOperand(text: string, isDestination: boolean): OperandText {
  if (text.startsWith('#')) return { ...opaque, immediate: parseImmediate(text) };
  const parts = shape.exec(text) as (string | undefined)[] | null;
  if (parts === null) return opaque;
  const [
    ,
    minus,
    bar,
    name,
    acc,
    flag,
    sub,
    arf,
    arfSub,
    letter,
    digits,
    bytes,
    channels,
    vertical,
    width,
    horizontal,
  ] = parts;
  const [file, number]: [OperandText['file'], number] =
    name !== undefined
      ? [named[name as keyof typeof named], 0]
      : acc !== undefined
        ? ['accumulator', Number(acc)]
        : flag !== undefined
          ? ['flag', 2 * Number(flag) + Number(sub)]
          : arf !== undefined
            ? ['architecture', Number(arf)]
            : [files[letter as keyof typeof files], Number(digits)];
  return {
    file,
    number,
    type: parts[16] as Type,
    offset: Number(bytes ?? arfSub ?? 0),
    negate: minus === '-',
    absolute: bar === '|',
    swizzle: isDestination || channels === undefined ? XYZW : swizzleOf(channels),
    mask: isDestination && channels !== undefined ? maskOf(channels) : 15,
    stride: horizontal !== undefined ? Number(horizontal) : Number(vertical ?? 1),
    region: width === undefined ? undefined : [Number(vertical), Number(width), Number(horizontal)],
    immediate: undefined,
  };
}

function swizzleOf(channels: string): number {
  let swizzle = 0;
  for (let c = 0; c < 4; c++)
    swizzle |= 'xyzw'.indexOf(channels[Math.min(c, channels.length - 1)] ?? 'x') << (2 * c);
  return swizzle;
}

function maskOf(channels: string): number {
  let mask = 0;
  for (const channel of channels) mask |= 1 << 'xyzw'.indexOf(channel);
  return mask;
}

function parseImmediate(text: string): Omit<ImmediateOperand, 'operand'> {
  const colon = text.indexOf(':');
  const type = text.slice(1, colon) as Type;
  const hex = text.slice(colon + 1);
  const low = Number.parseInt(hex.slice(-8), 16) | 0;
  const high = hex.length > 8 ? Number.parseInt(hex.slice(0, -8), 16) | 0 : 0;
  if (type !== 'VF') return { file: 'immediate', type, low, high };
  const at = (k: number): number => restrictedFloat((low >>> (8 * k)) & 0xff);
  return { file: 'immediate', type, low, high, vector: [at(0), at(1), at(2), at(3)] };
}

/** The 8-bit float of vector immediates: sign, three bits of exponent with bias 3, four of mantissa; 0 is zero. */
export function restrictedFloat(bits: number): number {
  const sign = bits & 0x80 ? -1 : 1;
  if ((bits & 0x7f) === 0) return 0 * sign;
  return sign * 2 ** (((bits >>> 4) & 7) - 3) * (1 + (bits & 15) / 16);
}
