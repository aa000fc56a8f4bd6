import { GRF_BYTES, type FlagReference, type Program, type RegisterOperand } from '../program.js';
import { flagOf } from '../simulate/state.js';

/**
 * Places and names of the proof, both counted in units of `unit` bytes. A place is where the allocated program keeps
 * something: general registers, message registers where they are a file of their own, flags (two bytes a channel of
 * 16, four of 8), accumulator, address register, scratch. A name is what the source program calls it: a part of a
 * virtual register, or the same part of the same hardware register, which the source may use by its own name.
 */
export interface Space {
  readonly unit: number;
  readonly placeCount: number;
  readonly nameCount: number;
  /** First name of each virtual register. */
  readonly registerBase: Int32Array;
  /** The name that place 0 has when the source itself means the hardware register. */
  readonly fixedBase: number;
}

export const MESSAGE_ROW = 128;
export const FLAG_ROW = 152;
const ACCUMULATOR_ROW = 156;
const ADDRESS_ROW = 157;
export const SCRATCH_ROW = 160;

export function createSpace(source: Program, unit: number, scratchBytes: number): Space {
  const registerBase = new Int32Array(source.registers.length + 1);
  source.registers.forEach((register, r) => {
    registerBase[r + 1] = registerBase[r] + Math.ceil(register.bytes / GRF_BYTES) * (GRF_BYTES / unit);
  });
  const placeCount = ((SCRATCH_ROW + Math.ceil(scratchBytes / GRF_BYTES)) * GRF_BYTES) / unit;
  const fixedBase = registerBase[source.registers.length];
  return { unit, placeCount, nameCount: fixedBase + placeCount, registerBase, fixedBase };
}

/** Byte of the place space where a hardware operand's register begins; -1 for operands that are none. */
export function placeStart(program: Program, operand: RegisterOperand): number {
  switch (operand.file) {
    case 'grf':
      return operand.grf * GRF_BYTES;
    case 'message':
      return messagePlace(program, operand.number);
    case 'accumulator':
      return ACCUMULATOR_ROW * GRF_BYTES;
    case 'address':
      return ADDRESS_ROW * GRF_BYTES;
    case 'flag':
    case 'architecture':
      return (FLAG_ROW + flagOf(operand)) * GRF_BYTES;
    default:
      return -1;
  }
}

export const messagePlace = ({ platform }: Program, number: number): number =>
  ((platform.messageWindow ?? MESSAGE_ROW) + number) * GRF_BYTES;

export const scratchPlace = (byte: number): number => SCRATCH_ROW * GRF_BYTES + byte;

export const accumulatorPlace = ACCUMULATOR_ROW * GRF_BYTES;

/** Bytes of a flag's place that one channel has. */
export const flagBytes = (program: Program): number =>
  program.dialect === 'selection' || program.width > 8 ? 2 : 4;

export const flagPlace = (program: Program, flag: number, channel: number): number =>
  (FLAG_ROW + flag) * GRF_BYTES + channel * flagBytes(program);

/** The same for a flag that may be a virtual register: a byte of the name space, negative where it is a place. */
export function flagName(
  program: Program,
  flag: FlagReference,
  channel: number,
): { register: number; byte: number } {
  if (flag.kind === 'hardware') return { register: -1, byte: flagPlace(program, flag.flag, channel) };
  const { isUniform } = program.registers[flag.register];
  return { register: flag.register, byte: isUniform ? 0 : 2 * channel };
}

/** How a place is called in messages: `g12.4`, `scratch byte 64`. */
export function placeText(space: Space, place: number): string {
  const byte = place * space.unit;
  const row = Math.floor(byte / GRF_BYTES);
  const rest = byte % GRF_BYTES;
  const suffix = rest === 0 ? '' : `.${rest}`;
  if (row >= SCRATCH_ROW) return `scratch byte ${byte - SCRATCH_ROW * GRF_BYTES}`;
  if (row >= ADDRESS_ROW) return 'the address register';
  if (row >= ACCUMULATOR_ROW) return 'the accumulator';
  if (row >= FLAG_ROW) return `f${(row - FLAG_ROW) >> 1}.${(row - FLAG_ROW) & 1}`;
  return row >= MESSAGE_ROW ? `m${row - MESSAGE_ROW}${suffix}` : `g${row}${suffix}`;
}

export function nameText(space: Space, program: Program, name: number): string {
  if (name >= space.fixedBase) return `the program's own ${placeText(space, name - space.fixedBase)}`;
  let low = 0;
  let high = program.registers.length;
  while (low + 1 < high) {
    const middle = (low + high) >>> 1;
    if (space.registerBase[middle] <= name) low = middle;
    else high = middle;
  }
  const byte = (name - space.registerBase[low]) * space.unit;
  return byte === 0 ? program.registers[low].name : `${program.registers[low].name}+${byte}`;
}
