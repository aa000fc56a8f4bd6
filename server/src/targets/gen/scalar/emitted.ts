import { opcodeOf } from '../opcodes.js';
import {
  XYZW,
  type HardwareOperand,
  type ImmediateOperand,
  type Instruction,
  type Message,
  type OtherOperand,
  type Type,
  type VirtualOperand,
} from '../program.js';
import type { VirtualRegister } from '../../../ir/place.js';

/** Instructions and operands that the back-end adds to a program: none of them has an origin in the text. */
export const noMessage: Message = {
  mlen: 0,
  exMlen: 0,
  baseMrf: -1,
  header: 0,
  isEndOfThread: false,
  assumed: [],
};

const plain: Omit<Instruction, 'opcode'> = {
  execSize: 8,
  group: 0,
  noMask: false,
  saturate: false,
  destinations: [],
  sources: [],
  message: noMessage,
  noDDClear: false,
  noDDCheck: false,
  writesAccumulator: false,
  switchesThread: false,
  target: -1,
  origin: -1,
};

export const emitted = (name: string, fields: Partial<Omit<Instruction, 'opcode'>>): Instruction => ({
  ...plain,
  ...fields,
  opcode: opcodeOf(name),
});

// written out field by field: one shape for all operands, and no copy of a copy
export const virtualOperand = (register: VirtualRegister, type: Type, stride = 1): VirtualOperand => ({
  file: 'virtual',
  register,
  type,
  offset: 0,
  negate: false,
  absolute: false,
  swizzle: XYZW,
  mask: 15,
  stride,
  operand: -1,
});

export const hardwareOperand = (grf: number, type: Type, stride = 1): HardwareOperand => ({
  file: 'grf',
  grf,
  type,
  offset: 0,
  negate: false,
  absolute: false,
  swizzle: XYZW,
  mask: 15,
  stride,
  operand: -1,
});

export const otherOperand = (file: OtherOperand['file'], number: number, type: Type): OtherOperand => ({
  file,
  number,
  type,
  offset: 0,
  negate: false,
  absolute: false,
  swizzle: XYZW,
  mask: 15,
  stride: 1,
  operand: -1,
});

export const immediate = (type: Type, low: number): ImmediateOperand => ({
  file: 'immediate',
  type,
  low,
  high: 0,
  operand: -1,
});
