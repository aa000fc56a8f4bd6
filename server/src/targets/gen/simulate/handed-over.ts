import type { Instruction, Program } from '../program.js';

/**
 * Registers of a selection program that hold what the dispatch hands over (facts A.7): those that nothing writes, and
 * those that the entry block reads before it writes them. Before allocation they lie at the start of their own bytes,
 * after it where the allocation says. Other programs have their payload in hardware registers.
 */
export function handedOver(
  program: Program,
  base: Int32Array,
  grf: number,
): readonly { readonly register: number; readonly at: number }[] {
  if (program.handedOver !== undefined)
    return program.handedOver.map(({ register, address }) => ({ register, at: grf + address }));
  if (program.dialect !== 'selection' || program.phase !== 'virtual') return [];
  const isWritten = new Set<number>();
  const found = new Set<number>();
  const entryEnd = program.blockStart.length > 1 ? program.blockStart[1] : 0;
  const writes = (instruction: Instruction) => {
    for (const operand of instruction.destinations)
      if (operand.file === 'virtual') isWritten.add(operand.register);
    const flag = instruction.condition?.flag;
    if (flag?.kind === 'virtual') isWritten.add(flag.register);
  };
  const reads = (instruction: Instruction) => {
    for (const operand of instruction.sources)
      if (operand.file === 'virtual' && !isWritten.has(operand.register)) found.add(operand.register);
    const flag = instruction.predicate?.flag;
    if (flag?.kind === 'virtual' && !isWritten.has(flag.register)) found.add(flag.register);
  };
  for (const instruction of program.instructions.slice(0, entryEnd)) {
    reads(instruction);
    writes(instruction);
  }
  const rest = program.instructions.slice(entryEnd);
  rest.forEach(writes);
  rest.forEach(reads);
  return [...found].map((register) => ({ register, at: base[register] }));
}
