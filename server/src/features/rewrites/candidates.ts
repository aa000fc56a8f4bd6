import { InstructionFlag, OperandFlag, placeOf, type Function } from '../../ir/function.js';
import { isPhysical, NoRegister } from '../../ir/place.js';
import type { UnitSymbol } from '../../languages/symbols.js';
import { isLiveAt } from '../../passes/live-ranges.js';
import { isDefinition } from '../../passes/occurrences.js';
import type { Compilation } from '../../targets/target.js';
import type { TextEdit } from '../../text/span.js';
import type { Snapshot, Unit } from '../../workspace/snapshot.js';
import { registerOccurrences } from '../reaching.js';

/** What rewrites have in common: where most registers are held, and whole statements of a text. */

/** A rewrite that keeps what the function computes. Whether it is worth making is for `figures.ts` to say. */
export interface Rewrite {
  /** What is done, in words: "Sink `%r17` to its use". */
  readonly title: string;
  /** Instructions at whose lines it is offered. */
  readonly anchors: readonly number[];
  /** By instruction of the rewritten function: the one of the source that it is; -1 for a copy. */
  readonly order: Int32Array;
  /** First instruction of each block of the rewritten function, and the end. */
  readonly blockStart: Int32Array;
  /** A register of the source that has more than one name now. Copies are made between its names only. */
  readonly split?: { readonly register: number; readonly names: readonly string[] };
  /** Relative to the unit, in text order, apart from each other. */
  readonly edits: readonly TextEdit[];
}

/** Instructions where the register class that a limit is about is fullest, in the text's order and as compiled. */
export function peaksOf({ asWritten, asCompiled }: Compilation): number[] {
  const found = [asWritten, asCompiled].map(({ peak, peakAt }) => ((peak[0] ?? 0) > 0 ? peakAt[0] : -1));
  return [...new Set(found)].filter((at) => at >= 0);
}

/** A value that is held over a peak: the instruction that last wrote its register before, in the order of the text. */
export interface HeldValue {
  readonly register: number;
  readonly definition: number;
  readonly peak: number;
}

/** Each instruction once, for the peak that is found first. */
export function* heldValues(c: Compilation): Generator<HeldValue> {
  const { start, operand, instruction } = registerOccurrences(c.source);
  const seen = new Set<number>();
  for (const peak of peaksOf(c))
    for (const register of heldOver(c, peak)) {
      let definition = -1;
      for (let k = start[register]; k < start[register + 1] && instruction[k] < peak; k++)
        if (isDefinition(c.source, operand[k])) definition = instruction[k];
      if (definition < 0 || seen.has(definition)) continue;
      seen.add(definition);
      yield { register, definition, peak };
    }
}

/** Registers of the class that a limit is about, held before and after instruction `at`. O(registers log segments). */
export function heldOver({ source: f, liveRanges }: Compilation, at: number): number[] {
  const found: number[] = [];
  for (let r = 0; r < f.registerCount; r++) {
    if (f.registerClass[r] !== 0) continue;
    if (isLiveAt(liveRanges, r, 2 * at) && isLiveAt(liveRanges, r, 2 * at + 1)) found.push(r);
  }
  return found;
}

const FIXED =
  InstructionFlag.SideEffect |
  InstructionFlag.WritesMemory |
  InstructionFlag.Call |
  InstructionFlag.Branch |
  InstructionFlag.Return |
  InstructionFlag.Barrier |
  InstructionFlag.Entry;

/**
 * Whether an instruction does nothing but make values from registers, constants and memory. One that reads none of
 * these and is still no constant tells the time, or which threads are active: it stays where it stands.
 */
export function isMovable(f: Function, instruction: number): boolean {
  const flags = f.instructionFlags[instruction];
  if ((flags & FIXED) !== 0) return false;
  let reads = (flags & (InstructionFlag.Constant | InstructionFlag.ReadsMemory)) !== 0;
  let writes = false;
  for (let o = f.operandStart[instruction]; o < f.operandStart[instruction + 1]; o++) {
    if (f.operandFixed.has(o) || isPhysicalOperand(f, o)) return false;
    if (placeOf(f, o) === NoRegister.SpecialVolatile) return false;
    if (f.operandPlace[o] < 0) continue;
    if ((f.operandFlags[o] & OperandFlag.Use) !== 0) reads = true;
    if ((f.operandFlags[o] & OperandFlag.Definition) !== 0) writes = true;
  }
  return reads && writes;
}

/** Registers of the machine overlap each other in ways that `ir/` does not know. */
const isPhysicalOperand = (f: Function, operand: number): boolean =>
  isPhysical(placeOf(f, operand)) && f.operandWidth[operand] > 0;

/** A statement with the lines that are its own: `[start, end)` in the unit, line ends included. */
export interface Statement {
  readonly start: number;
  readonly end: number;
}

/**
 * The lines of an instruction, with the comments on them; undefined where they hold (a part of) another instruction,
 * or the unit begins or ends on them.
 */
export function statementOf(
  s: Snapshot,
  unit: Unit,
  f: Function,
  instruction: number,
): Statement | undefined {
  const lineOf = (offset: number): number => s.lines.lineAt(unit.start + offset);
  const first = lineOf(f.spanStart[instruction]);
  const last = lineOf(Math.max(f.spanStart[instruction], f.spanEnd[instruction] - 1));
  const next = instruction + 1;
  if (instruction > 0 && lineOf(Math.max(0, f.spanEnd[instruction - 1] - 1)) >= first) return undefined;
  if (next < f.instructionCount && lineOf(f.spanStart[next]) <= last) return undefined;
  if (last + 1 >= s.lines.lineCount) return undefined;
  const start = s.lines.startOf(first) - unit.start;
  const end = s.lines.startOf(last + 1) - unit.start;
  return start < 0 || end > unit.end - unit.start ? undefined : { start, end };
}

/** Whether every name of an instruction means at `to` what it means where it stands. */
export function meansTheSame(unit: Unit, f: Function, instruction: number, to: number): boolean {
  const { symbols, occurrenceStart, occurrenceSymbol } = unit.bound.symbols;
  const end = f.spanEnd[instruction];
  const at = f.spanStart[to];
  const isAt = ({ scope }: UnitSymbol): boolean =>
    scope === undefined || (scope.start <= at && at < scope.end);
  for (let k = firstFrom(occurrenceStart, f.spanStart[instruction]); occurrenceStart[k] < end; k++) {
    const meant = symbols[occurrenceSymbol[k]];
    if (!isAt(meant)) return false;
    const { scope } = meant;
    const isHidden = symbols.some(
      (x) =>
        x !== meant &&
        x.name === meant.name &&
        x.scope !== undefined &&
        isAt(x) &&
        (scope === undefined || x.scope.start > scope.start),
    );
    if (isHidden) return false;
  }
  return true;
}

/** Index of the first element of a sorted list that is at least `value`. */
export function firstFrom(sorted: ArrayLike<number>, value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The instructions of `f` in order, with `from` taken out and put directly before `to`, which is further down. */
export function movedDown(f: Function, from: number, to: number): Pick<Rewrite, 'order' | 'blockStart'> {
  const order = Int32Array.from({ length: f.instructionCount }, (_, k) => k);
  order.copyWithin(from, from + 1, to);
  order[to - 1] = from;
  const blockStart = f.blockStart.map((start) => (start > from && start <= to ? start - 1 : start));
  return { order, blockStart };
}

/** An instruction that is put directly before another one further up, at the end of `block` or inside it. */
export interface MoveUp {
  readonly from: number;
  readonly to: number;
  readonly block: number;
}

/** The instructions of `f` in order after moves, of which none needs another one. */
export function movedUp(f: Function, moves: readonly MoveUp[]): Pick<Rewrite, 'order' | 'blockStart'> {
  const isMoved = new Set(moves.map(({ from }) => from));
  const sorted = [...moves].sort((a, b) => a.to - b.to || a.block - b.block || a.from - b.from);
  const order: number[] = [];
  const blockStart = new Int32Array(f.blockCount + 1);
  let next = 0;
  for (let b = 0; b < f.blockCount; b++) {
    blockStart[b] = order.length;
    for (let i = f.blockStart[b]; i <= f.blockStart[b + 1]; i++) {
      for (; next < sorted.length && sorted[next].to === i && sorted[next].block === b; next++)
        order.push(sorted[next].from);
      if (i < f.blockStart[b + 1] && !isMoved.has(i)) order.push(i);
    }
  }
  blockStart[f.blockCount] = order.length;
  return { order: Int32Array.from(order), blockStart };
}
