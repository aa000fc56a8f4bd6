import type { Function } from '../ir/function.js';
import { isLiveAt, type LiveRanges } from './live-ranges.js';
import { isDefinition, isUse, type Occurrences } from './occurrences.js';

/**
 * Who is live at an instruction, and since when idle. A value that was touched long ago and is wanted only much later
 * holds a register for nothing in between: Belady's rule says to give up the one whose next use is farthest.
 */
export interface HeldRegister {
  readonly register: number;
  /** Units. */
  readonly width: number;
  /** The nearest definition before or at the instruction in text order, or the first one behind it. */
  readonly definition: number;
  /** Nearest use before the instruction in text order, or -1. */
  readonly lastUse: number;
  /** Nearest use behind the instruction in text order; for a value that only the next turn of a loop reads, its first use. */
  readonly nextUse: number;
  /** Instructions between the touches on both sides; 0 where the instruction itself touches the register. */
  readonly idle: number;
}

/** In which class each register counts, and with how many units; where nothing else is said, its own and its width. */
export interface Units {
  readonly registerClass: ArrayLike<number>;
  readonly width: ArrayLike<number>;
}

const ownUnits = ({ registerClass, registerWidth: width }: Function): Units => ({ registerClass, width });

/** Registers of one class that are live while the instruction executes, longest idle first. O(registers log occurrences). */
export function heldAt(
  f: Function,
  ranges: LiveRanges,
  occurrences: Occurrences,
  registerClass: number,
  instruction: number,
  units: Units = ownUnits(f),
): HeldRegister[] {
  const held: number[] = [];
  for (let r = 0; r < f.registerCount; r++) {
    if (units.registerClass[r] !== registerClass) continue;
    if (isLiveAt(ranges, r, 2 * instruction) || isLiveAt(ranges, r, 2 * instruction + 1)) held.push(r);
  }
  return heldAmong(f, held, occurrences, instruction, units);
}

/** The same for registers that are known to be held. */
export function heldAmong(
  f: Function,
  registers: readonly number[],
  occurrences: Occurrences,
  instruction: number,
  { width }: Units = ownUnits(f),
): HeldRegister[] {
  return registers
    .map((r) => ({ ...touchesAround(f, occurrences, r, instruction), width: width[r] }))
    .sort((a, b) => b.idle - a.idle || a.register - b.register);
}

function touchesAround(
  f: Function,
  { start, operand, instruction }: Occurrences,
  r: number,
  at: number,
): Omit<HeldRegister, 'width'> {
  let low = start[r];
  let high = start[r + 1];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (instruction[middle] < at) low = middle + 1;
    else high = middle;
  }
  const firstBehind = low;
  let definition = -1;
  let lastUse = -1;
  for (let k = firstBehind - 1; k >= start[r] && (definition < 0 || lastUse < 0); k--) {
    if (definition < 0 && isDefinition(f, operand[k])) definition = instruction[k];
    if (lastUse < 0 && isUse(f, operand[k])) lastUse = instruction[k];
  }
  let nextUse = -1;
  let touches = false;
  for (let k = firstBehind; k < start[r + 1] && nextUse < 0; k++) {
    touches ||= instruction[k] === at;
    if (definition < 0 && isDefinition(f, operand[k])) definition = instruction[k];
    if (isUse(f, operand[k])) nextUse = instruction[k];
  }
  const before = firstBehind > start[r] ? at - instruction[firstBehind - 1] : at;
  let after = nextUse - at;
  if (nextUse < 0) {
    // round the loop: down to its end, then from its start
    for (let k = start[r]; k < firstBehind && nextUse < 0; k++)
      if (isUse(f, operand[k])) nextUse = instruction[k];
    after = f.instructionCount - at + Math.max(0, nextUse);
  }
  return {
    register: r,
    definition,
    lastUse,
    nextUse,
    idle: touches ? 0 : before + after,
  };
}

/**
 * The fewest registers that free `units` at once, among those that the instruction does not touch: the widest first,
 * of equal ones the longest idle. Empty where all of them are not enough.
 */
export function smallestSet(held: readonly HeldRegister[], units: number): HeldRegister[] {
  const idle = held.filter((h) => h.idle > 0);
  const single = idle.find((h) => h.width >= units);
  if (single) return [single];
  const chosen: HeldRegister[] = [];
  let freed = 0;
  for (const h of idle.sort((a, b) => b.width - a.width || b.idle - a.idle || a.register - b.register)) {
    if (freed >= units) break;
    chosen.push(h);
    freed += h.width;
  }
  return freed >= units ? chosen : [];
}
