import { impliedMrf, payloadLength, payloadMrf } from '../access.js';
import { GRF_BYTES, typeSize, type Instruction, type Operand } from '../program.js';
import { isWritten } from './alu.js';
import {
  destinationByte,
  faulty,
  isPlace,
  noteUnknown,
  sourceBits,
  sourceNumber,
  surfaceOf,
  writeHash,
  type Access,
} from './elements.js';
import { hashText, mix } from './hash.js';
import type { Lanes } from './lanes.js';
import { disturb, putCell, readSurface, type Memory } from './memory.js';
import { memoryEffect } from './sends.js';
import { locate } from './state.js';
import { scratchMessages } from './scratch.js';
import { selectionMessages } from './selection-messages.js';

/**
 * Messages. Reads of surfaces and scratch that the text describes fully go to a memory; every other response is an
 * uninterpreted function of what the message holds for that channel (its dwords of each payload register, the whole
 * header), of the descriptor and, where it may read memory, of everything written before. What a message sends is
 * recorded.
 */
export type Message = (access: Access, lanes: Lanes, memory: Memory) => void;

export function executeMessage(access: Access, lanes: Lanes, memory: Memory): void {
  const { instruction } = access;
  const execute = messages.get(instruction.opcode.name) ?? opaqueMessage;
  execute(access, lanes, memory);
  const { first, count } = impliedMrf(instruction);
  const { start, step, end } = access.state.files.message;
  if (count > 0)
    access.state.unknown.fill(1, start + first * step, Math.min(end, start + (first + count) * step));
}

/** Bytes where a message's payload lies, register by register; the header's registers come first. */
function payload(access: Access): readonly number[] {
  const { instruction, state } = access;
  const registers: number[] = [];
  const { first, count } = payloadMrf(instruction);
  const { start, step } = state.files.message;
  for (let k = 0; k < count; k++) registers.push(start + (first + k) * step);
  instruction.sources.forEach((source, k) => {
    const length = payloadLength(instruction, k);
    if (length <= 0 || source.file === 'immediate') return;
    const place = locate(state, source);
    if (typeof place === 'string') return;
    if (place.at + length * GRF_BYTES > place.end)
      faulty(access, 'a payload reaches over the end of its register');
    else for (let r = 0; r < length; r++) registers.push(place.at + r * GRF_BYTES);
  });
  return registers;
}

/**
 * The dwords that count for each channel. vec4: those of its vertex. Scalar: the dword of its position in each
 * register; where there are as many registers as two halves of 16 channels need, only in those of its half.
 */
function* dwordsOf(access: Access, registers: readonly number[], c: number): Generator<number> {
  const { header } = access.instruction.message;
  const { execSize, group } = access.instruction;
  for (let r = 0; r < Math.min(header, registers.length); r++)
    for (let k = 0; k < 8; k++) yield registers[r] + 4 * k;
  const data = registers.length - header;
  const halves = !access.isVec4 && execSize >= 16 && data % 2 === 0 ? 2 : 1;
  for (let r = header; r < registers.length; r++) {
    if (halves === 2 && (r - header) % 2 !== ((group + c) >>> 3) % 2) continue;
    if (access.isVec4) for (let k = 0; k < 4; k++) yield registers[r] + 4 * ((c & 4) + k);
    else yield registers[r] + 4 * (c & 7);
  }
}

/** Sources that are no payload: indices of surfaces and samplers, constants, plain values. */
const plainSources = (instruction: Instruction): readonly Operand[] =>
  instruction.sources.filter((_, k) => payloadLength(instruction, k) < 0);

const opaqueMessage: Message = (access, lanes, memory) => {
  const { instruction, state } = access;
  const { opcode, message } = instruction;
  const registers = payload(access);
  if (access.fault !== undefined) return;
  const head = mix(
    mix(hashText(opcode.name), message.descriptor ?? 0),
    hashText(message.sharedFunction ?? ''),
  );
  const responds = instruction.destinations.some(isPlace);
  const effect = memoryEffect(instruction);
  const reads = effect !== 'none';
  const writes = effect === 'write';
  const responses: (() => void)[] = [];
  if (responds)
    for (let c = 0; c < instruction.execSize; c++) {
      if (lanes.enabled[c] === 0) continue;
      access.unknown = lanes.doubt[c];
      let h = mix(head, access.isVec4 ? c & 4 : c);
      for (const at of dwordsOf(access, registers, c)) {
        noteUnknown(access, at, 4);
        h = mix(h, state.view.getInt32(at, true));
      }
      for (const source of plainSources(instruction)) h = mix(h, sourceBits(access, source, c));
      if (reads) {
        h = mix(h, memory.version);
        access.unknown |= memory.versionUnknown;
      }
      const doubt = access.unknown;
      responses.push(() => respond(access, c, h, doubt));
    }
  if (!responds || writes || opcode.hasSideEffects || message.isEndOfThread)
    record(access, lanes, memory, registers);
  if (writes) {
    const last = memory.outputs[memory.outputs.length - 1];
    let h = head;
    let doubt = 0;
    last.words.forEach((word, k) => {
      if (last.unknown[k] === 0) h = mix(h, word);
      // Channels that do not execute hold nothing that matters.
      else if (last.unknown[k] === 1) doubt = 1;
    });
    disturb(memory, h, doubt);
  }
  for (const response of responses) response();
};

/** Fills channel c of the response: each destination, register by register where the response has several. */
function respond(access: Access, c: number, h: number, doubt: number): void {
  const { instruction, state } = access;
  const { rlen } = instruction.message;
  if (!isWritten(access, c)) return;
  instruction.destinations.forEach((destination, d) => {
    if (!isPlace(destination)) return;
    const at = destinationByte(access, destination, c);
    if (at < 0) return;
    writeHash(state, at, destination.type, mix(h, d * 64 + (access.isVec4 ? c & 3 : 0)), doubt);
    if (access.isVec4 || rlen === undefined || instruction.destinations.length > 1) return;
    const size = typeSize(destination.type);
    const step = Math.max(GRF_BYTES, instruction.execSize * size);
    const place = locate(state, destination);
    if (typeof place === 'string') return;
    for (let k = 1; k * step < rlen * GRF_BYTES && at + k * step + size <= place.end; k++)
      writeHash(state, at + k * step, destination.type, mix(h, k), doubt);
  });
}

/** 2 marks a word that does not matter. */
const IRRELEVANT = 2;

/** Notes what a message sends: the payload, and the sources that are none. */
export function record(access: Access, lanes: Lanes, memory: Memory, registers: readonly number[]): void {
  const { instruction, state, isVec4 } = access;
  const { opcode, message, execSize } = instruction;
  const words: number[] = [];
  const unknown: number[] = [];
  const isLive = (r: number, k: number): boolean => {
    if (r < message.header || isVec4) return true;
    for (let c = k; c < execSize; c += 8) if (lanes.enabled[c] !== 0) return true;
    return k >= execSize;
  };
  registers.forEach((at, r) => {
    for (let k = 0; k < 8; k++) {
      access.unknown = 0;
      noteUnknown(access, at + 4 * k, 4);
      words.push(state.view.getInt32(at + 4 * k, true));
      unknown.push(isLive(r, k) ? access.unknown : IRRELEVANT);
    }
  });
  for (const source of plainSources(instruction))
    for (let c = 0; c < execSize; c++) {
      access.unknown = 0;
      words.push(lanes.enabled[c] === 0 ? 0 : sourceBits(access, source, c));
      unknown.push(lanes.enabled[c] === 0 ? IRRELEVANT : access.unknown);
    }
  memory.outputs.push({
    stream: [opcode.name, message.sharedFunction ?? '', message.descriptor ?? ''].join(' ').trim(),
    origin: instruction.origin,
    words: Int32Array.from(words),
    unknown: Uint8Array.from(unknown),
  });
}

/** A vertex's address out of its half of a payload register. */
function vertexAddress(access: Access, operand: Operand, vertex: number, header = 0): number {
  if (operand.file === 'immediate') return operand.low;
  if (operand.file === 'uniform') return sourceNumber(access, operand, 0);
  const place = locate(access.state, operand);
  if (typeof place === 'string') return faulty(access, place);
  const component = ((operand.swizzle >>> 0) & 3) * 4;
  const at = place.at + header * GRF_BYTES + 16 * vertex + component;
  if (at + 4 > place.end) return faulty(access, 'a payload reaches over the end of its register');
  noteUnknown(access, at, 4);
  return access.state.view.getInt32(at, true);
}

/** Reads of one vec4 a vertex: `scale` bytes to the unit of the address, at most `count` components. */
const vertexRead =
  (addressSource: number, surfaceSource: number, scale: number, countSource = -1): Message =>
  (access, lanes, memory) => {
    const { instruction, state } = access;
    const { sources, message, execSize } = instruction;
    const destination = instruction.destinations[0];
    if (!isPlace(destination)) return;
    access.unknown = 0;
    const surface = surfaceOf(access, sources[surfaceSource]);
    const surfaceDoubt = access.unknown;
    const count =
      countSource >= 0 && countSource < sources.length ? surfaceOf(access, sources[countSource]) : 4;
    const header = payloadLength(instruction, addressSource) > 1 ? message.header : 0;
    const addresses = [0, 1].map((vertex) => {
      access.unknown = surfaceDoubt;
      const address = vertexAddress(access, sources[addressSource], execSize === 4 ? 0 : vertex, header);
      return { address: address * scale, doubt: access.unknown };
    });
    for (let c = 0; c < execSize; c++) {
      if (lanes.enabled[c] === 0 || !isWritten(access, c) || (c & 3) >= count) continue;
      const { address, doubt } = addresses[c >>> 2];
      const at = destinationByte(access, destination, c);
      if (at < 0) return;
      const { bits, unknown } = readSurface(memory, surface, address + 4 * (c & 3));
      putCell(state, at, { bits, unknown: unknown | doubt | lanes.doubt[c] });
    }
  };

/** One block of whole OWords for the thread, whatever channels execute: linear memory from one address. */
const blockRead =
  (addressSource: number, surfaceSource: number, scale: number): Message =>
  (access, _lanes, memory) => {
    const { instruction, state } = access;
    const { sources } = instruction;
    const destination = instruction.destinations[0];
    if (!isPlace(destination)) return;
    access.unknown = 0;
    const surface = surfaceOf(access, sources[surfaceSource]);
    const address = vertexAddress(access, sources[addressSource], 0) * scale;
    const doubt = access.unknown;
    const count = sources.length > 2 ? surfaceOf(access, sources[2]) : 1;
    const place = locate(state, destination);
    if (typeof place === 'string') {
      faulty(access, place);
      return;
    }
    for (let byte = 0; byte < 16 * count && place.at + byte + 4 <= place.end; byte += 4) {
      const { bits, unknown } = readSurface(memory, surface, address + byte);
      putCell(state, place.at + byte, { bits, unknown: unknown | doubt });
    }
  };

/** A push of constants of the scalar back-end: dword c from the offset in bytes. */
const uniformConstants: Message = (access, lanes, memory) => {
  const { instruction, state } = access;
  const destination = instruction.destinations[0];
  if (!isPlace(destination)) return;
  access.unknown = 0;
  const surface = surfaceOf(access, instruction.sources[0]);
  const address = instruction.sources.length > 1 ? sourceNumber(access, instruction.sources[1], 0) : 0;
  const doubt = access.unknown;
  for (let c = 0; c < instruction.execSize; c++) {
    if (lanes.enabled[c] === 0) continue;
    const at = destinationByte(access, destination, c);
    if (at < 0) return;
    const { bits, unknown } = readSurface(memory, surface, address + 4 * c);
    putCell(state, at, { bits, unknown: unknown | doubt });
  }
};

const messages: ReadonlyMap<string, Message> = new Map<string, Message>([
  ...scratchMessages,
  ...selectionMessages,
  ['untyped_surface_read', vertexRead(0, 1, 1, 2)],
  // in bytes: the dumps compute index * 16 for them
  ['pull_constant_load', vertexRead(1, 0, 1)],
  ['pull_constant_load_gfx7', vertexRead(1, 0, 1)],
  ['oword_dual_block_read', vertexRead(0, 1, 16)],
  ['oword_block_read', blockRead(0, 1, 16)],
  ['unaligned_oword_block_read', blockRead(0, 1, 1)],
  ['uniform_pull_const_gfx7', uniformConstants],
]);
