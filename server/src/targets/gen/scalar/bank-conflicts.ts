import type { Instruction } from '../program.js';

/**
 * Bank conflicts as the reference sees them (facts A.10): the second and third source of a `mad` cost a cycle when they
 * lie in the same half of the register file (below or from g64). Each register remembers one partner, the smallest
 * number; any later use as another instruction's source makes it forget, so that only registers whose last use is a
 * `mad` have one.
 */
export function bankPartners(instructions: readonly Instruction[], registerCount: number): Int32Array {
  const partner = new Int32Array(registerCount).fill(-1);
  for (const { opcode, sources } of instructions) {
    if (opcode.name !== 'mad') {
      for (const source of sources) if (source.file === 'virtual') partner[source.register] = -1;
      continue;
    }
    if (sources.length < 3) continue;
    const [, second, third] = sources;
    if (second.file !== 'virtual' || third.file !== 'virtual') continue;
    const pairs = [
      [second.register, third.register],
      [third.register, second.register],
    ] as const;
    for (const [a, b] of pairs) if (a !== b && (partner[a] < 0 || b < partner[a])) partner[a] = b;
  }
  return partner;
}

/** Registers that a `mad` writes: they are aligned to 16 bytes. */
export function madResults(instructions: readonly Instruction[], registerCount: number): Uint8Array {
  const isResult = new Uint8Array(registerCount);
  for (const { opcode, destinations } of instructions)
    if (opcode.name === 'mad')
      for (const operand of destinations) if (operand.file === 'virtual') isResult[operand.register] = 1;
  return isResult;
}

/** First byte of the upper half of the register file. */
export const UPPER_HALF = 2048;
