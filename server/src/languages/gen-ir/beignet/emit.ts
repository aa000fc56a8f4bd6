import type { FunctionBuilder, OperandOptions } from '../../../ir/builder.js';
import { OperandFlag, type OpcodeTable } from '../../../ir/function.js';
import { physical, virtual, type Place } from '../../../ir/place.js';
import { GenClass } from '../classes.js';
import { laneBytes, type Family } from './families.js';
import { bytesOf, type Register, type Registers } from './registers.js';
import type { FlagName } from './tree.js';
import { typeBytes } from './values.js';

/** What lowering one section needs at hand. */
export interface Emitter {
  readonly builder: FunctionBuilder;
  readonly texts: OpcodeTable;
  readonly registers: Registers;
}

export const registerOf = ({ registers }: Emitter, number: number): Register => {
  const found = registers.byNumber.get(number);
  if (found === undefined || found.index < 0) throw new RangeError(`%${number} was not collected`);
  return found;
};

export function addOperand(
  { builder, texts }: Emitter,
  place: Place,
  flags: number,
  text: string,
  span: { readonly start: number; readonly end: number },
  options: OperandOptions = {},
): void {
  builder.operand(place, flags, {
    ...options,
    payload: texts.number(text),
    spanStart: span.start,
    spanEnd: span.end,
  });
}

/** A virtual register, in the class of its family: one unit, whole. */
export function addRegister(
  e: Emitter,
  number: number,
  flags: number,
  text: string,
  span: { readonly start: number; readonly end: number },
): void {
  addOperand(e, virtual(registerOf(e, number).index), flags, text, span);
}

/** g12 and what is touched behind it. */
export function addPhysical(
  e: Emitter,
  grf: number,
  flags: number,
  text: string,
  span: { readonly start: number; readonly end: number },
  firstByte: number,
  bytes: number,
): void {
  const offset = Math.floor(firstByte / 32);
  const width = Math.max(1, Math.ceil((firstByte + bytes) / 32) - offset);
  addOperand(e, physical(GenClass.General, Math.min(grf, 0xffff)), flags, text, span, { offset, width });
}

/** The flag of a predicate or of a condition. */
export function addFlag(
  e: Emitter,
  flag: FlagName,
  flags: number,
  fallback: { readonly start: number; readonly end: number },
): void {
  if (flag.kind === 'virtual') addRegister(e, flag.register.number, flags, 'v:UW', flag.register);
  else if (flag.kind === 'physical')
    addOperand(
      e,
      physical(GenClass.Flag, flag.number),
      flags,
      `f${flag.number >> 1}.${flag.number & 1}:UW`,
      flag.span.start < 0 ? { start: fallback.start, end: fallback.start } : flag.span,
    );
}

const ownBytes = (family: Family): number => (family === 'byte' ? 1 : laneBytes(family));

/** Whether a write leaves bytes of the register as they are. */
export function isPartial(
  e: Emitter,
  r: Register,
  type: string,
  stride: number,
  lanes: number,
  byte: number,
): boolean {
  if (byte > 0) return true;
  const size = typeBytes(type);
  if (r.family !== 'reg' && size < ownBytes(r.family)) return true;
  if (r.isUniform) return false;
  return lanes * size * Math.max(1, stride) < bytesOf(r, e.registers.width);
}

export const definition = (isPart: boolean, isPredicated: boolean): number =>
  OperandFlag.Definition | (isPart ? OperandFlag.Partial : 0) | (isPredicated ? OperandFlag.Predicated : 0);
