import { CodeKind, Elision, type AllocatedFunction } from '../ir/allocated.js';
import { InstructionFlag, OperandFlag } from '../ir/function.js';
import { isPhysical, isVirtual } from '../ir/place.js';
import { formViolations } from './check-allocation-form.js';
import { allocationIndex, type AllocationIndex, type UnitName } from './check-allocation-index.js';
import { isReachable } from './cfg.js';

/**
 * Proves that an allocated program means what its source means, in the manner of regalloc2's checker: where each
 * operand is read, the place must hold the current value of its virtual register, on every path. The proof runs
 * backwards, by need. "This unit must hold part k of register r here" is a demand; it goes up to what last wrote
 * the unit or last defined r. A copy, store or reload turns it into a demand on the unit that was read; the
 * definition of r into the unit meets it; any other write, or a definition of r elsewhere, refutes it. At a
 * block's start it goes to the end of every predecessor. Where no definition of r can have come before, r is
 * undefined and any place will do: at the function's entry, and on paths that leave r out.
 *
 * Predicated and partial definitions meet a demand only together with the old value in the same place. An
 * instruction that was dropped as dead refutes every demand on its result. Overlapping values, a wrong slot, a
 * store too late all show as refuted demands.
 *
 * Shares nothing with allocators and does not know liveness. Blocks that the entry does not reach are not looked
 * at. Time follows the blocks between definitions and uses.
 */
export interface Violation {
  /** The source instruction concerned, or -1. */
  readonly instruction: number;
  /** Position in the allocated code, or -1. */
  readonly code: number;
  /** In words: `at instruction 17: reads general 4 for %r3, which holds %r9 since instruction 12`. */
  readonly message: string;
}

export interface CheckOptions {
  /** Units that the machine has, by register class; absent: any number. */
  readonly available?: readonly number[];
  /** The multiple on which a register of so many units must start; absent: anywhere. */
  readonly alignment?: (registerClass: number, width: number) => number;
  /** How the machine calls a unit; absent: `general 4`. */
  readonly unitName?: UnitName;
  /** Stop after so many; absent: 100. */
  readonly most?: number;
}

/** All violations, at most `options.most`; none for a correct allocation. Faults of form are reported before any value is followed. */
export function checkAllocation(a: AllocatedFunction, options: CheckOptions = {}): readonly Violation[] {
  const form = formViolations(a, options);
  if (form.length > 0) return form;
  return new DemandWalk(a, allocationIndex(a, options.unitName), options.most ?? 100).run();
}

interface Demand {
  readonly block: number;
  /** Code position before which the demand holds. */
  readonly before: number;
  /** The unit that must hold the value, or -1 when it is asked which instruction made the value. */
  readonly location: number;
  readonly value: number;
  /** With location -1: the instruction that must have made it. */
  readonly maker: number;
  /** The read that started it. */
  readonly reader: number;
  readonly readLocation: number;
  readonly readValue: number;
}

class DemandWalk {
  private readonly violations: Violation[] = [];
  private readonly pending: Demand[] = [];
  /** Demands that were followed upwards, by number of (location, value, maker) and code position or block. */
  private readonly seen = new Set<number>();
  private readonly numbers = new Map<number, number>();
  private readonly defined = new Map<number, Uint8Array>();

  constructor(
    private readonly a: AllocatedFunction,
    private readonly index: AllocationIndex,
    private readonly most: number,
  ) {}

  run(): Violation[] {
    const { a, index, pending } = this;
    for (const block of index.cfg.order) {
      for (let at = a.blockStart[block]; at < a.blockStart[block + 1]; at++) {
        if (a.kind[at] === CodeKind.Original) this.demandOperands(block, at);
        else if (a.kind[at] === CodeKind.Recompute) this.demandMaker(block, at);
        while (pending.length > 0) this.trace(pending.pop()!);
        if (this.violations.length >= this.most) return this.violations;
      }
    }
    return this.violations;
  }

  /** Every use must find its register's current value, part by part. */
  private demandOperands(block: number, at: number): void {
    const { a, index } = this;
    const f = a.source;
    const first = f.operandStart[a.instruction[at]];
    for (let o = first; o < f.operandStart[a.instruction[at] + 1]; o++) {
      const place = a.operandPlace[a.operandStart[at] + o - first];
      if ((f.operandFlags[o] & OperandFlag.Use) === 0 || !isPhysical(place)) continue;
      const source = f.operandPlace[o];
      for (let k = f.operandOffset[o]; k < f.operandOffset[o] + f.operandWidth[o]; k++) {
        const location = index.unit(place, k);
        const value = isVirtual(source) ? index.value(source, k) : index.unitValue(location);
        this.start(block, at, location, value, -1);
      }
    }
  }

  /** A recomputed constant stands for its register only where no other definition may have come between. */
  private demandMaker(block: number, at: number): void {
    this.start(block, at, -1, this.index.value(this.a.register[at], 0), this.a.instruction[at]);
  }

  private start(block: number, at: number, location: number, value: number, maker: number): void {
    this.pending.push({
      block,
      before: at,
      location,
      value,
      maker,
      reader: at,
      readLocation: location,
      readValue: value,
    });
  }

  /** Takes a demand up to the last event of its block that concerns it, or to the predecessors. */
  private trace(demand: Demand): void {
    const { a, index } = this;
    const { block, before, location, value } = demand;
    const start = a.blockStart[block];
    const written = location < 0 ? -1 : index.lastWrite(location, start, before);
    const event = Math.max(written, index.lastDefinition(value, start, before));
    if (event >= 0) {
      this.meet(demand, event);
      return;
    }
    if (block === 0 && location >= 0 && index.registerOf(value) < 0 && value !== index.unitValue(location))
      this.refute(demand, `holds something else at the start`);
    const { predecessorStart, predecessors } = index.cfg;
    for (let e = predecessorStart[block]; e < predecessorStart[block + 1]; e++) {
      const from = predecessors[e];
      if (isReachable(index.cfg, from) && this.isFresh(demand, a.count + from))
        this.pending.push({ ...demand, block: from, before: a.blockStart[from + 1] });
    }
  }

  private isFresh({ location, value, maker }: Demand, at: number): boolean {
    const { a, index, numbers, seen } = this;
    const subject = location >= 0 ? location : index.locationCount + maker;
    const pair = subject * index.valueCount + value;
    let number = numbers.get(pair);
    if (number === undefined) numbers.set(pair, (number = numbers.size));
    const key = number * (a.count + a.blockCount) + at;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  }

  /** The code at `at` writes the demanded unit or defines the demanded register. */
  private meet(demand: Demand, at: number): void {
    const { a, index } = this;
    const { location, value } = demand;
    switch (a.kind[at] as CodeKind) {
      case CodeKind.Original:
        this.meetOriginal(demand, at);
        return;
      case CodeKind.Elided:
        this.meetElided(demand, at);
        return;
      case CodeKind.Recompute: {
        const register = index.registerOf(value);
        if (register !== a.register[at]) this.clobber(demand, at);
        else if (this.resultLocation(at, value) !== location) this.refute(demand, this.holds(at));
        return;
      }
      case CodeKind.Store:
      case CodeKind.Reload:
      case CodeKind.Copy:
        this.above(demand, at, this.movedFrom(at, location), value);
    }
  }

  /** Where a store, reload or copy took what it put into `location`. */
  private movedFrom(at: number, location: number): number {
    const { a, index } = this;
    const registerClass = a.source.registerClass[a.register[at]];
    const slot = index.slot(registerClass, a.slot[at]);
    const unit = (operand: number): number => {
      const place = a.operandPlace[a.operandStart[at] + operand];
      return isPhysical(place) ? index.unit(place, 0) : -1;
    };
    if (a.kind[at] === CodeKind.Store) return unit(0) + location - slot;
    if (a.kind[at] === CodeKind.Reload) return slot + location - unit(0);
    return unit(1) + location - unit(0);
  }

  private above(demand: Demand, at: number, location: number, value: number): void {
    const next = { ...demand, before: at, location, value };
    if (this.isFresh(next, at)) this.pending.push(next);
  }

  /** The unit into which the instruction at `at` puts `value`'s part of the register, or -1 when it does not define it. */
  private resultLocation(at: number, value: number): number {
    const { a, index } = this;
    const operand = this.definingOperand(at, value);
    if (operand < 0) return -1;
    const first = a.source.operandStart[a.instruction[at]];
    const place = a.operandPlace[a.operandStart[at] + operand - first];
    if (!isPhysical(place)) return -1;
    return index.registerOf(value) >= 0 ? index.unit(place, index.partOf(value)) : index.unit(place, 0);
  }

  private definingOperand(at: number, value: number): number {
    const { a, index } = this;
    const f = a.source;
    const i = a.instruction[at];
    const register = index.registerOf(value);
    for (let o = f.operandStart[i + 1] - 1; o >= f.operandStart[i]; o--) {
      if ((f.operandFlags[o] & OperandFlag.Definition) === 0) continue;
      const place = f.operandPlace[o];
      if (register >= 0 ? place === register : isPhysical(place) && this.holdsUnit(o, value)) return o;
    }
    return -1;
  }

  private holdsUnit(operand: number, value: number): boolean {
    const { source } = this.a;
    const place = source.operandPlace[operand];
    if (!isPhysical(place)) return false;
    for (let k = 0; k < source.operandWidth[operand]; k++)
      if (this.index.unitValue(this.index.unit(place, source.operandOffset[operand] + k)) === value)
        return true;
    return false;
  }

  private meetOriginal(demand: Demand, at: number): void {
    const { a, index } = this;
    const f = a.source;
    const { location, value } = demand;
    const operand = this.definingOperand(at, value);
    if (operand < 0) {
      this.clobber(demand, at);
      return;
    }
    if (location < 0) {
      if (demand.maker !== a.instruction[at]) this.refute(demand, '');
      return;
    }
    if (index.registerOf(value) < 0) {
      if (index.unitValue(location) !== value) this.refute(demand, this.holds(at));
      return;
    }
    const register = index.registerOf(value);
    const keeps =
      (f.operandFlags[operand] & (OperandFlag.Predicated | OperandFlag.Partial)) !== 0 ||
      f.operandWidth[operand] < f.registerWidth[register];
    if (this.resultLocation(at, value) === location) {
      if (keeps) this.above(demand, at, location, value);
      return;
    }
    if ((f.instructionFlags[a.instruction[at]] & InstructionFlag.Copy) !== 0 && !this.writes(at, location))
      this.above(demand, at, location, this.copied(at, value));
    else this.refute(demand, `does not hold what instruction ${a.instruction[at]} put elsewhere`);
  }

  /** Something else was written to the unit: a fault where the register may have had a value by then. */
  private clobber(demand: Demand, at: number): void {
    const { a, index } = this;
    const register = index.registerOf(demand.value);
    const inBlock = index.lastDefinition(demand.value, a.blockStart[demand.block], at) >= 0;
    if (inBlock || register < 0 || this.definedAtEntry(register)[demand.block] !== 0)
      this.refute(demand, this.holds(at));
  }

  /** By block: 1 where some path from the entry to the block defines the register. */
  private definedAtEntry(register: number): Uint8Array {
    const known = this.defined.get(register);
    if (known !== undefined) return known;
    const { a, index } = this;
    const { order, successorStart, successors } = index.cfg;
    const value = index.value(register, 0);
    const found = new Uint8Array(a.blockCount);
    const pending: number[] = [];
    for (const b of order)
      if (index.lastDefinition(value, a.blockStart[b], a.blockStart[b + 1]) >= 0) pending.push(b);
    while (pending.length > 0) {
      const block = pending.pop()!;
      for (let e = successorStart[block]; e < successorStart[block + 1]; e++) {
        if (found[successors[e]] !== 0) continue;
        found[successors[e]] = 1;
        pending.push(successors[e]);
      }
    }
    this.defined.set(register, found);
    return found;
  }

  private writes(at: number, location: number): boolean {
    return this.index.lastWrite(location, at, at + 1) >= 0;
  }

  /** The part of the copied register that corresponds to `value`. */
  private copied(at: number, value: number): number {
    const { a, index } = this;
    const from = a.source.operandPlace[a.source.operandStart[a.instruction[at]] + 1];
    return isVirtual(from) ? index.value(from, index.partOf(value)) : value;
  }

  private meetElided(demand: Demand, at: number): void {
    const { a } = this;
    const i = a.instruction[at];
    if (demand.location < 0) {
      if (demand.maker !== i || a.elision[at] !== Elision.Recomputed) this.refute(demand, '');
      return;
    }
    if (a.elision[at] === Elision.Copy)
      this.above(demand, at, demand.location, this.copied(at, demand.value));
    else if (a.elision[at] === Elision.Dead)
      this.refute(demand, `does not hold it: instruction ${i}, which gives the value, was dropped as dead`);
    else this.refute(demand, `does not hold it: instruction ${i} is only recomputed at its uses`);
  }

  /** What the write at `at` left, in words. */
  private holds(at: number): string {
    const { a } = this;
    const f = a.source;
    const i = a.instruction[at];
    if (a.register[at] >= 0) return `holds ${f.registerNames[a.register[at]]} since instruction ${i}`;
    return `holds a result of instruction ${i}`;
  }

  private refute(demand: Demand, why: string): void {
    const { a, index } = this;
    const { reader } = demand;
    const last = this.violations[this.violations.length - 1] as Violation | undefined;
    if (last !== undefined && last.code === reader) return;
    const register = index.registerOf(demand.readValue);
    const name = register >= 0 ? a.source.registerNames[register] : 'the physical register';
    const instruction = a.instruction[reader];
    const message =
      demand.readLocation < 0
        ? `recomputes instruction ${instruction} for ${name}, which another definition may have changed`
        : `reads ${index.nameOfLocation(demand.readLocation)} for ${name}, which ${why}`;
    this.violations.push({ instruction, code: reader, message: `at instruction ${instruction}: ${message}` });
  }
}
