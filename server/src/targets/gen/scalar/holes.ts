import type { VirtualRegister } from '../../../ir/place.js';
import { bytesWritten, isConditional } from '../access.js';
import type { Instruction, Program } from '../program.js';
import { endsBefore, idOf, type Intervals } from './intervals.js';
import type { Skeleton } from './skeleton.js';

/**
 * Holes (facts A.11, OCL_REUSE_HOLE_REG): between the last use of a register and the next instruction of the same block
 * that writes all of it, its place holds nothing. A register that lives in this block alone, of the same size, may
 * borrow the place.
 *
 * Lanes that do not execute in the block may still need what the owner holds. They are safe because the borrower is
 * written under the block's mask only; hence registers that an instruction writes in all lanes, or that an operation of
 * several instructions writes, do not borrow.
 */
export interface Hole {
  readonly owner: VirtualRegister;
  readonly block: number;
  from: number;
  readonly to: number;
}

/** All holes by their first point. */
export function holesOf(skeleton: Skeleton): Hole[] {
  const { program, isPayload } = skeleton;
  const holes: Hole[] = [];
  const lastUse = new Int32Array(program.registers.length).fill(-1);
  const mentionedIn = new Int32Array(program.registers.length).fill(-1);
  for (let block = 0; block + 1 < program.blockStart.length; block++)
    for (let i = program.blockStart[block]; i < program.blockStart[block + 1]; i++) {
      const instruction = program.instructions[i];
      for (const source of instruction.sources) {
        if (source.file !== 'virtual') continue;
        const { register } = source;
        const point = endsBefore(instruction, source) ? idOf(i) - 1 : idOf(i);
        if (mentionedIn[register] !== block || lastUse[register] < point) lastUse[register] = point;
        mentionedIn[register] = block;
      }
      instruction.destinations.forEach((operand, k) => {
        if (operand.file !== 'virtual') return;
        const { register } = operand;
        const from = lastUse[register] + 1;
        const isOpen = mentionedIn[register] === block && lastUse[register] >= 0;
        if (isOpen && idOf(i) - from >= 1 && !isPayload[register] && writesWhole(program, instruction, k))
          holes.push({ owner: register, block, from, to: idOf(i) - 1 });
        mentionedIn[register] = block;
        lastUse[register] = -1;
      });
    }
  return holes.sort((a, b) => a.from - b.from || a.owner - b.owner);
}

function writesWhole(program: Program, instruction: Instruction, k: number): boolean {
  const operand = instruction.destinations[k];
  if (operand.file !== 'virtual' || isConditional(instruction)) return false;
  const { bytes, family } = program.registers[operand.register];
  if (family === 'bool' || operand.offset !== 0 || operand.stride !== 1 || operand.region !== undefined)
    return false;
  return bytesWritten(instruction, k, program.dialect) >= bytes;
}

/** By register: 1 where it may lie in another's hole. */
export function borrowers({ program }: Skeleton, { onlyBlock }: Intervals): Uint8Array {
  const may = Uint8Array.from(onlyBlock, (block) => (block < 0 ? 0 : 1));
  for (const { destinations, noMask, opcode } of program.instructions)
    if (noMask || opcode.expands)
      for (const operand of destinations) if (operand.file === 'virtual') may[operand.register] = 0;
  program.registers.forEach(({ family }, r) => {
    if (family === 'bool') may[r] = 0;
  });
  return may;
}

/**
 * The hole that fits a register best, or undefined: the score is the sum of the inverse distances of both ends, plus
 * one each; a score over 1 (an end that meets) is taken at once.
 */
export function bestHole(
  open: readonly Hole[],
  block: number,
  min: number,
  max: number,
  isFit: (owner: VirtualRegister) => boolean,
): Hole | undefined {
  let best: Hole | undefined;
  let bestScore = 0;
  for (const hole of open) {
    if (hole.block !== block || hole.from > min || hole.to < max || !isFit(hole.owner)) continue;
    const score = 1 / (min - hole.from + 1) + 1 / (hole.to - max + 1);
    if (score > 1) return hole;
    if (score > bestScore) [best, bestScore] = [hole, score];
  }
  return best;
}
