import { Role, type References } from './references.js';
import type { Program } from '../program.js';

/**
 * One range a cell, as i965 has it (brw_vec4_live_variables, brw_fs_live_variables): from the first reference to the
 * last in the order of the text, widened to the ends of blocks that the value crosses alive, over physical edges too.
 * Between the two a cell is never given away: lanes that wait for an `endif` or a loop's end still own what they wrote.
 *
 * Positions: instruction i reads at 2i and writes at 2i + 1; ranges are half open, so that a result may take the place
 * of a source that ends there. Only cells that cross blocks are looked at beyond their own block.
 */
export interface Ranges {
  /** By cell: first position, -1 where it is never referenced. */
  readonly from: Int32Array;
  /** By cell: first position at which it is free again. */
  readonly to: Int32Array;
}

/** By block: the blocks that lead to it. */
export function predecessorsOf(program: Program): number[][] {
  const predecessors: number[][] = program.successors.map(() => []);
  program.successors.forEach((successors, block) => {
    for (const successor of successors) predecessors[successor].push(block);
  });
  return predecessors;
}

/** What one cell does in one block, in a list by cell. */
interface Summaries {
  readonly head: Int32Array;
  readonly next: number[];
  readonly block: number[];
  /** Parts read before they are written whole, written whole, and written at all. */
  readonly exposed: number[];
  readonly killed: number[];
  readonly written: number[];
}

function summarise(program: Program, references: References): Summaries {
  const head = new Int32Array(references.cellCount).fill(-1);
  const found: Summaries = { head, next: [], block: [], exposed: [], killed: [], written: [] };
  const touch = (cell: number, block: number): number => {
    const last = head[cell];
    if (last >= 0 && found.block[last] === block) return last;
    head[cell] = found.block.length;
    found.next.push(last);
    found.block.push(block);
    found.exposed.push(0);
    found.killed.push(0);
    found.written.push(0);
    return head[cell];
  };
  for (let block = 0; block + 1 < program.blockStart.length; block++)
    for (let i = program.blockStart[block]; i < program.blockStart[block + 1]; i++)
      for (let r = references.start[i]; r < references.start[i + 1]; r++)
        for (let cell = references.cell[r]; cell < references.cell[r] + references.count[r]; cell++) {
          const summary = touch(cell, block);
          const { [r]: role } = references.role;
          if (role & Role.Use) found.exposed[summary] |= references.parts[r] & ~found.killed[summary];
          if (role & Role.Definition) found.written[summary] |= references.parts[r];
          if (role & Role.Kills) found.killed[summary] |= references.parts[r];
        }
  return found;
}

export function rangesOf(program: Program, references: References): Ranges {
  const { blockStart } = program;
  const from = new Int32Array(references.cellCount).fill(-1);
  const to = new Int32Array(references.cellCount).fill(-1);
  for (let i = 0; i < program.instructions.length; i++)
    for (let r = references.start[i]; r < references.start[i + 1]; r++) {
      const isDefinition = (references.role[r] & Role.Definition) !== 0;
      const position = isDefinition ? 2 * i + 1 : 2 * i;
      for (let cell = references.cell[r]; cell < references.cell[r] + references.count[r]; cell++) {
        if (from[cell] < 0 || position < from[cell]) from[cell] = position;
        to[cell] = Math.max(to[cell], isDefinition ? 2 * i + 2 : 2 * i + 1);
      }
    }
  const summaries = summarise(program, references);
  const predecessors = predecessorsOf(program);
  const blockCount = blockStart.length - 1;
  const stamp = new Int32Array(blockCount).fill(-1);
  const liveIn = new Uint8Array(blockCount);
  const reached = new Int32Array(blockCount).fill(-1);
  const written = new Uint8Array(blockCount);
  const killed = new Uint8Array(blockCount);
  const known = new Int32Array(blockCount).fill(-1);
  for (let cell = 0; cell < references.cellCount; cell++) {
    const first = summaries.head[cell];
    if (first < 0) continue;
    let isExposed = false;
    for (let s = first; s >= 0; s = summaries.next[s]) isExposed ||= summaries.exposed[s] !== 0;
    if (!isExposed) continue;
    widen(cell, first);
  }
  return { from, to };

  function widen(cell: number, first: number): void {
    const work: number[] = [];
    const visited: number[] = [];
    const enter = (block: number, parts: number): void => {
      if (stamp[block] !== cell) {
        stamp[block] = cell;
        liveIn[block] = 0;
        visited.push(block);
      }
      if ((parts & ~liveIn[block]) === 0) return;
      liveIn[block] |= parts;
      work.push(block);
    };
    for (let s = first; s >= 0; s = summaries.next[s]) {
      known[summaries.block[s]] = cell;
      killed[summaries.block[s]] = summaries.killed[s];
      written[summaries.block[s]] = summaries.written[s];
    }
    for (let s = first; s >= 0; s = summaries.next[s])
      if (summaries.exposed[s] !== 0) enter(summaries.block[s], summaries.exposed[s]);
    while (work.length > 0) {
      const block = work.pop() as number;
      for (const predecessor of predecessors[block]) {
        const parts = known[predecessor] === cell ? liveIn[block] & ~killed[predecessor] : liveIn[block];
        if (parts !== 0) enter(predecessor, parts);
      }
    }
    // definitions that reach, within the blocks where the value is wanted
    const forward: number[] = [];
    const leave = (block: number): void => {
      for (const successor of program.successors[block])
        if (stamp[successor] === cell && reached[successor] !== cell) {
          reached[successor] = cell;
          forward.push(successor);
        }
      if (program.successors[block].some((successor) => stamp[successor] === cell))
        to[cell] = Math.max(to[cell], 2 * blockStart[block + 1]);
    };
    for (let s = first; s >= 0; s = summaries.next[s])
      if (summaries.written[s] !== 0) leave(summaries.block[s]);
    while (forward.length > 0) {
      const block = forward.pop() as number;
      from[cell] = Math.min(from[cell], 2 * blockStart[block]);
      leave(block);
    }
  }
}
