import {
  bytesRead,
  bytesWritten,
  channelsRead,
  impliedMrf,
  isSampler,
  payloadMrf,
  readsFlag,
  writesFlag,
} from '../access.js';
import type { Footprints } from '../estimate/footprint.js';
import { flagNumbers } from '../estimate/resources.js';
import { GRF_BYTES, typeSize, type Instruction, type Operand, type Program } from '../program.js';
import { namesArchitecture } from './dependences.js';
import { Edges, type EdgeLists } from './edges.js';
import { sendHasSideEffects } from './latencies.js';

/**
 * What must stay before what in a block of a program for the values to stay the same, and nothing more: by
 * dword of each register, so that writes of different channels may change places; by scratch slot; memory writes
 * against memory reads. The clocks on an edge are the estimate's: from the end of issue of the first until the second
 * may start.
 *
 * i965's own graph (dependences.ts) is coarser: whole registers, and every scratch write a barrier.
 */
export interface OrderGraph extends EdgeLists {
  /** First instruction of the block; numbers in the lists are relative to it. */
  readonly first: number;
  readonly count: number;
}

/** Resources: dwords of registers, flag bytes, the accumulator, memory, slots of scratch. */
const MESSAGE = 128 * 8;
const FLAG = MESSAGE + 24 * 8;
const ACCUMULATOR = FLAG + 8;
const MEMORY = ACCUMULATOR + 1;
/** Scratch at addresses that only the run knows: what is written there, and what is read. */
const ANY_WRITE = MEMORY + 1;
const ANY_READ = ANY_WRITE + 1;
/** Message registers as payload of messages that others fill, against those that a message fills for itself. */
const PAYLOAD = ANY_READ + 1;
const SLOT = PAYLOAD + 24;
const SLOTS = 4096;
/** Virtual registers, dword by dword, come behind. */
const VIRTUAL = SLOT + SLOTS;

type Visit = (resource: number) => void;

/** Makes the graphs of one program's blocks, one after the other, in the same memory. */
export class OrderGraphs {
  readonly #program: Program;
  readonly #footprints: Footprints;
  /** By virtual register: the resource of its first dword. */
  readonly #firstDword: Int32Array;
  readonly #writer: Int32Array;
  readonly #era: Int32Array;
  /** Readers of a resource since its last write, linked. */
  readonly #readers: Int32Array;
  #reader = new Int32Array(1024);
  #nextReader = new Int32Array(1024);
  #readerCount = 0;
  #now = 0;

  constructor(program: Program, footprints: Footprints) {
    this.#program = program;
    this.#footprints = footprints;
    this.#firstDword = new Int32Array(program.registers.length);
    let count = VIRTUAL;
    program.registers.forEach(({ bytes }, register) => {
      this.#firstDword[register] = count;
      count += Math.ceil(bytes / 4);
    });
    this.#writer = new Int32Array(count);
    this.#era = new Int32Array(count);
    this.#readers = new Int32Array(count);
  }

  of(block: number): OrderGraph {
    const { instructions, blockStart } = this.#program;
    const first = blockStart[block];
    const count = blockStart[block + 1] - first;
    const edges = new Edges(count, new Uint8Array(count));
    this.#now++;
    this.#readerCount = 0;
    let barrier = -1;
    for (let n = 0; n < count; n++) {
      const instruction = instructions[first + n];
      edges.begin();
      if (barrier >= 0) edges.addBefore(barrier, n, 0);
      if (keepsPlace(instruction)) {
        for (let before = Math.max(0, barrier); before < n; before++) edges.addBefore(before, n, 0);
        barrier = n;
      }
      eachRead(this.#program, this.#firstDword, instruction, (resource) => {
        this.#renew(resource);
        const writer = this.#writer[resource];
        if (writer >= 0) edges.addBefore(writer, n, this.#latency(first + writer, resource));
        this.#addReader(resource, n);
      });
      eachWrite(this.#program, this.#firstDword, instruction, (resource) => {
        this.#renew(resource);
        const writer = this.#writer[resource];
        if (writer >= 0 && writer !== n) edges.addBefore(writer, n, this.#latency(first + writer, resource));
        for (let at = this.#readers[resource]; at >= 0; at = this.#nextReader[at])
          if (this.#reader[at] !== n) edges.addBefore(this.#reader[at], n, 0);
        this.#readers[resource] = -1;
        this.#writer[resource] = n;
      });
    }
    return { first, count, ...edges.finish() };
  }

  /** Clocks from the end of issue of a writer until what it wrote is there. */
  #latency(writer: number, resource: number): number {
    const { destination, flag, accumulator } = this.#footprints;
    if (resource < FLAG || resource >= VIRTUAL) return destination[writer];
    if (resource < ACCUMULATOR) return flag[writer];
    return resource === ACCUMULATOR ? accumulator[writer] : 0;
  }

  #renew(resource: number): void {
    if (this.#era[resource] === this.#now) return;
    this.#era[resource] = this.#now;
    this.#writer[resource] = -1;
    this.#readers[resource] = -1;
  }

  #addReader(resource: number, n: number): void {
    const head = this.#readers[resource];
    if (head >= 0 && this.#reader[head] === n) return;
    const at = this.#readerCount++;
    if (at === this.#reader.length) {
      this.#reader = grown(this.#reader);
      this.#nextReader = grown(this.#nextReader);
    }
    this.#reader[at] = n;
    this.#nextReader[at] = head;
    this.#readers[resource] = at;
  }
}

function grown(values: Int32Array): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(2 * values.length);
  larger.set(values);
  return larger;
}

/** Nothing passes control flow, the end of the thread, and what nobody knows or can follow. */
function keepsPlace(instruction: Instruction): boolean {
  const { opcode, message } = instruction;
  return (
    opcode.flow !== undefined ||
    opcode.kind === 'unknown' ||
    opcode.kind === 'marker' ||
    opcode.name === 'mov_indirect' ||
    message.isEndOfThread ||
    instruction.sources.some(namesArchitecture) ||
    instruction.destinations.some(namesArchitecture)
  );
}

function eachRead(program: Program, firstDword: Int32Array, instruction: Instruction, visit: Visit): void {
  const { sources, opcode } = instruction;
  for (let k = 0; k < sources.length; k++) {
    const source = sources[k];
    if (source.file === 'immediate') continue;
    const bytes = bytesRead(instruction, k, program.dialect);
    const isChannels = isByChannel(program, instruction, source) && opcode.kind !== 'message';
    const channels = isChannels ? channelsRead(instruction, k) : 15;
    eachDword(program, firstDword, source, bytes, channels, isChannels, visit);
  }
  const payload = payloadMrf(instruction);
  eachMessageRegister(program, payload.first, payload.count, visit);
  // of messages that fill their payload themselves none needs to wait for another
  if (fillsPayload(instruction))
    for (let m = payload.first; m < payload.first + payload.count; m++) visit(PAYLOAD + Math.min(23, m));
  if (readsFlag(instruction)) eachFlag(program, instruction, instruction.predicate?.flag, visit);
  if (opcode.readsAccumulator) visit(ACCUMULATOR);
  if (opcode.scratch !== undefined) {
    visit(ANY_WRITE);
    if (opcode.scratch === 'write') visit(ANY_READ);
    else eachSlot(program, instruction, visit);
  } else if (readsMemory(instruction)) visit(MEMORY);
}

function eachWrite(program: Program, firstDword: Int32Array, instruction: Instruction, visit: Visit): void {
  const { destinations, opcode } = instruction;
  // the destination of a scratch write says the channels of the message, and is not written
  if (opcode.scratch !== 'write')
    for (let k = 0; k < destinations.length; k++) {
      const destination = destinations[k];
      if (destination.file === 'immediate') continue;
      const bytes = bytesWritten(instruction, k, program.dialect);
      const isChannels =
        isByChannel(program, instruction, destination) && opcode.kind !== 'message' && opcode.canWriteMask;
      eachDword(program, firstDword, destination, bytes, destination.mask, isChannels, visit);
    }
  if (!fillsPayload(instruction)) {
    const implied = impliedMrf(instruction);
    eachMessageRegister(program, implied.first, implied.count, visit);
    const payload = payloadMrf(instruction);
    for (let m = payload.first; m < payload.first + payload.count; m++) visit(PAYLOAD + Math.min(23, m));
  }
  if (writesFlag(instruction)) eachFlag(program, instruction, instruction.condition?.flag, visit);
  if (instruction.writesAccumulator || opcode.modifiesAccumulator) visit(ACCUMULATOR);
  if (opcode.scratch === 'write') {
    eachSlot(program, instruction, visit);
    if (!hasKnownSlot(instruction)) visit(ANY_WRITE);
  } else if (opcode.scratch === 'read') {
    if (!hasKnownSlot(instruction)) visit(ANY_READ);
  } else if (writesMemory(instruction)) visit(MEMORY);
}

/** The whole payload is its own work: scratch messages. What it leaves in the message registers nobody reads. */
const fillsPayload = (instruction: Instruction): boolean =>
  instruction.message.mlen > 0 && impliedMrf(instruction).count >= instruction.message.mlen;

/** Masks and swizzles mean dwords where both vertices, or one, have elements of four bytes. */
const isByChannel = (program: Program, instruction: Instruction, operand: Operand): boolean =>
  program.dialect === 'vec4' &&
  typeSize(operand.type) === 4 &&
  !instruction.opcode.isAlign1 &&
  (instruction.execSize === 8 || instruction.execSize === 4);

function eachDword(
  program: Program,
  firstDword: Int32Array,
  operand: Exclude<Operand, { file: 'immediate' }>,
  bytes: number,
  channels: number,
  isChannels: boolean,
  visit: Visit,
): void {
  if (operand.file === 'accumulator') {
    visit(ACCUMULATOR);
    return;
  }
  const start = byteOf(program, firstDword, operand);
  if (start < 0 || bytes === 0) return;
  const end = Math.min(endOfFile(program, firstDword, operand, start), start + bytes);
  if (isChannels) {
    for (let half = start; half < end; half += 16)
      for (let c = 0; c < 4; c++) if ((channels >> c) & 1) visit((half >> 2) + c);
    return;
  }
  for (let dword = start >> 2; dword <= (end - 1) >> 2; dword++) visit(dword);
}

/** Byte of an operand in the numbering of the resources, four bytes each; -1 for other files. */
function byteOf(
  program: Program,
  firstDword: Int32Array,
  operand: Exclude<Operand, { file: 'immediate' }>,
): number {
  if (operand.file === 'virtual') return firstDword[operand.register] * 4 + operand.offset;
  if (operand.file === 'grf') return Math.min(127 * GRF_BYTES, operand.grf * GRF_BYTES) + operand.offset;
  if (operand.file === 'message') return firstDwordOfMessage(program, operand.number) * 4 + operand.offset;
  return -1;
}

/** Nothing reaches over the end of its register, or of the file of the hardware's. */
function endOfFile(
  program: Program,
  firstDword: Int32Array,
  operand: Exclude<Operand, { file: 'immediate' }>,
  start: number,
): number {
  if (operand.file === 'virtual')
    return firstDword[operand.register] * 4 + 4 * Math.ceil(program.registers[operand.register].bytes / 4);
  return start < MESSAGE * 4 ? MESSAGE * 4 : FLAG * 4;
}

const firstDwordOfMessage = (program: Program, number: number): number => {
  const window = program.platform.messageWindow;
  return window === undefined ? MESSAGE + 8 * Math.min(23, number) : 8 * Math.min(127, window + number);
};

function eachMessageRegister(program: Program, first: number, count: number, visit: Visit): void {
  for (let m = first; m < first + count; m++) {
    const dword = firstDwordOfMessage(program, m);
    for (let k = 0; k < 8; k++) visit(dword + k);
  }
}

function eachFlag(
  program: Program,
  instruction: Instruction,
  flag: Parameters<typeof flagNumbers>[2] | undefined,
  visit: Visit,
): void {
  const range = flagNumbers(program, instruction, flag ?? { kind: 'hardware', flag: 0 });
  if (range === undefined) return;
  for (let byte = range[0]; byte <= range[1]; byte++) visit(FLAG + byte);
}

/** A spill's slot stands in the instruction; an array's element is known at run time alone. */
const hasKnownSlot = (instruction: Instruction): boolean => instruction.message.scratchOffset !== undefined;

function eachSlot(program: Program, instruction: Instruction, visit: Visit): void {
  const { scratchOffset, mlen, rlen } = instruction.message;
  if (scratchOffset === undefined) return;
  const grfs =
    program.dialect === 'vec4'
      ? 1
      : instruction.opcode.scratch === 'write'
        ? Math.max(1, mlen - 1)
        : (rlen ?? 1);
  const last = (scratchOffset + grfs * GRF_BYTES - 1) >> 5;
  for (let slot = scratchOffset >> 5; slot <= last; slot++) visit(SLOT + (slot % SLOTS));
}

function readsMemory(instruction: Instruction): boolean {
  const { opcode } = instruction;
  if (opcode.name === 'send') return true;
  return opcode.kind === 'message' && (opcode.memory !== undefined || isSampler(opcode));
}

function writesMemory(instruction: Instruction): boolean {
  const { opcode } = instruction;
  if (opcode.name === 'send') return sendHasSideEffects(instruction);
  return opcode.kind === 'message' && opcode.memory !== 'read' && !isSampler(opcode);
}
