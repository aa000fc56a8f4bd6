import { virtual, type VirtualRegister } from '../../../ir/place.js';
import { isConditional, writesFlag } from '../access.js';
import type { FlagReference, Instruction, Program } from '../program.js';
import { emitted, immediate, otherOperand, virtualOperand } from './emitted.js';
import { Insertions } from './insertions.js';
import type { Intervals } from './intervals.js';
import type { Skeleton } from './skeleton.js';

/**
 * Flags for bools (facts A.12, from allocateFlags and validateFlag). The machine has four; f0.1 stays a temporary, the
 * others are handed out block by block, each to a bool from its first to its last mention as a flag in the block.
 *
 * A bool that only instructions of one block test or set is a *pure flag* and needs no register. Any other has a
 * register of one word a lane, -1 for true, and its flag is a copy: what sets the flag is followed by a `sel` that
 * writes the register, and a test where no flag holds the bool is preceded by a `cmp.nz` that makes one hold it.
 * The selection reads -1 from a uniform register `one`, because only the second source may be a number; the
 * reference gets it with the arguments, here the entry block loads it.
 */
export interface FlagAllocation {
  /** With hardware flags only, in the order of the program. */
  readonly instructions: readonly Instruction[];
  readonly insertions: Insertions;
  /** By virtual register: 1 for bools that live in a flag alone. */
  readonly isPure: Uint8Array;
  /** The register that holds -1; undefined where no flag is copied to a register. */
  readonly one?: VirtualRegister;
}

type Flag = 0 | 1 | 2 | 3;

/** f0.0, f1.1, f1.0, in the order in which they are handed out; then the temporary f0.1. */
const handedOut: readonly Flag[] = [0, 3, 2];
const TEMPORARY: Flag = 1;
const WORD = 2;

interface FlagInterval {
  readonly register: VirtualRegister;
  from: number;
  to: number;
}

export function allocateFlags(skeleton: Skeleton, intervals: Intervals): FlagAllocation | undefined {
  const { program } = skeleton;
  const isPure = pureFlags(skeleton, intervals);
  if (isPure === undefined)
    return {
      instructions: program.instructions,
      insertions: new Insertions(),
      isPure: new Uint8Array(program.registers.length),
    };
  const named = namedFlags(program);
  const [temporary, ...free] = [TEMPORARY, ...handedOut].filter((flag) => !named.has(flag));
  if (temporary === undefined) return undefined;
  const assignments: Map<VirtualRegister, Flag>[] = [];
  for (let block = 0; block + 1 < program.blockStart.length; block++) {
    const { assigned, evicted } = scan(flagIntervals(program, block), free);
    for (const register of evicted) isPure[register] = 0;
    assignments.push(assigned);
  }
  return new FlagWriter(program, isPure, temporary).write(assignments);
}

/** Undefined where no bool is tested or set as a flag. */
function pureFlags({ program, isPayload }: Skeleton, { onlyBlock }: Intervals): Uint8Array | undefined {
  const isPure = new Uint8Array(program.registers.length);
  let found = false;
  for (const { predicate, condition } of program.instructions)
    for (const flag of [predicate?.flag, condition?.flag])
      if (flag?.kind === 'virtual') {
        isPure[flag.register] = onlyBlock[flag.register] >= 0 && !isPayload[flag.register] ? 1 : 0;
        found = true;
      }
  if (!found) return undefined;
  for (const { sources, destinations } of program.instructions)
    for (const operands of [sources, destinations])
      for (const operand of operands) if (operand.file === 'virtual') isPure[operand.register] = 0;
  return isPure;
}

/** Hardware flags that the text itself uses: they are nobody else's. */
function namedFlags(program: Program): Set<number> {
  const named = new Set<number>();
  for (const { predicate, condition, sources, destinations } of program.instructions) {
    for (const flag of [predicate?.flag, condition?.flag])
      if (flag?.kind === 'hardware') named.add(flag.flag);
    for (const operands of [sources, destinations])
      for (const operand of operands) if (operand.file === 'flag') named.add(operand.number);
  }
  return named;
}

function flagIntervals(program: Program, block: number): FlagInterval[] {
  const found = new Map<VirtualRegister, FlagInterval>();
  const [first, end] = [program.blockStart[block], program.blockStart[block + 1]];
  for (let i = first; i < end; i++) {
    const { predicate, condition, opcode } = program.instructions[i];
    for (const flag of [predicate?.flag, condition?.flag]) {
      if (flag?.kind !== 'virtual') continue;
      const known = found.get(flag.register);
      if (known === undefined) found.set(flag.register, { register: flag.register, from: i, to: i });
      else known.to = i;
    }
    // the jump's flag must be there when the block begins
    if (opcode.flow === 'jump' && predicate?.flag.kind === 'virtual')
      found.get(predicate.flag.register)!.from = first;
  }
  return [...found.values()].sort((a, b) => a.from - b.from || a.register - b.register);
}

interface Scan {
  readonly assigned: Map<VirtualRegister, Flag>;
  readonly evicted: VirtualRegister[];
}

function scan(intervals: readonly FlagInterval[], flags: readonly Flag[]): Scan {
  const assigned = new Map<VirtualRegister, Flag>();
  const evicted: VirtualRegister[] = [];
  const free = [...flags].reverse();
  let active: FlagInterval[] = [];
  for (const interval of intervals) {
    if (free.length === 0) {
      const expired = active.reduce((a, b) => (b.to < a.to ? b : a), active[0]);
      if (active.length > 0 && expired.to < interval.from) {
        free.push(assigned.get(expired.register)!);
        active = active.filter((other) => other !== expired);
      }
    }
    if (free.length === 0) {
      const victims = active.filter(({ register }) => assigned.get(register) !== 0);
      if (victims.length === 0) {
        evicted.push(interval.register);
        continue;
      }
      const victim = victims.reduce((a, b) => (b.to > a.to ? b : a));
      free.push(assigned.get(victim.register)!);
      assigned.delete(victim.register);
      evicted.push(victim.register);
      active = active.filter((other) => other !== victim);
    }
    assigned.set(interval.register, free.pop()!);
    active.push(interval);
  }
  return { assigned, evicted };
}

/** What a hardware flag holds while a block is walked: a bool, and whether for all lanes or for the executing ones. */
interface Held {
  readonly register: VirtualRegister;
  readonly inAllLanes: boolean;
}

class FlagWriter {
  private readonly insertions = new Insertions();
  private readonly instructions: Instruction[];
  private one: VirtualRegister | undefined;

  constructor(
    private readonly program: Program,
    private readonly isPure: Uint8Array,
    private readonly temporary: Flag,
  ) {
    this.instructions = [...program.instructions];
  }

  write(assignments: readonly Map<VirtualRegister, Flag>[]): FlagAllocation {
    assignments.forEach((assigned, block) => {
      const held = new Map<Flag, Held>();
      for (let i = this.program.blockStart[block]; i < this.program.blockStart[block + 1]; i++)
        this.instruction(i, assigned, held);
    });
    const { one } = this;
    if (one !== undefined) {
      const load = emitted('mov', {
        execSize: 1,
        noMask: true,
        destinations: [virtualOperand(one, 'UW')],
        sources: [immediate('UW', 0xffff)],
      });
      this.insertions.first(0, load);
    }
    return {
      instructions: this.instructions,
      insertions: this.insertions,
      isPure: this.isPure,
      ...(one !== undefined && { one }),
    };
  }

  private instruction(i: number, assigned: Map<VirtualRegister, Flag>, held: Map<Flag, Held>): void {
    let instruction = this.instructions[i];
    const { predicate, condition } = instruction;
    if (predicate?.flag.kind === 'virtual') {
      const flag = this.hold(i, predicate.flag.register, assigned, held, needsAllLanes(instruction));
      instruction = { ...instruction, predicate: { ...predicate, flag: hardware(flag) } };
    }
    for (const destination of instruction.destinations)
      if (destination.file === 'virtual')
        for (const [flag, { register }] of held) if (register === destination.register) held.delete(flag);
    if (condition?.flag.kind === 'virtual') {
      const { register } = condition.flag;
      const keeps = isConditional(instruction) || instruction.execSize < this.program.width;
      const flag = keeps
        ? this.hold(i, register, assigned, held, true)
        : (assigned.get(register) ?? this.temporary);
      instruction = { ...instruction, condition: { ...condition, flag: hardware(flag) } };
      if (writesFlag(instruction)) {
        const before = held.get(flag);
        const inAllLanes = instruction.noMask || (before?.register === register && before.inAllLanes);
        held.set(flag, { register, inAllLanes });
        if (!this.isPure[register]) this.copyToRegister(i, instruction, register, flag);
      }
    }
    this.instructions[i] = instruction;
  }

  /** The flag that holds the bool at instruction i, filled from its register where none does. */
  private hold(
    i: number,
    register: VirtualRegister,
    assigned: Map<VirtualRegister, Flag>,
    held: Map<Flag, Held>,
    allLanes: boolean,
  ): Flag {
    const flag = assigned.get(register) ?? this.temporary;
    const holds = held.get(flag);
    const isHeld = holds?.register === register && (holds.inAllLanes || !allLanes);
    if (isHeld || this.isPure[register]) return flag;
    const { isUniform } = this.program.registers[register];
    const compare = emitted('cmp', {
      execSize: this.program.width,
      noMask: true,
      destinations: [otherOperand('null', 0, 'UW')],
      sources: [virtualOperand(register, 'UW', isUniform ? 0 : 1), immediate('UW', 0)],
      condition: { test: 'nz', flag: hardware(flag) },
      switchesThread: this.program.platform.generation === 7,
    });
    this.insertions.before(i, compare, register);
    held.set(flag, { register, inAllLanes: true });
    return flag;
  }

  private copyToRegister(i: number, setter: Instruction, register: VirtualRegister, flag: Flag): void {
    this.one ??= virtual(this.program.registers.length);
    const select = emitted('sel', {
      execSize: setter.execSize,
      group: setter.group,
      noMask: setter.noMask,
      predicate: { flag: hardware(flag), inverse: false, mode: 'normal' },
      destinations: [{ ...virtualOperand(register, 'UW'), offset: WORD * setter.group }],
      sources: [virtualOperand(this.one, 'UW', 0), immediate('UW', 0)],
    });
    this.insertions.after(i, select, register);
  }
}

const hardware = (flag: Flag): FlagReference => ({ kind: 'hardware', flag });

/** Looks at lanes that may not execute. */
const needsAllLanes = ({ noMask, predicate }: Instruction): boolean => noMask || predicate?.mode !== 'normal';
