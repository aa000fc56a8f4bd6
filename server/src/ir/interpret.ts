import { CodeKind, type AllocatedFunction } from './allocated.js';
import type { Function } from './function.js';
import { isPhysical, isVirtual, physicalClass, physicalIndex } from './place.js';

/**
 * Executes a program, before or after register allocation, with the same meaning of instructions: the driver here
 * walks blocks, keeps registers and spill slots, and asks the language's `Semantics` to execute one source
 * instruction at a time. Since only the places differ, what both runs leave in memory must be equal; the source is
 * the specification of the compiled program.
 *
 * A register is a row of 32-bit units, low unit first. A unit that was never written holds poison, which
 * operations hand on.
 */
export interface Semantics {
  /**
   * Executes source instruction `instruction`. Returns the number of the successor to go to (as in the source
   * block's list), `NEXT` or `LEAVE`, or a message when it cannot be executed.
   */
  execute(instruction: number, registers: Registers): number | string;
}

/** Go on with the next instruction; at the block's end, to its first successor. */
export const NEXT = -1;
/** Leave the function. */
export const LEAVE = -2;

/** Operands by operand number of the source function. */
export interface Registers {
  /** The operand's bits, unsigned; undefined when any unit of it is poison. The operand must be a register. */
  read(operand: number): bigint | undefined;
  /** Writes the low bits that fit the operand; undefined writes poison. */
  write(operand: number, value: bigint | undefined): void;
}

export interface Run {
  readonly end: 'left' | 'limit' | 'stopped';
  /** Source instructions executed; recomputed ones and spill code do not count. */
  readonly steps: number;
  /** Why it stopped, for `stopped`. */
  readonly message: string;
  /** The last source instruction, or -1. */
  readonly instruction: number;
}

export interface RunOptions {
  /** Most source instructions to execute. */
  readonly steps: number;
  /** Sees each source instruction before it is executed. */
  readonly trace?: (instruction: number) => void;
}

/** Runs the source program on virtual registers. */
export function interpret(f: Function, semantics: Semantics, options: RunOptions, file = sourceFile(f)): Run {
  const { execute, run } = stepper(semantics, options);
  for (let block = 0; block < f.blockCount;) {
    let next = NEXT;
    for (let i = f.blockStart[block]; i < f.blockStart[block + 1] && next === NEXT; i++) {
      next = execute(i, file);
      if (next < LEAVE) return run();
    }
    if (next === LEAVE) return run('left');
    const at = f.successorStart[block] + Math.max(next, 0);
    if (at >= f.successorStart[block + 1]) return run('left');
    block = f.successors[at];
  }
  return run('left');
}

/**
 * Runs the allocated program on physical registers and spill slots. An elided instruction is not executed, and
 * counts as a step, so that steps mean the same in both runs.
 */
export function interpretAllocated(a: AllocatedFunction, semantics: Semantics, options: RunOptions): Run {
  const file = new AllocatedFile(a);
  const { execute, run, skip } = stepper(semantics, options);
  for (let block = 0; block < a.blockCount;) {
    let next = NEXT;
    for (let at = a.blockStart[block]; at < a.blockStart[block + 1] && next === NEXT; at++) {
      switch (a.kind[at] as CodeKind) {
        case CodeKind.Original:
          file.at = at;
          next = execute(a.instruction[at], file);
          break;
        case CodeKind.Recompute: {
          file.at = at;
          const result = semantics.execute(a.instruction[at], file);
          if (typeof result === 'string') return run('stopped', result);
          break;
        }
        case CodeKind.Elided:
          next = skip(a.instruction[at]);
          break;
        case CodeKind.Store:
        case CodeKind.Reload:
        case CodeKind.Copy:
          file.move(at);
      }
      if (next < LEAVE) return run();
    }
    if (next === LEAVE) return run('left');
    const to = a.successorStart[block] + Math.max(next, 0);
    if (to >= a.successorStart[block + 1]) return run('left');
    block = a.successors[to];
  }
  return run('left');
}

const STOP = -3;

function stepper(semantics: Semantics, options: RunOptions) {
  let steps = 0;
  let last = -1;
  let end: Run['end'] = 'limit';
  let message = '';
  const skip = (instruction: number): number => {
    if (steps >= options.steps) return STOP;
    steps++;
    last = instruction;
    return NEXT;
  };
  return {
    skip,
    execute: (instruction: number, registers: Registers): number => {
      if (skip(instruction) === STOP) return STOP;
      options.trace?.(instruction);
      const result = semantics.execute(instruction, registers);
      if (typeof result === 'number') return result;
      end = 'stopped';
      message = result;
      return STOP;
    },
    run: (how: Run['end'] = end, why = message): Run => ({
      end: how,
      steps,
      message: why,
      instruction: last,
    }),
  };
}

/** Rows of units with a mark for each that was written. */
class Units {
  private readonly bits: Uint32Array;
  private readonly isDefined: Uint8Array;

  constructor(count: number) {
    this.bits = new Uint32Array(count);
    this.isDefined = new Uint8Array(count);
  }

  read(first: number, count: number): bigint | undefined {
    let value = 0n;
    for (let k = count - 1; k >= 0; k--) {
      if (this.isDefined[first + k] === 0) return undefined;
      value = (value << 32n) | BigInt(this.bits[first + k]);
    }
    return value;
  }

  write(first: number, count: number, value: bigint | undefined): void {
    for (let k = 0; k < count; k++) {
      this.isDefined[first + k] = Number(value !== undefined);
      this.bits[first + k] = value === undefined ? 0 : Number((value >> BigInt(32 * k)) & 0xffff_ffffn);
    }
  }

  move(to: number, from: number, count: number): void {
    this.bits.copyWithin(to, from, from + count);
    this.isDefined.copyWithin(to, from, from + count);
  }
}

/** Registers of a source function, all poison; a caller may write arguments into them before it runs the function. */
export interface SourceFile extends Registers {
  readRegister(register: number): bigint | undefined;
  writeRegister(register: number, value: bigint | undefined): void;
}

export function sourceFile(f: Function): SourceFile {
  const base = new Int32Array(f.registerCount + 1);
  for (let r = 0; r < f.registerCount; r++) base[r + 1] = base[r] + f.registerWidth[r];
  const units = new Units(base[f.registerCount]);
  const first = (o: number): number => base[f.operandPlace[o]] + f.operandOffset[o];
  return {
    read: (o) => (isVirtual(f.operandPlace[o]) ? units.read(first(o), f.operandWidth[o]) : undefined),
    write: (o, value) => {
      if (isVirtual(f.operandPlace[o])) units.write(first(o), f.operandWidth[o], value);
    },
    readRegister: (r) => units.read(base[r], f.registerWidth[r]),
    writeRegister: (r, value) => units.write(base[r], f.registerWidth[r], value),
  };
}

/** Physical registers, then spill slots, all classes in one row. */
class AllocatedFile implements Registers {
  /** Code position whose operands are meant. */
  at = 0;
  private readonly units: Units;
  private readonly unitBase: number[] = [];
  private readonly slotBase: number[] = [];

  constructor(private readonly a: AllocatedFunction) {
    let count = 0;
    for (const units of a.unitsUsed) {
      this.unitBase.push(count);
      count += units;
    }
    for (const units of a.slotUnits) {
      this.slotBase.push(count);
      count += units;
    }
    this.units = new Units(count);
  }

  private unit(place: number): number {
    return isPhysical(place) ? this.unitBase[physicalClass(place)] + physicalIndex(place) : -1;
  }

  private first(operand: number): number {
    const { a } = this;
    const start = a.source.operandStart[a.instruction[this.at]];
    const unit = this.unit(a.operandPlace[a.operandStart[this.at] + operand - start]);
    return unit < 0 ? unit : unit + a.source.operandOffset[operand];
  }

  read(operand: number): bigint | undefined {
    const first = this.first(operand);
    return first < 0 ? undefined : this.units.read(first, this.a.source.operandWidth[operand]);
  }

  write(operand: number, value: bigint | undefined): void {
    const first = this.first(operand);
    if (first >= 0) this.units.write(first, this.a.source.operandWidth[operand], value);
  }

  move(at: number): void {
    const { a } = this;
    const register = a.register[at];
    const slot = this.slotBase[a.source.registerClass[register]] + a.slot[at];
    const place = this.unit(a.operandPlace[a.operandStart[at]]);
    const width = a.source.registerWidth[register];
    if (a.kind[at] === CodeKind.Store) this.units.move(slot, place, width);
    else if (a.kind[at] === CodeKind.Reload) this.units.move(place, slot, width);
    else this.units.move(place, this.unit(a.operandPlace[a.operandStart[at] + 1]), width);
  }
}
