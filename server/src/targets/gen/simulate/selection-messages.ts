import { typeSize, type Operand, type RegisterOperand } from '../program.js';
import {
  destinationByte,
  isPlace,
  noteUnknown,
  sourceByte,
  sourceNumber,
  storeHash,
  surfaceOf,
  type Access,
} from './elements.js';
import { mix } from './hash.js';
import { cellAt, readSurface, writeSurface, type Cell, type Memory } from './memory.js';
import type { Message } from './messages.js';

/**
 * Beignet's messages that read and write surfaces channel by channel: an address in bytes, values, and the binding
 * table index as the last source (facts A.5). Further destinations than the message has values are temporaries of
 * its expansion. The dump does not say which operation an atomic is: it returns the old value and leaves a function
 * of it and the data.
 */
interface Channels {
  readonly address: (c: number) => number;
  readonly surface: number;
  /** Sources between address and surface. */
  readonly values: readonly Operand[];
}

function channelsOf(access: Access): Channels {
  const { sources } = access.instruction;
  access.unknown = 0;
  const surface = surfaceOf(access, sources[sources.length - 1]);
  return {
    surface,
    address: (c) => sourceNumber(access, sources[0], c) >>> 0,
    values: sources.slice(1, -1),
  };
}

/** Destinations that take data: the temporaries behind them are flags or words. */
const results = (destinations: readonly Operand[]): readonly RegisterOperand[] =>
  destinations.filter(isPlace);

const gather =
  (bytesOf: (operand: RegisterOperand) => number): Message =>
  (access, lanes, memory) => {
    const { surface, address } = channelsOf(access);
    const surfaceDoubt = access.unknown;
    const writes: (() => void)[] = [];
    for (let c = 0; c < access.instruction.execSize; c++) {
      if (lanes.enabled[c] === 0) continue;
      access.unknown = surfaceDoubt | lanes.doubt[c];
      let at = address(c);
      const doubt = access.unknown;
      for (const destination of results(access.instruction.destinations)) {
        const from = at;
        at += bytesOf(destination);
        const cells = [readSurface(memory, surface, from), readSurface(memory, surface, from + 4)];
        writes.push(() => putElement(access, destination, c, cells, from & 3, doubt));
      }
    }
    for (const write of writes) write();
  };

/** Puts bytes from `skip` on into a channel's element. */
function putElement(
  access: Access,
  destination: RegisterOperand,
  c: number,
  cells: readonly Cell[],
  skip: number,
  doubt: number,
): void {
  const at = destinationByte(access, destination, c);
  if (at < 0) return;
  const { view, bytes, unknown } = access.state;
  const size = typeSize(destination.type);
  const isUnknown = cells[0].unknown | (size > 4 ? cells[1].unknown : 0) | doubt;
  unknown.fill(isUnknown, at, at + size);
  if (size >= 4) view.setInt32(at, cells[0].bits, true);
  if (size === 8) view.setInt32(at + 4, cells[1].bits, true);
  if (size < 4) for (let k = 0; k < size; k++) bytes[at + k] = cells[0].bits >>> (8 * ((skip + k) & 3));
}

const scatter: Message = (access, lanes, memory) => {
  const { instruction } = access;
  const { surface, address, values } = channelsOf(access);
  const surfaceDoubt = access.unknown;
  const words: number[] = [];
  const marks: number[] = [];
  for (let c = 0; c < instruction.execSize; c++) {
    if (lanes.enabled[c] === 0) continue;
    access.unknown = surfaceDoubt | lanes.doubt[c];
    let to = address(c);
    const doubt = access.unknown;
    for (const value of values) {
      const size = typeSize(value.type);
      for (const cell of cellsOf(access, value, c)) {
        words.push(to, cell.bits);
        marks.push(doubt, cell.unknown | doubt);
        writePart(memory, surface, to, { bits: cell.bits, unknown: cell.unknown | doubt }, size);
        to += Math.min(4, size);
      }
    }
  }
  memory.outputs.push({
    stream: `${instruction.opcode.name} ${surface}`,
    origin: instruction.origin,
    words: Int32Array.from(words),
    unknown: Uint8Array.from(marks),
  });
};

function cellsOf(access: Access, value: Operand, c: number): readonly Cell[] {
  if (value.file === 'immediate') return [{ bits: value.low | 0, unknown: 0 }];
  if (!isPlace(value)) return [{ bits: 0, unknown: 0 }];
  const at = sourceByte(access, value, c);
  if (at < 0) return [];
  const size = typeSize(value.type);
  if (size === 8) return [cellAt(access.state, at), cellAt(access.state, at + 4)];
  if (size === 4) return [cellAt(access.state, at)];
  const before = access.unknown;
  access.unknown = 0;
  noteUnknown(access, at, size);
  const unknown = access.unknown;
  access.unknown = before;
  return [{ bits: size === 2 ? access.state.view.getUint16(at, true) : access.state.bytes[at], unknown }];
}

/** Writes 1, 2 or 4 bytes into the dword that holds them. */
function writePart(memory: Memory, surface: number, to: number, cell: Cell, size: number): void {
  if (size >= 4) {
    writeSurface(memory, surface, to, cell);
    return;
  }
  const old = readSurface(memory, surface, to);
  const shift = 8 * (to & 3);
  const mask = (size === 2 ? 0xffff : 0xff) << shift;
  writeSurface(memory, surface, to, {
    bits: (old.bits & ~mask) | ((cell.bits << shift) & mask),
    unknown: old.unknown | cell.unknown,
  });
}

/** Channel by channel, in order. */
const atomic: Message = (access, lanes, memory) => {
  const { instruction } = access;
  const { surface, address, values } = channelsOf(access);
  const surfaceDoubt = access.unknown;
  const words: number[] = [];
  const marks: number[] = [];
  const answers: (() => void)[] = [];
  for (let c = 0; c < instruction.execSize; c++) {
    if (lanes.enabled[c] === 0) continue;
    access.unknown = surfaceDoubt | lanes.doubt[c];
    const to = address(c);
    const doubt = access.unknown;
    const old = readSurface(memory, surface, to);
    let h = old.bits;
    let unknown = old.unknown | doubt;
    for (const value of values)
      for (const cell of cellsOf(access, value, c)) {
        h = mix(h, cell.bits);
        unknown |= cell.unknown;
      }
    writeSurface(memory, surface, to, { bits: h, unknown });
    words.push(to, h);
    marks.push(doubt, unknown);
    const cell = { bits: old.bits, unknown: old.unknown | doubt };
    answers.push(() => {
      instruction.destinations.forEach((destination, k) => {
        if (!isPlace(destination)) return;
        if (k === 0) putElement(access, destination, c, [cell, cell], 0, 0);
        else storeHash(access, destination, c, mix(cell.bits, k), cell.unknown);
      });
    });
  }
  for (const answer of answers) answer();
  memory.outputs.push({
    stream: `${instruction.opcode.name} ${surface}`,
    origin: instruction.origin,
    words: Int32Array.from(words),
    unknown: Uint8Array.from(marks),
  });
};

const dwords = gather((operand) => Math.max(4, typeSize(operand.type)));

export const selectionMessages: readonly (readonly [string, Message])[] = [
  ['untyped_read', dwords],
  ['untyped_reada64', dwords],
  ['read64', dwords],
  ['read64a64', dwords],
  ['dword_gather', dwords],
  ['byte_gather', gather(({ type }) => typeSize(type))],
  ['byte_gathera64', gather(({ type }) => typeSize(type))],
  ['ir_load', gather(({ type }) => typeSize(type))],
  ['untyped_write', scatter],
  ['untyped_writea64', scatter],
  ['write64', scatter],
  ['write64a64', scatter],
  ['byte_scatter', scatter],
  ['byte_scattera64', scatter],
  ['ir_store', scatter],
  ['atomic', atomic],
  ['atomica64', atomic],
  ['ir_atomic', atomic],
];
