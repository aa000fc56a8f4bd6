import type { Function } from '../../ir/function.js';
import { controlFlow } from '../../passes/cfg.js';
import { liveRangesOf } from '../../passes/live-ranges.js';
import { livenessOf } from '../../passes/liveness.js';
import { pressureOf } from '../../passes/pressure.js';
import type { LiveRanges, Pressure } from '../target.js';
import { bytesRead, payloadMrf } from './access.js';
import { occupancyOf, type Occupancy } from './occupancy.js';
import { GRF_BYTES, type Program } from './program.js';

/** Register classes of a lowered Gen function; everything that lies in the register file counts as class 0. */
export const GENERAL = 0;
/** From here on the families of Beignet's registers. */
export const FIRST_FAMILY = 3;

export interface Written {
  readonly ranges: LiveRanges;
  readonly pressure: Pressure;
}

/**
 * Pressure as written, in general registers: virtual registers that are live, and the payload: to the end of the
 * program in SIMD4x2, to its last use elsewhere (facts B.1, B.9). Beignet's registers are counted by their bytes.
 */
export function writtenOf(source: Function, program: Program): Written {
  const liveness = livenessOf(source, controlFlow(source));
  const ranges = liveRangesOf(source, liveness);
  const ofClasses = pressureOf(source, liveness, ranges);
  if (program.phase !== 'virtual')
    return { ranges, pressure: withGeneral(source, ofClasses, occupancyOf(program)) };
  const general = virtualRegisters(source, program, ranges);
  const payload = payloadRegisters(program);
  for (let i = 0; i < source.instructionCount; i++) {
    general.after[i] += payload[i];
    general.during[i] += payload[i];
  }
  return { ranges, pressure: withGeneral(source, ofClasses, general) };
}

interface Counts {
  readonly after: ArrayLike<number>;
  readonly during: ArrayLike<number>;
}

/** Class 0 replaced by counts of the whole register file, families left to be read there. */
function withGeneral(f: Function, ofClasses: Pressure, general: Counts): Pressure {
  const after = ofClasses.after.slice();
  const during = ofClasses.during.slice();
  after[GENERAL] = Uint16Array.from(general.after);
  during[GENERAL] = Uint16Array.from(general.during);
  const peak = ofClasses.peak.slice();
  const peakAt = ofClasses.peakAt.slice();
  [peak[GENERAL], peakAt[GENERAL]] = highest(during[GENERAL], f.instructionCount);
  return { after, during, peak, peakAt };
}

function highest(counts: Uint16Array, length: number): [peak: number, at: number] {
  let at = length > 0 ? 0 : -1;
  for (let i = 1; i < length; i++) if (counts[i] > counts[at]) at = i;
  return [at < 0 ? 0 : counts[at], at];
}

/** A sweep over the live ranges by bytes, a register file of 32-byte registers. */
function virtualRegisters(
  f: Function,
  program: Program,
  ranges: LiveRanges,
): { after: Int32Array; during: Int32Array } {
  const change = new Float64Array(2 * f.instructionCount + 1);
  for (let r = 0; r < f.registerCount; r++) {
    const isInFile = f.registerClass[r] === GENERAL || f.registerClass[r] >= FIRST_FAMILY;
    if (!isInFile) continue;
    for (let k = ranges.registerStart[r]; k < ranges.registerStart[r + 1]; k++) {
      change[ranges.segmentFrom[k]] += program.registers[r].bytes;
      change[ranges.segmentTo[k]] -= program.registers[r].bytes;
    }
  }
  const after = new Int32Array(f.instructionCount);
  const during = new Int32Array(f.instructionCount);
  let bytes = 0;
  for (let i = 0; i < f.instructionCount; i++) {
    const reading = bytes + change[2 * i];
    bytes = reading + change[2 * i + 1];
    during[i] = Math.ceil(Math.max(reading, bytes) / GRF_BYTES);
    after[i] = Math.ceil(bytes / GRF_BYTES);
  }
  return { after, during };
}

/** By instruction: payload registers that are still wanted. */
function payloadRegisters(program: Program): Int32Array {
  const { length } = program.instructions;
  const counts = new Int32Array(length);
  const ending = new Int32Array(length + 1);
  let live = 0;
  for (const { last } of payloadOf(program)) {
    if (last < 0) continue;
    live++;
    ending[last]++;
  }
  for (let i = 0; i < length; i++) {
    counts[i] = live;
    live -= ending[i];
  }
  return counts;
}

/** A register of the payload: the last instruction at which it counts (-1: it never does), and those that read it. */
export interface PayloadRegister {
  last: number;
  readonly uses: number[];
}

export function payloadOf(program: Program): readonly PayloadRegister[] {
  const { instructions, firstFree, dialect } = program;
  const end = dialect === 'vec4' ? instructions.length - 1 : -1;
  const payload = Array.from({ length: firstFree }, (): PayloadRegister => ({ last: end, uses: [] }));
  const loopEnds = outermostLoopEnds(program);
  const read = (grf: number, i: number): void => {
    const register = payload[grf];
    register.last = Math.max(register.last, loopEnds[i]);
    if (register.uses.at(-1) !== i) register.uses.push(i);
  };
  instructions.forEach((instruction, i) => {
    instruction.sources.forEach((source, k) => {
      if (source.file !== 'grf') return;
      const bytes = Math.max(1, bytesRead(instruction, k, dialect));
      const last = source.grf + Math.floor((source.offset + bytes - 1) / GRF_BYTES);
      for (let grf = source.grf; grf <= last && grf < firstFree; grf++) read(grf, i);
    });
    if (payloadMrf(instruction).count > 0 && firstFree > 0) read(0, i);
  });
  return payload;
}

/** By instruction: itself, or the end of the outermost loop that it is in. */
function outermostLoopEnds({ instructions }: Program): Int32Array {
  const ends = Int32Array.from(instructions, (_, i) => i);
  let end = -1;
  let depth = 0;
  for (let i = instructions.length - 1; i >= 0; i--) {
    const { flow } = instructions[i].opcode;
    if (flow === 'while' && depth++ === 0) end = i;
    if (depth > 0) ends[i] = end;
    if (flow === 'do' && depth > 0) depth--;
  }
  return ends;
}

/**
 * Pressure as compiled, at the source's instructions: after an instruction, what its own code leaves; while it
 * executes, the most that any of the code for it needs, spill code before and behind included. An instruction without
 * code has what the one before it has.
 */
export function compiledPressure(
  f: Function,
  code: Program,
  occupancy: Occupancy,
  asWritten: Pressure,
): Pressure {
  const after = new Uint16Array(f.instructionCount);
  const during = new Uint16Array(f.instructionCount);
  const isSeen = new Uint8Array(f.instructionCount);
  const owners = ownersOf(code);
  owners.forEach((owner, i) => {
    if (owner < 0) return;
    if (code.instructions[i].origin === owner) after[owner] = occupancy.after[i];
    isSeen[owner] = 1;
    during[owner] = Math.max(during[owner], occupancy.during[i]);
  });
  for (let i = 1; i < f.instructionCount; i++) if (isSeen[i] === 0) during[i] = after[i] = after[i - 1];
  return withGeneral(f, asWritten, { after, during });
}

/** By instruction of the code: the source instruction that it stands for, for spill code the one that it serves. */
export function ownersOf({ instructions, blockStart }: Program): Int32Array {
  const owners = Int32Array.from(instructions, ({ origin }) => origin);
  for (let block = 0; block + 1 < blockStart.length; block++) {
    let next = -1;
    for (let i = blockStart[block + 1] - 1; i >= blockStart[block]; i--) {
      if (owners[i] >= 0) next = owners[i];
      else if (instructions[i].opcode.scratch !== 'write') owners[i] = next;
    }
    let previous = -1;
    for (let i = blockStart[block]; i < blockStart[block + 1]; i++) {
      if (owners[i] < 0) owners[i] = previous;
      else previous = owners[i];
    }
  }
  return owners;
}
