import { GRF_BYTES, type HardwareOperand, type Instruction, type Operand, type Program } from '../program.js';

/** The program with each virtual register at its place: a byte address in the register file, by register. */
export function placed(program: Program, address: Int32Array): Program {
  const place = (operand: Operand): Operand => {
    if (operand.file !== 'virtual') return operand;
    const { register, ...region } = operand;
    const at = address[register] + operand.offset;
    return {
      ...region,
      file: 'grf',
      grf: Math.floor(at / GRF_BYTES),
      offset: at % GRF_BYTES,
    } satisfies HardwareOperand;
  };
  const instructions = program.instructions.map((instruction): Instruction =>
    [...instruction.sources, ...instruction.destinations].some(({ file }) => file === 'virtual')
      ? {
          ...instruction,
          sources: instruction.sources.map(place),
          destinations: instruction.destinations.map(place),
        }
      : instruction,
  );
  return { ...program, phase: 'allocated', instructions };
}
