import { payloadMrf } from '../access.js';
import type { Program } from '../program.js';

/** No store behind the instruction, no reload before it. */
export const NO_STORE = 1;
export const NO_RELOAD = 2;

/**
 * By instruction of a SIMD4x2 program: where spill code would overwrite payload. A long message is written register by
 * register and may reach the last three, which stores use, and the last two, which reloads use (facts B.1). The
 * reference does not look; here registers are not spilled that would need code between such a write and the message.
 */
export function messageConflicts(program: Program): Uint8Array {
  const conflicts = new Uint8Array(program.instructions.length);
  const { messageRegisters } = program.platform;
  let highest = -1;
  program.instructions.forEach((instruction, i) => {
    if (highest >= messageRegisters - 2) conflicts[i] |= NO_RELOAD;
    const { first, count } = payloadMrf(instruction);
    if (highest >= first && highest < first + count) highest = -1;
    if (instruction.opcode.scratch === undefined)
      for (const destination of instruction.destinations)
        if (destination.file === 'message') highest = Math.max(highest, destination.number);
    if (highest >= messageRegisters - 3) conflicts[i] |= NO_STORE;
  });
  return conflicts;
}
