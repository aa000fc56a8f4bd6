import {
  bytesRead,
  bytesWritten,
  channelsRead,
  channelsWritten,
  impliedMrf,
  isSampler,
  payloadMrf,
  readsFlag,
  registersTouched,
  writesFlag,
} from '../access.js';
import { GRF_BYTES, typeSize, type Instruction, type Program } from '../program.js';
import { Role, type References } from './references.js';

/**
 * Everything through which one instruction can depend on another, as numbers: parts of virtual registers, hardware
 * registers (message registers are general ones where the machine lays them over g112 and up), flags, the
 * accumulator, the other architecture registers, memory, scratch, and messages that leave the thread.
 */
export interface Resources {
  readonly count: number;
  /** Calls back for every resource that the instruction reads or writes; one that it writes may be given as read too. */
  visit(i: number, touch: (resource: number, writes: boolean) => void): void;
}

const FIXED = 160;
const PARTS = 8;

/** A cell that is only ever touched whole is one resource; others are one for each part. */
function partsOf(references: References, whole: number): { base: Int32Array; fine: Uint8Array } {
  const fine = new Uint8Array(references.cellCount);
  for (let r = 0; r < references.cell.length; r++)
    if (references.parts[r] !== whole)
      fine.fill(1, references.cell[r], references.cell[r] + references.count[r]);
  const base = new Int32Array(references.cellCount + 1);
  for (let cell = 0; cell < references.cellCount; cell++)
    base[cell + 1] = base[cell] + (fine[cell] ? PARTS : 1);
  return { base, fine };
}

const readsOnlyMemory = (instruction: Instruction): boolean =>
  isSampler(instruction.opcode) ||
  (instruction.opcode.name === 'send' && instruction.message.sharedFunction === 'sampler') ||
  instruction.opcode.name === 'get_buffer_size';

export function resourcesOf(program: Program, references: References): Resources {
  const whole = program.dialect === 'vec4' ? 15 : 255;
  const { base, fine } = partsOf(references, whole);
  const fixed = base[references.cellCount];
  const window = program.platform.messageWindow ?? 128;
  const flags = fixed + FIXED;
  const accumulator = flags + 4;
  const architecture = accumulator + 1;
  const memory = architecture + 1;
  const scratch = memory + 1;
  const output = scratch + 1;
  // hardware registers by channel in vec4, so that payloads written in parts stay free to move
  const fixedParts = output + 1;
  const count = fixedParts + FIXED * 4;

  const visit: Resources['visit'] = (i, touch) => {
    const instruction = program.instructions[i];
    const { opcode, message } = instruction;
    for (let r = references.start[i]; r < references.start[i + 1]; r++) {
      const writes = (references.role[r] & Role.Definition) !== 0;
      for (let cell = references.cell[r]; cell < references.cell[r] + references.count[r]; cell++) {
        if (fine[cell] === 0) touch(base[cell], writes);
        else
          for (let part = 0; part < PARTS; part++)
            if (references.parts[r] & (1 << part)) touch(base[cell] + part, writes);
      }
    }
    const registers = (first: number, length: number, channels: number, writes: boolean): void => {
      for (let register = first; register < Math.min(FIXED, first + length); register++)
        for (let c = 0; c < 4; c++) if (channels & (1 << c)) touch(fixedParts + 4 * register + c, writes);
    };
    const operand = (k: number, writes: boolean): void => {
      const each = writes ? instruction.destinations[k] : instruction.sources[k];
      switch (each.file) {
        case 'grf':
        case 'message': {
          const bytes = (writes ? bytesWritten : bytesRead)(instruction, k, program.dialect);
          const first =
            (each.file === 'grf' ? each.grf : window + each.number) + Math.floor(each.offset / GRF_BYTES);
          const isMasked = program.dialect === 'vec4' && typeSize(each.type) <= 4;
          const channels = isMasked
            ? writes
              ? channelsWritten(instruction)
              : channelsRead(instruction, k)
            : 15;
          registers(first, registersTouched(each.offset % GRF_BYTES, bytes), channels, writes);
          return;
        }
        case 'flag':
          for (let flag = 0; flag < 4; flag++) touch(flags + flag, writes);
          return;
        case 'accumulator':
          touch(accumulator, writes);
          return;
        case 'address':
        case 'architecture':
          touch(architecture, writes);
          for (let flag = 0; flag < 4; flag++) touch(flags + flag, writes);
          return;
        default:
          return;
      }
    };
    for (let k = 0; k < instruction.sources.length; k++) operand(k, false);
    for (let k = 0; k < instruction.destinations.length; k++) operand(k, true);
    if (opcode.readsG0 || opcode.expands) registers(0, 1, 15, false);
    if (instruction.predicate?.flag.kind === 'hardware')
      touch(flags + instruction.predicate.flag.flag, false);
    else if (readsFlag(instruction)) for (let flag = 0; flag < 4; flag++) touch(flags + flag, false);
    if (writesFlag(instruction) && instruction.condition?.flag.kind === 'hardware')
      touch(flags + instruction.condition.flag.flag, true);
    if (opcode.readsAccumulator) touch(accumulator, false);
    if (opcode.modifiesAccumulator || instruction.writesAccumulator) touch(accumulator, true);
    const payload = payloadMrf(instruction);
    registers(window + payload.first, payload.count, 15, false);
    const implied = impliedMrf(instruction);
    registers(window + implied.first, implied.count, 15, true);
    if (opcode.scratch !== undefined) touch(scratch, opcode.scratch === 'write');
    else if (opcode.memory !== undefined) touch(memory, opcode.memory !== 'read' || opcode.isVolatile);
    else if (readsOnlyMemory(instruction)) touch(memory, false);
    else if (opcode.kind === 'message') {
      touch(memory, true);
      touch(output, true);
    }
    if (message.isEndOfThread) touch(output, true);
  };
  return { count, visit };
}

/** Nothing is moved across these: control flow, the end of the thread, and what nobody knows. */
export function isBarrier(instruction: Instruction): boolean {
  const { opcode, message } = instruction;
  if (opcode.flow !== undefined || opcode.kind === 'flow' || opcode.kind === 'unknown') return true;
  if (message.isEndOfThread || instruction.switchesThread) return true;
  return opcode.hasSideEffects && opcode.memory === undefined && opcode.scratch === undefined;
}
