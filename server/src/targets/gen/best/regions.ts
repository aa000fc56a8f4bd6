import { loopWeight } from '../loop-weight.js';
import type { Program } from '../program.js';

/**
 * Where the program counter of the thread can go, which is what places of values must agree on. The graph of a
 * program has more edges, for lanes: from `do` past the loop, and from `break` back to the loop's top, no thread
 * jumps; those only keep values of waiting lanes alive.
 */
export interface Regions {
  /** By block, blocks that the thread may execute next. */
  readonly successors: readonly (readonly number[])[];
  readonly predecessors: readonly (readonly number[])[];
  /** By block: number of the innermost loop that holds it, -1 for none. */
  readonly loopOf: Int32Array;
  readonly loops: readonly Loop[];
  /** By block: some lanes may be waiting elsewhere while it executes. */
  readonly isDivergent: Uint8Array;
  readonly blockOf: Int32Array;
}

/** A loop as a run of the text: from its first block to the last that leads back. */
export interface Loop {
  readonly firstBlock: number;
  readonly lastBlock: number;
  readonly parent: number;
  readonly depth: number;
  /** Instructions: first, and one past the last. */
  readonly first: number;
  readonly end: number;
}

export function regionsOf(program: Program): Regions {
  const { blockStart, instructions } = program;
  const blockCount = blockStart.length - 1;
  const successors = program.successors.map((all, block) => {
    const last =
      blockStart[block + 1] > blockStart[block] ? instructions[blockStart[block + 1] - 1] : undefined;
    if (last?.opcode.flow === 'do') return [block + 1];
    if (last?.opcode.flow === 'break') return all.filter((successor) => successor > block);
    return all;
  });
  const predecessors: number[][] = successors.map(() => []);
  successors.forEach((all, block) => {
    for (const successor of all) if (successor < blockCount) predecessors[successor].push(block);
  });
  const loops = loopsOf(program, successors);
  const loopOf = new Int32Array(blockCount).fill(-1);
  // outer loops stand first, so that inner ones overwrite
  loops.forEach((loop, number) => loopOf.fill(number, loop.firstBlock, loop.lastBlock + 1));
  const blockOf = new Int32Array(instructions.length);
  for (let block = 0; block < blockCount; block++)
    blockOf.fill(block, blockStart[block], blockStart[block + 1]);
  return { successors, predecessors, loopOf, loops, isDivergent: divergence(program), blockOf };
}

function loopsOf(program: Program, successors: readonly (readonly number[])[]): Loop[] {
  const last = new Map<number, number>();
  successors.forEach((all, block) => {
    for (const successor of all)
      if (successor <= block) last.set(successor, Math.max(last.get(successor) ?? 0, block));
  });
  const loops: Loop[] = [];
  const open: number[] = [];
  for (const [firstBlock, lastBlock] of [...last].sort((a, b) => a[0] - b[0] || b[1] - a[1])) {
    while (open.length > 0 && loops[open[open.length - 1]].lastBlock < firstBlock) open.pop();
    const parent = open.length > 0 ? open[open.length - 1] : -1;
    open.push(loops.length);
    loops.push({
      firstBlock,
      lastBlock,
      parent,
      depth: parent < 0 ? 1 : loops[parent].depth + 1,
      first: program.blockStart[firstBlock],
      end: program.blockStart[lastBlock + 1],
    });
  }
  return loops;
}

/** By block. Jumps without structure may leave lanes anywhere; a halt does so up to its target. */
function divergence(program: Program): Uint8Array {
  const blockCount = program.blockStart.length - 1;
  const isDivergent = new Uint8Array(blockCount);
  const isStructured = !program.instructions.some((instruction) => instruction.opcode.flow === 'jump');
  let depth = 0;
  let isHalted = false;
  for (let block = 0; block < blockCount; block++) {
    let deepest = depth;
    for (let i = program.blockStart[block]; i < program.blockStart[block + 1]; i++) {
      const { flow } = program.instructions[i].opcode;
      if (flow === 'if' || flow === 'do') depth++;
      else if (flow === 'endif' || flow === 'while') depth = Math.max(0, depth - 1);
      else if (flow === 'halt') isHalted = true;
      deepest = Math.max(deepest, flow === 'if' || flow === 'do' ? 0 : depth);
    }
    if (deepest > 0 || isHalted || !isStructured) isDivergent[block] = 1;
  }
  return isDivergent;
}

/** How often a block is taken to run. */
export const weightOf = (regions: Regions, block: number): number =>
  loopWeight(regions.loopOf[block] < 0 ? 0 : regions.loops[regions.loopOf[block]].depth);
