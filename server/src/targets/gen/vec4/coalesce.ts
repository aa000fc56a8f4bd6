import {
  bytesRead,
  bytesWritten,
  canWriteMask,
  impliedMrf,
  isChannelwise,
  payloadMrf,
  writesFlag,
} from '../access.js';
import { partedChannels } from '../live/parted.js';
import { liveVec4 } from '../live/vec4.js';
import type { LiveRanges } from '../live/ranges.js';
import {
  swizzled,
  typeSize,
  XYZW,
  type Instruction,
  type Operand,
  type Program,
  type RegisterOperand,
  type VirtualOperand,
} from '../program.js';

/**
 * Register coalescing as in opt_register_coalesce (facts B.8): `mov dst, vgrfS` disappears when the instructions that
 * make S in the same block can write dst themselves, with their masks and swizzles turned accordingly. dst is a virtual
 * or a message register, written in part or in whole.
 *
 * Three faults of the reference's history are refused by construction: a mask lost on the way to a message register (the
 * new mask is that of the move), a saturation moved between types, and an opcode of several instructions that gets a
 * mask or a message register which its parts ignore.
 */
export function coalesce(program: Program): Program {
  if (program.dialect !== 'vec4' || program.phase !== 'virtual') return program;
  const live = liveVec4(program);
  const parted = partedChannels(program);
  const code: (Instruction | undefined)[] = program.instructions.slice();
  // by register: the last instruction so far that writes it
  const writer = new Int32Array(program.registers.length).fill(-1);
  let isChanged = false;
  const { blockStart } = program;
  for (let block = 0; block + 1 < blockStart.length; block++)
    for (let at = blockStart[block]; at < blockStart[block + 1]; at++) {
      const move = moveOf(code[at]);
      if (
        move === undefined ||
        (parted[at] === 1 && isTurned(move)) ||
        (!isNothing(move) && writer[move.source.register] < blockStart[block])
      ) {
        noteWriter(writer, code[at], at);
        continue;
      }
      if (!isNothing(move)) {
        const first = producersOf(program, live, code, blockStart[block], at, move);
        if (first < 0) {
          noteWriter(writer, code[at], at);
          continue;
        }
        for (let k = first; k < at; k++) {
          const producer = code[k];
          if (producer === undefined || !writesExactly(producer, move.source)) continue;
          code[k] = redirected(producer, move);
          noteWriter(writer, code[k], k);
        }
      }
      code[at] = undefined;
      isChanged = true;
    }
  return isChanged ? without(program, code) : program;
}

function noteWriter(writer: Int32Array, instruction: Instruction | undefined, at: number): void {
  for (const destination of instruction?.destinations ?? [])
    if (destination.file === 'virtual')
      writer[destination.register] = Math.max(writer[destination.register], at);
}

/** Instructions looked at above a move: no block may cost its square. */
const REACH = 256;

interface Move {
  readonly instruction: Instruction;
  readonly destination: RegisterOperand;
  readonly source: VirtualOperand;
}

function moveOf(instruction: Instruction | undefined): Move | undefined {
  if (instruction?.opcode.name !== 'mov') return undefined;
  if (instruction.predicate !== undefined || instruction.condition !== undefined) return undefined;
  const [destination] = instruction.destinations;
  const [source] = instruction.sources;
  if (source?.file !== 'virtual' || source.negate || source.absolute) return undefined;
  if (destination?.file !== 'virtual' && destination?.file !== 'message') return undefined;
  if (destination.type !== source.type || destination.mask === 0) return undefined;
  return { instruction, destination, source };
}

/** A move of a register to itself, channel by channel. */
function isNothing({ destination, source, instruction }: Move): boolean {
  if (instruction.saturate || destination.file !== 'virtual') return false;
  if (destination.register !== source.register || destination.offset !== source.offset) return false;
  return !isTurned({ destination, source, instruction });
}

/** A channel gets another's value: one that may not execute, where control flow has parted the channels of a vertex. */
const isTurned = ({ destination, source }: Move): boolean =>
  [0, 1, 2, 3].some((c) => ((destination.mask >> c) & 1) !== 0 && swizzled(source.swizzle, c) !== c);

/** First of the instructions that together make what the move reads and may write its destination, -1 for none. */
function producersOf(
  program: Program,
  live: LiveRanges,
  code: readonly (Instruction | undefined)[],
  blockStart: number,
  at: number,
  move: Move,
): number {
  const { destination, source } = move;
  if (isLiveAfter(live, source, at)) return -1;
  const needed = channelsNeeded(move);
  let remaining = needed;
  for (let k = at - 1; k >= Math.max(blockStart, at - REACH); k--) {
    const above = code[k];
    if (above === undefined) continue;
    if (writesAnyOf(above, source, bytesRead(move.instruction, 0, 'vec4'))) {
      if (!canTakeOver(program, above, move, needed)) return -1;
      if (above.predicate === undefined) remaining &= ~maskOf(above);
      if (remaining === 0) return k;
    }
    if (readsAnyOf(above, source)) return -1;
    if (writesAnyOf(above, destination, 32) && (maskOf(above) & destination.mask) !== 0) return -1;
    if (destination.file === 'message') {
      if (isInMessage(above, destination.number)) return -1;
    } else if (destination.file === 'virtual' && readsAnyOf(above, destination)) return -1;
  }
  return -1;
}

/** Some channel of the source's register is used behind the move. */
function isLiveAfter(live: LiveRanges, source: VirtualOperand, at: number): boolean {
  const first = live.variableStart[source.register] + (source.offset >> 2);
  const end = Math.min(first + 8, live.variableStart[source.register + 1]);
  for (let variable = first; variable < end; variable++) if (live.variableTo[variable] > at) return true;
  return false;
}

/** Channels of the source that the move reads. */
function channelsNeeded({ destination, source }: Move): number {
  let channels = 0;
  for (let c = 0; c < 4; c++) if ((destination.mask >> c) & 1) channels |= 1 << swizzled(source.swizzle, c);
  return channels;
}

const maskOf = ({ destinations }: Instruction): number => {
  const destination = destinations.at(0);
  return destination === undefined || destination.file === 'immediate' ? 0 : destination.mask;
};

const doesNotFollow = new Set(['mac', 'mach', 'sada2', 'unpack_flags_simd4x2']);
const dots = new Set(['dp2', 'dp3', 'dp4', 'dph']);

/** Whether a producer of the source can write the move's destination in its stead. */
function canTakeOver(program: Program, producer: Instruction, move: Move, needed: number): boolean {
  const { opcode } = producer;
  const { destination, source, instruction } = move;
  const written = producer.destinations[0];
  if (written?.file !== 'virtual' || !writesExactly(producer, source)) return false;
  if (opcode.kind === 'message' || producer.message.mlen > 0 || opcode.kind === 'unknown') return false;
  if (doesNotFollow.has(opcode.name) || opcode.readsAccumulator || writesFlag(producer)) return false;
  if (producer.sources.some(({ file }) => file === 'accumulator')) return false;
  // lanes that the move leaves alone must stay alone, and no lane may be left out
  if (producer.noMask !== instruction.noMask || producer.execSize !== instruction.execSize) return false;
  if (producer.group !== instruction.group) return false;
  if (bytesWritten(producer, 0, 'vec4') !== bytesWritten(instruction, 0, 'vec4')) return false;
  if (bytesWritten(producer, 0, 'vec4') > 32) return false;
  const from = producer.sources.at(0);
  if (from !== undefined && typeSize(from.type) !== typeSize(source.type)) return false;
  if (instruction.saturate && written.type !== source.type) return false;
  if ((written.mask & ~needed) !== 0) return false;
  if (opcode.kind === 'math' && program.platform.generation < 7 && destination.file === 'message')
    return false;
  if (!canWriteMask(opcode, program.platform) && destination.mask !== 15) return false;
  const canTurn =
    (isChannelwise(producer) || dots.has(opcode.name)) && canWriteMask(opcode, program.platform);
  return canTurn || source.swizzle === XYZW;
}

/** The producer with the move's destination: channel c of it is what the move would have taken from S. */
function redirected(producer: Instruction, { destination, source, instruction }: Move): Instruction {
  const { swizzle } = source;
  const written = producer.destinations[0];
  const type = written.type;
  const isTurned =
    swizzle !== XYZW && !dots.has(producer.opcode.name) && producer.opcode.name !== 'pack_bytes';
  let mask = 0;
  for (let c = 0; c < 4; c++)
    if ((destination.mask >> c) & (maskOf(producer) >> swizzled(swizzle, c)) & 1) mask |= 1 << c;
  return {
    ...producer,
    saturate: producer.saturate || instruction.saturate,
    destinations: [{ ...destination, type, mask }],
    sources: isTurned ? producer.sources.map((operand) => turned(operand, swizzle)) : producer.sources,
  };
}

/** A source whose channels are taken in the order of a swizzle behind it. */
function turned(operand: Operand, swizzle: number): Operand {
  if (operand.file !== 'immediate') {
    let composed = 0;
    for (let c = 0; c < 4; c++) composed |= swizzled(operand.swizzle, swizzled(swizzle, c)) << (2 * c);
    return { ...operand, swizzle: composed };
  }
  if (operand.vector === undefined) return operand;
  const { vector } = operand;
  let low = 0;
  for (let c = 0; c < 4; c++) low |= ((operand.low >>> (8 * swizzled(swizzle, c))) & 255) << (8 * c);
  const pick = (c: number): number => vector[swizzled(swizzle, c)];
  return { ...operand, low: low >>> 0, vector: [pick(0), pick(1), pick(2), pick(3)] };
}

const writesExactly = ({ destinations }: Instruction, source: VirtualOperand): boolean => {
  const written = destinations.at(0);
  return (
    written?.file === 'virtual' && written.register === source.register && written.offset === source.offset
  );
};

function writesAnyOf(instruction: Instruction, region: RegisterOperand, bytes: number): boolean {
  return instruction.destinations.some((destination, d) =>
    meets(destination, bytesWritten(instruction, d, 'vec4'), region, bytes),
  );
}

function readsAnyOf(instruction: Instruction, region: RegisterOperand): boolean {
  return instruction.sources.some((source, s) =>
    meets(source, bytesRead(instruction, s, 'vec4'), region, 32),
  );
}

/** Whether two regions of registers share a byte. */
function meets(a: Operand, bytes: number, b: RegisterOperand, others: number): boolean {
  const isSame =
    (a.file === 'virtual' && b.file === 'virtual' && a.register === b.register) ||
    (a.file === 'message' && b.file === 'message' && a.number === b.number);
  return isSame && a.offset < b.offset + others && b.offset < a.offset + bytes;
}

/** The message register is payload of the instruction, or written by it on the way. */
function isInMessage(instruction: Instruction, number: number): boolean {
  return [payloadMrf(instruction), impliedMrf(instruction)].some(
    ({ first, count }) => number >= first && number < first + count,
  );
}

function without(program: Program, code: readonly (Instruction | undefined)[]): Program {
  const instructions: Instruction[] = [];
  const blockStart = new Int32Array(program.blockStart.length);
  for (let block = 0; block + 1 < blockStart.length; block++) {
    blockStart[block] = instructions.length;
    for (let i = program.blockStart[block]; i < program.blockStart[block + 1]; i++) {
      const kept = code[i];
      if (kept !== undefined) instructions.push(kept);
    }
  }
  blockStart[blockStart.length - 1] = instructions.length;
  return { ...program, instructions, blockStart };
}
