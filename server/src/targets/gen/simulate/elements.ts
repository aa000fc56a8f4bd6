import { typeSize, type Instruction, type Operand, type RegisterOperand, type Type } from '../program.js';
import { hash, lively, mix } from './hash.js';
import {
  immediateLong,
  immediateNumber,
  isFloating,
  isLong,
  readLong,
  readNumber,
  toHalf,
  writeLongInteger,
  writeNumber,
} from './numbers.js';
import {
  ACCUMULATOR_CHANNEL,
  destinationOffset,
  elementOffset,
  flagIndex,
  flagOf,
  locate,
  type Place,
  type State,
} from './state.js';

/**
 * Elements of operands, channel by channel: the number that a source hands to a channel, after its region or
 * swizzle and its modifiers, and where a destination puts a result. Whether an element was unknown is noted in the
 * access, which the instruction's executor looks at after it has read all that one channel needs.
 */
export interface Access {
  readonly state: State;
  readonly instruction: Instruction;
  readonly isVec4: boolean;
  /** Something that was read since this was last set to 0 was unknown. */
  unknown: number;
  /** What cannot be executed, when something cannot. */
  fault: string | undefined;
  /** Where the operands that were asked for lie. */
  readonly places: Map<RegisterOperand, Place | string>;
}

export const accessOf = (state: State, instruction: Instruction): Access => ({
  state,
  instruction,
  isVec4: state.program.dialect === 'vec4',
  unknown: 0,
  fault: undefined,
  places: new Map(),
});

function placeOf(access: Access, operand: RegisterOperand): Place | string {
  let place = access.places.get(operand);
  if (place === undefined) access.places.set(operand, (place = locate(access.state, operand)));
  return place;
}

/** Byte of a source's element for channel c, or -1 with a fault noted. `extra` bytes are added to the region's. */
export function sourceByte(access: Access, operand: RegisterOperand, c: number, extra = 0): number {
  const { instruction, isVec4 } = access;
  const place = placeOf(access, operand);
  if (typeof place === 'string') return faulty(access, place);
  const group = operand.file === 'accumulator' ? instruction.group * ACCUMULATOR_CHANNEL : 0;
  const { isAlign1 } = instruction.opcode;
  const at = place.at + elementOffset(operand, c, isVec4, isAlign1) + group + extra;
  return inside(access, operand, at, place.end);
}

/** Byte of a destination's element for channel c, or -1 with a fault noted. */
export function destinationByte(access: Access, operand: RegisterOperand, c: number): number {
  const place = placeOf(access, operand);
  if (typeof place === 'string') return faulty(access, place);
  const group = operand.file === 'accumulator' ? access.instruction.group * ACCUMULATOR_CHANNEL : 0;
  return inside(access, operand, place.at + destinationOffset(operand, c) + group, place.end);
}

function inside(access: Access, operand: RegisterOperand, at: number, end: number): number {
  if (at >= 0 && at + typeSize(operand.type) <= end) return at;
  return faulty(access, `an operand reaches over the end of its ${fileName(operand)}`);
}

const fileName = (operand: RegisterOperand): string =>
  operand.file === 'virtual' ? `virtual register ${operand.register}` : `file ${operand.file}`;

export function faulty(access: Access, message: string): -1 {
  access.fault ??= message;
  return -1;
}

export function noteUnknown(access: Access, at: number, bytes: number): void {
  const { unknown } = access.state;
  for (let k = at; k < at + bytes; k++) access.unknown |= unknown[k];
}

/** The number that source `operand` hands to channel `c`, read as `type`, modifiers applied. */
export function sourceNumber(access: Access, operand: Operand, c: number, type: Type = operand.type): number {
  if (operand.file === 'immediate') return type === operand.type ? immediateNumber(operand, c) : operand.low;
  const value = plainNumber(access, operand, c, type);
  if (!operand.absolute && !operand.negate) return value;
  const magnitude = operand.absolute ? Math.abs(value) : value;
  return operand.negate ? -magnitude : magnitude;
}

function plainNumber(access: Access, operand: RegisterOperand, c: number, type: Type): number {
  switch (operand.file) {
    case 'null':
    case 'none':
      return 0;
    case 'word':
    case 'slot':
      return operand.number;
    case 'flag':
    case 'architecture':
      return flagWord(access, operand, type);
    default: {
      const at = sourceByte(access, operand, c);
      if (at < 0) return 0;
      noteUnknown(access, at, typeSize(type));
      return readNumber(access.state, at, type);
    }
  }
}

function flagWord(access: Access, operand: RegisterOperand, type: Type): number {
  const { flags, flagUnknown } = access.state;
  const flag = flagOf(operand);
  let bits = 0;
  for (let k = 0; k < 8 * Math.min(4, typeSize(type)); k++) {
    const index = flagIndex(flag, k);
    bits |= flags[index] << k;
    access.unknown |= flagUnknown[index];
  }
  return type === 'D' || type === 'W' ? bits : bits >>> 0;
}

/** The 64-bit integer that a source hands to channel c; narrower types are extended, floats cut. */
export function sourceLong(access: Access, operand: Operand, c: number): bigint {
  const { file, type } = operand;
  if (file === 'immediate') return immediateLong(operand);
  if (!isLong(type) || file === 'null' || file === 'none') return whole(sourceNumber(access, operand, c));
  const at = sourceByte(access, operand, c);
  if (at < 0) return 0n;
  noteUnknown(access, at, 8);
  const value = readLong(access.state, at, type);
  const magnitude = operand.absolute && value < 0n ? -value : value;
  return operand.negate ? -magnitude : magnitude;
}

const whole = (value: number): bigint => (Number.isFinite(value) ? BigInt(Math.trunc(value)) : 0n);

/** The number of a surface: an immediate, a word, or what the first channel of a register holds. */
export const surfaceOf = (access: Access, operand: Operand | undefined): number =>
  operand === undefined ? 0 : Math.trunc(sourceNumber(access, operand, 0));

/** Raw bits of a source's element, folded into one hash. */
export function sourceBits(access: Access, operand: Operand, c: number): number {
  if (operand.file === 'immediate') return hash(operand.low, operand.high);
  if (isNowhere(operand)) return operand.file === 'word' || operand.file === 'slot' ? operand.number : 0;
  if (operand.file === 'flag' || operand.file === 'architecture') return flagWord(access, operand, 'UD');
  const at = sourceByte(access, operand, c);
  if (at < 0) return 0;
  const size = typeSize(operand.type);
  noteUnknown(access, at, size);
  const modifiers = (operand.negate ? 1 : 0) | (operand.absolute ? 2 : 0);
  return hash(bitsAt(access.state, at, size), modifiers);
}

export function bitsAt({ view, bytes }: State, at: number, size: number): number {
  if (size === 4) return view.getInt32(at, true);
  if (size === 8) return mix(view.getInt32(at, true), view.getInt32(at + 4, true));
  return size === 2 ? view.getUint16(at, true) : bytes[at];
}

const isNowhere = ({ file }: RegisterOperand): boolean =>
  file === 'null' || file === 'none' || file === 'word' || file === 'slot';

/** True where a destination takes a value at all. */
export const isPlace = (operand: Operand | undefined): operand is RegisterOperand =>
  operand !== undefined && operand.file !== 'immediate' && !isNowhere(operand);

/** Writes one channel's result and returns the number as written. */
export function store(
  access: Access,
  operand: RegisterOperand,
  c: number,
  value: number,
  fromFloat: boolean,
  doubt: number,
): number {
  const { state, instruction } = access;
  if (operand.file === 'flag' || operand.file === 'architecture')
    return storeFlagWord(access, operand, value, doubt);
  const at = destinationByte(access, operand, c);
  if (at < 0) return value;
  const { type } = operand;
  if (operand.file === 'accumulator' && !isFloating(type)) {
    writeLongInteger(state, at, 'Q', whole(value), false);
    state.unknown.fill(doubt, at, at + ACCUMULATOR_CHANNEL);
    return value;
  }
  state.unknown.fill(doubt, at, at + typeSize(type));
  return writeNumber(state, at, type, value, instruction.saturate, fromFloat);
}

function storeFlagWord(access: Access, operand: RegisterOperand, value: number, doubt: number): number {
  const { flags, flagUnknown } = access.state;
  const flag = flagOf(operand);
  for (let k = 0; k < 8 * Math.min(4, typeSize(operand.type)); k++) {
    const index = flagIndex(flag, k);
    flags[index] = (value >>> k) & 1;
    flagUnknown[index] = doubt;
  }
  return value;
}

export function storeLong(
  access: Access,
  operand: RegisterOperand,
  c: number,
  value: bigint,
  doubt: number,
): void {
  const { type } = operand;
  if (!isLong(type) && operand.file !== 'accumulator') {
    // 64 bits do not pass through a number unharmed; a narrower integer takes the low ones.
    const kept =
      isFloating(type) || access.instruction.saturate ? Number(value) : Number(BigInt.asIntN(32, value));
    store(access, operand, c, kept, isFloating(type), doubt);
    return;
  }
  const at = destinationByte(access, operand, c);
  if (at < 0) return;
  writeLongInteger(access.state, at, isLong(type) ? type : 'Q', value, access.instruction.saturate);
  access.state.unknown.fill(doubt, at, at + 8);
}

/** Writes what a hash stands for: a float of moderate size, or bits. */
export function storeHash(
  access: Access,
  operand: RegisterOperand,
  c: number,
  h: number,
  doubt: number,
): void {
  if (operand.file === 'flag' || operand.file === 'architecture') {
    storeFlagWord(access, operand, h, doubt);
    return;
  }
  const at = destinationByte(access, operand, c);
  if (at >= 0) writeHash(access.state, at, operand.type, h, doubt);
}

export function writeHash(
  { view, bytes, unknown }: State,
  at: number,
  type: Type,
  h: number,
  doubt: number,
): void {
  const size = typeSize(type);
  const isFloat = isFloating(type);
  unknown.fill(doubt, at, at + size);
  if (size === 8) {
    view.setUint32(at, mix(h, 5), true);
    view.setUint32(at + 4, isFloat ? 0x3fe0_0000 | (h & 0x803f_ffff) : h, true);
  } else if (size === 4) view.setUint32(at, isFloat ? lively(h) : h, true);
  else if (size === 2) view.setUint16(at, isFloat ? toHalf((h >> 16) / 8192) : h & 0xffff, true);
  else bytes[at] = h;
}
