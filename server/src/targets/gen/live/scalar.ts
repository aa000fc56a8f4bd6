import { bytesRead, bytesWritten, isConditional } from '../access.js';
import { typeSize, type Instruction, type Program, type VirtualOperand } from '../program.js';
import { AccessList, rangesOf, type LiveRanges } from './ranges.js';

/**
 * Liveness of scalar programs as i965's fs back-end computes it (brw_fs_live_variables.cpp): a variable is a whole
 * GRF. A write ends the life of the old value when it covers the GRF: not predicated (`sel` is), packed, from the
 * GRF's first byte, and at least 32 bytes (or all of a register that is smaller than a GRF, which only selection
 * programs have). A GRF counts as live at a block's border only where some write may have reached it.
 */
export function liveScalar(program: Program): LiveRanges {
  const accesses = new AccessList(program);
  program.instructions.forEach((instruction, at) => {
    instruction.sources.forEach((source, s) => {
      if (source.file !== 'virtual') return;
      const bytes = bytesRead(instruction, s, program.dialect) - padding(source);
      add(source, bytes, (grf) => accesses.add(source.register, grf, at, 1, 0, 0));
    });
    instruction.destinations.forEach((destination, d) => {
      if (destination.file !== 'virtual') return;
      const bytes = bytesWritten(instruction, d, program.dialect);
      const kills = isWhole(program, instruction, destination, bytes) ? 1 : 0;
      add(destination, bytes, (grf) => accesses.add(destination.register, grf, at, 0, 1, kills));
    });
  });
  return rangesOf(accesses, 1, { needsDefinition: true });
}

function add(operand: VirtualOperand, bytes: number, visit: (grf: number) => void): void {
  const end = operand.offset + bytes;
  for (let grf = operand.offset >> 5; grf * 32 < end; grf++) visit(grf);
}

/** Bytes behind the last element of a region with gaps. */
const padding = ({ stride, type }: VirtualOperand): number => Math.max(stride - 1, 0) * typeSize(type);

function isWhole(
  program: Program,
  instruction: Instruction,
  destination: VirtualOperand,
  bytes: number,
): boolean {
  if (isConditional(instruction)) return false;
  const whole = Math.min(32, program.registers[destination.register].bytes);
  return destination.stride === 1 && destination.offset % 32 === 0 && bytes >= whole;
}
