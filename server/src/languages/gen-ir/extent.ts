import { destinationBytes, slackBytes, sourceBytes, startByte } from './access.js';
import type { MesaBound } from './bind/index.js';
import type { Operand } from './operand.js';
import { FULL_MASK, maskOf, swizzleOf, type Instruction } from './tree.js';
import { typeSizes } from './types.js';

/**
 * Which dwords of the register file an operand touches, channel by channel. A SIMD4x2 register holds x, y, z, w of
 * one vertex behind those of the other, a channel of 64 bits takes two dwords; a scalar register holds one dword a
 * lane.
 */
export interface Extent {
  /** Which registers are numbered together: one virtual register, all general ones, all message registers. */
  readonly space: string;
  /** Dwords from the start of the space, in order. */
  readonly dwords: readonly number[];
  /** False where some of these dwords are touched in part. */
  readonly isWhole: boolean;
}

const GRF_DWORDS = 8;
/** Large registers are told apart no finer than this many registers from their start. */
const MOST_BYTES = 64 * 1024;

/** The operand's space, or undefined for one that no instruction writes piece by piece. */
function spaceOf(
  { facts }: MesaBound,
  operand: Operand,
): { readonly space: string; readonly base: number } | undefined {
  switch (operand.file) {
    case 'virtual':
      if (facts.phase === 'virtual') return { space: `v${operand.number}`, base: 0 };
      return { space: 'g', base: operand.number * GRF_DWORDS };
    case 'grf':
      return { space: 'g', base: operand.number * GRF_DWORDS };
    case 'message':
      return { space: 'm', base: operand.number * GRF_DWORDS };
    case 'flag':
      return { space: 'f', base: operand.number };
    default:
      return undefined;
  }
}

/** What the destination writes. */
export function writtenExtent(bound: MesaBound, instruction: Instruction): Extent | undefined {
  const { destination } = instruction;
  const found = spaceOf(bound, destination);
  if (found === undefined) return undefined;
  if (found.space === 'f') return { space: 'f', dwords: [found.base], isWhole: true };
  const bytes = knownBytes(bound, destination, destinationBytes(instruction));
  const isVec4 = bound.parsed.dialect === 'vec4';
  const mask = isVec4 ? maskOf(destination) : FULL_MASK;
  if (isVec4 && mask !== FULL_MASK) return channels(found, destination, instruction, mask, true);
  return range(found, destination, bytes - slackBytes(destination), destination.stride <= 1);
}

/** What source `k` reads. */
export function readExtent(bound: MesaBound, instruction: Instruction, k: number): Extent | undefined {
  const source = instruction.sources[k];
  const found = spaceOf(bound, source);
  if (found === undefined) return undefined;
  if (found.space === 'f') return { space: 'f', dwords: [found.base], isWhole: true };
  if (bound.parsed.dialect === 'vec4') {
    const lanes = lanesRead(instruction, k);
    if (lanes !== undefined) {
      const swizzle = swizzleOf(source);
      let mask = 0;
      for (let c = 0; c < 4; c++) if ((lanes & (1 << c)) !== 0) mask |= 1 << ((swizzle >> (2 * c)) & 3);
      if (mask !== FULL_MASK) return channels(found, source, instruction, mask, false);
    }
  }
  return range(
    found,
    source,
    knownBytes(bound, source, sourceBytes(instruction, k)) - slackBytes(source),
    true,
  );
}

/** Operations that are no channel-by-channel arithmetic: the channels of the (swizzled) source that each reads. */
const dots: Readonly<Record<string, readonly [number, number]>> = {
  dp2: [0b0011, 0b0011],
  dp3: [0b0111, 0b0111],
  dph: [0b0111, 0b1111],
  dp4: [0b1111, 0b1111],
};

const channelwise: ReadonlySet<string> = new Set(
  (
    'mov sel not and or xor shr shl asr cmp cmpn add mul mac mach mad lrp frc rndd rnde rndz rndu lzd fbh fbl cbit ' +
    'bfrev bfe bfi1 bfi2 addc subb f32to16 f16to32 avg csel rcp rsq sqrt exp2 log2 sin cos pow int_quot int_rem ' +
    'gfx4_scratch_write simd4x2_merge spill'
  ).split(' '),
);

/** Channels, as the instruction counts them, whose source `k` is read; undefined for all of the operand's bytes. */
function lanesRead(instruction: Instruction, k: number): number | undefined {
  const name = instruction.opcode.text;
  if (Object.hasOwn(dots, name)) return dots[name][k === 0 ? 0 : 1];
  if (!channelwise.has(name)) return undefined;
  const { destination } = instruction;
  return destination.file === 'none' ? FULL_MASK : maskOf(destination);
}

/** Where the line does not tell, from the operand's start to the register's end. */
function knownBytes({ registers, facts }: MesaBound, operand: Operand, bytes: number): number {
  if (bytes >= 0) return bytes;
  const size = facts.phase === 'virtual' ? registers.sizes[registers.indexOf(operand.number)] : 1;
  return Math.max(0, 32 * size - startByte(operand, 32));
}

interface Space {
  readonly space: string;
  readonly base: number;
}

function range({ space, base }: Space, operand: Operand, bytes: number, isWhole: boolean): Extent {
  const start = operand.file === 'message' ? 0 : startByte(operand, 32);
  const end = Math.min(start + bytes, MOST_BYTES);
  const dwords: number[] = [];
  for (let d = Math.floor(start / 4); 4 * d < end; d++) dwords.push(base + d);
  return { space, dwords, isWhole: isWhole && start % 4 === 0 && (start + bytes) % 4 === 0 };
}

/** The dwords of the channels in `mask`, of each vertex that executes. */
function channels(
  { space, base }: Space,
  operand: Operand,
  { width }: Instruction,
  mask: number,
  isWrite: boolean,
): Extent {
  const size = typeSizes[operand.type];
  const start = operand.file === 'message' ? 0 : startByte(operand, 32);
  const dwords: number[] = [];
  const vertices = Math.max(1, width / 4);
  if (size < 4 || start > MOST_BYTES) return range({ space, base }, operand, width * size, false);
  for (let vertex = 0; vertex < vertices; vertex++)
    for (let c = 0; c < 4; c++) {
      if ((mask & (1 << c)) === 0) continue;
      const byte = start + (4 * vertex + c) * size;
      for (let d = byte >> 2; 4 * d < byte + size; d++) dwords.push(base + d);
    }
  return { space, dwords, isWhole: !isWrite || width >= 4 };
}
