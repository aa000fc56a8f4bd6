import { blockOf, InstructionFlag, OperandFlag, type Function } from '../../../ir/function.js';
import {
  interpret,
  LEAVE,
  NEXT,
  type Registers,
  type Run,
  type RunOptions,
  type Semantics,
} from '../../../ir/interpret.js';
import { isVirtual } from '../../../ir/place.js';
import { hasEffect } from '../../../passes/dead-code.js';
import { isDefinition, isUse } from '../../../passes/occurrences.js';
import type { MachineCode } from './code.js';

/**
 * Runs machine code with the meaning that the language gives to the source: each machine instruction executes its
 * list of source instructions. What both leave in memory must be equal, whatever the passes did.
 *
 * A source operand is found in the machine instruction by its span, then by the register whose value it is
 * (`registerOrigin`). What one source instruction of the list hands to the next, and is no operand, is kept for the
 * time of the machine instruction. An operand that is found nowhere stops the run with a message that names it: a
 * pass has lost it; unless all that is made of it is read elsewhere: moves, in front of what then reads another register
 * that holds the same (`OperandFlag.Equal`).
 *
 * - An instruction that executes nothing moves its only use to its only definition (a copy at an edge, a move
 *   between the uniform and the general file), or does nothing.
 * - A register that holds no register of the source (a constant that is moved to it) is read by nothing: what the
 *   constant stands for is executed once more.
 * - A branch that stands in the list before others decides whether they run: where it is not taken; written as
 *   `~branch`, where it is taken.
 * - The successors of a block stand in the order of the branch's own in the source.
 * - A value that is kept in fewer units than the source's register reads as zero above them.
 */
export function execute(code: MachineCode, source: Function, semantics: Semantics, options: RunOptions): Run {
  return interpret(code.f, machineSemantics(code, source, semantics), options);
}

/** What the instructions of machine code mean, for `interpretAllocated` of its allocation too. */
export const machineSemantics = (code: MachineCode, source: Function, semantics: Semantics): Semantics =>
  new Machine(code, source, semantics);

/** Values of one register, or of a part of it: 32-bit units, low unit first; undefined: never written. */
type Units = (number | undefined)[];

class Machine implements Semantics, Registers {
  /** By source register, for the time of one machine instruction. */
  private temporaries = new Map<number, Units>();
  private at = 0;
  private registers: Registers | undefined;
  /** Results by machine operand. They are written last: a place may be that of a value which is read until then. */
  private readonly results = new Map<number, bigint | undefined>();
  private missing = '';
  /** What was missing when it was computed: by source register, beside `temporaries`; by operand, beside `results`. */
  private readonly absent = new Map<number, string>();
  private readonly lost = new Map<number, string>();
  /** How often the source instruction stood in the list before, and how often it stands there from here on. */
  private repeated = 0;
  private remaining = 0;
  /** By source operand: how many machine operands at its span are read, and by which repetition the last one. */
  private readonly taken = new Map<number, { count: number; by: number }>();

  constructor(
    private readonly code: MachineCode,
    private readonly source: Function,
    private readonly semantics: Semantics,
  ) {}

  execute(i: number, registers: Registers): number | string {
    this.at = i;
    this.registers = registers;
    this.temporaries.clear();
    this.absent.clear();
    this.lost.clear();
    this.taken.clear();
    this.results.clear();
    const next = this.step(i);
    if (typeof next === 'string') return `instruction ${i}: ${next}`;
    for (const missing of this.lost.values())
      return `instruction ${i}: ${this.code.f.opcodes.text(this.code.f.opcode[i])}: ${missing}`;
    for (const [operand, value] of this.results) registers.write(operand, value);
    return next > 0 ? this.successor(i, next) : next;
  }

  /** Doubled edges are kept once, and where one way is left all go there. */
  private successor(i: number, next: number): number | string {
    const { f } = this.code;
    const block = blockOf(f, i);
    const count = f.successorStart[block + 1] - f.successorStart[block];
    if (count === 1) return 0;
    return next < count ? next : `block ${block} has ${count} successors, none with number ${next}`;
  }

  private step(i: number): number | string {
    const { f, executesStart, executes } = this.code;
    if (executesStart[i] === executesStart[i + 1]) {
      this.move(i);
      return NEXT;
    }
    let next: number | string = NEXT;
    for (let k = executesStart[i]; k < executesStart[i + 1]; k++) {
      const isInverted = executes[k] < 0;
      const number = isInverted ? ~executes[k] : executes[k];
      this.repeated = 0;
      this.remaining = 0;
      for (let e = executesStart[i]; e < executesStart[i + 1]; e++) {
        if (executes[e] !== executes[k]) continue;
        if (e < k) this.repeated++;
        else this.remaining++;
      }
      this.missing = '';
      next = this.semantics.execute(number, this);
      if (this.missing !== '' && (k + 1 === executesStart[i + 1] || hasEffect(this.source, number)))
        return `${f.opcodes.text(f.opcode[i])}: ${this.missing}`;
      if (typeof next === 'string') return next;
      const flags = this.source.instructionFlags[number];
      if (k + 1 === executesStart[i + 1] || (flags & InstructionFlag.Branch) === 0) {
        if (next === LEAVE) return next;
        continue;
      }
      const isTaken = next > 0;
      if (isTaken !== isInverted) return NEXT;
      next = NEXT;
    }
    return next;
  }

  read(operand: number): bigint | undefined {
    const { source } = this;
    if (!isVirtual(source.operandPlace[operand])) return undefined;
    const width = source.operandWidth[operand];
    const register = source.operandPlace[operand];
    const kept = this.temporaries.get(register);
    const bySpan = this.take(operand, register, kept !== undefined && !this.absent.has(register));
    if (bySpan >= 0) return this.readMachine(bySpan, width);
    if (kept !== undefined) {
      this.missing ||= this.absent.get(register) ?? '';
      return valueOf(kept, source.operandOffset[operand], width);
    }
    const byOrigin = this.find(operand, register, isUse, false);
    if (byOrigin >= 0) return this.readMachine(byOrigin, width);
    const name = source.registerNames[register];
    this.missing = `${name}, which a source instruction reads, is no operand and was not computed before`;
    return undefined;
  }

  write(operand: number, value: bigint | undefined): void {
    const { source } = this;
    if (!isVirtual(source.operandPlace[operand])) return;
    const width = source.operandWidth[operand];
    const register = source.operandPlace[operand];
    const kept = this.temporaries.get(register) ?? [];
    store(kept, source.operandOffset[operand], width, value);
    this.temporaries.set(register, kept);
    if (this.missing !== '') this.absent.set(register, this.missing);
    else if (width === source.registerWidth[register]) this.absent.delete(register);
    let to = this.find(operand, register, isDefinition, true);
    if (to < 0) to = this.find(operand, register, isDefinition, false);
    if (to < 0) return;
    if (this.missing === '') this.lost.delete(to);
    else this.lost.set(to, this.missing);
    this.results.set(to, value);
  }

  /**
   * The machine operand with the span of a source operand that is read now, or -1. Where the source instruction is
   * repeated, as copies of a loop's body that were folded together, each repetition has its own, and what is left
   * over is for the last ones: those before read what was computed inside. A register that moves lead to is for the
   * first one.
   */
  private take(operand: number, register: number, isKept: boolean): number {
    const found = this.withSpan(operand, register);
    if (found.length === 0) return -1;
    const taken = this.taken.get(operand) ?? { count: 0, by: -1 };
    // a second look at what this repetition has read
    if (taken.by === this.repeated) return found[taken.count - 1];
    const unread = found.length - taken.count;
    const isDue = this.isMoved(found[0], register) ? this.repeated === 0 : unread >= this.remaining;
    if (unread > 0 && (!isKept || isDue)) {
      this.taken.set(operand, { count: taken.count + 1, by: this.repeated });
      return found[taken.count];
    }
    return isKept ? -1 : found[found.length - 1];
  }

  /** Whether a machine operand holds neither a source register nor what is known to be equal. */
  private isMoved(o: number, register: number): boolean {
    const { f, registerOrigin } = this.code;
    return registerOrigin[f.operandPlace[o]] !== register && (f.operandFlags[o] & OperandFlag.Equal) === 0;
  }

  /** Machine operands with the span of a source operand that hold its register or what is equal to it; else any. */
  private withSpan(operand: number, register: number): number[] {
    const { f, registerOrigin } = this.code;
    const { source } = this;
    const span = source.operandSpanStart[operand];
    if (span < 0) return [];
    const found: number[] = [];
    const others: number[] = [];
    let hasOwn = false;
    for (let o = f.operandStart[this.at]; o < f.operandStart[this.at + 1]; o++) {
      if (!isVirtual(f.operandPlace[o]) || !isUse(f, o) || f.operandSpanStart[o] !== span) continue;
      const origin = registerOrigin[f.operandPlace[o]];
      if (origin < 0) continue;
      if (origin === register) hasOwn = true;
      (this.isMoved(o, register) ? others : found).push(o);
    }
    // a vector register has an operand for each element
    if (hasOwn && this.sharesSpan(operand))
      return found.filter((o) => registerOrigin[f.operandPlace[o]] === register);
    return found.length > 0 ? found : others.slice(0, 1);
  }

  /** Whether another operand of the source instruction has the same span. */
  private sharesSpan(operand: number): boolean {
    const { operandSpanStart: start, operandPlace: place } = this.source;
    return [operand - 1, operand + 1].some((o) => isVirtual(place[o]) && start[o] === start[operand]);
  }

  /**
   * The machine operand that is the source's: one with its span, of several the one that holds its register; or,
   * not by span, one that holds its register. Where several hold it, each repetition of the source instruction has
   * its own, as far as there are so many.
   */
  private find(
    operand: number,
    register: number,
    role: (f: Function, operand: number) => boolean,
    bySpan: boolean,
  ): number {
    const { f, registerOrigin } = this.code;
    const span = this.source.operandSpanStart[operand];
    let found = -1;
    let own = -1;
    let skipped = 0;
    for (let o = f.operandStart[this.at]; o < f.operandStart[this.at + 1]; o++) {
      if (!isVirtual(f.operandPlace[o]) || !role(f, o)) continue;
      const origin = registerOrigin[f.operandPlace[o]];
      if (origin < 0) continue;
      const isSame = origin === register;
      if (bySpan && (span < 0 || f.operandSpanStart[o] !== span)) continue;
      if (isSame) {
        own = o;
        if (!bySpan || skipped++ === this.repeated) return o;
      } else if (bySpan && found < 0) found = o;
    }
    return own < 0 ? found : own;
  }

  private readMachine(operand: number, width: number): bigint | undefined {
    const value = this.registers?.read(operand);
    return value === undefined ? undefined : BigInt.asUintN(32 * width, value);
  }

  private move(i: number): void {
    const { f } = this.code;
    let from = -1;
    let to = -1;
    for (let o = f.operandStart[i]; o < f.operandStart[i + 1]; o++) {
      if (!isVirtual(f.operandPlace[o])) continue;
      if (isUse(f, o)) from = o;
      if (isDefinition(f, o)) to = o;
    }
    if (from < 0 || to < 0) return;
    this.results.set(to, this.readMachine(from, f.operandWidth[to]));
  }
}

function valueOf(units: Units, first: number, width: number): bigint | undefined {
  let value = 0n;
  for (let k = first + width - 1; k >= first; k--) {
    const unit = units.at(k);
    if (unit === undefined) return undefined;
    value = (value << 32n) | BigInt(unit);
  }
  return value;
}

function store(units: Units, first: number, width: number, value: bigint | undefined): void {
  while (units.length < first + width) units.push(undefined);
  for (let k = 0; k < width; k++)
    units[first + k] = value === undefined ? undefined : Number((value >> BigInt(32 * k)) & 0xffff_ffffn);
}
