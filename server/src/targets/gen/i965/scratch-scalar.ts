import type { VirtualRegister } from '../../../ir/place.js';
import { opcodeOf } from '../opcodes.js';
import type { Platform } from '../platforms.js';
import {
  GRF_BYTES,
  XYZW,
  noMessage,
  plainInstruction,
  type Instruction,
  type Region,
  type VirtualOperand,
} from '../program.js';

/**
 * Scratch messages of scalar code (facts G.11): a register of n GRFs lies in scratch as it lies in the register file.
 * Reads
 * (1, 2 or 4 GRFs) take their offset from the descriptor where it reaches (`gfx7_scratch_read`), else from a header;
 * writes (1 or 2 GRFs) lie in message registers, header first. A message of W lanes moves W dwords: W / 8 GRFs.
 */
const float: Region = {
  type: 'F',
  offset: 0,
  negate: false,
  absolute: false,
  swizzle: XYZW,
  mask: 15,
  stride: 1,
  operand: -1,
};

/** How many lanes a message has, and whether it moves all of them. */
export interface Lanes {
  readonly count: 8 | 16 | 32;
  readonly group: number;
  readonly noMask: boolean;
}

/** Bytes that the offset in a Gen7 read's descriptor reaches: 12 bits of 32 bytes. */
const DESCRIPTOR_REACH = 4096 * GRF_BYTES;

/** Reads `grfs` GRFs, a multiple of what a message moves, from byte `from` of scratch into the first of a register. */
export function scalarReload(
  { generation }: Platform,
  into: VirtualRegister,
  grfs: number,
  from: number,
  lanes: Lanes,
  baseMrf: number,
): Instruction[] {
  return pieces(grfs, lanes).map((offset) => {
    const fits = generation >= 7 && from + offset < DESCRIPTOR_REACH;
    return {
      ...plainInstruction,
      ...howMany(lanes),
      opcode: opcodeOf(fits ? 'gfx7_scratch_read' : 'gfx4_scratch_read'),
      destinations: [{ ...float, file: 'virtual', register: into, offset } satisfies VirtualOperand],
      sources: [],
      message: {
        ...noMessage,
        ...(!fits && { mlen: 1, baseMrf }),
        rlen: lanes.count / 8,
        scratchOffset: from + offset,
      },
    };
  });
}

/** Writes the first `grfs` GRFs of a register to byte `to` of scratch. */
export function scalarStore(
  value: VirtualRegister,
  grfs: number,
  to: number,
  lanes: Lanes,
  baseMrf: number,
): Instruction[] {
  return pieces(grfs, lanes).map((offset) => ({
    ...plainInstruction,
    ...howMany(lanes),
    opcode: opcodeOf('gfx4_scratch_write'),
    destinations: [{ ...float, file: 'null', number: 0 }],
    sources: [{ ...float, file: 'virtual', register: value, offset } satisfies VirtualOperand],
    message: { ...noMessage, mlen: 1 + lanes.count / 8, baseMrf, scratchOffset: to + offset },
  }));
}

const howMany = ({ count, group, noMask }: Lanes): Pick<Instruction, 'execSize' | 'group' | 'noMask'> => ({
  execSize: count,
  group,
  noMask,
});

function pieces(grfs: number, lanes: Lanes): number[] {
  const step = lanes.count / 8;
  return Array.from({ length: Math.ceil(grfs / step) }, (_, k) => k * step * GRF_BYTES);
}
