import { GRF_BYTES, typeSize, type RegisterOperand } from '../program.js';
import { isWritten } from './alu.js';
import { destinationByte, faulty, isPlace, sourceByte, sourceNumber, type Access } from './elements.js';
import type { Lanes } from './lanes.js';
import { cellAt, loadScratch, putCell, storeScratch, type Memory } from './memory.js';
import type { Message } from './messages.js';
import { locate } from './state.js';

/**
 * Messages to the thread's scratch space. vec4: one OWord a vertex, vertex 1 behind vertex 0, channel enables and
 * the write mask gate dwords (facts B.10). Scalar: whole registers, each dword gated by the channel of its position.
 * Beignet: the same, 64-bit values as all low halves and then all high ones; the pool's first register is the
 * header, its second one stages 64-bit values (facts A.14).
 */
const OWORD = 16;

/** Byte offset of a vertex's slot: from the message, or computed (arrays) in OWords from a register. */
function slotOf(access: Access, vertex: number, indexSource: number): number {
  const { instruction } = access;
  const { scratchOffset } = instruction.message;
  const index = indexSource < instruction.sources.length ? instruction.sources[indexSource] : undefined;
  const isComputed = index !== undefined && index.file !== 'immediate' && index.file !== 'slot';
  if (isComputed) return (sourceNumber(access, index, 4 * vertex) + vertex) * OWORD;
  if (scratchOffset !== undefined) return scratchOffset + vertex * OWORD;
  if (index?.file === 'immediate') return (index.low + vertex) * OWORD;
  return index?.file === 'slot'
    ? index.number * GRF_BYTES + vertex * OWORD
    : faulty(access, 'no scratch offset');
}

function vec4Read(access: Access, lanes: Lanes, memory: Memory): void {
  const { instruction, state } = access;
  const destination = instruction.destinations[0] as RegisterOperand;
  const bytes = [0, 1].map((vertex) => {
    access.unknown = 0;
    return { byte: slotOf(access, vertex, 0), doubt: access.unknown };
  });
  for (let c = 0; c < instruction.execSize; c++) {
    if (lanes.enabled[c] === 0) continue;
    const at = destinationByte(access, { ...destination, type: 'UD' }, c);
    if (at < 0 || access.fault !== undefined) return;
    const { byte, doubt } = bytes[c >>> 2];
    loadScratch(memory, state, at, byte + 4 * (c & 3));
    if (doubt | lanes.doubt[c]) state.unknown.fill(1, at, at + 4);
  }
}

function vec4Write(access: Access, lanes: Lanes, memory: Memory): void {
  const { instruction, state } = access;
  const value = instruction.sources[0];
  for (let c = 0; c < instruction.execSize; c++) {
    if (lanes.enabled[c] === 0 || !isWritten(access, c) || value.file === 'immediate') continue;
    access.unknown = 0;
    const byte = slotOf(access, c >>> 2, 1);
    const at = sourceByte(access, value, c);
    if (at < 0 || access.fault !== undefined) return;
    if (access.unknown) {
      access.fault = 'a scratch write at an unknown offset';
      return;
    }
    const { bits, unknown } = cellAt(state, at);
    memory.scratch.set((byte >>> 2) + (c & 3), { bits, unknown: unknown | lanes.doubt[c] });
  }
}

/** Whether the channel that stands at dword `k` of a block executes. */
const gate = (lanes: Lanes, execSize: number, k: number): boolean => lanes.enabled[k % execSize] !== 0;

function blockWrite(access: Access, lanes: Lanes, memory: Memory): void {
  const { instruction, state } = access;
  const value = instruction.sources[0];
  const { mlen, scratchOffset } = instruction.message;
  if (value.file === 'immediate' || scratchOffset === undefined) {
    faulty(access, 'a scratch write without a register or an offset');
    return;
  }
  const place = locate(state, value);
  if (typeof place === 'string') {
    faulty(access, place);
    return;
  }
  const bytes = mlen > 1 ? (mlen - 1) * GRF_BYTES : instruction.execSize * typeSize(value.type);
  if (place.at + bytes > place.end) faulty(access, 'a scratch write reads over the end of its register');
  else
    for (let k = 0; 4 * k < bytes; k++)
      if (gate(lanes, instruction.execSize, k)) {
        if (lanes.doubt[k % instruction.execSize])
          memory.scratch.set((scratchOffset >>> 2) + k, { bits: 0, unknown: 1 });
        else storeScratch(memory, state, place.at + 4 * k, scratchOffset + 4 * k);
      }
}

function blockRead(access: Access, lanes: Lanes, memory: Memory): void {
  const { instruction, state } = access;
  const destination = instruction.destinations[0];
  const { rlen, scratchOffset } = instruction.message;
  if (!isPlace(destination) || scratchOffset === undefined) {
    faulty(access, 'a scratch read without a register or an offset');
    return;
  }
  const place = locate(state, destination);
  if (typeof place === 'string') {
    faulty(access, place);
    return;
  }
  const bytes = rlen === undefined ? instruction.execSize * typeSize(destination.type) : rlen * GRF_BYTES;
  if (place.at + bytes > place.end) faulty(access, 'a scratch read writes over the end of its register');
  else
    for (let k = 0; 4 * k < bytes; k++)
      if (gate(lanes, instruction.execSize, k))
        loadScratch(memory, state, place.at + 4 * k, scratchOffset + 4 * k);
}

/** The dwords of channel c of a spilled register, and where in the slot they lie. */
function* halves(
  access: Access,
  operand: RegisterOperand,
  at: number,
  c: number,
): Generator<[number, number]> {
  const { execSize, message } = access.instruction;
  const slot = message.scratchOffset ?? 0;
  yield [at, slot + 4 * c];
  if (typeSize(operand.type) === 8) yield [at + 4, slot + 4 * execSize + 4 * c];
}

function clobberPool(access: Access, size: number, kept: RegisterOperand | undefined): void {
  const { state } = access;
  const { pool } = state.program;
  if (pool === undefined) return;
  const count = size === 8 ? 1 + Math.max(1, access.instruction.execSize >>> 3) : 1;
  for (let g = pool.first; g < pool.first + count; g++) {
    if (kept?.file === 'grf' && kept.grf === g) continue;
    const at = state.files.grf.start + g * GRF_BYTES;
    state.unknown.fill(1, at, at + GRF_BYTES);
  }
}

function poolWrite(access: Access, lanes: Lanes, memory: Memory): void {
  const { instruction, state } = access;
  const value = instruction.sources[0];
  if (value.file === 'immediate' || instruction.message.scratchOffset === undefined) {
    faulty(access, 'a spill without a register or an offset');
    return;
  }
  for (let c = 0; c < instruction.execSize; c++) {
    if (lanes.enabled[c] === 0) continue;
    const start = sourceByte(access, value, c);
    if (start < 0) return;
    for (const [at, byte] of halves(access, value, start, c)) {
      const { bits, unknown } = cellAt(state, at);
      memory.scratch.set(byte >>> 2, { bits, unknown: unknown | lanes.doubt[c] });
    }
  }
  clobberPool(access, typeSize(value.type), undefined);
}

function poolRead(access: Access, lanes: Lanes, memory: Memory): void {
  const { instruction, state } = access;
  const destination = instruction.destinations[0];
  if (!isPlace(destination) || instruction.message.scratchOffset === undefined) {
    faulty(access, 'an unspill without a register or an offset');
    return;
  }
  clobberPool(access, typeSize(destination.type), destination);
  for (let c = 0; c < instruction.execSize; c++) {
    if (lanes.enabled[c] === 0) continue;
    const start = destinationByte(access, destination, c);
    if (start < 0) return;
    for (const [at, byte] of halves(access, destination, start, c))
      putCell(state, at, memory.scratch.get(byte >>> 2) ?? { bits: 0, unknown: 1 });
  }
}

const byDialect =
  (vec4: Message, scalar: Message, selection: Message): Message =>
  (access, lanes, memory) => {
    const { dialect } = access.state.program;
    (dialect === 'vec4' ? vec4 : dialect === 'scalar' ? scalar : selection)(access, lanes, memory);
  };

export const scratchMessages: readonly (readonly [string, Message])[] = [
  ['gfx4_scratch_read', byDialect(vec4Read, blockRead, blockRead)],
  ['gfx4_scratch_write', byDialect(vec4Write, blockWrite, blockWrite)],
  ['gfx7_scratch_read', byDialect(blockRead, blockRead, blockRead)],
  ['spill', byDialect(vec4Write, blockWrite, poolWrite)],
  ['unspill', byDialect(vec4Read, blockRead, poolRead)],
  ['spill_reg', poolWrite],
  ['unspill_reg', poolRead],
];
