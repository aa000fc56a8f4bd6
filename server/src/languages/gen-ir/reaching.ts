import type { Span } from '../../text/span.js';
import type { MesaBound } from './bind/index.js';
import { writtenFlag } from './canonical.js';
import { readExtent, writtenExtent, type Extent } from './extent.js';
import type { Instruction } from './tree.js';

/**
 * Which definitions reach a use, channel by channel and register by register of the file: a write of `.xy` reaches
 * no use of `.zzzz`, nor is it ended by a write of `.w`. The search goes backwards from the use along the ways that
 * a channel can go, with the dwords that have not been found yet. A use that executes in all channels (NoMask) may
 * read what other channels wrote, so that it follows the ways of the whole thread.
 */
export function reachingDefinitions(bound: MesaBound, offset: number): readonly Span[] | undefined {
  const { instructions } = bound;
  const i = instructionAt(instructions, offset);
  if (i < 0) return undefined;
  const wanted = wantedAt(bound, instructions[i], offset);
  if (wanted === undefined) return undefined;
  const found = search(bound, i, wanted, instructions[i].noMask);
  return found.map((k) => definedName(instructions[k], wanted.space));
}

/** The sound instruction that `offset` touches, or -1. */
export function instructionAt(instructions: readonly Instruction[], offset: number): number {
  let low = 0;
  let high = instructions.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (instructions[middle].start <= offset) low = middle + 1;
    else high = middle;
  }
  const at = low - 1;
  return at >= 0 && offset <= instructions[at].end ? at : -1;
}

/** What the source or predicate at `offset` reads. */
function wantedAt(bound: MesaBound, instruction: Instruction, offset: number): Extent | undefined {
  const { predicate, sources } = instruction;
  if (predicate !== undefined && predicate.flagStart <= offset && offset <= predicate.flagEnd)
    return { space: 'f', dwords: [predicate.flag], isWhole: true };
  for (let k = 0; k < sources.length; k++)
    if (sources[k].start <= offset && offset <= sources[k].end) return readExtent(bound, instruction, k);
  return undefined;
}

function definedName(instruction: Instruction, space: string): Span {
  const { destination, condition } = instruction;
  if (space === 'f' && destination.file !== 'flag') {
    if (condition !== undefined)
      return { start: condition.flagStart >= 0 ? condition.flagStart : condition.start, end: condition.end };
  }
  return { start: destination.nameStart, end: destination.nameEnd };
}

/** What the instruction writes of `space`, in parts. */
function writes(bound: MesaBound, instruction: Instruction, space: string): Extent | undefined {
  const extent = writtenExtent(bound, instruction);
  if (extent?.space === space) return extent;
  if (space !== 'f') return undefined;
  const flag = writtenFlag(instruction);
  // A comparison in eight channels leaves the other bits of the flag alone; readers are of the same channels.
  return flag < 0 ? undefined : { space, dwords: [flag], isWhole: true };
}

/** Numbers of the definitions, ascending. */
function search(bound: MesaBound, use: number, { space, dwords }: Extent, allWays: boolean): number[] {
  const { blocks, instructions } = bound;
  const found = new Set<number>();
  const sought: (Set<number> | undefined)[] = [];
  const predecessors = predecessorsOf(bound, allWays);
  const work: { readonly block: number; readonly from: number; readonly dwords: Set<number> }[] = [];
  const useBlock = blockOf(blocks.start, use);
  work.push({ block: useBlock, from: use - 1, dwords: new Set(dwords) });
  for (let item = work.pop(); item !== undefined; item = work.pop()) {
    const left = item.dwords;
    for (let k = item.from; k >= blocks.start[item.block] && left.size > 0; k--) {
      const instruction = instructions[k];
      const written = writes(bound, instruction, space);
      if (written === undefined) continue;
      const kills =
        written.isWhole && (instruction.predicate === undefined || instruction.opcode.text === 'sel');
      for (const dword of written.dwords) {
        if (!left.has(dword)) continue;
        found.add(k);
        if (kills) left.delete(dword);
      }
    }
    if (left.size === 0) continue;
    for (const before of predecessors[item.block]) {
      const known = (sought[before] ??= new Set());
      const fresh = new Set<number>();
      for (const dword of left) {
        if (known.has(dword)) continue;
        known.add(dword);
        fresh.add(dword);
      }
      if (fresh.size > 0) work.push({ block: before, from: blocks.start[before + 1] - 1, dwords: fresh });
    }
  }
  return [...found].sort((a, b) => a - b);
}

function predecessorsOf({ blocks }: MesaBound, allWays: boolean): readonly number[][] {
  const found: number[][] = Array.from({ length: blocks.blockCount }, () => []);
  for (let b = 0; b < blocks.blockCount; b++)
    for (let e = blocks.successorStart[b]; e < blocks.successorStart[b + 1]; e++)
      if (allWays || blocks.isPhysical[e] === 0) found[blocks.successors[e]].push(b);
  if (!allWays)
    for (let k = 0; k < blocks.exits.length; k += 2) found[blocks.exits[k + 1]].push(blocks.exits[k]);
  return found;
}

/** The last block that begins at or before an instruction. */
function blockOf(start: Int32Array, instruction: number): number {
  let low = 0;
  let high = start.length - 1;
  while (low + 1 < high) {
    const middle = (low + high) >>> 1;
    if (start[middle] <= instruction) low = middle;
    else high = middle;
  }
  return low;
}
