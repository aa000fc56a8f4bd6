import type { Opcode } from './opcodes.js';

/** How often the body of a loop is taken to run. */
const REPEATS = 10;

/** Deeper loops count no more: figures stay finite, and exact in single precision, as the reference keeps its costs. */
const DEEPEST = 9;

/** How often something in `depth` loops is taken to run: ten times for each, at most 10^9. */
export const loopWeight = (depth: number): number => REPEATS ** Math.min(Math.max(0, depth), DEEPEST);

/** Loops around what follows an instruction, counted along the text. A `while` without its `do` closes none. */
export const depthAfter = ({ flow }: Pick<Opcode, 'flow'>, depth: number): number =>
  flow === 'do' ? depth + 1 : flow === 'while' ? Math.max(0, depth - 1) : depth;
