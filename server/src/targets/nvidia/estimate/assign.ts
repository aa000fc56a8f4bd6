import { OperandFlag, type Function } from '../../../ir/function.js';
import type { Bundles } from '../../../passes/bundles.js';
import { UnitOccupation } from '../../../passes/interference.js';
import { isUse, type Occurrences } from '../../../passes/occurrences.js';
import { machine } from '../architectures.js';
import { isSaved, keptAcrossCalls } from '../code/calls/convention.js';
import type { MachineCode } from '../code/code.js';
import type { Groups } from './groups.js';
import { rolesOf } from './roles.js';

/**
 * Which registers ptxas gives to the values, found by probes and by giving the values of its own machine code places
 * again (ptxas 13.0, sm_75 to sm_120, all alike): in the order of definition each the lowest register that is free all
 * its life, but
 * - where it can be had, one of another bank (even, odd) than the other sources of the instructions that read it: the
 *   data of a store at an address in a pair goes to an odd register, the two factors of a product into different
 *   banks;
 * - where it can be had, one that no memory instruction has read in the last 11 instructions: those read late, and
 *   to write the register again would have to wait for them. Addresses and data that change from access to access so
 *   take about six registers in turn;
 * - where it can be had, the register of a source that dies where the value is defined, rather than one of another bank
 *   than sources that are only partly known. A load's result takes the register of its address so: of the global
 *   loads of dev whose address dies with them, nine in ten with results of 64 bits do, half of those with 32.
 * The first two wishes fall when there is no such register below the budget.
 */
export interface Wishes {
  readonly banks: boolean;
  readonly lateReads: boolean;
}

/** Instructions between a late read of a register and the first write that need not wait (probes: 10 are not enough). */
const LATE = 11;

/**
 * ptxas orders instructions once more after it has chosen registers, so it keeps more distance to what it may still
 * move: not to the volatile accesses of the probes. Of 0 to 5 instructions more, 3 fits the kernels of dev best; those of
 * generated, which were not looked at for it, agree.
 */
const MOVABLE = 3;

/** Uses of one value that are asked for their banks; more do not change the vote. */
const MOST_VOTES = 8;

/** The values of a function and what has to be known of them to give them places. */
export interface Values {
  readonly code: MachineCode;
  readonly occurrences: Occurrences;
  readonly bundles: Bundles;
  readonly groups: Groups;
  /** The general bundles in the order of their first definition. */
  readonly order: Int32Array;
  /** The registers of bundle b: `registers[registerStart[b] .. registerStart[b + 1]]`. */
  readonly registerStart: Int32Array;
  readonly registers: Int32Array;
  /** By bundle: the last instruction that reads it late, long ago for none. */
  readonly lastLateRead: Int32Array;
  /** By bundle: 1 where it must be in a register that calls leave alone; absent without such calls. */
  readonly kept: Uint8Array | undefined;
}

export function valuesOf(
  code: MachineCode,
  occurrences: Occurrences,
  bundles: Bundles,
  groups: Groups,
): Values {
  const { f } = code;
  const count = bundles.width.length;
  const registerStart = new Int32Array(count + 1);
  for (let r = 0; r < f.registerCount; r++)
    if (bundles.bundleOf[r] >= 0) registerStart[bundles.bundleOf[r] + 1]++;
  for (let b = 0; b < count; b++) registerStart[b + 1] += registerStart[b];
  const registers = new Int32Array(registerStart[count]);
  const fill = registerStart.slice(0, count);
  for (let r = 0; r < f.registerCount; r++)
    if (bundles.bundleOf[r] >= 0) registers[fill[bundles.bundleOf[r]]++] = r;
  const lastLateRead = new Int32Array(count).fill(-LATE);
  for (let i = 0; i < f.instructionCount; i++) {
    const { readsLate, isFixed } = rolesOf(f.opcodes, f.opcode[i]);
    if (!readsLate) continue;
    for (let o = f.operandStart[i]; o < f.operandStart[i + 1]; o++) {
      const r = f.operandPlace[o];
      if (r >= 0 && bundles.bundleOf[r] >= 0 && isUse(f, o))
        lastLateRead[bundles.bundleOf[r]] = i + (isFixed ? 0 : MOVABLE);
    }
  }
  const order = byFirstPoint(bundles, registerStart, f.instructionCount);
  const kept = keptAcrossCalls(f, bundles);
  return { code, occurrences, bundles, groups, order, registerStart, registers, lastLateRead, kept };
}

const NOWHERE = -1;

/** The bundles that hold anything, by their first point: a counting sort, since points are small numbers. */
function byFirstPoint(
  { start, from }: Bundles,
  registerStart: Int32Array,
  instructionCount: number,
): Int32Array {
  const isKept = (b: number): boolean => start[b] < start[b + 1] && registerStart[b] < registerStart[b + 1];
  const place = new Int32Array(2 * instructionCount + 1);
  for (let b = 0; b + 1 < start.length; b++) if (isKept(b)) place[from[start[b]] + 1]++;
  for (let p = 0; p < 2 * instructionCount; p++) place[p + 1] += place[p];
  const order = new Int32Array(place[2 * instructionCount]);
  for (let b = 0; b + 1 < start.length; b++) if (isKept(b)) order[place[from[start[b]]]++] = b;
  return order;
}

/** The number of registers used, R0 and R1 counted, when every value finds its place below `budget`; else -1. */
export function assign(values: Values, budget: number, wishes: Wishes): number {
  return new Assignment(values, budget, wishes).run();
}

class Assignment {
  private readonly f: Function;
  private readonly home: Int32Array;
  private readonly file: UnitOccupation;
  /** By register of the machine: the last instruction that reads it late. */
  private readonly lateRead: Int32Array;
  private highest: number = machine.stackPointer;
  private firm = 0;
  private weak = 0;

  constructor(
    private readonly values: Values,
    private readonly budget: number,
    private readonly wishes: Wishes,
  ) {
    this.f = values.code.f;
    this.home = new Int32Array(values.bundles.width.length).fill(NOWHERE);
    this.file = new UnitOccupation(budget, [machine.stackPointer]);
    this.lateRead = new Int32Array(budget).fill(-LATE);
  }

  run(): number {
    const { order, bundles, code } = this.values;
    let next = 0;
    for (const b of order) {
      const point = bundles.from[bundles.start[b]];
      for (; 2 * next < point; next++) if (!this.placeTemporaries(next, code.temporaries[next])) return -1;
      if (this.home[b] === NOWHERE && !this.place(b, point)) return -1;
    }
    for (; next < this.f.instructionCount; next++)
      if (!this.placeTemporaries(next, code.temporaries[next])) return -1;
    return this.highest + 1;
  }

  /** What an instruction needs while it runs, in the lowest registers that are free then. */
  private placeTemporaries(instruction: number, count: number): boolean {
    if (count === 0) return true;
    const from = Int32Array.of(2 * instruction);
    const to = Int32Array.of(2 * instruction + 2);
    let u = 0;
    for (let left = count; left > 0; u++) {
      if (u >= this.budget) return false;
      if (!this.file.isFree(u, from, to, 0, 1)) continue;
      this.file.take(u, from, to, 0, 1);
      this.highest = Math.max(this.highest, u);
      left--;
    }
    return true;
  }

  private place(first: number, point: number): boolean {
    const { groups } = this.values;
    const width = groups.width[first];
    const step = groups.alignment[first];
    const late = this.wishes.lateReads;
    this.firm = 0;
    this.weak = 0;
    if (this.wishes.banks && width === 1) this.askForBank(first);
    const firm = bankOf(this.firm);
    const bank = firm < 0 ? bankOf(this.weak) : firm;
    let at = this.dyingSource(first, point, firm, late);
    if (at === NOWHERE && bank >= 0) at = this.lowest(first, point, bank, 2, late);
    if (at === NOWHERE) at = this.lowest(first, point, 0, step, late);
    if (at === NOWHERE && late) at = this.lowest(first, point, 0, step, false);
    if (at === NOWHERE) return false;
    let b = first;
    do {
      this.settle(b, at + groups.offset[b] - groups.offset[first], point);
      b = groups.next[b];
    } while (b !== first);
    return true;
  }

  private settle(b: number, at: number, point: number): void {
    const { bundles, lastLateRead } = this.values;
    this.home[b] = at;
    for (let u = at; u < at + bundles.width[b]; u++) {
      this.file.take(u, bundles.from, bundles.to, bundles.start[b], bundles.start[b + 1], point);
      if (lastLateRead[b] > this.lateRead[u]) this.lateRead[u] = lastLateRead[b];
      this.highest = Math.max(this.highest, u);
    }
  }

  private lowest(first: number, point: number, from: number, step: number, late: boolean): number {
    const { offset, width } = this.values.groups;
    const last = this.budget - width[first];
    for (let at = from; at <= last; at += step)
      if (this.fits(first, at + offset[first], point, late)) return at + offset[first];
    return NOWHERE;
  }

  /** True when bundle `first` can be at register `at` and the rest of its group around it. */
  private fits(first: number, at: number, point: number, late: boolean): boolean {
    const { bundles, groups, kept } = this.values;
    const { from, to, start, width } = bundles;
    let b = first;
    do {
      const home = at + groups.offset[b] - groups.offset[first];
      for (let u = home; u < home + width[b]; u++) {
        if (kept?.[b] === 1 && !isSaved(u)) return false;
        if (!this.file.isFree(u, from, to, start[b], start[b + 1], point)) return false;
        const since = (from[start[b]] >> 1) - this.lateRead[u];
        if (late && since > -MOVABLE && since < LATE) return false;
      }
      b = groups.next[b];
    } while (b !== first);
    return true;
  }

  /**
   * Asks the instructions that read a value which bank it should lie in, and adds up their votes. One whose other
   * sources all have places, in one bank, votes `firm`; one that knows of some of them only, `weak`.
   */
  private askForBank(bundle: number): void {
    const { occurrences, registerStart, registers } = this.values;
    this.firm = 0;
    this.weak = 0;
    let asked = 0;
    for (let k = registerStart[bundle]; k < registerStart[bundle + 1]; k++) {
      const r = registers[k];
      for (let n = occurrences.start[r]; n < occurrences.start[r + 1] && asked < MOST_VOTES; n++) {
        const operand = occurrences.operand[n];
        if (!isUse(this.f, operand)) continue;
        asked++;
        this.vote(bundle, operand, occurrences.instruction[n]);
      }
    }
  }

  private vote(bundle: number, operand: number, instruction: number): void {
    const { f, home } = this;
    const { bundleOf, width } = this.values.bundles;
    const roles = rolesOf(f.opcodes, f.opcode[instruction]);
    if (!roles.readsTogether && !roles.takesData) return;
    if (roles.takesData && (f.operandFlags[operand] & OperandFlag.Address) !== 0) return;
    let even = 0;
    let odd = 0;
    let isComplete = true;
    for (let o = f.operandStart[instruction]; o < f.operandStart[instruction + 1]; o++) {
      const r = f.operandPlace[o];
      if (r < 0 || bundleOf[r] < 0 || bundleOf[r] === bundle || !isUse(f, o)) continue;
      if (roles.takesData) {
        if ((f.operandFlags[o] & OperandFlag.Address) !== 0 && width[bundleOf[r]] === 2)
          this.firm += DECISIVE;
      } else if (home[bundleOf[r]] === NOWHERE) isComplete = false;
      else if ((home[bundleOf[r]] & 1) === 0) even++;
      else odd++;
    }
    if (!isComplete) this.weak += even - odd;
    else if (even === 0 || odd === 0) this.firm += even - odd;
  }

  /** The place of a source that the defining instruction reads last. */
  private dyingSource(first: number, point: number, bank: number, late: boolean): number {
    const { f, home } = this;
    const { bundles, groups } = this.values;
    const instruction = point >> 1;
    if ((point & 1) === 0) return NOWHERE;
    for (let o = f.operandStart[instruction]; o < f.operandStart[instruction + 1]; o++) {
      const r = f.operandPlace[o];
      const b = r >= 0 ? bundles.bundleOf[r] : -1;
      if (b < 0 || home[b] === NOWHERE || !isUse(f, o)) continue;
      const at = home[b];
      if (bank >= 0 && (at & 1) !== bank) continue;
      const base = at - groups.offset[first];
      if (base < 0 || base % groups.alignment[first] !== 0 || base + groups.width[first] > this.budget)
        continue;
      if (this.fits(first, at, point, late)) return at;
    }
    return NOWHERE;
  }
}

/** The bank (0 even, 1 odd) that votes ask for, -1 where they do not care. */
const bankOf = (votes: number): number => (votes === 0 ? -1 : votes > 0 ? 1 : 0);

/** A vote that no other outvotes: data beside an address. */
const DECISIVE = 1000;
