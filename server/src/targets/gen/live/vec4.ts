import { bytesRead, bytesWritten, isConditional } from '../access.js';
import { GRF_BYTES, swizzled, typeSize, type Program, type VirtualOperand } from '../program.js';
import { partedChannels } from './parted.js';
import { AccessList, rangesOf, type LiveRanges } from './ranges.js';

/**
 * Liveness of SIMD4x2 programs as the vec4 back-end computes it (brw_vec4_live_variables.cpp): a variable is one
 * dword channel of one vertex, so that masked writes of x and of y in one block together define the register. A read
 * counts for all four channels of its swizzle, whatever the destination's mask. Predicated writes, but for `sel`,
 * never end the life of the old value, nor do those of single channels of a vertex (`partedChannels`, which the
 * reference does not know); a value that is read where it may not have been written is live from the
 * program's start.
 */
export function liveVec4(program: Program): LiveRanges {
  const accesses = new AccessList(program);
  const parted = partedChannels(program);
  program.instructions.forEach((instruction, at) => {
    instruction.sources.forEach((source, s) => {
      if (source.file !== 'virtual') return;
      eachGrf(source, bytesRead(instruction, s, 'vec4'), swizzleChannels, (grf, channels) =>
        accesses.add(source.register, grf, at, channels, 0, 0),
      );
    });
    const isSure = !isConditional(instruction) && (instruction.noMask || parted[at] === 0);
    instruction.destinations.forEach((destination, d) => {
      if (destination.file !== 'virtual') return;
      eachGrf(destination, bytesWritten(instruction, d, 'vec4'), maskChannels, (grf, channels) =>
        accesses.add(destination.register, grf, at, 0, channels, isSure ? channels : 0),
      );
    });
  });
  return rangesOf(accesses, 8, { needsDefinition: false });
}

type Channels = (operand: VirtualOperand) => number;

const maskChannels: Channels = ({ mask }) => mask;
const swizzleChannels: Channels = ({ swizzle }) => {
  let channels = 0;
  for (let c = 0; c < 4; c++) channels |= 1 << swizzled(swizzle, c);
  return channels;
};

/**
 * Calls `visit` with each GRF of the register that the operand touches and the dword channels of it, bit 0 first. The
 * operand's channels lie from its first dword on, the second vertex 16 bytes (64-bit types: 32) behind the first.
 */
function eachGrf(
  operand: VirtualOperand,
  bytes: number,
  channelsOf: Channels,
  visit: (grf: number, channels: number) => void,
): void {
  const channels = channelsOf(operand);
  const [half, whole] =
    typeSize(operand.type) === 8
      ? [spread(channels) & 0x55, spread(channels)]
      : [channels, channels | (channels << 4)];
  for (let at = 0; at < bytes; at += GRF_BYTES) {
    const dword = (operand.offset + at) >> 2;
    const touched = (bytes - at > GRF_BYTES / 2 ? whole : half) << (dword & 7);
    visit(dword >> 3, touched & 0xff);
    if (touched > 0xff) visit((dword >> 3) + 1, touched >> 8);
  }
}

/** A channel of 64 bits is two dwords. */
const spread = (channels: number): number =>
  ((channels & 1) | ((channels & 2) << 1) | ((channels & 4) << 2) | ((channels & 8) << 3)) * 3;
