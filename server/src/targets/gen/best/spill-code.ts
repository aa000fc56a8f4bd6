import { opcodeOf } from '../opcodes.js';
import {
  GRF_BYTES,
  XYZW,
  noMessage,
  plainInstruction,
  type Instruction,
  type Operand,
  type Program,
  type Region,
} from '../program.js';

/**
 * Scratch messages and copies in the words of the two Mesa dialects. vec4 (brw_vec4_visitor SCRATCH_WRITE and
 * SCRATCH_READ): one register a message, the OWord index as an immediate, payload m13 to m15 and m14 to m15. Scalar
 * (brw_fs_reg_allocate emit_spill, emit_unspill): 1, 2 or 4 registers a message, the offset in the message, payload in
 * the last message registers (header and data), the read's header is g0 itself. All are NoMask: what is stored and
 * brought back is the register of all lanes, those that wait elsewhere included.
 */
export const plainRegion: Region = {
  type: 'UD',
  offset: 0,
  negate: false,
  absolute: false,
  swizzle: XYZW,
  mask: 15,
  stride: 1,
  operand: -1,
};

const plain = { ...plainInstruction, noMask: true } as const;

export type Cells = 1 | 2 | 4;

const width = (program: Program, cells: Cells): Instruction['execSize'] =>
  program.dialect === 'vec4' ? 8 : ((8 * cells) as 8 | 16 | 32);

/** Registers at the end of the file that messages of so many data registers need in the scalar dialect. */
export const reservedFor = (program: Program, cells: Cells): number =>
  program.dialect === 'scalar' && program.platform.messageWindow !== undefined ? cells + 1 : 0;

const index = (offset: number): Operand => ({
  file: 'immediate',
  type: 'D',
  low: offset / 16,
  high: 0,
  operand: -1,
});

export function storeTo(program: Program, source: Operand, offset: number, cells: Cells): Instruction {
  const opcode = opcodeOf('gfx4_scratch_write');
  if (program.dialect === 'vec4')
    return {
      ...plain,
      opcode,
      execSize: 8,
      destinations: [{ ...plainRegion, type: 'F', file: 'grf', grf: 0 }],
      sources: [source, index(offset)],
      message: { ...noMessage, mlen: 3, baseMrf: 13, scratchOffset: offset },
    };
  return {
    ...plain,
    opcode,
    execSize: width(program, cells),
    destinations: [{ ...plainRegion, type: 'F', file: 'null', number: 0 }],
    sources: [source],
    message: { ...noMessage, mlen: 1 + cells, baseMrf: 15 - cells, scratchOffset: offset },
  };
}

export function loadFrom(program: Program, destination: Operand, offset: number, cells: Cells): Instruction {
  if (program.dialect === 'vec4')
    return {
      ...plain,
      opcode: opcodeOf('gfx4_scratch_read'),
      execSize: 8,
      destinations: [destination],
      sources: [index(offset)],
      message: { ...noMessage, mlen: 2, baseMrf: 14, scratchOffset: offset },
    };
  return {
    ...plain,
    opcode: opcodeOf('gfx7_scratch_read'),
    execSize: width(program, cells),
    destinations: [destination],
    sources: [],
    message: { ...noMessage, rlen: cells, scratchOffset: offset },
  };
}

/** Copies of whole registers, two at a time at most. */
export function copies(program: Program, to: number, from: number, cells: number): Instruction[] {
  const made: Instruction[] = [];
  for (let done = 0; done < cells;) {
    const step = program.dialect !== 'vec4' && cells - done >= 2 ? 2 : 1;
    made.push({
      ...plain,
      opcode: opcodeOf('mov'),
      execSize: width(program, step),
      destinations: [{ ...plainRegion, file: 'grf', grf: to + done }],
      sources: [{ ...plainRegion, file: 'grf', grf: from + done }],
      message: noMessage,
    });
    done += step;
  }
  return made;
}

/** Data registers of the messages that move `cells` registers, at most `most` each. */
export function pieces(cells: number, most: Cells): { at: number; cells: Cells }[] {
  const found: { at: number; cells: Cells }[] = [];
  for (let at = 0; at < cells;) {
    const left = cells - at;
    const piece: Cells = left >= 4 && most === 4 ? 4 : left >= 2 && most >= 2 ? 2 : 1;
    found.push({ at, cells: piece });
    at += piece;
  }
  return found;
}

export const bytesOf = (cells: number): number => cells * GRF_BYTES;
