import type { FlagReference, Program, RegisterOperand } from '../program.js';
import { GRF_BYTES, typeSize } from '../program.js';
import { handedOver } from './handed-over.js';
import { hash, inputDword } from './hash.js';

/**
 * All registers of one thread as one row of bytes, and beside each byte whether its value is unknown: never
 * written, or computed from something unknown. Unknown bytes are how a source program leaves a choice to its
 * compiler; what is computed from them is not compared.
 *
 * Files lie one behind the other: virtual registers, g0 to g127, message registers (on Gen7 the window g112 to
 * g127), uniforms, attributes, accumulators with eight bytes a channel, address registers. Flags are one byte a
 * channel: f0.0 has channels 0 to 15, and channel 16 of f0.0 is channel 0 of f0.1.
 */
export interface State {
  readonly program: Program;
  readonly bytes: Uint8Array;
  readonly view: DataView;
  /** By byte: 1 where the value is unknown. */
  readonly unknown: Uint8Array;
  /** First byte of each virtual register. */
  readonly base: Int32Array;
  readonly files: Readonly<Record<FileName, Extent>>;
  readonly flags: Uint8Array;
  readonly flagUnknown: Uint8Array;
}

export type FileName = 'grf' | 'message' | 'uniform' | 'attribute' | 'accumulator' | 'address' | 'null';

export interface Extent {
  readonly start: number;
  readonly end: number;
  /** Bytes from one register to the next. */
  readonly step: number;
}

export const ACCUMULATOR_CHANNEL = 8;
const ACCUMULATOR = 32 * ACCUMULATOR_CHANNEL;
const FLAG_CHANNELS = 64;
const MOST_UNIFORMS = 1024;
const ATTRIBUTES = 64;

/** The registers at entry: payload, uniforms and attributes hold inputs made from `seed`, all else is unknown. */
export function createState(program: Program, seed: number): State {
  const { registers, platform, firstFree } = program;
  const base = new Int32Array(registers.length);
  let at = 0;
  registers.forEach((register, r) => {
    base[r] = at;
    at += Math.ceil(register.bytes / GRF_BYTES) * GRF_BYTES;
  });
  const file = (count: number, step: number): Extent => {
    const start = at;
    at += count * step;
    return { start, end: at, step };
  };
  const grf = file(platform.registers, GRF_BYTES);
  const window = platform.messageWindow;
  const files = {
    grf,
    message:
      window === undefined
        ? file(platform.messageRegisters, GRF_BYTES)
        : { ...grf, start: grf.start + window * GRF_BYTES },
    uniform: file(uniformCount(program), program.dialect === 'vec4' ? 16 : 4),
    attribute: file(usesAttributes(program) ? ATTRIBUTES : 0, GRF_BYTES),
    accumulator: file(2, ACCUMULATOR),
    address: file(1, GRF_BYTES),
    // What is written to null is thrown away, and read as 0.
    null: file(1, 2 * GRF_BYTES * 8),
  };
  const buffer = new ArrayBuffer(at);
  const view = new DataView(buffer);
  const unknown = new Uint8Array(at).fill(1);
  const fill = (kind: number, start: number, end: number) => {
    unknown.fill(0, start, end);
    for (let k = start; k < end; k += 4) view.setUint32(k, inputDword(seed, kind, (k - start) >>> 2), true);
  };
  fill(1, grf.start, grf.start + Math.min(firstFree, platform.registers) * GRF_BYTES);
  fill(2, files.uniform.start, files.uniform.end);
  fill(3, files.attribute.start, files.attribute.end);
  unknown.fill(0, files.null.start, files.null.end);
  for (const { register, at: start } of handedOver(program, base, grf.start))
    for (let k = 0; k < registers[register].bytes; k++) {
      view.setUint8(start + k, inputDword(seed, 5 + register, k >>> 2) >>> (8 * (k & 3)));
      unknown[start + k] = 0;
    }
  const flags = new Uint8Array(FLAG_CHANNELS);
  for (let k = 0; k < FLAG_CHANNELS; k++) flags[k] = hash(seed, 4, k) & 1;
  return {
    program,
    bytes: new Uint8Array(buffer),
    view,
    unknown,
    base,
    files,
    flags,
    flagUnknown: new Uint8Array(FLAG_CHANNELS).fill(1),
  };
}

const usesAttributes = ({ instructions }: Program): boolean =>
  instructions.some(({ sources }) => sources.some(({ file }) => file === 'attribute'));

function uniformCount(program: Program): number {
  let most = program.uniforms;
  for (const { sources } of program.instructions)
    for (const source of sources) if (source.file === 'uniform') most = Math.max(most, source.number + 8);
  return Math.min(most + 4, MOST_UNIFORMS);
}

/** Where a register operand begins and its register's file ends, or why it has no bytes. */
export function locate(state: State, operand: RegisterOperand): Place | string {
  if (operand.file === 'virtual') {
    const start = state.base[operand.register];
    const { bytes } = state.program.registers[operand.register];
    return { at: start + operand.offset, end: start + Math.ceil(bytes / GRF_BYTES) * GRF_BYTES };
  }
  if (operand.file === 'none' || operand.file === 'slot' || operand.file === 'word')
    return `an operand of file ${operand.file} has no bytes`;
  if (operand.file === 'flag' || operand.file === 'architecture')
    return 'a flag is read and written by channel';
  const extent = state.files[operand.file];
  const number = operand.file === 'grf' ? operand.grf : operand.number;
  return { at: extent.start + number * extent.step + operand.offset, end: extent.end };
}

export interface Place {
  readonly at: number;
  readonly end: number;
}

/** Byte of the element for channel `c` (counted from the instruction's first) from the operand's first byte. */
export function elementOffset(
  operand: RegisterOperand,
  c: number,
  isVec4: boolean,
  isAlign1: boolean,
): number {
  const size = typeSize(operand.type);
  if (operand.file === 'accumulator') return c * ACCUMULATOR_CHANNEL;
  if (isVec4) {
    const component = isAlign1 ? c & 3 : (operand.swizzle >>> (2 * (c & 3))) & 3;
    const isShared = operand.file === 'uniform' || operand.stride === 0 || operand.region?.[0] === 0;
    return ((isShared ? 0 : c & ~3) + component) * size;
  }
  if (operand.file === 'uniform') return 0;
  if (operand.region === undefined) return c * operand.stride * size;
  const [vertical, width, horizontal] = operand.region;
  const row = Math.floor(c / Math.max(1, width));
  return (row * vertical + (c % Math.max(1, width)) * horizontal) * size;
}

/** The same for a destination: no swizzle, and a stride of 0 means 1. */
export function destinationOffset(operand: RegisterOperand, c: number): number {
  if (operand.file === 'accumulator') return c * ACCUMULATOR_CHANNEL;
  return c * Math.max(1, operand.stride) * typeSize(operand.type);
}

/** Index into `flags` of channel `channel` of a flag; `arf1.0` and `arf1.2` are how dumps write f1.0 and f1.1. */
export const flagIndex = (flag: number, channel: number): number =>
  (16 * flag + channel) & (FLAG_CHANNELS - 1);

/** The flag that an operand of file `flag` or `architecture` names, or -1. */
export function flagOf(operand: RegisterOperand): number {
  if (operand.file === 'flag') return operand.number + (operand.offset >>> 1);
  if (operand.file === 'architecture') return (2 * operand.number + (operand.offset >>> 1)) & 3;
  return -1;
}

/** A flag's channel: 0 or 1, and whether it is unknown. Virtual flags are words in which anything but 0 is true. */
export function readFlag(state: State, flag: FlagReference, channel: number): number {
  if (flag.kind === 'hardware') return state.flags[flagIndex(flag.flag, channel)];
  const at = virtualFlag(state, flag.register, channel);
  return state.bytes[at] | state.bytes[at + 1] ? 1 : 0;
}

export function isFlagUnknown(state: State, flag: FlagReference, channel: number): boolean {
  if (flag.kind === 'hardware') return state.flagUnknown[flagIndex(flag.flag, channel)] !== 0;
  const at = virtualFlag(state, flag.register, channel);
  return (state.unknown[at] | state.unknown[at + 1]) !== 0;
}

export function writeFlag(
  state: State,
  flag: FlagReference,
  channel: number,
  value: boolean,
  unknown: boolean,
): void {
  if (flag.kind === 'hardware') {
    const k = flagIndex(flag.flag, channel);
    state.flags[k] = value ? 1 : 0;
    state.flagUnknown[k] = unknown ? 1 : 0;
    return;
  }
  const at = virtualFlag(state, flag.register, channel);
  state.bytes.fill(value ? 255 : 0, at, at + 2);
  state.unknown.fill(unknown ? 1 : 0, at, at + 2);
}

function virtualFlag(state: State, register: number, channel: number): number {
  const { bytes, isUniform } = state.program.registers[register];
  const c = isUniform ? 0 : Math.min(channel, Math.max(0, (bytes >>> 1) - 1));
  return state.base[register] + 2 * c;
}
