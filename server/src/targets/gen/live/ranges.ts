import { IntList } from '../../../ir/int-list.js';
import { RunBuilder, type BlockRuns } from '../../../passes/liveness.js';
import { registersOf } from '../access.js';
import type { Program } from '../program.js';

/**
 * Live ranges in the manner of i965 (brw_vec4_live_variables.cpp, brw_fs_live_variables.cpp): one closed range of
 * instruction numbers a register, without holes. A range runs from the first to the last instruction that mentions
 * the register, and is stretched over the first instruction of each block where the register is live at the entry,
 * and over the last of each block where it is live at the exit.
 *
 * Liveness is exact for *variables*, which are smaller than registers: dword channels in vec4 (eight a GRF: four of
 * each vertex), whole GRFs in the scalar back-end.
 */
export interface LiveRanges {
  /** By register: first and last instruction; -1 and -1 for registers that nothing mentions. */
  readonly start: Int32Array;
  readonly end: Int32Array;
  readonly variablesPerGrf: 1 | 8;
  /** The variables of register r are `variableStart[r] .. variableStart[r + 1]`, in the order of their bytes. */
  readonly variableStart: Int32Array;
  /** By variable, as `start` and `end`. */
  readonly variableFrom: Int32Array;
  readonly variableTo: Int32Array;
  /** Blocks at whose entry and exit a variable is live: ask with `isLiveAtEntry` and `isLiveAtExit` (passes/liveness.ts). */
  readonly entry: BlockRuns;
  readonly exit: BlockRuns;
  /** By instruction: GRFs of the virtual registers whose range contains it. Payload is not among them. */
  readonly pressure: Int32Array;
}

/**
 * Accesses of variables in program order, a GRF at a time: which of the GRF's variables an instruction reads, writes,
 * and writes so surely that no older value is left (bit k: variable k of the GRF).
 */
export class AccessList {
  readonly grfStart: Int32Array;
  readonly grf = new IntList(1024);
  readonly instruction = new IntList(1024);
  /** Reads in bits 0 to 7, writes in bits 8 to 15, killing writes in bits 16 to 23. */
  readonly masks = new IntList(1024);

  constructor(readonly program: Program) {
    this.grfStart = new Int32Array(program.registers.length + 1);
    for (let r = 0; r < program.registers.length; r++)
      this.grfStart[r + 1] = this.grfStart[r] + registersOf(program.registers[r]);
  }

  /** Accesses past the register's end, which only faulty programs have, are left out. */
  add(
    register: number,
    grf: number,
    instruction: number,
    reads: number,
    writes: number,
    kills: number,
  ): void {
    const at = this.grfStart[register] + grf;
    if (grf < 0 || at >= this.grfStart[register + 1]) return;
    this.grf.push(at);
    this.instruction.push(instruction);
    this.masks.push(reads | (writes << 8) | (kills << 16));
  }
}

/**
 * Ranges from accesses. `needsDefinition`: a variable counts as live at a block's border only where some write may
 * have reached it (the scalar rule); in vec4 a value that is read before it is certainly written is live from the
 * program's start.
 *
 * Solved for 32 variables at a time, one word a block, by walks that start at the accesses: time and memory follow
 * the blocks that live ranges cover, never registers times blocks, and a register that lives in one block costs no
 * more than its accesses.
 */
export function rangesOf(
  accesses: AccessList,
  variablesPerGrf: 1 | 8,
  options: { readonly needsDefinition: boolean },
): LiveRanges {
  const { program, grfStart } = accesses;
  const registerCount = program.registers.length;
  const variableStart = grfStart.map((grf) => grf * variablesPerGrf);
  const variableCount = variableStart[registerCount];
  const variableFrom = new Int32Array(variableCount).fill(-1);
  const variableTo = new Int32Array(variableCount).fill(-1);
  const entry = new RunBuilder(variableCount);
  const exit = new RunBuilder(variableCount);
  const solver = new GroupSolver(accesses, variablesPerGrf, options.needsDefinition);
  for (let first = 0; first < variableCount; first += GROUP) {
    const last = Math.min(first + GROUP, variableCount);
    const blocks = solver.solve(first / variablesPerGrf, last / variablesPerGrf);
    solver.stretch(first, variableFrom, variableTo);
    entry.add(first, last, blocks, solver.liveIn);
    exit.add(first, last, blocks, solver.liveOut);
    solver.clear();
  }
  const start = new Int32Array(registerCount).fill(-1);
  const end = new Int32Array(registerCount).fill(-1);
  for (let r = 0; r < registerCount; r++)
    for (let v = variableStart[r]; v < variableStart[r + 1]; v++) {
      if (variableFrom[v] < 0) continue;
      if (start[r] < 0 || variableFrom[v] < start[r]) start[r] = variableFrom[v];
      if (variableTo[v] > end[r]) end[r] = variableTo[v];
    }
  return {
    start,
    end,
    variablesPerGrf,
    variableStart,
    variableFrom,
    variableTo,
    entry: entry.finish(),
    exit: exit.finish(),
    pressure: pressureOf(program, start, end),
  };
}

/** GRFs live at each instruction: a sum of steps at the ends of the ranges. */
function pressureOf(program: Program, start: Int32Array, end: Int32Array): Int32Array {
  const count = program.instructions.length;
  const steps = new Int32Array(count + 1);
  for (let r = 0; r < start.length; r++) {
    if (start[r] < 0) continue;
    const grfs = registersOf(program.registers[r]);
    steps[start[r]] += grfs;
    steps[end[r] + 1] -= grfs;
  }
  for (let i = 1; i < count; i++) steps[i] += steps[i - 1];
  return steps.subarray(0, count);
}

const GROUP = 32;

/** Words of one group of variables, a word a block; reset after each group by the list of touched blocks. */
class GroupSolver {
  readonly liveIn: Int32Array;
  readonly liveOut: Int32Array;
  /** A read may be reached from the block's entry (exit) before a killing write. */
  private readonly wantedIn: Int32Array;
  private readonly wantedOut: Int32Array;
  private readonly written: Int32Array;
  private readonly killed: Int32Array;
  private readonly isTouched: Uint8Array;
  private readonly isPending: Uint8Array;
  private readonly touched: Int32Array;
  private touchedCount = 0;
  private readonly pending: number[] = [];
  /** By GRF: its accesses, as numbers in the list. */
  private readonly start: Int32Array;
  private readonly order: Int32Array;
  private readonly blockOf: Int32Array;
  private readonly predecessors: readonly (readonly number[])[];
  /** First and last access of each variable of the group. */
  private readonly first = new Int32Array(GROUP);
  private readonly last = new Int32Array(GROUP);

  constructor(
    private readonly accesses: AccessList,
    private readonly variablesPerGrf: number,
    private readonly needsDefinition: boolean,
  ) {
    const { program, grfStart } = accesses;
    const blockCount = program.successors.length;
    const words = (): Int32Array => new Int32Array(blockCount);
    this.wantedIn = words();
    this.wantedOut = words();
    this.liveIn = needsDefinition ? words() : this.wantedIn;
    this.liveOut = needsDefinition ? words() : this.wantedOut;
    this.written = words();
    this.killed = words();
    this.touched = words();
    this.isTouched = new Uint8Array(blockCount);
    this.isPending = new Uint8Array(blockCount);
    [this.start, this.order] = byGrf(accesses, grfStart[program.registers.length]);
    this.blockOf = blocksOf(program);
    this.predecessors = predecessorsOf(program);
  }

  /** Solves the variables of GRFs `firstGrf .. lastGrf` and returns the blocks with anything to say, ascending. */
  solve(firstGrf: number, lastGrf: number): Int32Array {
    this.first.fill(-1);
    for (let grf = firstGrf; grf < lastGrf; grf++) this.scan(grf, (grf - firstGrf) * this.variablesPerGrf);
    this.walkBackward();
    if (this.needsDefinition) this.walkForward();
    return this.inOrder();
  }

  /** The touched blocks, ascending. */
  private inOrder(): Int32Array {
    const { touched, touchedCount, isTouched } = this;
    if (touchedCount < isTouched.length / 16) return touched.subarray(0, touchedCount).sort();
    for (let block = 0, k = 0; k < touchedCount; block++) if (isTouched[block]) touched[k++] = block;
    return touched.subarray(0, touchedCount);
  }

  /** Ranges of the group that was solved: its accesses, stretched over block borders. */
  stretch(firstVariable: number, from: Int32Array, to: Int32Array): void {
    const { touched, touchedCount, liveIn, liveOut, first, last } = this;
    const { blockStart } = this.accesses.program;
    let seen = 0;
    for (let k = 0; k < touchedCount; k++) {
      const block = touched[k];
      const fresh = (liveIn[block] | liveOut[block]) & ~seen;
      seen |= fresh;
      for (let bits = fresh; bits !== 0; bits &= bits - 1) {
        const bit = lowest(bits);
        const at = (liveIn[block] >>> bit) & 1 ? blockStart[block] : blockStart[block + 1] - 1;
        first[bit] = first[bit] < 0 ? at : Math.min(first[bit], at);
      }
    }
    seen = 0;
    for (let k = touchedCount - 1; k >= 0; k--) {
      const block = touched[k];
      const fresh = (liveIn[block] | liveOut[block]) & ~seen;
      seen |= fresh;
      for (let bits = fresh; bits !== 0; bits &= bits - 1) {
        const bit = lowest(bits);
        const at = (liveOut[block] >>> bit) & 1 ? blockStart[block + 1] - 1 : blockStart[block];
        last[bit] = Math.max(last[bit], at);
      }
    }
    for (let bit = 0; bit < GROUP && firstVariable + bit < from.length; bit++) {
      if (first[bit] < 0) continue;
      from[firstVariable + bit] = first[bit];
      to[firstVariable + bit] = last[bit];
    }
  }

  clear(): void {
    const tables = [this.liveIn, this.liveOut, this.wantedIn, this.wantedOut, this.written, this.killed];
    for (let k = 0; k < this.touchedCount; k++) {
      const block = this.touched[k];
      for (const table of tables) table[block] = 0;
      this.isTouched[block] = 0;
    }
    this.touchedCount = 0;
  }

  private touch(block: number): void {
    if (this.isTouched[block]) return;
    this.isTouched[block] = 1;
    this.touched[this.touchedCount++] = block;
  }

  private push(block: number): void {
    if (this.isPending[block]) return;
    this.isPending[block] = 1;
    this.pending.push(block);
  }

  /** The list has an instruction's reads before its writes. */
  private scan(grf: number, shift: number): void {
    const { start, order, blockOf, first, last } = this;
    const { instruction, masks } = this.accesses;
    for (let k = start[grf]; k < start[grf + 1]; k++) {
      const at = instruction.at(order[k]);
      const mask = masks.at(order[k]);
      const block = blockOf[at];
      this.touch(block);
      const exposed = ((mask & 0xff) << shift) & ~this.killed[block];
      if (exposed !== 0) {
        this.wantedIn[block] |= exposed;
        this.push(block);
      }
      this.written[block] |= ((mask >>> 8) & 0xff) << shift;
      this.killed[block] |= ((mask >>> 16) & 0xff) << shift;
      for (let bits = ((mask | (mask >>> 8)) & 0xff) << shift; bits !== 0; bits &= bits - 1) {
        const bit = lowest(bits);
        if (first[bit] < 0) first[bit] = at;
        last[bit] = at;
      }
    }
  }

  private walkBackward(): void {
    const { wantedIn, wantedOut, killed, pending, isPending, predecessors } = this;
    while (pending.length > 0) {
      const block = pending.pop()!;
      isPending[block] = 0;
      const wanted = wantedIn[block];
      for (const from of predecessors[block]) {
        const fresh = wanted & ~wantedOut[from];
        if (fresh === 0) continue;
        this.touch(from);
        wantedOut[from] |= fresh;
        const through = fresh & ~killed[from] & ~wantedIn[from];
        if (through === 0) continue;
        wantedIn[from] |= through;
        this.push(from);
      }
    }
  }

  /**
   * Forward from writes, inside what is wanted. That loses nothing: after the last write on a path to a place where
   * the variable is wanted, it is wanted all the way.
   */
  private walkForward(): void {
    const { wantedIn, wantedOut, liveIn, liveOut, written, touched, pending, isPending } = this;
    for (let k = 0; k < this.touchedCount; k++)
      if ((wantedOut[touched[k]] & written[touched[k]]) !== 0) this.push(touched[k]);
    while (pending.length > 0) {
      const block = pending.pop()!;
      isPending[block] = 0;
      const leaving = wantedOut[block] & (liveIn[block] | written[block]);
      liveOut[block] = leaving;
      for (const to of this.accesses.program.successors[block]) {
        const fresh = leaving & wantedIn[to] & ~liveIn[to];
        if (fresh === 0) continue;
        liveIn[to] |= fresh;
        if ((fresh & wantedOut[to] & ~liveOut[to]) !== 0) this.push(to);
      }
    }
  }
}

const lowest = (bits: number): number => 31 - Math.clz32(bits & -bits);

/** The accesses sorted by GRF, in program order within one. */
function byGrf(accesses: AccessList, grfCount: number): [start: Int32Array, order: Int32Array] {
  const grf = accesses.grf.view();
  const start = new Int32Array(grfCount + 1);
  for (const g of grf) start[g + 1]++;
  for (let g = 0; g < grfCount; g++) start[g + 1] += start[g];
  const fill = start.slice(0, grfCount);
  const order = new Int32Array(grf.length);
  for (let k = 0; k < grf.length; k++) order[fill[grf[k]]++] = k;
  return [start, order];
}

/** By instruction: its block. */
export function blocksOf(program: Program): Int32Array {
  const blockOf = new Int32Array(program.instructions.length);
  for (let block = 0; block + 1 < program.blockStart.length; block++)
    blockOf.fill(block, program.blockStart[block], program.blockStart[block + 1]);
  return blockOf;
}

/** By block. */
export function predecessorsOf(program: Program): number[][] {
  const predecessors: number[][] = program.successors.map(() => []);
  program.successors.forEach((successors, block) => {
    for (const to of successors) predecessors[to].push(block);
  });
  return predecessors;
}
