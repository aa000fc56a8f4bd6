import { isLiveAtEntry, isLiveAtExit } from '../../../passes/liveness.js';
import { bytesRead, registersOf, registersTouched } from '../access.js';
import { payloadLastUses } from '../i965/payload.js';
import type { LiveRanges } from '../live/ranges.js';
import { liveScalar } from '../live/scalar.js';
import { liveVec4 } from '../live/vec4.js';
import type { Instruction, Operand, Program } from '../program.js';

/**
 * GRFs that issuing an instruction next frees, less those that it takes, as i965's scalar scheduler counts them: the
 * destination is taken when the register is not live yet, a source is freed at its last read in the block when it is
 * not live behind it. Payload registers count singly. Two different operands of one register in one instruction are
 * two reads, so that such a last read frees nothing: the reference's way of counting, kept here.
 */
export class PressureByBlock {
  readonly #program: Program;
  readonly #live: LiveRanges;
  readonly #payloadLastUse: Int32Array;
  /** Payload registers first, then the virtual ones. */
  readonly #reads: Int32Array;
  readonly #isWritten: Uint8Array;

  constructor(program: Program) {
    this.#program = program;
    this.#live = program.dialect === 'vec4' ? liveVec4(program) : liveScalar(program);
    this.#payloadLastUse = payloadLastUses(program);
    const count = program.firstFree + program.registers.length;
    this.#reads = new Int32Array(count);
    this.#isWritten = new Uint8Array(count);
  }

  of(block: number): BlockPressure {
    const { instructions, blockStart } = this.#program;
    const first = blockStart[block];
    const count = blockStart[block + 1] - first;
    const readers = new Map<number, number[]>();
    const writers = new Map<number, number[]>();
    const note = (lists: Map<number, number[]>, place: number, i: number): void => {
      const list = lists.get(place);
      if (list === undefined) lists.set(place, [i]);
      else list.push(i);
    };
    for (let i = 0; i < count; i++) {
      const instruction = instructions[first + i];
      this.#eachRead(instruction, (place) => note(readers, place, i));
      const written = this.#written(instruction);
      if (written >= 0) note(writers, written, i);
    }
    for (const [place, list] of readers) this.#reads[place] = list.length;
    for (const place of writers.keys()) this.#isWritten[place] = 0;
    const benefit = new Int32Array(count);
    for (const [place, list] of writers)
      if (!this.#isLiveIn(place, block)) for (const i of list) benefit[i] -= this.#size(place);
    const frees = (place: number): boolean => !this.#isLiveOut(place, block);
    for (const [place, list] of readers)
      if (list.length === 1 && frees(place)) benefit[list[0]] += this.#size(place);
    const isIssued = new Uint8Array(count);
    const issue = (i: number, changed: (instruction: number) => void): void => {
      isIssued[i] = 1;
      const instruction = instructions[first + i];
      const raise = (others: readonly number[] | undefined, by: number): void => {
        for (const other of others ?? []) {
          if (isIssued[other] === 1) continue;
          benefit[other] += by;
          changed(other);
        }
      };
      const written = this.#written(instruction);
      if (written >= 0 && this.#isWritten[written] === 0) {
        this.#isWritten[written] = 1;
        if (!this.#isLiveIn(written, block)) raise(writers.get(written), this.#size(written));
      }
      const last: number[] = [];
      this.#eachRead(instruction, (place) => {
        if (--this.#reads[place] === 1) last.push(place);
      });
      for (const place of last)
        if (this.#reads[place] === 1 && frees(place)) raise(readers.get(place), this.#size(place));
    };
    return { benefit, issue };
  }

  /** GRFs whose range contains the beginning of a block, payload among them. */
  atEntry(block: number): number {
    const { firstFree, blockStart, dialect } = this.#program;
    const first = blockStart[block];
    let grfs = this.#live.pressure.at(first) ?? 0;
    for (let grf = 0; grf < firstFree; grf++)
      if (dialect === 'vec4' || this.#payloadLastUse[grf] >= first) grfs++;
    return grfs;
  }

  #size(place: number): number {
    const { firstFree, registers } = this.#program;
    return place < firstFree ? 1 : registersOf(registers[place - firstFree]);
  }

  #written({ destinations }: Instruction): number {
    const destination = destinations.at(0);
    return destination?.file === 'virtual' ? this.#program.firstFree + destination.register : -1;
  }

  #eachRead(instruction: Instruction, visit: (place: number) => void): void {
    const { firstFree, dialect } = this.#program;
    const { sources } = instruction;
    for (let k = 0; k < sources.length; k++) {
      const source = sources[k];
      if (sources.slice(0, k).some((earlier) => isSame(earlier, source))) continue;
      if (source.file === 'virtual') visit(firstFree + source.register);
      else if (source.file === 'grf' && source.grf < firstFree) {
        const touched = registersTouched(source.offset, bytesRead(instruction, k, dialect));
        for (let grf = source.grf; grf < Math.min(firstFree, source.grf + touched); grf++) visit(grf);
      }
    }
  }

  /** Live into the block, or its range reaches over the block's beginning. */
  #isLiveIn(place: number, block: number): boolean {
    const register = place - this.#program.firstFree;
    return (
      (block > 0 && this.#crosses(register, this.#program.blockStart[block])) ||
      this.#hasVariable(register, (variable) => isLiveAtEntry(this.#live, variable, block))
    );
  }

  #isLiveOut(place: number, block: number): boolean {
    const { firstFree, blockStart } = this.#program;
    const end = blockStart[block + 1];
    if (place < firstFree) return this.#payloadLastUse[place] >= end - 1;
    const register = place - firstFree;
    return (
      (block + 2 < blockStart.length && this.#crosses(register, end)) ||
      this.#hasVariable(register, (variable) => isLiveAtExit(this.#live, variable, block))
    );
  }

  /** The range of a register lies on both sides of the beginning of instruction `at`. */
  #crosses(register: number, at: number): boolean {
    const { start, end } = this.#live;
    return start[register] >= 0 && start[register] < at && end[register] >= at;
  }

  #hasVariable(register: number, test: (variable: number) => boolean): boolean {
    const { variableStart } = this.#live;
    for (let variable = variableStart[register]; variable < variableStart[register + 1]; variable++)
      if (test(variable)) return true;
    return false;
  }
}

/** One block's counts, kept up to date while it is scheduled. */
export interface BlockPressure {
  /** By instruction of the block: GRFs that it would free if it came next. */
  readonly benefit: Int32Array;
  /** Tells that an instruction has been placed; calls `changed` for those whose benefit rises by it. */
  issue(instruction: number, changed: (instruction: number) => void): void;
}

function isSame(a: Operand, b: Operand): boolean {
  if (a.file === 'immediate' || b.file === 'immediate' || a.file !== b.file) return false;
  const place = (operand: typeof a): number =>
    operand.file === 'virtual' ? operand.register : operand.file === 'grf' ? operand.grf : operand.number;
  return (
    place(a) === place(b) &&
    a.offset === b.offset &&
    a.type === b.type &&
    a.stride === b.stride &&
    a.negate === b.negate &&
    a.absolute === b.absolute
  );
}
