import { bytesRead, registersTouched } from '../access.js';
import type { Program } from '../program.js';

/**
 * By payload register: the last instruction that reads it, -1 for none (brw_fs_reg_allocate.cpp,
 * calculate_payload_ranges). Its place is free for others behind that. Within a loop a read counts for the end of the
 * outermost loop, since the payload is written only once, at the start. The message that ends the thread reads g0 and
 * g1, whatever it says; messages with a header read g0.
 */
export function payloadLastUses(program: Program): Int32Array {
  const lastUse = new Int32Array(program.firstFree).fill(-1);
  const use = (grf: number, at: number): void => {
    if (grf >= 0 && grf < lastUse.length) lastUse[grf] = Math.max(lastUse[grf], at);
  };
  const loopEnd = outermostLoopEnds(program);
  program.instructions.forEach((instruction, i) => {
    const at = loopEnd[i] < 0 ? i : loopEnd[i];
    instruction.sources.forEach((source, s) => {
      if (source.file !== 'grf') return;
      const first = source.grf + (source.offset >> 5);
      const count = registersTouched(source.offset, bytesRead(instruction, s, program.dialect));
      for (let k = 0; k < count; k++) use(first + k, at);
    });
    if (instruction.opcode.readsG0 || instruction.message.isEndOfThread) use(0, at);
    if (instruction.message.isEndOfThread) use(1, at);
  });
  return lastUse;
}

/** By instruction: the `while` that ends the outermost loop around it, -1 outside of loops. */
function outermostLoopEnds(program: Program): Int32Array {
  const ends = new Int32Array(program.instructions.length).fill(-1);
  let depth = 0;
  let first = 0;
  program.instructions.forEach(({ opcode }, i) => {
    if (opcode.flow === 'do' && depth++ === 0) first = i;
    if (opcode.flow === 'while' && depth > 0 && --depth === 0) ends.fill(i, first, i + 1);
  });
  return ends;
}
