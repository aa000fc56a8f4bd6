import {
  bytesRead,
  bytesWritten,
  channelsRead,
  channelsWritten,
  hasHazard,
  isConditional,
  registersTouched,
  selects,
  writesAll,
} from '../access.js';
import { partedChannels } from '../live/parted.js';
import { GRF_BYTES, typeSize, type Instruction, type Operand, type Program } from '../program.js';

/**
 * Which registers of the file every instruction touches, flat. The unit is a cell: one hardware register's worth (32
 * bytes) of a virtual register. A message's result of four registers is four cells that must lie side by side where
 * the message writes them, and that live and die apart from each other.
 */
export interface References {
  readonly cellCount: number;
  /** By virtual register: its first cell; the next one's ends it. */
  readonly cellBase: Int32Array;
  /** By cell: its virtual register. */
  readonly registerOf: Int32Array;
  /** By instruction: its first reference; sources stand before destinations. */
  readonly start: Int32Array;
  readonly cell: Int32Array;
  readonly count: Int32Array;
  /** Bits of `Role`. */
  readonly role: Uint8Array;
  /** Parts of each cell that are touched: vec4 its channels (4 bits), elsewhere its dwords (8 bits). */
  readonly parts: Uint8Array;
  /** Source number, or minus one minus the destination's number. */
  readonly operand: Int16Array;
}

export const Role = {
  Use: 1,
  Definition: 2,
  /** The definition leaves none of `parts` as it was in any lane that executes. */
  Kills: 4,
} as const;

/** By instruction: true where a result must not take the register of a source that ends there. */
export const hazardous = (program: Program): Uint8Array =>
  Uint8Array.from(program.instructions, (instruction) => (hasHazard(instruction, program.dialect) ? 1 : 0));

const allParts = (program: Program): number => (program.dialect === 'vec4' ? 15 : 255);

/** Dwords of one register that `bytes` bytes at `offset` touch; all of them where more than one register is touched. */
function dwords(offset: number, bytes: number): number {
  const first = offset % GRF_BYTES;
  if (first + bytes > GRF_BYTES) return 255;
  const low = first >>> 2;
  const high = (first + bytes + 3) >>> 2;
  return ((1 << high) - (1 << low)) & 255;
}

function partsRead(program: Program, instruction: Instruction, k: number, operand: Operand): number {
  if (operand.file === 'immediate') return 0;
  if (program.dialect !== 'vec4') return dwords(operand.offset, bytesRead(instruction, k, program.dialect));
  return typeSize(operand.type) > 4 || operand.offset % GRF_BYTES !== 0 ? 15 : channelsRead(instruction, k);
}

function partsWritten(program: Program, instruction: Instruction, k: number, operand: Operand): number {
  if (operand.file === 'immediate') return 0;
  if (program.dialect !== 'vec4')
    return dwords(operand.offset, bytesWritten(instruction, k, program.dialect));
  return typeSize(operand.type) > 4 ? 15 : channelsWritten(instruction);
}

/**
 * Lanes that do not execute keep what was there, and so do the halves that an instruction of one vertex leaves out:
 * only a write of all lanes ends what was before.
 */
function kills(program: Program, instruction: Instruction, k: number, operand: Operand): boolean {
  if (operand.file === 'immediate' || (isConditional(instruction) && !selects(instruction.opcode)))
    return false;
  const bytes = bytesWritten(instruction, k, program.dialect);
  if (program.dialect === 'vec4')
    return (
      bytes >= GRF_BYTES &&
      operand.offset % GRF_BYTES === 0 &&
      (typeSize(operand.type) <= 4 || operand.mask === 15)
    );
  if (instruction.opcode.name === 'undef' || instruction.message.rlen !== undefined) return true;
  return (
    writesAll(instruction, k, program.dialect) && bytes % GRF_BYTES === 0 && operand.offset % GRF_BYTES === 0
  );
}

/**
 * By instruction, `merges`: what it leaves in lanes that wait elsewhere is read with its result (by a store of all
 * lanes), so that it ends nothing. Nor does a write of single channels of a vertex (`partedChannels`).
 */
export function referencesOf(program: Program, merges?: Uint8Array): References {
  const { registers, instructions } = program;
  const cellBase = new Int32Array(registers.length + 1);
  for (let register = 0; register < registers.length; register++)
    cellBase[register + 1] =
      cellBase[register] + Math.max(1, Math.ceil(registers[register].bytes / GRF_BYTES));
  const cellCount = cellBase[registers.length];
  const registerOf = new Int32Array(cellCount);
  for (let register = 0; register < registers.length; register++)
    registerOf.fill(register, cellBase[register], cellBase[register + 1]);
  const parted = partedChannels(program);
  const start = new Int32Array(instructions.length + 1);
  const cell: number[] = [];
  const count: number[] = [];
  const role: number[] = [];
  const parts: number[] = [];
  const operands: number[] = [];
  const add = (operand: Operand, bytes: number, bits: number, touched: number, index: number): void => {
    if (operand.file !== 'virtual') return;
    const size = cellBase[operand.register + 1] - cellBase[operand.register];
    const first = Math.min(size - 1, Math.floor(operand.offset / GRF_BYTES));
    const length = Math.max(1, Math.min(size - first, registersTouched(operand.offset, bytes)));
    cell.push(cellBase[operand.register] + first);
    count.push(length);
    role.push(bits);
    parts.push(
      length > 1
        ? touched === 0
          ? 0
          : allParts(program) & (program.dialect === 'vec4' ? touched : 255)
        : touched,
    );
    operands.push(index);
  };
  instructions.forEach((instruction, i) => {
    start[i] = cell.length;
    instruction.sources.forEach((source, k) => {
      const bytes = bytesRead(instruction, k, program.dialect);
      add(source, bytes, Role.Use, partsRead(program, instruction, k, source), k);
    });
    instruction.destinations.forEach((destination, k) => {
      if (instruction.opcode.name === 'undef' && destination.file === 'virtual') {
        const bytes = registers[destination.register].bytes;
        add(destination, bytes, Role.Definition | Role.Kills, allParts(program), -1 - k);
        return;
      }
      const bytes = bytesWritten(instruction, k, program.dialect);
      if (bytes === 0) return;
      const isWhole = merges?.[i] !== 1 && (instruction.noMask || parted[i] === 0);
      const isEnd = isWhole && kills(program, instruction, k, destination);
      const bits = isEnd ? Role.Definition | Role.Kills : Role.Definition;
      add(destination, bytes, bits, partsWritten(program, instruction, k, destination), -1 - k);
    });
  });
  start[instructions.length] = cell.length;
  return {
    cellCount,
    cellBase,
    registerOf,
    start,
    cell: new Int32Array(cell),
    count: new Int32Array(count),
    role: new Uint8Array(role),
    parts: new Uint8Array(parts),
    operand: new Int16Array(operands),
  };
}
