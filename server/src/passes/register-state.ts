import { alignmentOf } from './alignment.js';

/** In place of a register's number. */
const FREE = -1;
const RESERVED = -2;

/**
 * Which virtual register is where at one point of the allocation walk: one table from registers to places, one from
 * units to registers, kept in step. A place is the first unit, or -1.
 */
export class RegisterState {
  readonly place: Int32Array;
  readonly occupant: readonly Int32Array[];
  readonly used: Int32Array;
  /** The first place that each register ever had, or -1. */
  readonly firstPlace: Int32Array;
  /** Highest unit ever taken, plus one, by class. */
  readonly unitsUsed: Int32Array;
  /** Units whose old value the current instruction reads although they are free for its results. */
  private readonly readStamp: readonly Int32Array[];
  private stamp = 1;

  constructor(
    private readonly registerClass: Uint8Array,
    private readonly registerWidth: Uint16Array,
    readonly units: readonly number[],
    reserved: readonly (readonly number[])[],
  ) {
    this.place = new Int32Array(registerClass.length).fill(-1);
    this.firstPlace = new Int32Array(registerClass.length).fill(-1);
    this.occupant = units.map((n) => new Int32Array(n).fill(FREE));
    this.readStamp = units.map((n) => new Int32Array(n));
    this.used = new Int32Array(units.length);
    this.unitsUsed = Int32Array.from(units, (_, c) => Math.max(0, ...reserved[c].map((unit) => unit + 1)));
    for (let c = 0; c < units.length; c++) for (const unit of reserved[c]) this.occupant[c][unit] = RESERVED;
  }

  clear(): void {
    for (let c = 0; c < this.occupant.length; c++) {
      const occupant = this.occupant[c];
      for (let u = 0; u < occupant.length; u++) {
        if (occupant[u] < 0) continue;
        this.place[occupant[u]] = -1;
        occupant[u] = FREE;
      }
      this.used[c] = 0;
    }
  }

  nextInstruction(): void {
    this.stamp++;
  }

  isFree(registerClass: number, unit: number, width: number): boolean {
    const occupant = this.occupant[registerClass];
    if (unit < 0 || unit + width > occupant.length) return false;
    for (let u = unit; u < unit + width; u++) if (occupant[u] !== FREE) return false;
    return true;
  }

  /** The lowest free aligned place, or -1. */
  findFree(registerClass: number, width: number): number {
    const step = alignmentOf(width);
    const last = this.occupant[registerClass].length - width;
    if (this.used[registerClass] + width > this.occupant[registerClass].length) return -1;
    for (let unit = 0; unit <= last; unit += step) if (this.isFree(registerClass, unit, width)) return unit;
    return -1;
  }

  put(register: number, unit: number): void {
    const c = this.registerClass[register];
    const end = unit + this.registerWidth[register];
    this.occupant[c].fill(register, unit, end);
    this.place[register] = unit;
    if (this.firstPlace[register] < 0) this.firstPlace[register] = unit;
    this.used[c] += end - unit;
    if (end > this.unitsUsed[c]) this.unitsUsed[c] = end;
  }

  /** Frees the units; `place` still says where the value was, until `forget`. */
  vacate(register: number): void {
    const c = this.registerClass[register];
    const unit = this.place[register];
    this.occupant[c].fill(FREE, unit, unit + this.registerWidth[register]);
    this.used[c] -= this.registerWidth[register];
  }

  forget(register: number): void {
    this.place[register] = -1;
  }

  /** The current instruction still reads these units: nothing may be copied there before it. */
  markRead(register: number): void {
    const unit = this.place[register];
    this.readStamp[this.registerClass[register]].fill(this.stamp, unit, unit + this.registerWidth[register]);
  }

  /**
   * Makes room for an aligned place of `width` units by moving what lies scattered, without copies over values that
   * are still read. `mayMove` excludes registers that have no value yet. Gives the moves in order (they do not
   * depend on each other) and the place, or undefined when nothing helps. The state is as before the moves.
   */
  room(
    registerClass: number,
    width: number,
    mayMove: (register: number) => boolean,
  ): { readonly unit: number; readonly moves: readonly { register: number; to: number }[] } | undefined {
    const occupant = this.occupant[registerClass];
    const step = alignmentOf(width);
    const windows: { unit: number; taken: number }[] = [];
    for (let unit = 0; unit + width <= occupant.length; unit += step) {
      const window = occupant.subarray(unit, unit + width);
      if (window.includes(RESERVED)) continue;
      let taken = 0;
      for (const register of window) if (register !== FREE) taken++;
      windows.push({ unit, taken });
    }
    windows.sort((a, b) => a.taken - b.taken || a.unit - b.unit);
    for (const { unit } of windows) {
      const moves = this.movesFrom(registerClass, unit, width, mayMove);
      if (moves) return { unit, moves };
    }
    return undefined;
  }

  private movesFrom(
    registerClass: number,
    window: number,
    width: number,
    mayMove: (register: number) => boolean,
  ): { register: number; to: number }[] | undefined {
    const occupant = this.occupant[registerClass].slice();
    const read = this.readStamp[registerClass];
    const registers = new Set<number>();
    for (let u = window; u < window + width; u++) if (occupant[u] >= 0) registers.add(occupant[u]);
    const moves: { register: number; to: number }[] = [];
    const byWidth = [...registers].sort((a, b) => this.registerWidth[b] - this.registerWidth[a] || a - b);
    for (const register of byWidth) {
      const from = this.place[register];
      const size = this.registerWidth[register];
      if (!mayMove(register) || from < window || from + size > window + width) return undefined;
      const step = alignmentOf(size);
      let target = -1;
      for (let unit = 0; unit + size <= occupant.length && target < 0; unit += step) {
        if (unit + size > window && unit < window + width) continue;
        let free = true;
        for (let u = unit; u < unit + size && free; u++)
          free = occupant[u] === FREE && read[u] !== this.stamp;
        if (free) target = unit;
      }
      if (target < 0) return undefined;
      occupant.fill(register, target, target + size);
      moves.push({ register, to: target });
    }
    return moves;
  }
}
