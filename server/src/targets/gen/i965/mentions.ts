import type { Program } from '../program.js';

/** By register r: the instructions that mention it, each once, ascending: `instruction[start[r] .. start[r + 1]]`. */
export interface Mentions {
  readonly start: Int32Array;
  readonly instruction: Int32Array;
}

export function mentionsOf(program: Program): Mentions {
  const start = new Int32Array(program.registers.length + 1);
  const last = new Int32Array(program.registers.length).fill(-1);
  const visit = (found: (register: number, i: number) => void): void => {
    last.fill(-1);
    program.instructions.forEach((instruction, i) => {
      for (const operands of [instruction.sources, instruction.destinations])
        for (const operand of operands) {
          if (operand.file !== 'virtual' || last[operand.register] === i) continue;
          last[operand.register] = i;
          found(operand.register, i);
        }
    });
  };
  visit((register) => start[register + 1]++);
  for (let r = 0; r < last.length; r++) start[r + 1] += start[r];
  const fill = start.slice(0, -1);
  const instruction = new Int32Array(start[last.length]);
  visit((register, i) => (instruction[fill[register]++] = i));
  return { start, instruction };
}
