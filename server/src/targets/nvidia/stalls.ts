import { CodeKind, type AllocatedFunction } from '../../ir/allocated.js';
import { InstructionFlag, OperandFlag, type Function } from '../../ir/function.js';
import { ascending, IntList } from '../../ir/int-list.js';
import {
  isPhysical,
  isVirtual,
  NoRegister,
  physicalClass,
  physicalIndex,
  type PhysicalRegister,
} from '../../ir/place.js';
import type { Family } from './architectures.js';
import { GENERAL } from './code/code.js';
import { classify, spillClasses, type MachineClass } from './classify.js';
import { issueCycles, latencies, latencyOf, units, type LatencyRow } from './latencies.js';

/**
 * One warp on one scheduler, in order: an instruction issues in the first cycle in which its operands are there, what
 * it overwrites has arrived, and its unit takes another instruction. Loads come back after the typical hit of their
 * row, which the cause names.
 *
 * What is in flight at the end of a block is still in flight in the next one when that is its only way in and follows
 * in the text; at joins, loop heads included, it is dropped. No other warp runs, so a figure says how long this warp
 * waits if nothing else hides it.
 */
export interface Timing {
  /** Issue cycles of the whole code, each block once. */
  readonly cycles: number;
  readonly stallCycles: number;
  /** Cycles waited before each piece of the code. */
  readonly waits: Int32Array;
  /** Every wait, in the order of the code. */
  stalls(): readonly MachineStall[];
}

/** A wait in terms of the code that was timed. */
export interface MachineStall {
  /** The piece that waits, and the one whose result it waits for, or -1. */
  readonly at: number;
  readonly producer: number;
  readonly cycles: number;
  /** The virtual register that is waited for, or -1. */
  readonly register: number;
  readonly cause: string;
}

/**
 * Code whose registers have no places yet, to be timed as if each had one of its own: nothing waits for a place to
 * become free.
 */
export function codeWithoutPlaces(f: Function): AllocatedFunction {
  const count = f.instructionCount;
  const instruction = ascending(count);
  const none = new Int32Array(count).fill(-1);
  return {
    source: f,
    blockCount: f.blockCount,
    blockStart: f.blockStart,
    successorStart: f.successorStart,
    successors: f.successors,
    count,
    kind: new Uint8Array(count),
    elision: new Uint8Array(count),
    instruction,
    register: none,
    slot: none,
    operandStart: f.operandStart,
    operandPlace: f.operandPlace,
    unitsUsed: new Int32Array(f.classes.length),
    slotUnits: new Int32Array(f.classes.length),
  };
}

/** Whether a store or a reload goes to local memory: what does not fit of other classes is kept in general registers. */
export const isInMemory = (a: AllocatedFunction, at: number): boolean =>
  a.source.registerClass[a.register[at]] === GENERAL;

/** The class of what a piece of allocated code executes. */
export function classOfCode(a: AllocatedFunction, at: number): MachineClass {
  switch (a.kind[at] as CodeKind) {
    case CodeKind.Store:
      return isInMemory(a, at) ? spillClasses.store : spillClasses.packPredicate;
    case CodeKind.Reload:
      return isInMemory(a, at) ? spillClasses.reload : spillClasses.unpackPredicate;
    case CodeKind.Copy:
      return spillClasses.copy;
    case CodeKind.Original:
    case CodeKind.Recompute:
    case CodeKind.Elided:
      return classify(a.source.opcodes, a.source.opcode[a.instruction[at]]);
    default:
      return spillClasses.copy;
  }
}

/** Whether a piece of code is there only to say what the caller hands over. */
export const isEntry = (a: AllocatedFunction, at: number): boolean =>
  a.kind[at] === CodeKind.Original &&
  (a.source.instructionFlags[a.instruction[at]] & InstructionFlag.Entry) !== 0;

/** The latency row of a source instruction; reading a special register is slower than what else `mov` does. */
export function rowOf(f: Function, instruction: number, machineClass: MachineClass): LatencyRow {
  if (machineClass.row !== 'alu') return machineClass.row;
  for (let o = f.operandStart[instruction]; o < f.operandStart[instruction + 1]; o++) {
    const place = f.operandPlace[o];
    if (place === (NoRegister.SpecialConstant as number) || place === (NoRegister.SpecialVolatile as number))
      return 'specialRegister';
  }
  return machineClass.row;
}

export function timingOf(a: AllocatedFunction, family: Family): Timing {
  return new Scoreboard(a, family).run();
}

class Scoreboard {
  /** By unit of all register files in a row: when its value arrives, who makes it, and in which epoch that was said. */
  private readonly ready: Float64Array;
  private readonly producer: Int32Array;
  private readonly epochOf: Int32Array;
  private readonly issueCycles: readonly number[];
  private readonly fileStart: number[] = [];
  /** By unit: when it takes the next instruction. */
  private readonly unitFree = new Float64Array(units.length);
  private readonly waits: Int32Array;
  /** Of each wait in the order of the code: the piece, what it waits for, the awaited unit; the busy unit of the machine or -1. */
  private readonly waiting = new IntList();
  private readonly awaited = new IntList();
  private readonly awaitedUnit = new IntList();
  private readonly busy = new IntList();
  /** First unit of each virtual register, for registers without places. */
  private readonly registerStart: Int32Array;
  private readonly awaitPlace = (first: number, width: number): void => this.awaitUnits(first, width);
  private readonly announcePlace = (first: number, width: number, writes: boolean): void => {
    if (writes) this.announce(first, width, this.arrives, this.executing);
  };
  private arrives = 0;
  private executing = -1;
  private epoch = 1;
  private now = 0;
  private stallCycles = 0;
  /** The latest thing that the instruction at hand waits for. */
  private until = 0;
  private waitsFor = -1;
  private waitUnit = -1;

  constructor(
    private readonly a: AllocatedFunction,
    private readonly family: Family,
  ) {
    this.issueCycles = units.map((unit) => issueCycles(unit, family));
    let total = 0;
    for (const used of a.unitsUsed) {
      this.fileStart.push(total);
      total += used;
    }
    const { registerCount, registerWidth } = a.source;
    this.registerStart = new Int32Array(registerCount);
    for (let r = 0; r < registerCount; r++) {
      this.registerStart[r] = total;
      total += registerWidth[r];
    }
    this.ready = new Float64Array(total);
    this.producer = new Int32Array(total);
    this.epochOf = new Int32Array(total);
    this.waits = new Int32Array(a.count);
  }

  run(): Timing {
    const { a } = this;
    const predecessors = new Int32Array(a.blockCount);
    const lastPredecessor = new Int32Array(a.blockCount).fill(-1);
    for (let b = 0; b < a.blockCount; b++) {
      for (let e = a.successorStart[b]; e < a.successorStart[b + 1]; e++) {
        predecessors[a.successors[e]]++;
        lastPredecessor[a.successors[e]] = b;
      }
    }
    for (let b = 0; b < a.blockCount; b++) {
      if (predecessors[b] !== 1 || lastPredecessor[b] !== b - 1) this.forget();
      for (let at = a.blockStart[b]; at < a.blockStart[b + 1]; at++) this.execute(at);
    }
    const { now, stallCycles, waits } = this;
    return { cycles: now, stallCycles, waits, stalls: () => this.stalls() };
  }

  private forget(): void {
    this.epoch++;
    this.unitFree.fill(0);
  }

  private execute(at: number): void {
    const { a, family } = this;
    if (a.kind[at] === CodeKind.Elided || isEntry(a, at)) return;
    const machineClass = classOfCode(a, at);
    const isSource = a.kind[at] === CodeKind.Original || a.kind[at] === CodeKind.Recompute;
    const row = isSource ? rowOf(a.source, a.instruction[at], machineClass) : machineClass.row;
    this.until = this.now;
    this.waitsFor = -1;
    this.waitUnit = -1;
    this.eachOperand(at, this.awaitPlace);
    const unit = machineClass.unitNumber;
    const unitReady = this.unitFree[unit];
    if (unitReady > this.until) {
      this.until = unitReady;
      this.waitsFor = -1;
      this.waitUnit = -1;
      this.stall(at, unit);
    } else if (this.until > this.now) this.stall(at, -1);

    const { instructions } = machineClass;
    const last = this.until + instructions - 1;
    this.now = last + 1;
    this.unitFree[unit] = this.until + instructions * this.issueCycles[unit];
    const arrives = last + Math.max(1, latencyOf(row, family));
    this.arrives = arrives;
    this.executing = at;
    this.eachOperand(at, this.announcePlace);
  }

  /** Registers that the code touches: reads and writes alike, since a write waits for an older write to arrive. */
  private eachOperand(at: number, visit: (first: number, width: number, writes: boolean) => void): void {
    const { a } = this;
    const f = a.source;
    const kind = a.kind[at] as CodeKind;
    const begin = a.operandStart[at];
    if (kind === CodeKind.Original || kind === CodeKind.Recompute) {
      const first = f.operandStart[a.instruction[at]];
      for (let o = first; o < f.operandStart[a.instruction[at] + 1]; o++) {
        const place = a.operandPlace[begin + o - first];
        if (place >= 0 || isPhysical(place))
          visit(
            this.indexOf(place) + f.operandOffset[o],
            Math.max(1, f.operandWidth[o]),
            (f.operandFlags[o] & OperandFlag.Definition) !== 0,
          );
      }
      return;
    }
    const width = f.registerWidth[a.register[at]];
    for (let o = begin; o < a.operandStart[at + 1]; o++)
      visit(this.indexOf(a.operandPlace[o]), width, o === begin && kind !== CodeKind.Store);
  }

  private indexOf(place: number): number {
    if (place >= 0) return this.registerStart[place];
    return (
      this.fileStart[physicalClass(place as PhysicalRegister)] + physicalIndex(place as PhysicalRegister)
    );
  }

  private awaitUnits(first: number, width: number): void {
    for (let u = first; u < first + width && u < this.ready.length; u++) {
      if (this.epochOf[u] !== this.epoch || this.ready[u] <= this.until) continue;
      this.until = this.ready[u];
      this.waitsFor = this.producer[u];
      this.waitUnit = u;
    }
  }

  private announce(first: number, width: number, arrives: number, at: number): void {
    for (let u = first; u < first + width && u < this.ready.length; u++) {
      this.ready[u] = arrives;
      this.producer[u] = at;
      this.epochOf[u] = this.epoch;
    }
  }

  private stall(at: number, busyUnit: number): void {
    const cycles = this.until - this.now;
    this.waits[at] = cycles;
    this.stallCycles += cycles;
    this.waiting.push(at);
    this.awaited.push(this.waitsFor);
    this.awaitedUnit.push(this.waitUnit);
    this.busy.push(busyUnit);
  }

  private stalls(): MachineStall[] {
    const stalls: MachineStall[] = [];
    for (let k = 0; k < this.waiting.length; k++) {
      const at = this.waiting.at(k);
      const producer = this.awaited.at(k);
      const register = producer >= 0 ? this.registerMade(producer, this.awaitedUnit.at(k)) : -1;
      const busyUnit = this.busy.at(k);
      const cause =
        busyUnit >= 0 ? `the ${units[busyUnit]} unit is still busy` : this.causeOf(producer, register);
      stalls.push({ at, producer, cycles: this.waits[at], register, cause });
    }
    return stalls;
  }

  /** The virtual register whose value occupies the awaited unit. */
  private registerMade(at: number, waited: number): number {
    const { a } = this;
    if (a.register[at] >= 0) return a.register[at];
    const f = a.source;
    const first = f.operandStart[a.instruction[at]];
    for (let o = first; o < f.operandStart[a.instruction[at] + 1]; o++) {
      const place = a.operandPlace[a.operandStart[at] + o - first];
      const source = f.operandPlace[o];
      if ((f.operandFlags[o] & OperandFlag.Definition) === 0 || !isVirtual(source)) continue;
      const unit = this.indexOf(place) + f.operandOffset[o];
      if (waited >= unit && waited < unit + f.operandWidth[o]) return source;
    }
    return -1;
  }

  private causeOf(producer: number, register: number): string {
    const { a } = this;
    const name = register >= 0 ? a.source.registerNames[register] : 'a result';
    if (a.kind[producer] === CodeKind.Reload && isInMemory(a, producer))
      return `waits for the reload of ${name} from its spill slot (an L1 hit)`;
    if (a.kind[producer] === CodeKind.Copy) return `waits for the copy of ${name}`;
    const { what, level } = latencies[rowOf(a.source, a.instruction[producer], classOfCode(a, producer))];
    return `waits for the ${what} of ${name}${level === '' ? '' : ` (${level})`}`;
  }
}
