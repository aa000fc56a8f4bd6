import { CodeKind, Elision, type AllocatedFunction } from '../ir/allocated.js';
import { InstructionFlag, OperandFlag, type Function } from '../ir/function.js';
import { physical } from '../ir/place.js';
import type { Cfg } from './cfg.js';
import { CodeWriter } from './code-writer.js';
import { EdgeMoves, keptAtEntry } from './edge-moves.js';
import { IntList } from '../ir/int-list.js';
import { isLiveAt, segmentAt, type LiveRanges } from './live-ranges.js';
import type { Liveness } from './liveness.js';
import { isDefinition, isUse, kills } from './occurrences.js';
import { RegisterState } from './register-state.js';
import { Removal } from './spill-choice.js';

/**
 * Writes the allocated program. Block by block, in reverse post-order, it keeps where each live register is:
 *
 * - a register goes to its home wherever that is free, so that blocks agree without copies;
 * - one that has no home, or finds it taken, goes elsewhere, and may be moved to make room for an aligned place;
 *   where two blocks disagree, the edge between them gets copies;
 * - a spilled register is reloaded into a temporary before an instruction that reads it and stored after one that
 *   writes it; a recomputed one is computed into a temporary.
 *
 * Second-chance binpacking (Traub, Holloway and Smith 1998) is the model, with homes for places to return to.
 * The result is undefined only when wide registers do not fit for fragmentation; fewer live registers cure that.
 */
export interface WalkInput {
  /** Without dead code; `dead` says which instructions that are. */
  readonly f: Function;
  readonly source: Function;
  readonly dead: Uint8Array;
  readonly cfg: Cfg;
  readonly liveness: Liveness;
  readonly ranges: LiveRanges;
  readonly removal: Uint8Array;
  /** The instruction that recomputes a register, for those that are. */
  readonly definer: Int32Array;
  /** Preferred first unit of each register, or -1. */
  readonly home: Int32Array;
  /** Units of each class. */
  readonly units: readonly number[];
  /** Units of each class that no virtual register may take. */
  readonly reserved: readonly (readonly number[])[];
  readonly slotOf: Int32Array;
  readonly slotUnits: Int32Array;
}

export interface WalkResult {
  readonly allocated: AllocatedFunction;
  /** Units taken after and during each source instruction, by class. */
  readonly after: readonly Uint16Array[];
  readonly during: readonly Uint16Array[];
  /** Pairs of register and source instruction. */
  readonly stores: Int32Array;
  readonly reloads: Int32Array;
  readonly copies: number;
  /** Where each register was first, or -1. */
  readonly firstPlace: Int32Array;
}

/** The result, or the class whose registers found no place. */
export function allocationWalk(input: WalkInput): WalkResult | { readonly failedClass: number } {
  const walk = new Walk(input);
  return walk.run() ?? { failedClass: walk.failedClass };
}

class Walk {
  private readonly state: RegisterState;
  private readonly writer: CodeWriter;
  private readonly edges: EdgeMoves;
  private readonly after: Uint16Array[];
  private readonly during: Uint16Array[];
  private readonly stores = new IntList();
  private readonly reloads = new IntList();
  private readonly entryStart: Int32Array;
  private readonly entryRegister: Int32Array;
  private readonly slotUnits: Int32Array;
  /** By register: the number of the step that defines it, and that gave it a fresh place without a value yet. */
  private readonly definedIn: Int32Array;
  private readonly freshIn: Int32Array;
  /** Places of operands that read a copy of their register, by operand, and of results that take over a place. */
  private readonly override = new Map<number, number>();
  private readonly inherited = new Map<number, number>();
  /** Operands that read nothing defined and must be where a result is, with that result's register. */
  private readonly undefinedTies: [number, number][] = [];
  /** Class of the register that found no place, when the walk fails. */
  failedClass = -1;
  /** The register that is recomputed and that the instruction defines, or -1. */
  private readonly recomputedBy: Int32Array;
  private copies = 0;
  private step = 0;

  constructor(private readonly input: WalkInput) {
    const { f, units } = input;
    this.state = new RegisterState(f.registerClass, f.registerWidth, units, input.reserved);
    this.writer = new CodeWriter(input.source);
    this.after = units.map(() => new Uint16Array(f.instructionCount));
    this.during = units.map(() => new Uint16Array(f.instructionCount));
    this.definedIn = new Int32Array(f.registerCount);
    this.freshIn = new Int32Array(f.registerCount);
    this.slotUnits = input.slotUnits.slice();
    this.recomputedBy = new Int32Array(f.instructionCount).fill(-1);
    for (let r = 0; r < f.registerCount; r++)
      if (input.removal[r] === Removal.Recomputed) this.recomputedBy[input.definer[r]] = r;
    [this.entryStart, this.entryRegister] = keptAtEntry(input);
    this.edges = new EdgeMoves(input, this.entryStart, this.entryRegister);
  }

  run(): WalkResult | undefined {
    const { cfg } = this.input;
    for (const block of cfg.order) if (!this.block(block)) return undefined;
    for (let b = 0; b < cfg.blockCount; b++) if (cfg.orderOf[b] < 0 && !this.block(b)) return undefined;
    this.copies += this.edges.resolve(this.writer, this.state.unitsUsed, this.slotUnits);
    return {
      allocated: this.writer.finish(this.state.unitsUsed, this.slotUnits),
      after: this.after,
      during: this.during,
      stores: this.stores.view(),
      reloads: this.reloads.view(),
      copies: this.copies,
      firstPlace: this.state.firstPlace,
    };
  }

  private block(block: number): boolean {
    const { f } = this.input;
    const begin = this.writer.length;
    if (!this.enter(block)) return false;
    const end = f.blockStart[block + 1];
    for (let i = f.blockStart[block]; i < end; i++) {
      if (!this.instruction(i, i + 1 === end)) return false;
      this.recordPressure(i);
    }
    this.edges.leave(block, this.state);
    this.writer.piece(block, begin);
    return true;
  }

  /** Places of what is live at the entry: homes first, then where a predecessor has it, then anywhere. */
  private enter(block: number): boolean {
    const { state } = this;
    const { f, home } = this.input;
    state.clear();
    const homeless: number[] = [];
    for (let k = this.entryStart[block]; k < this.entryStart[block + 1]; k++) {
      const r = this.entryRegister[k];
      if (state.isFree(f.registerClass[r], home[r], f.registerWidth[r])) state.put(r, home[r]);
      else homeless.push(r);
    }
    homeless.sort((a, b) => f.registerWidth[b] - f.registerWidth[a] || a - b);
    for (const r of homeless) {
      const before = this.edges.exitPlace(block, r);
      const c = f.registerClass[r];
      const width = f.registerWidth[r];
      const unit = state.isFree(c, before, width) ? before : state.findFree(c, width);
      if (unit < 0) return this.repack(block);
      state.put(r, unit);
    }
    this.edges.enter(block, state);
    return true;
  }

  private repack(block: number): boolean {
    const { state } = this;
    const { f } = this.input;
    state.clear();
    const registers = Array.from(
      this.entryRegister.subarray(this.entryStart[block], this.entryStart[block + 1]),
    );
    registers.sort((a, b) => f.registerWidth[b] - f.registerWidth[a] || a - b);
    for (const r of registers) {
      const unit = state.findFree(f.registerClass[r], f.registerWidth[r]);
      if (unit < 0) return this.fail(f.registerClass[r]);
      state.put(r, unit);
    }
    this.edges.enter(block, state);
    return true;
  }

  private fail(registerClass: number): boolean {
    this.failedClass = registerClass;
    return false;
  }

  private instruction(i: number, isLast: boolean): boolean {
    const { f, dead } = this.input;
    if (dead[i]) {
      this.writer.emit(CodeKind.Elided, i, -1, -1, Elision.Dead);
      return true;
    }
    if (this.recomputedBy[i] >= 0) {
      this.writer.emit(CodeKind.Elided, i, this.recomputedBy[i], -1, Elision.Recomputed);
      return true;
    }
    this.step++;
    this.state.nextInstruction();
    if (this.override.size > 0) this.override.clear();
    if (this.inherited.size > 0) this.inherited.clear();
    this.undefinedTies.length = 0;
    for (let o = f.operandStart[i]; o < f.operandStart[i + 1]; o++)
      if (f.operandPlace[o] >= 0 && isDefinition(f, o)) this.definedIn[f.operandPlace[o]] = this.step;

    const temporaries = this.wantedTemporaries(i);
    for (const r of temporaries) if (!this.take(r, i, -1) || !this.fetch(r, i)) return false;
    if (!this.tie(i)) return false;
    this.notePressure(i);
    const dying = this.release(i, temporaries);
    if (!this.placeResults(i)) return false;
    for (const [operand, result] of this.undefinedTies) this.override.set(operand, this.state.place[result]);
    this.notePressure(i);
    this.emitOriginal(i);
    for (const r of dying) if (this.definedIn[r] !== this.step) this.state.forget(r);
    this.finishResults(i, isLast);
    return true;
  }

  /** Removed registers whose value the instruction needs, the widest first. */
  private wantedTemporaries(i: number): number[] {
    const { f, removal, ranges } = this.input;
    let found: number[] | undefined;
    for (let o = f.operandStart[i]; o < f.operandStart[i + 1]; o++) {
      const r = f.operandPlace[o];
      if (r < 0 || removal[r] === Removal.None || found?.includes(r)) continue;
      if (!isUse(f, o) && (!isDefinition(f, o) || kills(f, o))) continue;
      if (!isLiveAt(ranges, r, 2 * i)) continue;
      (found ??= []).push(r);
    }
    if (!found) return NOTHING;
    return found.length > 1 ? found.sort((a, b) => f.registerWidth[b] - f.registerWidth[a] || a - b) : found;
  }

  /** Gives `r` a place, `hint` if that is free, moving others if need be. */
  private take(r: number, i: number, hint: number): boolean {
    const { f } = this.input;
    const c = f.registerClass[r];
    const width = f.registerWidth[r];
    const unit = this.state.isFree(c, hint, width) ? hint : this.state.findFree(c, width);
    if (unit >= 0) {
      this.state.put(r, unit);
      return true;
    }
    const room = this.state.room(c, width, (register) => this.freshIn[register] !== this.step);
    if (!room) return this.fail(c);
    for (const { register, to } of room.moves) {
      this.copy(register, this.state.place[register], to, i);
      this.state.vacate(register);
      this.state.put(register, to);
    }
    this.state.put(r, room.unit);
    return true;
  }

  private copy(register: number, from: number, to: number, i: number): void {
    const c = this.input.f.registerClass[register];
    this.writer.emit(CodeKind.Copy, i, register, -1, Elision.None);
    this.writer.operand(physical(c, to));
    this.writer.operand(physical(c, from));
    this.copies++;
  }

  /** Brings a removed register's value into its temporary. */
  private fetch(r: number, i: number): boolean {
    const { f, removal, definer, slotOf, source } = this.input;
    const place = physical(f.registerClass[r], this.state.place[r]);
    if (removal[r] === Removal.Recomputed) {
      const again = definer[r];
      this.writer.emit(CodeKind.Recompute, again, r, -1, Elision.None);
      for (let o = source.operandStart[again]; o < source.operandStart[again + 1]; o++)
        this.writer.operand(source.operandPlace[o] === r ? place : source.operandPlace[o]);
      return true;
    }
    this.writer.emit(CodeKind.Reload, i, r, slotOf[r], Elision.None);
    this.writer.operand(place);
    this.reloads.push(r);
    this.reloads.push(i);
    return true;
  }

  /**
   * Operands that must share a place: a result takes over the place of a value that dies here; a value that lives on
   * is copied to the result's place first.
   */
  private tie(i: number): boolean {
    const { f, ranges } = this.input;
    for (let o = f.operandStart[i]; o < f.operandStart[i + 1]; o++) {
      const tied = f.operandTied[o];
      if (tied < 0 || !isDefinition(f, o)) continue;
      const to = f.operandPlace[o];
      const from = f.operandPlace[tied];
      if (to < 0 || from < 0 || to === from || this.state.place[to] >= 0) continue;
      if (f.registerClass[to] !== f.registerClass[from] || f.registerWidth[to] !== f.registerWidth[from])
        continue;
      if (this.state.place[from] < 0) {
        this.undefinedTies.push([tied, to]);
        continue;
      }
      const livesOn = isLiveAt(ranges, from, 2 * i + 1) && this.input.removal[from] === Removal.None;
      if (!livesOn && this.definedIn[from] !== this.step && !this.isInherited(this.state.place[from])) {
        this.inherited.set(to, this.state.place[from]);
        continue;
      }
      if (!this.take(to, i, this.input.home[to])) return false;
      this.freshIn[to] = this.step;
      this.copy(from, this.state.place[from], this.state.place[to], i);
      this.override.set(tied, this.state.place[to]);
    }
    return true;
  }

  private isInherited(unit: number): boolean {
    for (const place of this.inherited.values()) if (place === unit) return true;
    return false;
  }

  /** Frees the places of registers that the instruction reads for the last time; `place` still names them. */
  private release(i: number, temporaries: readonly number[]): readonly number[] {
    const { f, ranges, removal } = this.input;
    let dying: number[] | undefined;
    for (const r of temporaries) if (this.freeRead(r)) (dying ??= []).push(r);
    for (let o = f.operandStart[i]; o < f.operandStart[i + 1]; o++) {
      const r = f.operandPlace[o];
      if (r < 0 || removal[r] !== Removal.None || !isUse(f, o) || this.state.place[r] < 0) continue;
      if (dying?.includes(r) || isLiveAt(ranges, r, 2 * i + 1)) continue;
      if (this.freeRead(r)) (dying ??= []).push(r);
    }
    return dying ?? NOTHING;
  }

  /** Frees the place of a register that was read, unless this instruction has already defined it again. */
  private freeRead(r: number): boolean {
    this.state.markRead(r);
    if (this.definedIn[r] === this.step) return false;
    this.state.vacate(r);
    return true;
  }

  private placeResults(i: number): boolean {
    const { f, home, removal } = this.input;
    let fresh: number[] | undefined;
    for (let o = f.operandStart[i]; o < f.operandStart[i + 1]; o++) {
      const r = f.operandPlace[o];
      if (r < 0 || !isDefinition(f, o) || this.state.place[r] >= 0 || fresh?.includes(r)) continue;
      (fresh ??= []).push(r);
    }
    if (!fresh) return true;
    const { inherited } = this;
    const rank = (r: number): number => (inherited.has(r) ? 0xffff : f.registerWidth[r]);
    if (fresh.length > 1) fresh.sort((a, b) => rank(b) - rank(a) || a - b);
    for (const r of fresh) {
      const preferred = inherited.get(r) ?? (removal[r] === Removal.None ? home[r] : -1);
      if (!this.take(r, i, preferred >= 0 ? preferred : this.copySource(i))) return false;
      this.freshIn[r] = this.step;
    }
    return true;
  }

  /** Where a copy's source is (or was until now), else -1. */
  private copySource(i: number): number {
    const { f } = this.input;
    if ((f.instructionFlags[i] & InstructionFlag.Copy) === 0) return -1;
    const source = f.operandPlace[f.operandStart[i] + 1];
    return source >= 0 ? this.state.place[source] : -1;
  }

  private emitOriginal(i: number): void {
    const { f } = this.input;
    const begin = f.operandStart[i];
    const end = f.operandStart[i + 1];
    if ((f.instructionFlags[i] & InstructionFlag.Copy) !== 0 && end - begin >= 2) {
      const to = f.operandPlace[begin];
      const from = f.operandPlace[begin + 1];
      if (to >= 0 && from >= 0 && to !== from && this.state.place[to] === this.state.place[from]) {
        this.writer.emit(CodeKind.Elided, i, to, -1, Elision.Copy);
        return;
      }
    }
    this.writer.emit(CodeKind.Original, i, -1, -1, Elision.None);
    for (let o = begin; o < end; o++) {
      const place = f.operandPlace[o];
      if (place < 0) {
        this.writer.operand(place);
        continue;
      }
      const unit = this.override.get(o) ?? this.placeOrAny(place);
      this.writer.operand(physical(f.registerClass[place], unit));
    }
  }

  /** A use that nothing defines reads whatever there is. */
  private placeOrAny(register: number): number {
    const { state } = this;
    if (state.place[register] >= 0) return state.place[register];
    const c = this.input.f.registerClass[register];
    state.unitsUsed[c] = Math.max(state.unitsUsed[c], this.input.f.registerWidth[register]);
    return 0;
  }

  /** Stores results that live in memory and frees what nobody reads. */
  private finishResults(i: number, isLast: boolean): void {
    const { f, ranges, removal, slotOf } = this.input;
    for (let o = f.operandStart[i]; o < f.operandStart[i + 1]; o++) {
      const r = f.operandPlace[o];
      if (r < 0 || (f.operandFlags[o] & OperandFlag.Definition) === 0 || this.state.place[r] < 0) continue;
      const segment = segmentAt(ranges, r, 2 * i + 1);
      const isRead = isLast || (segment >= 0 && ranges.segmentTo[segment] > 2 * i + 2);
      if (removal[r] === Removal.None && isRead) continue;
      if (removal[r] === Removal.Spilled && isRead) {
        this.writer.emit(CodeKind.Store, i, r, slotOf[r], Elision.None);
        this.writer.operand(physical(f.registerClass[r], this.state.place[r]));
        this.stores.push(r);
        this.stores.push(i);
      }
      this.state.vacate(r);
      this.state.forget(r);
    }
  }

  private notePressure(i: number): void {
    for (let c = 0; c < this.during.length; c++)
      if (this.state.used[c] > this.during[c][i]) this.during[c][i] = this.state.used[c];
  }

  private recordPressure(i: number): void {
    for (let c = 0; c < this.after.length; c++) {
      this.after[c][i] = this.state.used[c];
      if (this.after[c][i] > this.during[c][i]) this.during[c][i] = this.after[c][i];
    }
  }
}

const NOTHING: readonly number[] & number[] = [];
