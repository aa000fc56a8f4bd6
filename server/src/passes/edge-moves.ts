import { CodeKind, Elision } from '../ir/allocated.js';
import { InstructionFlag, type Function } from '../ir/function.js';
import { physical } from '../ir/place.js';
import { alignmentOf } from './alignment.js';
import type { Cfg } from './cfg.js';
import type { CodeWriter } from './code-writer.js';
import { isLiveAtExit, type Liveness } from './liveness.js';
import type { RegisterState } from './register-state.js';

/**
 * Where blocks leave registers and where the next ones expect them. Only registers away from home are recorded, so
 * a function without such costs nothing. The moves of an edge happen at once in meaning and one after the other in
 * code: a move waits until nobody reads its target any more; a ring is opened through a free place, or through a
 * scratch slot when every register is taken.
 */
interface EdgeInput {
  readonly f: Function;
  readonly cfg: Cfg;
  readonly liveness: Liveness;
  readonly removal: Uint8Array;
  readonly home: Int32Array;
  readonly units: readonly number[];
  readonly reserved: readonly (readonly number[])[];
}

interface Move {
  readonly register: number;
  from: number;
  readonly to: number;
  /** First unit of the scratch slot that holds the value, once saved there. */
  slot: number;
}

const NONE: ReadonlyMap<number, number> = new Map();

export class EdgeMoves {
  /** By block: registers away from home, and where. */
  private readonly entry: (ReadonlyMap<number, number> | undefined)[];
  private readonly exit: (ReadonlyMap<number, number> | undefined)[];

  constructor(
    private readonly input: EdgeInput,
    private readonly entryStart: Int32Array,
    private readonly entryRegister: Int32Array,
  ) {
    this.entry = new Array<undefined>(input.f.blockCount).fill(undefined);
    this.exit = new Array<undefined>(input.f.blockCount).fill(undefined);
  }

  enter(block: number, state: RegisterState): void {
    this.entry[block] = this.awayFromHome(state);
  }

  leave(block: number, state: RegisterState): void {
    this.exit[block] = this.awayFromHome(state);
  }

  /** Where a predecessor that is done leaves a register that is away from home, or -1. */
  exitPlace(block: number, register: number): number {
    const { predecessorStart, predecessors } = this.input.cfg;
    for (let e = predecessorStart[block]; e < predecessorStart[block + 1]; e++) {
      const place = this.exit[predecessors[e]]?.get(register);
      if (place !== undefined) return place;
    }
    return -1;
  }

  private awayFromHome(state: RegisterState): ReadonlyMap<number, number> {
    const { home } = this.input;
    let away: Map<number, number> | undefined;
    for (const occupant of state.occupant) {
      for (let u = 0; u < occupant.length; u++) {
        const r = occupant[u];
        if (r < 0 || state.place[r] !== u || home[r] === u) continue;
        (away ??= new Map()).set(r, u);
      }
    }
    return away ?? NONE;
  }

  /** Writes the moves of all edges; returns how many operations. */
  resolve(writer: CodeWriter, unitsUsed: Int32Array, slotUnits: Int32Array): number {
    const { f } = this.input;
    let count = 0;
    for (let from = 0; from < f.blockCount; from++) {
      for (let e = f.successorStart[from]; e < f.successorStart[from + 1]; e++) {
        const to = f.successors[e];
        const moves = this.movesOf(from, to);
        if (moves.length === 0) continue;
        const begin = writer.length;
        this.sequence(moves, from, to, writer, unitsUsed, slotUnits);
        count += writer.length - begin;
        this.attach(from, to, begin, writer);
      }
    }
    return count;
  }

  private attach(from: number, to: number, begin: number, writer: CodeWriter): void {
    const { f } = this.input;
    const last = f.blockStart[from + 1] - 1;
    const isOnly = f.successorStart[from + 1] - f.successorStart[from] === 1;
    const branches = last >= f.blockStart[from] && (f.instructionFlags[last] & InstructionFlag.Branch) !== 0;
    if (isOnly && !branches) writer.piece(from, begin);
    else if (isOnly && !this.hasRegisters(last)) writer.pieceBeforeLast(from, begin);
    else writer.splitEdge(from, to, begin);
  }

  private hasRegisters(instruction: number): boolean {
    const { f } = this.input;
    for (let o = f.operandStart[instruction]; o < f.operandStart[instruction + 1]; o++)
      if (f.operandPlace[o] >= 0) return true;
    return false;
  }

  private movesOf(from: number, to: number): Move[] {
    const { home, removal } = this.input;
    const exit = this.exit[from] ?? NONE;
    const entry = this.entry[to] ?? NONE;
    if (exit.size === 0 && entry.size === 0) return [];
    const moves: Move[] = [];
    for (let k = this.entryStart[to]; k < this.entryStart[to + 1]; k++) {
      const register = this.entryRegister[k];
      if (removal[register] !== 0 || !isLiveAtExit(this.input.liveness, register, from)) continue;
      const source = exit.get(register) ?? home[register];
      const target = entry.get(register) ?? home[register];
      if (source !== target) moves.push({ register, from: source, to: target, slot: -1 });
    }
    return moves;
  }

  private sequence(
    moves: Move[],
    from: number,
    to: number,
    writer: CodeWriter,
    unitsUsed: Int32Array,
    slotUnits: Int32Array,
  ): void {
    const { f, units } = this.input;
    const anchor = Math.max(0, f.blockStart[from + 1] - 1);
    for (let c = 0; c < units.length; c++) {
      let pending = moves.filter(({ register }) => f.registerClass[register] === c);
      if (pending.length === 0) continue;
      const taken = this.takenOn(from, to, c);
      while (pending.length > 0) {
        const readers = new Int32Array(units[c]);
        for (const { register, from: source, slot } of pending)
          if (slot < 0) for (let u = source; u < source + f.registerWidth[register]; u++) readers[u]++;
        const ready = pending.filter((move) => this.isReady(move, readers));
        for (const move of ready) emitMove(writer, c, move, anchor);
        if (ready.length > 0) {
          pending = pending.filter((move) => !ready.includes(move));
          continue;
        }
        const opened = pending.find(({ slot }) => slot < 0)!;
        const width = f.registerWidth[opened.register];
        const free = firstFree(taken, width);
        if (free >= 0) {
          emitMove(writer, c, { ...opened, to: free }, anchor);
          opened.from = free;
          taken.fill(1, free, free + width);
          unitsUsed[c] = Math.max(unitsUsed[c], free + width);
          continue;
        }
        const step = alignmentOf(width);
        opened.slot = Math.ceil(slotUnits[c] / step) * step;
        slotUnits[c] = opened.slot + width;
        writer.emit(CodeKind.Store, anchor, opened.register, opened.slot, Elision.None);
        writer.operand(physical(c, opened.from));
      }
    }
  }

  /** Nobody but the move itself reads a unit that it writes. */
  private isReady({ register, from, to, slot }: Move, readers: Int32Array): boolean {
    const width = this.input.f.registerWidth[register];
    for (let u = to; u < to + width; u++) {
      const own = slot < 0 && u >= from && u < from + width ? 1 : 0;
      if (readers[u] > own) return false;
    }
    return true;
  }

  /** Units that hold a value on either side of the edge. */
  private takenOn(from: number, to: number, registerClass: number): Uint8Array {
    const { f, home, liveness, units, reserved } = this.input;
    const taken = new Uint8Array(units[registerClass]);
    for (const unit of reserved[registerClass]) taken[unit] = 1;
    const exit = this.exit[from] ?? NONE;
    const entry = this.entry[to] ?? NONE;
    const mark = (register: number, place: number): void => {
      if (place >= 0) taken.fill(1, place, place + f.registerWidth[register]);
    };
    for (let k = this.entryStart[to]; k < this.entryStart[to + 1]; k++) {
      const register = this.entryRegister[k];
      if (f.registerClass[register] !== registerClass) continue;
      mark(register, entry.get(register) ?? home[register]);
      if (isLiveAtExit(liveness, register, from)) mark(register, exit.get(register) ?? home[register]);
    }
    return taken;
  }
}

function emitMove(writer: CodeWriter, registerClass: number, move: Move, anchor: number): void {
  if (move.slot >= 0) {
    writer.emit(CodeKind.Reload, anchor, move.register, move.slot, Elision.None);
    writer.operand(physical(registerClass, move.to));
    return;
  }
  writer.emit(CodeKind.Copy, anchor, move.register, -1, Elision.None);
  writer.operand(physical(registerClass, move.to));
  writer.operand(physical(registerClass, move.from));
}

function firstFree(taken: Uint8Array, width: number): number {
  for (let unit = 0; unit + width <= taken.length; unit += alignmentOf(width))
    if (!taken.subarray(unit, unit + width).includes(1)) return unit;
  return -1;
}

/** Registers that are live at each block's entry and kept in registers: those of block b are `register[start[b] .. start[b + 1]]`. */
export function keptAtEntry({
  f,
  liveness,
  removal,
}: Pick<EdgeInput, 'f' | 'liveness' | 'removal'>): [Int32Array, Int32Array] {
  const { start: runStart, from, to } = liveness.entry;
  const start = new Int32Array(f.blockCount + 1);
  const each = (visit: (register: number, block: number) => void): void => {
    for (let r = 0; r < f.registerCount; r++) {
      if (removal[r] !== 0) continue;
      for (let k = runStart[r]; k < runStart[r + 1]; k++) for (let b = from[k]; b < to[k]; b++) visit(r, b);
    }
  };
  each((_, b) => start[b + 1]++);
  for (let b = 0; b < f.blockCount; b++) start[b + 1] += start[b];
  const register = new Int32Array(start[f.blockCount]);
  const fill = start.slice(0, f.blockCount);
  each((r, b) => {
    register[fill[b]++] = r;
  });
  return [start, register];
}
