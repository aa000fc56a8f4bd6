import {
  GRF_BYTES,
  typeSize,
  swizzled,
  type Dialect,
  type Instruction,
  type Operand,
  type Register,
} from './program.js';
import type { Opcode } from './opcodes.js';
import type { Platform } from './platforms.js';

/**
 * What an instruction reads and writes of the register file, in bytes, channels and message registers. Rules of the
 * reference's dump (facts B.2, with the corrections of G.4 and G.5): a destination covers execution size times type
 * size, a source the same, constants one element (vec4: four), payloads the length of their message.
 */
export interface Registers {
  readonly first: number;
  readonly count: number;
}

const none: Registers = { first: 0, count: 0 };

/** Sources that are a message's payload out of general registers: `send` has a second one. */
const payloadSources: Readonly<Record<string, readonly number[]>> = {
  untyped_surface_read: [0],
  untyped_surface_write: [0],
  untyped_atomic: [0],
  shader_time_add: [0],
  tcs_urb_write: [0],
  pull_constant_load_gfx7: [1],
  send: [2, 3],
};

/** Sources that read two components: interpolation and pixel positions (facts G.4). */
const twoComponents = new Set(['linterp', 'pixel_x', 'pixel_y']);

/** Registers of payload that source `k` of a send is, or -1 where it is no payload. */
export function payloadLength(instruction: Instruction, k: number): number {
  const payloads = payloadSources[instruction.opcode.name] as readonly number[] | undefined;
  if (payloads === undefined) return -1;
  if (payloads[0] === k) return instruction.message.mlen;
  return payloads[1] === k ? instruction.message.exMlen : -1;
}

/** Bytes that lanes of a region span, from its first byte to its last. */
function span(operand: Exclude<Operand, { file: 'immediate' }>, lanes: number): number {
  const size = typeSize(operand.type);
  if (operand.region === undefined) return ((lanes - 1) * operand.stride + 1) * size;
  const [vertical, width, horizontal] = operand.region;
  const rows = Math.max(1, Math.floor(lanes / Math.max(1, width)));
  const across = Math.min(width, lanes);
  return ((rows - 1) * vertical + (across - 1) * horizontal + 1) * size;
}

/**
 * Bytes from an operand's first byte to the last that source `k` reads, without holes left out. 0 for what is no
 * register at all.
 */
export function bytesRead(instruction: Instruction, k: number, dialect: Dialect): number {
  const source = instruction.sources[k];
  const payload = payloadLength(instruction, k);
  if (payload >= 0) return payload * GRF_BYTES;
  const { file } = source;
  if (file === 'none' || file === 'null' || file === 'word' || file === 'slot') return 0;
  if (file === 'immediate') return (dialect === 'vec4' ? 4 : 1) * typeSize(source.type);
  if (file === 'uniform' && dialect === 'vec4') return 4 * typeSize(source.type);
  if (dialect === 'vec4') return instruction.execSize * typeSize(source.type);
  const name = instruction.opcode.name;
  if (name === 'linterp' && k === 1) return 16;
  if (instruction.opcode.scratch === 'write' && instruction.message.mlen > 1)
    return (instruction.message.mlen - 1) * GRF_BYTES; // the first register is the header
  const bytes = span(source, instruction.execSize);
  return k === 0 && twoComponents.has(name) ? 2 * bytes : bytes;
}

/** Bytes from a destination's first byte to the last that is written, holes included; 0 for no destination. */
export function bytesWritten(instruction: Instruction, k: number, dialect: Dialect): number {
  if (k >= instruction.destinations.length) return 0;
  const destination = instruction.destinations[k];
  if (destination.file === 'none' || destination.file === 'immediate' || destination.file === 'word')
    return 0;
  const { rlen } = instruction.message;
  if (rlen !== undefined && instruction.destinations.length === 1) return rlen * GRF_BYTES;
  if (dialect === 'vec4') return instruction.execSize * typeSize(destination.type);
  return span(destination, instruction.execSize);
}

/** Whole registers that `bytes` bytes at an operand's offset touch. */
export const registersTouched = (offset: number, bytes: number): number =>
  bytes === 0 ? 0 : Math.floor((offset + bytes - 1) / GRF_BYTES) - Math.floor(offset / GRF_BYTES) + 1;

/**
 * True where the write leaves no byte of `bytes` (what `bytesWritten` said) as it was, in lanes that execute: no
 * mask, no gaps between lanes. Predication is another question.
 */
export function writesAll(instruction: Instruction, k: number, dialect: Dialect): boolean {
  const destination = instruction.destinations[k];
  if (destination.file === 'immediate') return true;
  if (instruction.message.rlen !== undefined) return dialect !== 'vec4' || destination.mask === 15;
  if (dialect === 'vec4') return destination.mask === 15;
  return destination.stride === 1 && destination.region === undefined;
}

/** True where lanes that do not execute keep the old value because the instruction looks at a flag. */
export const isConditional = (instruction: Instruction): boolean =>
  instruction.predicate !== undefined && !selects(instruction.opcode);

/** `sel` and its kin look at the flag to choose, and write every lane. */
export const selects = (opcode: Opcode): boolean => opcode.name === 'sel' || opcode.name === 'csel';

const comparesInPlace = new Set(['sel', 'csel', 'if', 'while', 'sel_cmp']);

/** The condition is stored in the flag; where not, it chooses (sel) or jumps (if, while) by itself. */
export const writesFlag = (instruction: Instruction): boolean =>
  instruction.condition !== undefined && !comparesInPlace.has(instruction.opcode.name);

export const readsFlag = (instruction: Instruction): boolean =>
  instruction.predicate !== undefined || instruction.opcode.name === 'unpack_flags_simd4x2';

const XYZW_MASK = 15;
const dotChannels: Readonly<Record<string, readonly [first: number, second: number]>> = {
  dp2: [0b0011, 0b0011],
  dp3: [0b0111, 0b0111],
  dph: [0b0111, 0b1111],
  dp4: [0b1111, 0b1111],
};

/**
 * vec4: channels of its register (bit 0 is x) that source `k` reads, after the swizzle. Channelwise operations read
 * what the write mask lets out; dot products what they multiply; messages everything.
 */
export function channelsRead(instruction: Instruction, k: number): number {
  const source = instruction.sources[k];
  if (source.file === 'immediate') return 0;
  const { opcode } = instruction;
  if (opcode.isAlign1) return XYZW_MASK;
  let lanes = XYZW_MASK;
  const dot = dotChannels[opcode.name] as readonly [number, number] | undefined;
  if (dot !== undefined) lanes = dot[k === 0 ? 0 : 1];
  else if (isChannelwise(instruction)) lanes = writtenMask(instruction);
  let channels = 0;
  for (let c = 0; c < 4; c++) if (lanes & (1 << c)) channels |= 1 << swizzled(source.swizzle, c);
  return channels;
}

/** Channel c of the result depends on channel c of the (swizzled) sources alone. */
export function isChannelwise(instruction: Instruction): boolean {
  const { opcode } = instruction;
  if (opcode.kind !== 'alu' && opcode.kind !== 'math') return opcode.name === 'gfx4_scratch_write';
  return (
    !(opcode.name in dotChannels) && !opcode.isAlign1 && (!opcode.expands || opcode.name === 'simd4x2_merge')
  );
}

function writtenMask(instruction: Instruction): number {
  if (instruction.destinations.length === 0) return XYZW_MASK;
  const destination = instruction.destinations[0];
  return destination.file === 'immediate' ? XYZW_MASK : destination.mask;
}

/** vec4: channels of its register that the destination writes. */
export const channelsWritten = (instruction: Instruction): number => {
  if (instruction.destinations.length === 0) return 0;
  const destination = instruction.destinations[0];
  return destination.file === 'none' || destination.file === 'immediate' ? 0 : destination.mask;
};

/** Message registers that a message takes as payload. */
export function payloadMrf(instruction: Instruction): Registers {
  const { mlen, baseMrf } = instruction.message;
  if (mlen === 0 || baseMrf < 0 || instruction.opcode.sendsFromGrf) return none;
  return { first: baseMrf, count: mlen };
}

/** Message registers that an instruction writes by itself, to set its message up (facts B.4). */
export function impliedMrf(instruction: Instruction): Registers {
  const { mlen, baseMrf, header } = instruction.message;
  const { opcode } = instruction;
  if (mlen === 0 || baseMrf < 0 || opcode.sendsFromGrf) return none;
  const count = isSampler(opcode) ? header : opcode.impliedMrfWrites;
  return count === 0 ? none : { first: baseMrf, count };
}

const samplers = new Set(
  'tex txd txf txf_lz txf_cms txf_cms_w txf_mcs txl txl_lz txs tg4 tg4_offset sampleinfo'.split(' '),
);
export const isSampler = (opcode: Opcode): boolean => samplers.has(opcode.name);

/** Gen6's math ignores write masks. */
export const canWriteMask = (opcode: Opcode, platform: Platform): boolean =>
  opcode.canWriteMask && !(opcode.kind === 'math' && platform.generation < 7);

/** Gen6's math takes no negation and no absolute value. */
export const takesModifiers = (opcode: Opcode, platform: Platform): boolean =>
  opcode.takesModifiers && !(opcode.kind === 'math' && platform.generation < 7);

/**
 * True where the destination must not share a byte with a source though the source ends here: some part of the
 * instruction writes before another part has read. Beside the opcodes that say so these are results of more than one
 * register in vec4, and in the scalar dialects instructions of 16 lanes and more, which execute as two halves, with a
 * source that both halves read (one element for all lanes, or elements of less than four bytes).
 */
export function hasHazard(instruction: Instruction, dialect: Dialect): boolean {
  if (instruction.opcode.hasHazard) return true;
  if (dialect === 'vec4') return bytesWritten(instruction, 0, dialect) > GRF_BYTES;
  if (instruction.execSize < 16) return false;
  return instruction.sources.some(
    (source) =>
      (source.file === 'virtual' || source.file === 'grf') &&
      (source.stride === 0 || typeSize(source.type) < 4),
  );
}

/** Bytes of a register in scratch or in the register file, in whole registers of 32 bytes. */
export const registersOf = (register: Register): number => Math.ceil(register.bytes / GRF_BYTES);

/** Bytes that one lane of a Beignet family takes in the register file (facts A.6); `reg` is one whole register. */
export const familyBytes = {
  bool: 2,
  byte: 2,
  word: 2,
  dword: 4,
  qword: 8,
  oword: 16,
  hword: 32,
  reg: 32,
} as const;
