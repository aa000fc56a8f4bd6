import { selects } from '../access.js';
import { GRF_BYTES, typeSize, type Instruction, type Program, type RegisterOperand } from '../program.js';
import { noMessage } from '../program.js';
import { emitted, otherOperand } from './emitted.js';

/** The scratch messages of spill code, in the words of the dialect (facts A.14, B.10). */

/** Fills whole registers from scratch, in all lanes. */
export function reloadMessage(
  program: Program,
  destination: RegisterOperand,
  registers: number,
  scratchOffset: number,
): Instruction {
  const shared = {
    execSize: elements(destination, registers),
    noMask: true,
    destinations: [destination],
  };
  if (program.dialect === 'scalar')
    return emitted('gfx7_scratch_read', {
      ...shared,
      message: { ...noMessage, rlen: registers, scratchOffset },
    });
  return emitted('unspill', {
    ...shared,
    sources: [otherOperand('slot', scratchOffset / GRF_BYTES, destination.type)],
    message: { ...noMessage, mlen: 1, rlen: registers, scratchOffset },
  });
}

/** Stores what `instruction` has written, under its mask and predicate; `sel` has one but writes all lanes. */
export function storeMessage(
  program: Program,
  { group, noMask, predicate, opcode }: Instruction,
  source: RegisterOperand,
  registers: number,
  scratchOffset: number,
): Instruction {
  const { type } = source;
  const shared = {
    execSize: elements(source, registers),
    group,
    noMask,
    ...(predicate && !selects(opcode) && { predicate }),
    sources: [source],
  };
  const message = { ...noMessage, mlen: 1 + registers, header: 1, scratchOffset };
  if (program.dialect === 'scalar')
    return emitted('gfx4_scratch_write', {
      ...shared,
      destinations: [otherOperand('null', 0, type)],
      message: { ...message, baseMrf: program.platform.messageRegisters - 1 - registers },
    });
  return emitted('spill', {
    ...shared,
    destinations: [otherOperand('slot', scratchOffset / GRF_BYTES, type)],
    message,
  });
}

const elements = ({ type }: RegisterOperand, registers: number): Instruction['execSize'] =>
  ((registers * GRF_BYTES) / typeSize(type)) as Instruction['execSize'];
