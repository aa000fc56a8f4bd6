import { bytesRead, channelsRead, payloadLength } from '../access.js';
import {
  GRF_BYTES,
  swizzled,
  typeSize,
  type Instruction,
  type Operand,
  type Program,
  type RegisterOperand,
} from '../program.js';

/**
 * Which bytes of its register an operand touches, exactly: strides, write masks, swizzles, vertices. Bytes count from
 * the start of the operand's register and are given as pairs [from, to), in the order of the channels, so that the
 * footprints of two operands of a copy correspond pair by pair.
 */
export type Footprint = readonly (readonly [from: number, to: number])[];

const nothing: Footprint = [];

/** Operations whose sources are not what their type and region say: length in bytes from the operand's start. */
const wide: Readonly<Record<string, (instruction: Instruction, k: number) => number | undefined>> = {
  mov_bytes: () => GRF_BYTES,
  pick_low_32bit: ({ execSize }) => 8 * execSize,
  pick_high_32bit: ({ execSize }) => 8 * execSize,
  double_to_f32: ({ execSize }) => 8 * execSize,
  double_to_d32: ({ execSize }) => 8 * execSize,
  double_to_u32: ({ execSize }) => 8 * execSize,
  mov_indirect: ({ sources }, k) =>
    k === 0 && sources[2]?.file === 'immediate' ? sources[2].low : undefined,
};

/** Register bytes that source `k` reads. Files without registers (immediates, constants, words) have none. */
export function readFootprint(program: Program, instruction: Instruction, k: number): Footprint {
  const source = instruction.sources[k];
  if (!isRegister(source)) return nothing;
  const length = payloadLength(instruction, k);
  if (length >= 0) return run(source.offset, length * GRF_BYTES);
  const { dialect } = program;
  const { name } = instruction.opcode;
  const special = (wide[name] as (typeof wide)[string] | undefined)?.(instruction, k);
  if (special !== undefined) return run(source.offset, special);
  if (
    name === 'linterp' ||
    name === 'pixel_x' ||
    name === 'pixel_y' ||
    instruction.opcode.scratch === 'write'
  )
    if (dialect !== 'vec4') return run(source.offset, bytesRead(instruction, k, dialect));
  if (dialect !== 'vec4') return sourceLanes(source, instruction.execSize);
  const channels = channelsRead(instruction, k);
  const vertices = isShared(source) || name === 'simd4x2_merge' ? 1 : Math.max(1, instruction.execSize >> 2);
  return vec4Bytes(source, channels, vertices, instruction.execSize);
}

/** Register bytes that destination `k` writes, in the channels that execute. */
export function writeFootprint(program: Program, instruction: Instruction, k: number): Footprint {
  const destination = instruction.destinations[k];
  if (!isRegister(destination) || isScratchWrite(instruction)) return nothing;
  const { rlen } = instruction.message;
  if (rlen !== undefined && instruction.destinations.length === 1)
    return run(destination.offset, rlen * GRF_BYTES);
  const { execSize } = instruction;
  const { name } = instruction.opcode;
  if (name === 'set_low_32bit' || name === 'set_high_32bit' || name.startsWith('double_to_'))
    return halfChannels(destination.offset + (name === 'set_high_32bit' ? 4 : 0), execSize);
  if (program.dialect !== 'vec4') return destinationLanes(destination, execSize);
  return vec4Bytes(
    destination,
    instruction.opcode.isAlign1 ? 15 : destination.mask,
    Math.max(1, execSize >> 2),
    execSize,
  );
}

/** vec4's scratch writes name g0, their header, as the destination. */
const isScratchWrite = ({ opcode }: Instruction): boolean => opcode.scratch === 'write';

export const isRegister = (operand: Operand): operand is RegisterOperand =>
  operand.file === 'virtual' ||
  operand.file === 'grf' ||
  operand.file === 'message' ||
  operand.file === 'accumulator' ||
  operand.file === 'address' ||
  operand.file === 'flag' ||
  operand.file === 'architecture';

const run = (from: number, length: number): Footprint => (length > 0 ? [[from, from + length]] : nothing);

const isShared = (source: RegisterOperand): boolean => source.stride === 0 || source.region?.[0] === 0;

/** Elements of the vertices of a vec4 operand, vertex by vertex. */
function vec4Bytes(
  operand: RegisterOperand,
  channels: number,
  vertices: number,
  execSize: number,
): Footprint {
  const size = typeSize(operand.type);
  if (execSize < 4) return run(operand.offset, execSize * size);
  const found: [number, number][] = [];
  for (let vertex = 0; vertex < vertices; vertex++)
    for (let c = 0; c < 4; c++)
      if (channels & (1 << c)) push(found, operand.offset + (4 * vertex + c) * size, size);
  return found;
}

function halfChannels(offset: number, count: number): Footprint {
  return Array.from({ length: count }, (_, c) => [offset + 8 * c, offset + 8 * c + 4] as const);
}

export function sourceLanes(operand: RegisterOperand, lanes: number): Footprint {
  const size = typeSize(operand.type);
  if (operand.region === undefined) return lanesOf(operand.offset, lanes, operand.stride, size);
  const [vertical, width, horizontal] = operand.region;
  const found: [number, number][] = [];
  for (let c = 0; c < lanes; c++) {
    const row = Math.floor(c / Math.max(1, width));
    push(found, operand.offset + (row * vertical + (c % Math.max(1, width)) * horizontal) * size, size);
  }
  return found;
}

export const destinationLanes = (operand: RegisterOperand, lanes: number): Footprint =>
  lanesOf(operand.offset, lanes, Math.max(1, operand.stride), typeSize(operand.type));

function lanesOf(offset: number, lanes: number, stride: number, size: number): Footprint {
  if (stride === 0) return run(offset, size);
  if (stride === 1) return run(offset, lanes * size);
  return Array.from(
    { length: lanes },
    (_, c) => [offset + c * stride * size, offset + c * stride * size + size] as const,
  );
}

/** Appends an element, joined with the last one where it follows it. */
function push(found: [number, number][], from: number, size: number): void {
  const last = found.length > 0 ? found[found.length - 1] : undefined;
  if (last !== undefined && last[1] === from) last[1] = from + size;
  else found.push([from, from + size]);
}

/** Elements of a copy, channel by channel and byte by byte: where each comes from and where it goes. */
export interface Element {
  readonly to: number;
  readonly from: number;
  readonly bytes: number;
}

/** What a plain move copies, from operand bytes to operand bytes. */
export function copiedElements(program: Program, instruction: Instruction): Element[] {
  const destination = instruction.destinations[0] as RegisterOperand;
  const source = instruction.sources[0] as RegisterOperand;
  const size = typeSize(destination.type);
  const found: Element[] = [];
  for (let c = 0; c < instruction.execSize; c++) {
    if (program.dialect === 'vec4') {
      if (instruction.execSize >= 4 && (destination.mask & (1 << (c & 3))) === 0) continue;
      const base = isShared(source) ? 0 : c & ~3;
      const from = source.offset + (base + swizzled(source.swizzle, c & 3)) * size;
      found.push({ to: destination.offset + c * size, from, bytes: size });
    } else {
      const [[from]] = elementOf(source, c, size);
      found.push({ to: destination.offset + c * Math.max(1, destination.stride) * size, from, bytes: size });
    }
  }
  return found;
}

function elementOf(source: RegisterOperand, c: number, size: number): Footprint {
  if (source.region === undefined) return run(source.offset + c * source.stride * size, size);
  const [vertical, width, horizontal] = source.region;
  const row = Math.floor(c / Math.max(1, width));
  return run(source.offset + (row * vertical + (c % Math.max(1, width)) * horizontal) * size, size);
}

/** A channel of this source may come from a channel that does not execute. */
export function crossesLanes(program: Program, instruction: Instruction, k: number): boolean {
  if (program.dialect === 'vec4') return false;
  const source = instruction.sources[k];
  if (!isRegister(source)) return false;
  return source.stride === 0 || source.region !== undefined;
}
