import type { Program } from '../program.js';

/**
 * How control flow instructions belong together: found from the text order alone, as the hardware's jumps are made
 * from it, so that programs whose dump has lost the branch targets can be followed too.
 */
export interface Structure {
  /**
   * By instruction, -1 where there is none: of `if` its `else` or `endif`, of `else` its `endif`, of `do` its
   * `while`, of `while` its `do`; of every other instruction nothing.
   */
  readonly partner: Int32Array;
  /** The `else`, `endif` or `while` that closes the innermost part around an instruction, -1 at the top. */
  readonly join: Int32Array;
  /** The `do` of the innermost loop around an instruction, -1 outside of loops. */
  readonly loop: Int32Array;
  /** Where halted channels go on, -1 for the end. */
  readonly haltTarget: number;
  /** What does not fit together, and where. */
  readonly fault?: { readonly instruction: number; readonly message: string };
}

export function structureOf(program: Program): Structure {
  const { instructions } = program;
  const partner = new Int32Array(instructions.length).fill(-1);
  const join = new Int32Array(instructions.length).fill(-1);
  const loop = new Int32Array(instructions.length).fill(-1);
  const open: number[] = [];
  const loops: number[] = [];
  let haltTarget = -1;
  let fault: Structure['fault'];
  const complain = (instruction: number, message: string) => (fault ??= { instruction, message });
  instructions.forEach(({ opcode, target }, i) => {
    const { flow } = opcode;
    if (flow === 'else' || flow === 'endif') {
      const from = open.pop();
      if (from === undefined || instructions[from].opcode.flow === 'do')
        complain(i, `${opcode.name} without an if`);
      else {
        partner[from] = i;
        if (flow === 'else') open.push(i);
      }
    } else if (flow === 'while') {
      const from = open.pop();
      if (from !== undefined && instructions[from].opcode.flow === 'do') {
        partner[i] = from;
        partner[from] = i;
        loops.pop();
      } else {
        if (from !== undefined) open.push(from);
        if (target < 0) complain(i, 'while without a do, and without a target');
      }
    } else if (flow === 'if' || flow === 'do') {
      open.push(i);
      if (flow === 'do') loops.push(i);
    } else if (flow === 'haltTarget') haltTarget = i;
    if (loops.length > 0) loop[i] = loops[loops.length - 1];
    else if ((flow === 'break' || flow === 'continue') && loop[i] < 0)
      complain(i, `${opcode.name} outside of a loop`);
  });
  for (const i of open) complain(i, `${instructions[i].opcode.name} is never closed`);
  fillJoins(program, partner, join);
  return { partner, join, loop, haltTarget, ...(fault && { fault }) };
}

function fillJoins(program: Program, partner: Int32Array, join: Int32Array): void {
  const closers: number[] = [];
  program.instructions.forEach(({ opcode }, i) => {
    const { flow } = opcode;
    if ((flow === 'else' || flow === 'endif') && closers[closers.length - 1] === i) closers.pop();
    if (flow === 'while' && partner[i] >= 0) closers.pop();
    join[i] = closers.length > 0 ? closers[closers.length - 1] : -1;
    if ((flow === 'if' || flow === 'else' || flow === 'do') && partner[i] >= 0) closers.push(partner[i]);
  });
}
