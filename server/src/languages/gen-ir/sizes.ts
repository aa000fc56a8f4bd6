import { destinationBytes, slackBytes, sourceBytes, startByte, UNKNOWN, WHOLE } from './access.js';
import { NumberIndex } from './number-index.js';
import type { Operand } from './operand.js';
import type { Instruction, MesaUnit, VirtualDirective } from './tree.js';

/**
 * Sizes of virtual registers, which a dump does not print. It prints `+R.B` behind a register when the offset is not
 * zero or when the access is not exactly as large as the register; so an operand without it is as large as its
 * register, and one with it says that the register reaches to its end, or beyond where it starts at 0. A `.vgrf`
 * directive wins over all of that, and contradictions are reported.
 */
export interface Registers {
  /** By virtual register, in order of appearance. */
  readonly numbers: readonly number[];
  /** In registers of 32 bytes, at least 1. */
  readonly sizes: readonly number[];
  /** What the size rests on: a `.vgrf`, an operand without an offset, or only the accesses. */
  readonly by: readonly SizeSource[];
  /** Two operands contradict each other: the numbers are perhaps those of the register file. */
  readonly isContradictory: boolean;
  /** Contradictions of `.vgrf` directives. */
  readonly declared: readonly Contradiction[];
  indexOf(number: number): number;
}

export type SizeSource = 'declared' | 'exact' | 'accesses';

export interface Contradiction {
  readonly register: number;
  readonly operand: Operand;
  readonly directive: VirtualDirective;
  readonly kind: 'beyond' | 'equal' | 'different';
  /** Registers that the operand needs. */
  readonly needed: number;
}

/** A register is at most so large: 32-bit lanes of SIMD32 and 16 components. */
const MOST = 2048;

export function inferSizes(unit: MesaUnit): Registers {
  const index = new NumberIndex();
  const exact: number[] = [];
  const least: number[] = [];
  const directives: (VirtualDirective | undefined)[] = [];
  const add = (number: number): number => {
    const register = index.add(number);
    if (register === exact.length) {
      exact.push(0);
      least.push(1);
      directives.push(undefined);
    }
    return register;
  };
  let isContradictory = false;
  const see = (operand: Operand, bytes: number): void => {
    const register = add(operand.number);
    if (operand.offsetStart < 0) {
      if (bytes <= 0) return;
      const size = registersOf(bytes);
      if (exact[register] !== 0 && exact[register] !== size) isContradictory = true;
      if (exact[register] < size) exact[register] = size;
      return;
    }
    const needed = neededBy(operand, bytes);
    if (needed > least[register]) least[register] = Math.min(needed, MOST);
  };
  for (const statement of unit.statements) {
    if (statement.kind === 'vgrf' && statement.number !== undefined) {
      const register = add(statement.number.value);
      directives[register] ??= statement;
    } else if (statement.kind === 'instruction' && !statement.isFaulty) eachVirtual(statement, see);
    else if (statement.kind === 'liveOut')
      for (const operand of statement.operands) if (operand.file === 'virtual') add(operand.number);
  }
  const sizes: number[] = [];
  const by: SizeSource[] = [];
  for (let r = 0; r < exact.length; r++) {
    const declared = directives[r]?.size?.value;
    const inferred = Math.max(exact[r], least[r]);
    sizes.push(declared === undefined ? inferred : Math.min(Math.max(declared, 1), MOST));
    by.push(declared !== undefined ? 'declared' : exact[r] > 0 ? 'exact' : 'accesses');
    if (exact[r] !== 0 && exact[r] < least[r]) isContradictory = true;
  }
  return {
    numbers: index.numbers,
    sizes,
    by,
    isContradictory,
    declared: directives.some((d) => d?.size !== undefined)
      ? contradictions(unit, index, directives, sizes)
      : [],
    indexOf: (number) => index.indexOf(number),
  };
}

const registersOf = (bytes: number): number => Math.ceil(bytes / 32);

/** Registers that an operand with an offset says there are. */
function neededBy(operand: Operand, bytes: number): number {
  const start = startByte(operand, 32);
  if (bytes <= 0) return Math.floor(start / 32) + 1;
  const needed = registersOf(start + bytes - slackBytes(operand));
  return start === 0 && bytes % 32 === 0 ? needed + 1 : needed;
}

/** Each virtual operand of an instruction with the bytes that it accesses (access.ts). */
function eachVirtual(instruction: Instruction, see: (operand: Operand, bytes: number) => void): void {
  const { destination, sources } = instruction;
  if (destination.file === 'virtual') see(destination, destinationBytes(instruction));
  for (let k = 0; k < sources.length; k++)
    if (sources[k].file === 'virtual') see(sources[k], sourceBytes(instruction, k));
}

/**
 * A dump that was taken behind allocation prints the number of the hardware register after `vgrf`. Then one number
 * stands for several values in turn, whose sizes contradict each other, and no number is above 127.
 */
export const looksAllocated = (
  { isStandalone }: MesaUnit,
  { isContradictory, numbers }: Registers,
): boolean => !isStandalone && isContradictory && numbers.every((number) => number < 128);

/** Where operands do not go with the size that a `.vgrf` gives; the first one of each register. */
function contradictions(
  unit: MesaUnit,
  index: NumberIndex,
  directives: readonly (VirtualDirective | undefined)[],
  sizes: readonly number[],
): Contradiction[] {
  const found: Contradiction[] = [];
  const isTold = new Uint8Array(sizes.length);
  for (const statement of unit.statements) {
    if (statement.kind !== 'instruction' || statement.isFaulty) continue;
    eachVirtual(statement, (operand, bytes) => {
      const register = index.indexOf(operand.number);
      const directive = directives[register];
      if (directive?.size === undefined || isTold[register] === 1 || bytes === UNKNOWN || bytes === WHOLE)
        return;
      const size = sizes[register];
      const start = startByte(operand, 32);
      const needed = registersOf(start + bytes - slackBytes(operand));
      const kind =
        needed > size
          ? 'beyond'
          : operand.offsetStart < 0 && bytes !== 32 * size && bytes % 32 === 0
            ? 'different'
            : operand.offsetStart >= 0 && start === 0 && bytes === 32 * size
              ? 'equal'
              : undefined;
      if (kind === undefined) return;
      isTold[register] = 1;
      found.push({ register, operand, directive, kind, needed });
    });
  }
  return found;
}
