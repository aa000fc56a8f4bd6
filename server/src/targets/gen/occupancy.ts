import { bytesRead, bytesWritten, channelsRead, isConditional, writesAll } from './access.js';
import { GRF_BYTES, typeSize, type HardwareOperand, type Instruction, type Program } from './program.js';

/**
 * How many general registers hold something at each instruction of a program in hardware registers. Liveness is
 * computed for each of the file's 1024 dwords, so that the channels of a vector and Beignet's small uniform registers
 * are told apart; a register counts as long as any of its dwords does. A dword is live where a definition may reach
 * and a use may follow. Payload of SIMD4x2 stays to the end of the program (facts B.1), elsewhere it dies like any
 * other value. Message registers are not counted, also where general registers stand for them.
 */
export interface Occupancy {
  /** By instruction: registers live directly after it. */
  readonly after: Uint8Array;
  /** By instruction: the more of what is live where it reads and where it writes. */
  readonly during: Uint8Array;
}

const DWORD_BYTES = 4;
export const FILE_REGISTERS = 128;

/** Calls `visit` with runs of dwords of the register file that an operand touches. */
type Visit = (firstDword: number, mask: number) => void;

/** Registers that count: in SIMD4x2 those that stand for message registers are no part of the limit either. */
const fileEnd = ({ dialect, platform }: Program): number =>
  dialect === 'vec4' ? (platform.messageWindow ?? FILE_REGISTERS) : FILE_REGISTERS;

/** Dwords that source `k` reads or destination `k` writes: chunks of a register each. */
function eachDword(
  operand: HardwareOperand,
  bytes: number,
  channels: number,
  program: Program,
  visit: Visit,
): void {
  const isVec4 = program.dialect === 'vec4';
  const start = operand.grf * GRF_BYTES + operand.offset;
  const end = Math.min(start + bytes, fileEnd(program) * GRF_BYTES);
  const isMasked = isVec4 && channels !== 15 && typeSize(operand.type) === DWORD_BYTES;
  const lanes = isMasked ? channels | (channels << 4) : 0xff;
  for (let at = start; at < end;) {
    const grf = Math.floor(at / GRF_BYTES);
    const stop = Math.min(end, (grf + 1) * GRF_BYTES);
    const first = (at - grf * GRF_BYTES) >> 2;
    const last = (stop - 1 - grf * GRF_BYTES) >> 2;
    const range = ((1 << (last + 1)) - 1) & ~((1 << first) - 1);
    // The pattern of channels begins with the operand, which may be the second vertex.
    const pattern = isMasked ? ((lanes << (first & 3)) | lanes) & 0xff : 0xff;
    visit(grf, range & pattern);
    at = stop;
  }
}

/** The reads and writes of an instruction: register and eight bits for its dwords. */
export function eachRead(instruction: Instruction, program: Program, visit: Visit): void {
  const isVec4 = program.dialect === 'vec4';
  instruction.sources.forEach((source, k) => {
    if (source.file === 'grf')
      eachDword(
        source,
        bytesRead(instruction, k, program.dialect),
        isVec4 ? channelsRead(instruction, k) : 15,
        program,
        visit,
      );
  });
}

export function eachWrite(
  instruction: Instruction,
  program: Program,
  visit: (grf: number, mask: number, kills: boolean) => void,
): void {
  const isVec4 = program.dialect === 'vec4';
  const isSure = !isConditional(instruction);
  instruction.destinations.forEach((destination, k) => {
    if (destination.file !== 'grf') return;
    // The scratch write's g0 is a name for "no result".
    if (instruction.opcode.scratch === 'write') return;
    const bytes = bytesWritten(instruction, k, program.dialect);
    const kills = isSure && (isVec4 || writesAll(instruction, k, program.dialect));
    eachDword(destination, bytes, isVec4 ? destination.mask : 15, program, (grf, mask) =>
      visit(grf, mask, kills),
    );
  });
}

/** Is told of each register while they are counted, block by block, from the end of each to its start. */
export interface HeldVisitor {
  /** The register holds something before this point and not from it on (`isHeld`), or the other way round. */
  changed(grf: number, isHeld: boolean, point: number): void;
  /** The register is written at this point, and nobody reads that. */
  unread(grf: number, point: number): void;
}

export function occupancyOf(program: Program, visitor?: HeldVisitor): Occupancy {
  const { instructions, blockStart } = program;
  const blocks = blockStart.length - 1;
  const liveIn = solveBackwards(program, blocks);
  const reached = solveForwards(program, blocks);
  const after = new Uint8Array(instructions.length);
  const during = new Uint8Array(instructions.length);
  const live = new Uint8Array(FILE_REGISTERS);
  for (let block = 0; block < blocks; block++) {
    live.fill(0);
    for (const successor of program.successors[block])
      for (let grf = 0; grf < FILE_REGISTERS; grf++) live[grf] |= liveIn[successor * FILE_REGISTERS + grf];
    walkBlock(program, block, {
      live,
      reached: reached.subarray(block * FILE_REGISTERS),
      after,
      during,
      visitor,
    });
  }
  return { after, during };
}

interface Walk {
  readonly live: Uint8Array;
  /** Dwords that some definition reaches at the block's entry. */
  readonly reached: Uint8Array;
  readonly after: Uint8Array;
  readonly during: Uint8Array;
  readonly visitor: HeldVisitor | undefined;
}

/** From the block's end to its start. */
function walkBlock(program: Program, block: number, walk: Walk): void {
  const { live, reached, after, during, visitor } = walk;
  const { instructions, blockStart } = program;
  const first = blockStart[block];
  const last = blockStart[block + 1] - 1;
  const isHeld = (grf: number): boolean => program.dialect === 'vec4' && grf < program.firstFree;
  const firstWrite = firstWrites(program, block, reached);
  const counted = new Uint8Array(FILE_REGISTERS);
  let count = 0;
  let point = 2 * (last + 1);
  const set = (grf: number, holds: boolean): void => {
    if ((counted[grf] !== 0) === holds) return;
    counted[grf] = Number(holds);
    count += holds ? 1 : -1;
    visitor?.changed(grf, holds, point);
  };
  for (let grf = 0; grf < FILE_REGISTERS; grf++)
    set(grf, isHeld(grf) || (live[grf] !== 0 && firstWrite[grf] <= last));
  for (let i = last; i >= first; i--) {
    after[i] = count;
    point = 2 * i + 1;
    let unread = 0;
    eachWrite(instructions[i], program, (grf, mask, kills) => {
      if (counted[grf] === 0) {
        unread++;
        visitor?.unread(grf, point);
      }
      if (kills) live[grf] &= ~mask;
      if (live[grf] === 0 || firstWrite[grf] === i) set(grf, isHeld(grf));
    });
    eachRead(instructions[i], program, (grf, mask) => {
      live[grf] |= mask;
      if (firstWrite[grf] < i) set(grf, true);
    });
    during[i] = Math.max(after[i] + unread, count);
  }
  point = 2 * first;
  for (let grf = 0; grf < FILE_REGISTERS; grf++) set(grf, false);
}

/** By register: the first instruction of the block that writes it, -1 where it holds something at the entry already. */
function firstWrites(program: Program, block: number, reached: Uint8Array): Float64Array {
  const first = new Float64Array(FILE_REGISTERS).fill(Infinity);
  for (let grf = 0; grf < FILE_REGISTERS; grf++) if (reached[grf] !== 0) first[grf] = -1;
  for (let i = program.blockStart[block]; i < program.blockStart[block + 1]; i++)
    eachWrite(program.instructions[i], program, (grf) => {
      if (first[grf] === Infinity) first[grf] = i;
    });
  return first;
}

/** By block and register: dwords live at the block's entry. */
function solveBackwards(program: Program, blocks: number): Uint8Array {
  const use = new Uint8Array(blocks * FILE_REGISTERS);
  const kill = new Uint8Array(blocks * FILE_REGISTERS);
  for (let block = 0; block < blocks; block++) {
    const at = block * FILE_REGISTERS;
    for (let i = program.blockStart[block]; i < program.blockStart[block + 1]; i++) {
      eachRead(program.instructions[i], program, (grf, mask) => {
        use[at + grf] |= mask & ~kill[at + grf];
      });
      eachWrite(program.instructions[i], program, (grf, mask, kills) => {
        if (kills) kill[at + grf] |= mask;
      });
    }
  }
  const entry = use.slice();
  const predecessors = predecessorsOf(program, blocks);
  const pending = Array.from({ length: blocks }, (_, block) => block);
  const isPending = new Uint8Array(blocks).fill(1);
  for (let block = pending.pop(); block !== undefined; block = pending.pop()) {
    isPending[block] = 0;
    const at = block * FILE_REGISTERS;
    let hasChanged = false;
    for (const successor of program.successors[block])
      for (let grf = 0; grf < FILE_REGISTERS; grf++) {
        const through = entry[successor * FILE_REGISTERS + grf] & ~kill[at + grf];
        if ((through & ~entry[at + grf]) === 0) continue;
        entry[at + grf] |= through;
        hasChanged = true;
      }
    if (!hasChanged) continue;
    for (const before of predecessors[block])
      if (isPending[before] === 0) {
        isPending[before] = 1;
        pending.push(before);
      }
  }
  return entry;
}

/** By block and register: dwords that some definition, or the payload, reaches at the block's entry. */
function solveForwards(program: Program, blocks: number): Uint8Array {
  const made = new Uint8Array(blocks * FILE_REGISTERS);
  for (let block = 0; block < blocks; block++)
    for (let i = program.blockStart[block]; i < program.blockStart[block + 1]; i++)
      eachWrite(program.instructions[i], program, (grf, mask) => {
        made[block * FILE_REGISTERS + grf] |= mask;
      });
  const entry = new Uint8Array(blocks * FILE_REGISTERS);
  entry.fill(0xff, 0, Math.min(FILE_REGISTERS, program.firstFree));
  const pending = Array.from({ length: blocks }, (_, block) => blocks - 1 - block);
  const isPending = new Uint8Array(blocks).fill(1);
  for (let block = pending.pop(); block !== undefined; block = pending.pop()) {
    isPending[block] = 0;
    for (const successor of program.successors[block]) {
      let hasChanged = false;
      for (let grf = 0; grf < FILE_REGISTERS; grf++) {
        const out = entry[block * FILE_REGISTERS + grf] | made[block * FILE_REGISTERS + grf];
        if ((out & ~entry[successor * FILE_REGISTERS + grf]) === 0) continue;
        entry[successor * FILE_REGISTERS + grf] |= out;
        hasChanged = true;
      }
      if (!hasChanged || isPending[successor] !== 0) continue;
      isPending[successor] = 1;
      pending.push(successor);
    }
  }
  return entry;
}

function predecessorsOf(program: Program, blocks: number): number[][] {
  const predecessors = Array.from({ length: blocks }, (): number[] => []);
  program.successors.forEach((successors, block) => {
    for (const successor of successors) predecessors[successor].push(block);
  });
  return predecessors;
}
