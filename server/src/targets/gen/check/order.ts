import type { Violation } from '../../../passes/check-allocation.js';
import type { Instruction, Operand, Program } from '../program.js';
import { impliedMrf, isConditional, payloadMrf, readsFlag, writesFlag } from '../access.js';
import { GRF_BYTES } from '../program.js';
import { memoryEffect } from '../simulate/sends.js';
import { isRegister, readFootprint, writeFootprint } from './footprint.js';
import { accumulatorPlace, flagBytes, flagPlace, messagePlace, placeStart, SCRATCH_ROW } from './space.js';

/**
 * Whether a scheduler has only reordered: each block has the same instructions as before, and every instruction
 * finds in each place (in units of what the program's operands touch) what the same instruction had put there
 * before, as does what follows the block. Memory is one place that its readers read and its writers change;
 * NoDDClr and NoDDChk may differ.
 */
export function checkOrder(before: Program, after: Program, most: number): Violation[] {
  const violations: Violation[] = [];
  const report = (code: number, message: string) => {
    if (violations.length >= most) return;
    const instruction = code < 0 ? -1 : after.instructions[code].origin;
    violations.push({ instruction, code, message: code < 0 ? message : `code ${code}: ${message}` });
  };
  if (before.blockStart.length !== after.blockStart.length) {
    report(
      -1,
      `${after.blockStart.length - 1} blocks after scheduling instead of ${before.blockStart.length - 1}`,
    );
    return violations;
  }
  let unit = 0;
  for (let block = 0; block + 1 < before.blockStart.length; block++) {
    const [from, end] = [before.blockStart[block], before.blockStart[block + 1]];
    const [start, stop] = [after.blockStart[block], after.blockStart[block + 1]];
    if (end - from !== stop - start) {
      report(start, `block ${block} has ${stop - start} instructions instead of ${end - from}`);
      continue;
    }
    if (isUnchanged(before, from, end, after, start)) continue;
    const order = permutation(before, from, end, after, start, report);
    if (order === undefined) continue;
    if (unit === 0) unit = unitOf(before);
    const wanted = dataflow(
      before,
      unit,
      from,
      Array.from({ length: end - from }, (_, k) => k),
    );
    const got = dataflow(before, unit, from, order);
    order.forEach((k, position) => {
      for (const [place, writer] of wanted.reads[k])
        if (got.reads[k].get(place) !== writer)
          report(
            start + position,
            `${what(before, from, k)} was moved past ${past(before, from, writer, got.reads[k].get(place))}`,
          );
    });
    for (const [place, writer] of wanted.last)
      if (got.last.get(place) !== writer)
        report(
          start,
          `block ${block} ends with the result of another instruction than ${what(before, from, writer)} in a register`,
        );
  }
  return violations;
}

function isUnchanged(before: Program, from: number, end: number, after: Program, start: number): boolean {
  for (let i = from; i < end; i++)
    if (before.instructions[i] !== after.instructions[start + i - from]) return false;
  return true;
}

const what = (program: Program, from: number, k: number): string =>
  `${program.instructions[from + k].opcode.name} (instruction ${program.instructions[from + k].origin})`;

function past(program: Program, from: number, wanted: number, got: number | undefined): string {
  const other = wanted >= 0 ? wanted : (got ?? -1);
  return other < 0 ? 'a write' : what(program, from, other);
}

/** By position after scheduling the position before it, both from the block's start. */
function permutation(
  before: Program,
  from: number,
  end: number,
  after: Program,
  start: number,
  report: (code: number, message: string) => void,
): number[] | undefined {
  const places = new Map<Instruction | string, number[]>();
  const put = (key: Instruction | string, i: number) => {
    const known = places.get(key);
    if (known === undefined) places.set(key, [i - from]);
    else known.push(i - from);
  };
  for (let i = end - 1; i >= from; i--) put(before.instructions[i], i);
  // Where only dependency bits were changed the instruction is another object.
  const remade = after.instructions.slice(start, start + end - from).filter((each) => !places.has(each));
  if (remade.length > 0) {
    const same = new Set(after.instructions.slice(start, start + end - from));
    for (let i = end - 1; i >= from; i--)
      if (!same.has(before.instructions[i])) put(keyOf(before.instructions[i]), i);
  }
  const order: number[] = [];
  for (let k = 0; k < end - from; k++) {
    const instruction = after.instructions[start + k];
    const list = places.get(instruction) ?? places.get(keyOf(instruction));
    const at = list?.pop();
    if (at === undefined) {
      report(start + k, `${instruction.opcode.name} is none of the block's instructions`);
      return undefined;
    }
    order.push(at);
  }
  return order;
}

/** All of an instruction but its dependency bits. */
const keyOf = (instruction: Instruction): string =>
  JSON.stringify([{ ...instruction, noDDClear: 0, noDDCheck: 0, opcode: 0 }, instruction.opcode.name]);

interface Dataflow {
  /** By instruction: the last writer of each place that it reads or keeps a part of; -1 from before the block. */
  readonly reads: readonly Map<number, number>[];
  readonly last: Map<number, number>;
}

const MEMORY = -2;

/** A write of a message's own junk: whose it is does not matter. */
const SPOILT = -2;
type See = (place: number, length: number, isWrite: boolean | 'spoilt') => void;

function dataflow(program: Program, unit: number, from: number, order: readonly number[]): Dataflow {
  const last = new Map<number, number>();
  const reads: Map<number, number>[] = [];
  for (const k of order) {
    const instruction = program.instructions[from + k];
    const seen = new Map<number, number>();
    touched(program, instruction, (place, length, isWrite) => {
      for (let p = place; p < place + length; p += unit)
        if (isWrite === false) seen.set(p, last.get(p) ?? -1);
    });
    reads[k] = seen;
    touched(program, instruction, (place, length, isWrite) => {
      for (let p = place; p < place + length; p += unit)
        if (isWrite !== false) last.set(p, isWrite === 'spoilt' ? SPOILT : k);
    });
  }
  return { reads, last };
}

/** Bytes that an instruction reads and writes. What is written under a mask or predicate counts as read, too. */
function touched(program: Program, instruction: Instruction, see: See): void {
  const { opcode, predicate, condition, group, execSize } = instruction;
  const keeps = !instruction.noMask || isConditional(instruction);
  const write = (place: number, length: number) => {
    if (keeps) see(place, length, false);
    see(place, length, true);
  };
  instruction.sources.forEach((operand, k) => {
    for (const [place, to] of bytes(program, operand, () => readFootprint(program, instruction, k)))
      see(place, to - place, false);
  });
  instruction.destinations.forEach((operand, k) => {
    for (const [place, to] of bytes(program, operand, () => writeFootprint(program, instruction, k)))
      write(place, to - place);
  });
  const bytesOfFlag = flagBytes(program);
  const flags = (flag: number, isWhole: boolean, isWrite: boolean) => {
    const place = flagPlace(program, flag, isWhole ? 0 : group);
    const length = isWhole ? GRF_BYTES : execSize * bytesOfFlag;
    // Channels that do not execute keep theirs.
    see(place, length, false);
    if (isWrite) see(place, length, true);
  };
  if (readsFlag(instruction))
    flags(
      predicate?.flag.kind === 'hardware' ? predicate.flag.flag : 0,
      predicate?.mode !== 'normal' || opcode.flow !== undefined,
      false,
    );
  if (condition?.flag.kind === 'hardware' && writesFlag(instruction)) flags(condition.flag.flag, false, true);
  const payload = payloadMrf(instruction);
  const implied = impliedMrf(instruction);
  // What the message puts there itself is its own affair, and nothing that anybody may rely on.
  for (let k = opcode.scratch === undefined ? implied.count : payload.count; k < payload.count; k++)
    see(messagePlace(program, payload.first + k), GRF_BYTES, false);
  if (implied.count > 0) see(messagePlace(program, implied.first), implied.count * GRF_BYTES, 'spoilt');
  if (opcode.readsG0) see(0, GRF_BYTES, false);
  if (opcode.readsAccumulator) see(accumulatorPlace, GRF_BYTES, false);
  if (instruction.writesAccumulator || opcode.modifiesAccumulator) write(accumulatorPlace, GRF_BYTES);
  if (opcode.scratch !== undefined) scratch(program, instruction, see);
  const memory = memoryEffect(instruction);
  if (memory === 'none' && opcode.flow === undefined) return;
  see(MEMORY * GRF_BYTES, GRF_BYTES, false);
  if (memory === 'write' || opcode.flow !== undefined) see(MEMORY * GRF_BYTES, GRF_BYTES, true);
}

/** The slot's bytes; an offset that is computed may be anywhere, and meets all of scratch. */
function scratch(program: Program, instruction: Instruction, see: See): void {
  const { message, opcode, execSize } = instruction;
  const isWrite = opcode.scratch === 'write';
  const anywhere = (SCRATCH_ROW - 1) * GRF_BYTES;
  if (message.scratchOffset === undefined) {
    see(anywhere, GRF_BYTES, false);
    see(anywhere, GRF_BYTES, isWrite);
    return;
  }
  // vec4: one register; its payload also has the two vertices' offsets.
  const payload = isWrite && program.dialect !== 'vec4' ? message.mlen - 1 : 0;
  const registers = Math.max(message.rlen ?? 0, payload, execSize >> 3, 1);
  const place = SCRATCH_ROW * GRF_BYTES + message.scratchOffset;
  see(anywhere, GRF_BYTES, false);
  if (isWrite) see(anywhere, GRF_BYTES, false);
  see(place, registers * GRF_BYTES, false);
  if (isWrite) see(place, registers * GRF_BYTES, true);
}

function bytes(
  program: Program,
  operand: Operand,
  footprint: () => readonly (readonly [number, number])[],
): [number, number][] {
  if (!isRegister(operand) || operand.file === 'virtual') return [];
  const start = placeStart(program, operand);
  if (operand.file === 'accumulator' || operand.file === 'flag' || operand.file === 'architecture')
    return [[start, start + GRF_BYTES]];
  return footprint().map(([from, to]) => [start + from, start + to]);
}

/** The greatest unit that divides everything that is touched. */
function unitOf(program: Program): number {
  let unit = GRF_BYTES;
  for (const instruction of program.instructions)
    touched(program, instruction, (place, length) => {
      while (place % unit !== 0 || length % unit !== 0) unit >>= 1;
    });
  return unit;
}
