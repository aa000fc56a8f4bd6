import { structureOf } from '../simulate/structure.js';
import type { Instruction, Program } from '../program.js';

/**
 * SIMD4x2 programs: by instruction, 1 where control flow may have parted the channels of one vertex, so that a swizzle
 * can read a channel that does not execute. That is so within an `if` whose predicate has no mode (`(+f0.0) if(8)`), and
 * within a loop that channels leave one by one. Mesa never makes such code: its conditions are `f0.0.x`, `any4h` and
 * `all4h`, which part whole vertices, and its register allocator relies on that.
 */
export function partedChannels(program: Program): Uint8Array {
  const { instructions, blockStart } = program;
  const parted = new Uint8Array(instructions.length);
  if (program.dialect !== 'vec4' || !instructions.some(partsChannels)) return parted;
  const { partner, loop, fault } = structureOf(program);
  if (fault !== undefined) return parted.fill(1);
  const steps = new Int32Array(instructions.length + 1);
  const mark = (from: number, to: number): void => {
    steps[from]++;
    steps[to]--;
  };
  instructions.forEach((instruction, i) => {
    if (!partsChannels(instruction)) return;
    const { flow } = instruction.opcode;
    if (flow === 'if') {
      const next = partner[i];
      mark(i + 1, instructions[next].opcode.flow === 'else' ? partner[next] : next);
    } else if (flow === 'while') mark(partner[i] >= 0 ? partner[i] : blockStart[instruction.target], i + 1);
    else if (loop[i] >= 0) mark(loop[i], partner[loop[i]] + 1);
    else mark(0, instructions.length);
  });
  let depth = 0;
  for (let i = 0; i < parted.length; i++) parted[i] = (depth += steps[i]) > 0 ? 1 : 0;
  return parted;
}

const conditional: ReadonlySet<string | undefined> = new Set(['if', 'while', 'break', 'continue', 'halt']);
const byChannel: ReadonlySet<string> = new Set(['normal', 'any2h', 'all2h']);

/** A jump that is taken in some channels of a vertex and not in others. */
const partsChannels = ({ opcode, predicate, condition }: Instruction): boolean =>
  conditional.has(opcode.flow) &&
  (predicate === undefined ? condition !== undefined : byChannel.has(predicate.mode));
