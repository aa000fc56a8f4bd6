import type { Program } from '../graph.js';
import { forEachRead, mayEnd, type Flow } from './flow.js';

/**
 * Which cross-block registers are live where blocks begin and end: the backward data flow over what a block reads at
 * its start and what it stores, cut down to the registers that some store may have reached (a register that is read
 * first on a path where nobody wrote it would else be live from the program's entry). Inside a block nothing is
 * said here: the order of reads and stores is the schedule's.
 */
export interface RegisterLiveness {
  /** 32-bit words of a set; set `b` of each table begins at `b * words`. */
  readonly words: number;
  /** Live at the start of each block. */
  readonly entry: Int32Array;
  /** Live at the end of each block. */
  readonly exit: Int32Array;
  /** Stored by each block. */
  readonly stored: Int32Array;
}

export const hasMember = (sets: Int32Array, words: number, set: number, member: number): boolean =>
  ((sets[set * words + (member >> 5)] >>> (member & 31)) & 1) === 1;

function addMember(sets: Int32Array, words: number, set: number, member: number): void {
  sets[set * words + (member >> 5)] |= 1 << (member & 31);
}

/** Members of one set, ascending. */
export function membersOf(sets: Int32Array, words: number, set: number): number[] {
  const members: number[] = [];
  for (let w = 0; w < words; w++) {
    for (let bits = sets[set * words + w]; bits !== 0; bits &= bits - 1)
      members.push(32 * w + 31 - Math.clz32(bits & -bits));
  }
  return members;
}

export function registerLiveness(program: Program, flow: Flow): RegisterLiveness {
  const { blocks, registers } = program;
  const words = Math.max(1, (registers.length + 31) >> 5);
  const table = (): Int32Array => new Int32Array(blocks.length * words);
  const [read, stored, atEnd] = [table(), table(), table()];
  blocks.forEach((block, b) => {
    forEachRead(program, block, (value) => {
      if (value.kind === 'register' && !value.stored) addMember(read, words, b, value.register);
    });
    for (const { to } of block.stores) if (to.kind === 'register') addMember(stored, words, b, to.register);
    if (!mayEnd(block, b, blocks.length)) return;
    registers.forEach((register, r) => {
      if (register.isLiveOut) addMember(atEnd, words, b, r);
    });
  });
  const { entry, exit } = backward(flow, words, read, stored, atEnd);
  const { arrives, leaves } = forward(program, flow, words, stored);
  for (let w = 0; w < entry.length; w++) {
    entry[w] &= arrives[w];
    exit[w] &= leaves[w];
  }
  return { words, entry, exit, stored };
}

/** Read before a store, on some path from here. */
function backward(
  { cfg }: Flow,
  words: number,
  read: Int32Array,
  stored: Int32Array,
  atEnd: Int32Array,
): { entry: Int32Array; exit: Int32Array } {
  const { blockCount, predecessorStart, predecessors, successorStart, successors } = cfg;
  const entry = read.slice();
  const exit = atEnd.slice();
  const work = new WorkList(blockCount);
  for (let b = 0; b < blockCount; b++) work.add(b);
  for (let b = work.take(); b >= 0; b = work.take()) {
    let changed = false;
    for (let w = 0; w < words; w++) {
      let out = exit[b * words + w];
      for (let e = successorStart[b]; e < successorStart[b + 1]; e++) out |= entry[successors[e] * words + w];
      exit[b * words + w] = out;
      const before = entry[b * words + w];
      entry[b * words + w] |= out & ~stored[b * words + w];
      if (entry[b * words + w] !== before) changed = true;
    }
    if (!changed) continue;
    for (let e = predecessorStart[b]; e < predecessorStart[b + 1]; e++) work.add(predecessors[e]);
  }
  return { entry, exit };
}

/** Written on some path to here. */
function forward(
  { registers }: Program,
  { cfg }: Flow,
  words: number,
  stored: Int32Array,
): { arrives: Int32Array; leaves: Int32Array } {
  const { blockCount, successorStart, successors } = cfg;
  const arrives = new Int32Array(blockCount * words);
  const work = new WorkList(blockCount);
  for (let b = blockCount - 1; b >= 0; b--) work.add(b);
  if (blockCount > 0)
    registers.forEach((register, r) => {
      if (register.isLiveIn) addMember(arrives, words, 0, r);
    });
  for (let b = work.take(); b >= 0; b = work.take()) {
    for (let e = successorStart[b]; e < successorStart[b + 1]; e++) {
      const to = successors[e];
      let changed = false;
      for (let w = 0; w < words; w++) {
        const before = arrives[to * words + w];
        arrives[to * words + w] |= arrives[b * words + w] | stored[b * words + w];
        if (arrives[to * words + w] !== before) changed = true;
      }
      if (changed) work.add(to);
    }
  }
  return { arrives, leaves: arrives.map((word, w) => word | stored[w]) };
}

/** Blocks to visit again, each once at a time. */
class WorkList {
  private readonly stack: number[] = [];
  private readonly waits: Uint8Array;

  constructor(blocks: number) {
    this.waits = new Uint8Array(blocks);
  }

  add(block: number): void {
    if (this.waits[block]) return;
    this.waits[block] = 1;
    this.stack.push(block);
  }

  take(): number {
    const block = this.stack.pop();
    if (block === undefined) return -1;
    this.waits[block] = 0;
    return block;
  }
}
