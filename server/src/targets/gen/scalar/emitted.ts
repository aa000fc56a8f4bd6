import { opcodeOf } from '../opcodes.js';
import {
  XYZW,
  noMessage,
  plainInstruction,
  type HardwareOperand,
  type ImmediateOperand,
  type Instruction,
  type OtherOperand,
  type Type,
  type VirtualOperand,
} from '../program.js';
import type { VirtualRegister } from '../../../ir/place.js';

/** Instructions and operands that the back-end adds to a program: none of them has an origin in the text. */
const plain = {
  ...plainInstruction,
  destinations: [],
  sources: [],
  message: noMessage,
} satisfies Omit<Instruction, 'opcode'>;

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
