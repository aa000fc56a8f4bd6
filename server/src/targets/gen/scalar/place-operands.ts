import {
  GRF_BYTES,
  type HardwareOperand,
  type Instruction,
  type Operand,
  type RegisterOperand,
  type VirtualOperand,
} from '../program.js';

/** Turns virtual operands into hardware operands at the places that the scan found, spill code apart. */
export function placed(instruction: Instruction, address: Int32Array): Instruction {
  const at = (operand: Operand): Operand => placedOperand(operand, address);
  return {
    ...instruction,
    sources: instruction.sources.map(at),
    destinations: instruction.destinations.map(at),
  };
}

export function placedOperand(operand: RegisterOperand, address: Int32Array): RegisterOperand;
export function placedOperand(operand: Operand, address: Int32Array): Operand;
export function placedOperand(operand: Operand, address: Int32Array): Operand {
  if (operand.file !== 'virtual') return operand;
  const byte = address[operand.register] + operand.offset;
  return onRegister({ ...operand, offset: byte % GRF_BYTES }, Math.floor(byte / GRF_BYTES));
}

/** The operand with a hardware register for the virtual one: its number is not carried along. */
export function onRegister(operand: VirtualOperand, grf: number): HardwareOperand {
  const { type, offset, negate, absolute, swizzle, mask, stride, region, operand: number } = operand;
  return {
    file: 'grf',
    grf,
    type,
    offset,
    negate,
    absolute,
    swizzle,
    mask,
    stride,
    ...(region && { region }),
    operand: number,
  };
}
