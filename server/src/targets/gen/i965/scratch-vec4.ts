import type { VirtualRegister } from '../../../ir/place.js';
import { opcodeOf } from '../opcodes.js';
import type { Platform } from '../platforms.js';
import {
  GRF_BYTES,
  XYZW,
  noMessage,
  plainInstruction,
  typeSize,
  type Instruction,
  type Operand,
  type Region,
  type Type,
  type VirtualOperand,
} from '../program.js';

/**
 * Scratch messages of SIMD4x2 code (facts B.10): OWord dual block, one OWord a vertex. Slot n of 32 bytes has index
 * 2n: vertex 0 at OWord 2n, vertex 1 at 2n + 1. The payload lies in the last message registers: three of them for a
 * write (header, offsets, data), m13 to m15 on Gen7, and the last two for a read. A write stores the channels of its destination's mask; a read fetches all four.
 */

const region = (type: Type): Region => ({
  type,
  offset: 0,
  negate: false,
  absolute: false,
  swizzle: XYZW,
  mask: 15,
  stride: 1,
  operand: -1,
});

const index = (slot: number): Operand => ({
  file: 'immediate',
  type: 'D',
  low: 2 * slot,
  high: 0,
  operand: -1,
});

const whole = (register: VirtualRegister, type: Type): VirtualOperand => ({
  ...region(type),
  file: 'virtual',
  register,
});

/** Reloads a register, whole: one message, or two and a shuffle where it holds 64-bit values. */
export function reload(
  { messageRegisters }: Platform,
  slot: number,
  type: Type,
  into: VirtualRegister,
  fresh: () => VirtualRegister,
  noMask: boolean,
): Instruction[] {
  if (typeSize(type) < 8) return [read(slot, whole(into, type), noMask, messageRegisters)];
  const halves = fresh();
  return [
    read(slot, whole(halves, 'F'), noMask, messageRegisters),
    read(slot + 1, { ...whole(halves, 'F'), offset: GRF_BYTES }, noMask, messageRegisters),
    ...shuffle(whole(into, type), whole(halves, type), 'from scratch', noMask),
  ];
}

/** Stores the channels of a definition's destination, which is a temporary by now. */
export function store(
  { messageRegisters }: Platform,
  slot: number,
  destination: VirtualOperand,
  how: Pick<Instruction, 'predicate' | 'noMask'>,
  fresh: () => VirtualRegister,
): Instruction[] {
  const { mask, type } = destination;
  if (typeSize(type) < 8) {
    const value = { ...whole(destination.register, type), swizzle: swizzleForMask(mask) };
    return [write(slot, mask, value, how, messageRegisters)];
  }
  const halves = fresh();
  const made: Instruction[] = [];
  let value = { ...whole(destination.register, type), swizzle: swizzleForMask(mask) };
  if (value.swizzle !== XYZW) {
    const straight = whole(fresh(), type);
    made.push(move(straight, value, how.noMask));
    value = straight;
  }
  made.push(...shuffle(whole(halves, type), value, 'to scratch', how.noMask));
  // x and y of both vertices lie in the first slot, z and w in the second; a channel of 64 bits is two dwords
  for (const half of [0, 1]) {
    const channels = (mask >> (2 * half)) & 3;
    if (channels === 0) continue;
    const dwords = (channels & 1) * 0b0011 + (channels >> 1) * 0b1100;
    made.push(
      write(slot + half, dwords, { ...whole(halves, 'F'), offset: GRF_BYTES * half }, how, messageRegisters),
    );
  }
  return made;
}

/** Channels that the mask lacks repeat one that it has, so that nothing undefined is read: yw is yyyw. */
export function swizzleForMask(mask: number): number {
  let last = mask === 0 ? 0 : 31 - Math.clz32(mask & -mask);
  let swizzle = 0;
  for (let channel = 0; channel < 4; channel++) {
    if (mask & (1 << channel)) last = channel;
    swizzle |= last << (2 * channel);
  }
  return swizzle;
}

function read(
  slot: number,
  destination: VirtualOperand,
  noMask: boolean,
  messageRegisters: number,
): Instruction {
  return {
    ...plainInstruction,
    opcode: opcodeOf('gfx4_scratch_read'),
    noMask,
    destinations: [destination],
    sources: [index(slot)],
    message: {
      ...noMessage,
      mlen: 2,
      baseMrf: messageRegisters - 2,
      rlen: 1,
      scratchOffset: slot * GRF_BYTES,
    },
  };
}

function write(
  slot: number,
  mask: number,
  value: VirtualOperand,
  how: Pick<Instruction, 'predicate' | 'noMask'>,
  messageRegisters: number,
): Instruction {
  return {
    ...plainInstruction,
    ...how,
    opcode: opcodeOf('gfx4_scratch_write'),
    destinations: [{ ...region('F'), file: 'grf', grf: 0, mask }],
    sources: [value, index(slot)],
    message: {
      ...noMessage,
      mlen: 3,
      baseMrf: messageRegisters - 3,
      rlen: 1,
      scratchOffset: slot * GRF_BYTES,
    },
  };
}

const move = (
  destination: VirtualOperand,
  source: VirtualOperand,
  noMask: boolean,
  vertex?: 0 | 1,
): Instruction => ({
  ...plainInstruction,
  opcode: opcodeOf('mov'),
  noMask,
  ...(vertex !== undefined && { execSize: 4, group: 4 * vertex }),
  destinations: [destination],
  sources: [source],
  message: noMessage,
});

const XY = 0b0011;
const ZW = 0b1100;
const XYXY = 0b01_00_01_00;
const ZWZW = 0b11_10_11_10;

/**
 * A register of 64-bit values has a vertex a GRF; scratch has x and y of both vertices in one slot and z and w in the
 * next. The two middle quarters change places, each moved under the execution mask of the vertex that it belongs to.
 */
function shuffle(
  into: VirtualOperand,
  from: VirtualOperand,
  way: 'to scratch' | 'from scratch',
  noMask: boolean,
): Instruction[] {
  const second = (operand: VirtualOperand): VirtualOperand => ({ ...operand, offset: GRF_BYTES });
  const [upper, lower] = way === 'to scratch' ? ([1, 0] as const) : ([0, 1] as const);
  return [
    move({ ...into, mask: XY }, from, noMask, 0),
    move({ ...into, mask: ZW }, { ...second(from), swizzle: XYXY }, noMask, upper),
    move({ ...second(into), mask: XY }, { ...from, swizzle: ZWZW }, noMask, lower),
    move({ ...second(into), mask: ZW }, second(from), noMask, 1),
  ];
}
