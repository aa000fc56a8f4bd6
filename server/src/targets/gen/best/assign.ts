import { GRF_BYTES, type Instruction, type Operand, type Program } from '../program.js';
import type { Atoms } from './atoms.js';
import type { Hardware } from './hardware.js';
import { NEVER } from './hardware.js';
import { Role, type References } from './references.js';
import type { Ranges } from './live.js';
import { copies } from './spill-code.js';

/**
 * Gives each register of a program that fits a place in the file, in one walk over the text (linear scan after Poletto
 * and Sarkar, with one list of taken ranges for each hardware register, as in Wimmer and Franz, "Linear scan register
 * allocation on SSA form", CGO 2010). Cells of one register that live at different times are taken at different times.
 *
 * Where enough registers are free but not side by side, atoms in the way are moved aside with a copy, if nothing can
 * jump past the copy and still read them.
 */
export interface Assignment {
  readonly instructions: readonly Instruction[];
  readonly blockStart: Int32Array;
  /** By instruction made: that of the program, or -1 for a copy. */
  readonly made: readonly number[];
  /** By instruction made: the register of the program whose value a copy moves, -1 elsewhere. */
  readonly moves: readonly number[];
  /** By cell: the hardware register of its first stay, -1 for none. */
  readonly place: Int32Array;
  readonly copies: number;
}

/** Registers for which there was no place, each with the instruction where it begins. */
export interface Unplaced {
  readonly failures: readonly { readonly instruction: number; readonly register: number }[];
}

/** Failures after which the walk is given up. */
const MOST_FAILURES = 64;

export interface AssignInput {
  readonly program: Program;
  readonly references: References;
  readonly ranges: Ranges;
  readonly atoms: Atoms;
  readonly hardware: Hardware;
  readonly hazard: Uint8Array;
  /** Spread over the file (short runs of the same register make false dependences) or fill it from the start. */
  readonly policy: 'spread' | 'pack';
  /** The first failure ends it: the caller does not ask for more. */
  readonly isTrial: boolean;
}

interface Taken {
  readonly from: number;
  readonly to: number;
  readonly cell: number;
}

/** First register that the payload of the last message may lie in. */
const END_OF_THREAD = 112;

export function assign(input: AssignInput): Assignment | Unplaced {
  const { program, references, ranges, atoms, hardware, hazard, policy, isTrial } = input;
  const count = program.instructions.length;
  const registerCount = program.registers.length;
  const place = new Int32Array(references.cellCount).fill(-1);
  const firstPlace = new Int32Array(references.cellCount).fill(-1);
  const taken: Taken[][] = Array.from({ length: 128 }, () => []);
  const { alignment, lowest } = constraintsOf(program, references, hardware.limit);
  const responseRead = responseReads(program, references, ranges, policy === 'spread');
  const starts = startsOf();
  const { start: regionStart, end: regionEnd } = regionsAt(program);
  const instructions: Instruction[] = [];
  const made: number[] = [];
  const moves: number[] = [];
  const blockStart = new Int32Array(program.blockStart.length);
  let cursor = 0;
  let wideCursor = 0;
  let copyCount = 0;
  const failures: { instruction: number; register: number }[] = [];
  for (let block = 0; block + 1 < blockStart.length; block++) {
    blockStart[block] = instructions.length;
    for (let i = program.blockStart[block]; i < program.blockStart[block + 1]; i++) {
      for (const register of starts.get(i) ?? [])
        if (!settle(register, i)) failures.push({ instruction: i, register });
      if (failures.length >= (isTrial ? 1 : MOST_FAILURES)) return { failures };
      instructions.push(placed(program.instructions[i], i));
      made.push(i);
      moves.push(-1);
    }
  }
  blockStart[blockStart.length - 1] = instructions.length;
  if (failures.length > 0) return { failures };
  return { instructions, blockStart, made, moves, place: firstPlace, copies: copyCount };

  /** Registers by the instruction where their first cell begins, wide ones first. */
  function startsOf(): Map<number, number[]> {
    const found = new Map<number, number[]>();
    for (let register = 0; register < registerCount; register++) {
      let first = NEVER;
      for (let cell = references.cellBase[register]; cell < references.cellBase[register + 1]; cell++)
        if (ranges.from[cell] >= 0) first = Math.min(first, ranges.from[cell]);
      if (first === NEVER) continue;
      const i = Math.min(count - 1, first >>> 1);
      const list = found.get(i);
      if (list === undefined) found.set(i, [register]);
      else list.push(register);
    }
    const width = (register: number): number =>
      references.cellBase[register + 1] - references.cellBase[register];
    const begin = (register: number): number => {
      let first = NEVER;
      for (let cell = references.cellBase[register]; cell < references.cellBase[register + 1]; cell++)
        if (ranges.from[cell] >= 0) first = Math.min(first, ranges.from[cell]);
      return first;
    };
    for (const list of found.values())
      list.sort((a, b) => begin(a) - begin(b) || width(b) - width(a) || a - b);
    return found;
  }

  function begins(cell: number): number {
    // a hazardous instruction writes while it still reads
    const from = ranges.from[cell];
    return from % 2 === 1 && from >>> 1 < count && hazard[from >>> 1] ? from - 1 : from;
  }

  /** Dead parts of a message's result wait for it like the others: whoever takes one at once waits for the message. */
  function ends(cell: number): number {
    return Math.max(ranges.to[cell], responseRead[cell]);
  }

  function isFree(register: number, from: number, to: number): boolean {
    if (register >= hardware.limit || hardware.freeFrom[register] > from) return false;
    for (const other of taken[register]) if (other.from < to && from < other.to) return false;
    return true;
  }

  function fits(register: number, base: number): boolean {
    const first = references.cellBase[register];
    for (let cell = first; cell < references.cellBase[register + 1]; cell++)
      if (ranges.from[cell] >= 0 && !isFree(base + cell - first, begins(cell), ends(cell))) return false;
    return true;
  }

  function settle(register: number, i: number): boolean {
    const width = references.cellBase[register + 1] - references.cellBase[register];
    const step = alignment[register];
    const bottom = lowest[register];
    const last = hardware.limit - width;
    const isWide = width > 2;
    const slots = Math.floor(last / step) + 1;
    let from = 0;
    if (policy === 'spread') from = isWide ? Math.ceil(wideCursor / step) : Math.ceil(cursor / step);
    for (let tried = 0; tried < slots; tried++) {
      const slot = (from + tried) % slots;
      const base = isWide ? (slots - 1 - slot) * step : slot * step;
      if (base < bottom || !fits(register, base)) continue;
      take(register, base, i);
      if (isWide) wideCursor = (slot + 1) * step + width - step;
      else cursor = base + width;
      return true;
    }
    return moveAside(register, i, step, bottom, last);
  }

  function take(register: number, base: number, i: number): void {
    const first = references.cellBase[register];
    for (let cell = first; cell < references.cellBase[register + 1]; cell++) {
      if (ranges.from[cell] < 0) continue;
      place[cell] = base + cell - first;
      if (firstPlace[cell] < 0) firstPlace[cell] = place[cell];
      occupy(cell, begins(cell), i);
    }
  }

  function occupy(cell: number, from: number, i: number): void {
    const list = taken[place[cell]];
    // what has ended before this instruction can conflict with nothing any more
    let kept = 0;
    for (const other of list) if (other.to > 2 * i) list[kept++] = other;
    list.length = kept;
    list.push({ from, to: ends(cell), cell });
  }

  /** The cheapest window whose occupants can be copied elsewhere before instruction i. */
  function moveAside(register: number, i: number, step: number, bottom: number, last: number): boolean {
    const first = references.cellBase[register];
    let bestBase = -1;
    let bestCells = NEVER;
    for (let base = Math.ceil(bottom / step) * step; base <= last; base += step) {
      const inTheWay = occupants(register, base, i);
      if (inTheWay === undefined) continue;
      let cells = 0;
      for (const atom of inTheWay) cells += atoms.size[atom];
      if (cells < bestCells) {
        bestCells = cells;
        bestBase = base;
      }
    }
    if (bestBase < 0) return false;
    const window = { first: bestBase, end: bestBase + references.cellBase[register + 1] - first };
    const inTheWay = [...(occupants(register, bestBase, i) ?? [])].sort(
      (a, b) => atoms.size[b] - atoms.size[a] || a - b,
    );
    for (const atom of inTheWay) {
      const target = elsewhere(atom, i, window);
      if (target < 0) return false;
      copy(atom, target, i);
    }
    if (!fits(register, bestBase)) return false;
    take(register, bestBase, i);
    return true;
  }

  /** Atoms that overlap a window at the time the register needs it; undefined where one of them cannot be moved. */
  function occupants(register: number, base: number, i: number): Set<number> | undefined {
    const first = references.cellBase[register];
    const found = new Set<number>();
    for (let cell = first; cell < references.cellBase[register + 1]; cell++) {
      if (ranges.from[cell] < 0) continue;
      const hardwareRegister = base + cell - first;
      const from = begins(cell);
      if (hardwareRegister >= hardware.limit || hardware.freeFrom[hardwareRegister] > from) return undefined;
      for (const other of taken[hardwareRegister]) {
        if (other.from >= ends(cell) || from >= other.to) continue;
        const atom = atoms.atomOf[other.cell];
        const isBorn = atoms.from[atom] < 2 * i && other.from < 2 * i;
        if (!isBorn || atoms.isBound[atom] !== 0 || atoms.to[atom] > 2 * regionEnd[i]) return undefined;
        // what is still to be written with its neighbours is written beside them
        if (atoms.lastWhole[atom] >= i) return undefined;
        if (atoms.from[atom] < 2 * regionStart[i]) return undefined;
        if (place[other.cell] !== hardwareRegister) return undefined;
        found.add(atom);
      }
    }
    return found;
  }

  function elsewhere(atom: number, i: number, window: { first: number; end: number }): number {
    const size = atoms.size[atom];
    const step = Math.min(size, alignment[atoms.register[atom]]);
    for (let base = 0; base + size <= hardware.limit; base += step) {
      if (base < window.end && base + size > window.first) continue;
      let isFine = true;
      for (let k = 0; k < size && isFine; k++)
        // a cell that has ended is copied with the others
        isFine = isFree(base + k, 2 * i, Math.max(2 * i + 1, ends(atoms.firstCell[atom] + k)));
      if (isFine) return base;
    }
    return -1;
  }

  function copy(atom: number, target: number, i: number): void {
    const first = atoms.firstCell[atom];
    for (const instruction of copies(program, target, place[first], atoms.size[atom])) {
      instructions.push(instruction);
      made.push(-1);
      moves.push(atoms.register[atom]);
      copyCount++;
    }
    for (let k = 0; k < atoms.size[atom]; k++) {
      const list = taken[place[first + k]];
      const index = list.findIndex((other) => other.cell === first + k);
      if (index >= 0) {
        const [other] = list.splice(index, 1);
        if (other.from < 2 * i) list.push({ ...other, to: 2 * i });
      }
      place[first + k] = target + k;
      occupy(first + k, 2 * i, i);
    }
  }

  function placed(instruction: Instruction, i: number): Instruction {
    const from = references.start[i];
    const end = references.start[i + 1];
    if (from === end && !hasVirtual(instruction)) return instruction;
    const sources = instruction.sources.map(hardwareOperand);
    const destinations = instruction.destinations.map(hardwareOperand);
    return { ...instruction, sources, destinations };
  }

  function hardwareOperand(operand: Operand): Operand {
    if (operand.file !== 'virtual') return operand;
    const cell = references.cellBase[operand.register] + Math.floor(operand.offset / GRF_BYTES);
    const grf = Math.max(0, place[Math.min(cell, references.cellCount - 1)]);
    // made anew, so that no virtual number is left in it
    const { type, negate, absolute, swizzle, mask, stride, region } = operand;
    return {
      file: 'grf',
      grf,
      type,
      offset: operand.offset % GRF_BYTES,
      negate,
      absolute,
      swizzle,
      mask,
      stride,
      region,
      operand: operand.operand,
    };
  }
}

const hasVirtual = (instruction: Instruction): boolean =>
  instruction.sources.some((operand) => operand.file === 'virtual') ||
  instruction.destinations.some((operand) => operand.file === 'virtual');

/**
 * Pairs of registers that one instruction writes in two halves lie at even places, so that a result covers a source
 * whole or not at all; the payload of a thread's last message lies in g112 and up (brw_eu_validate.c).
 */
function constraintsOf(
  program: Program,
  references: References,
  limit: number,
): { alignment: Int32Array; lowest: Int32Array } {
  const alignment = new Int32Array(program.registers.length).fill(1);
  const lowest = new Int32Array(program.registers.length);
  if (program.dialect !== 'scalar') return { alignment, lowest };
  program.instructions.forEach((instruction, i) => {
    for (let r = references.start[i]; r < references.start[i + 1]; r++) {
      const register = references.registerOf[references.cell[r]];
      if (instruction.opcode.kind !== 'message' && references.count[r] % 2 === 0) alignment[register] = 2;
      if (limit === 128 && instruction.message.isEndOfThread && references.role[r] & Role.Use)
        lowest[register] = END_OF_THREAD;
    }
  });
  return { alignment, lowest };
}

/**
 * By instruction: the innermost arm or loop that holds it, which no jump enters in its middle: one past its last
 * instruction, and for loops the first, because what was there before is there again in the next iteration.
 */
function regionsAt(program: Program): { start: Int32Array; end: Int32Array } {
  const count = program.instructions.length;
  const start = new Int32Array(count);
  const end = new Int32Array(count);
  if (program.instructions.some(({ opcode }) => opcode.flow === 'jump')) {
    for (let block = 0; block + 1 < program.blockStart.length; block++) {
      start.fill(program.blockStart[block], program.blockStart[block], program.blockStart[block + 1]);
      end.fill(program.blockStart[block + 1], program.blockStart[block], program.blockStart[block + 1]);
    }
    return { start, end };
  }
  const open: { first: number; members: number[] }[] = [{ first: 0, members: [] }];
  const close = (last: number): void => {
    const region = open.pop();
    for (const i of region?.members ?? []) {
      start[i] = region?.first ?? 0;
      end[i] = last;
    }
    if (open.length === 0) open.push({ first: 0, members: [] });
  };
  for (let i = 0; i < count; i++) {
    const { flow } = program.instructions[i].opcode;
    if (flow === 'else' || flow === 'endif') close(i);
    const inner = open[open.length - 1];
    // nothing is put before control flow: that place belongs to two regions
    if (flow === undefined) inner.members.push(i);
    if (flow === 'while') close(i + 1);
    if (flow === 'if' || flow === 'else') open.push({ first: inner.first, members: [] });
    if (flow === 'do') open.push({ first: i + 1, members: [] });
  }
  while (open.length > 1) close(count);
  close(count);
  // a thread whose lanes have all halted passes what stands before the target
  const halt = program.instructions.findIndex(({ opcode }) => opcode.flow === 'halt');
  const target = program.instructions.findIndex(({ opcode }) => opcode.flow === 'haltTarget');
  if (halt >= 0)
    for (let i = halt + 1; i < (target < 0 ? count : target); i++) end[i] = Math.min(end[i], target);
  return { start, end };
}

/**
 * By cell that a message writes and nothing reads: where the first other cell of the result is read (the end of its
 * own range at least), so that no other value is written there while the message is still under way.
 */
function responseReads(
  program: Program,
  references: References,
  ranges: Ranges,
  isRoomy: boolean,
): Int32Array {
  const found = new Int32Array(references.cellCount);
  if (!isRoomy) return found;
  const firstRead = new Int32Array(program.registers.length).fill(-1);
  for (let i = program.instructions.length - 1; i >= 0; i--)
    for (let r = references.start[i]; r < references.start[i + 1]; r++)
      if (references.role[r] & Role.Use) firstRead[references.registerOf[references.cell[r]]] = i;
  program.instructions.forEach((instruction, i) => {
    if (instruction.opcode.kind !== 'message') return;
    for (let r = references.start[i]; r < references.start[i + 1]; r++) {
      const read = firstRead[references.registerOf[references.cell[r]]];
      if ((references.role[r] & Role.Definition) === 0 || references.count[r] < 2 || read < i) continue;
      for (let cell = references.cell[r]; cell < references.cell[r] + references.count[r]; cell++)
        if (ranges.to[cell] === 2 * i + 2) found[cell] = 2 * read + 1;
    }
  });
  return found;
}
