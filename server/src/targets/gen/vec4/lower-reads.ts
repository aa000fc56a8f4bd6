import { opcodeOf } from '../opcodes.js';
import {
  noMessage,
  rewrite,
  swizzled,
  typeSize,
  XYZW,
  type ImmediateOperand,
  type Instruction,
  type Operand,
  type Program,
  type RegisterOperand,
  type VirtualOperand,
} from '../program.js';
import { NewRegisters } from './new-registers.js';

/**
 * Reads of a vec4 from a buffer whose byte offset may be anything (facts C.1, C.2). The dual OWord message reads one
 * aligned OWord for each vertex; the unaligned block message takes a byte address, but only one for the thread.
 *
 * What is lowered, and when:
 * - `pull_constant_load dst, surface, offset` (offset in bytes) on Gen7 and later, always:
 *   - a constant offset reads the enclosing OWord with one `oword_dual_block_read` (address in OWords, the same for both
 *     vertices), and the offset's remainder becomes a swizzle; what lies in the next OWord needs a second read;
 *   - an offset in a register reads each vertex with an `unaligned_oword_block_read` of its own (address in bytes: dword 0
 *     and dword 4 of the register) and puts them together with `simd4x2_merge`; a uniform needs one read for both.
 * - `untyped_surface_read dst, offset, surface, count` with `{ untyped: true }`, like an offset in a register. By itself
 *   it stays: the data port reads dwords at any byte address for each vertex.
 * - `pull_constant_load_gfx7` stays: the sampler's LD takes a byte offset for each vertex.
 * - `oword_block_read`, `unaligned_oword_block_read` and `oword_dual_block_read` are the messages themselves.
 * Gen6 keeps `pull_constant_load`, whose offsets its own compiler has aligned.
 *
 * Block reads take no notice of channel enables, so that they stand without predicate and mask; the moves behind them
 * have those of the read.
 */
export interface LowerReadsOptions {
  readonly untyped?: boolean;
}

const OWORD = 16;

export function lowerReads(program: Program, options: LowerReadsOptions = {}): Program {
  if (program.dialect !== 'vec4' || program.phase !== 'virtual' || program.platform.generation < 7)
    return program;
  if (!program.instructions.some((instruction) => readOf(instruction, options) !== undefined)) return program;
  const made = new NewRegisters(program);
  const lowered = rewrite(program, (instruction) => {
    const read = readOf(instruction, options);
    if (read === undefined) return [instruction];
    return read.offset.file === 'immediate'
      ? alignedRead(instruction, read, read.offset, made)
      : unalignedRead(instruction, read, read.offset, made);
  });
  return made.addTo(lowered);
}

interface BufferRead {
  readonly destination: RegisterOperand;
  readonly surface: Operand;
  /** In bytes. */
  readonly offset: Operand;
  /** Channels that are read and written. */
  readonly channels: number;
}

/** The read that an instruction is, if it is one to lower. */
function readOf(instruction: Instruction, options: LowerReadsOptions): BufferRead | undefined {
  const { opcode, destinations, sources } = instruction;
  const destination = destinations.at(0);
  if (destination === undefined || destination.file === 'immediate') return undefined;
  if (typeSize(destination.type) !== 4 || instruction.execSize !== 8) return undefined;
  if (opcode.name === 'pull_constant_load' && sources.length === 2) {
    const [surface, offset] = sources;
    // a constant that is no multiple of four has no place in dwords
    if (offset.file === 'immediate' && (offset.low & 3) !== 0) return undefined;
    return { destination, surface, offset, channels: destination.mask };
  }
  if (opcode.name === 'untyped_surface_read' && options.untyped === true && sources.length === 3) {
    const [offset, surface, count] = sources;
    if (offset.file === 'immediate' || count.file !== 'immediate') return undefined;
    return { destination, surface, offset, channels: destination.mask & ((1 << count.low) - 1) };
  }
  return undefined;
}

function alignedRead(
  instruction: Instruction,
  { destination, surface, channels }: BufferRead,
  offset: ImmediateOperand,
  made: NewRegisters,
): Instruction[] {
  const oword = offset.low >>> 4;
  const shift = (offset.low & (OWORD - 1)) >> 2;
  const dual = (into: RegisterOperand, address: number): Instruction =>
    blockRead(instruction, 'oword_dual_block_read', into, unsigned(address, offset.operand), surface);
  const isWhole = shift === 0 && destination.file === 'virtual' && destination.mask === 15 && channels === 15;
  if (isWhole && instruction.predicate === undefined && !instruction.saturate)
    return [{ ...dual(destination, oword), noMask: instruction.noMask }];
  const code: Instruction[] = [];
  for (const next of [0, 1]) {
    // channel c is dword shift + c from the beginning of the first OWord
    const here = [0, 1, 2, 3].filter(
      (c) => (channels >> c) & 1 && shift + c >= 4 * next && shift + c < 4 * next + 4,
    );
    if (here.length === 0) continue;
    const into = made.operand(destination.type);
    const mask = here.reduce((bits, c) => bits | (1 << c), 0);
    // channels that are not written repeat a neighbour
    const from = [0, 1, 2, 3].map((c) => ((here.includes(c) ? c : here[0]) + shift) & 3);
    const swizzle = from.reduce((bits, channel, c) => bits | (channel << (2 * c)), 0);
    code.push(dual(into, oword + next));
    code.push(moveBehind(instruction, 'mov', { ...destination, mask }, [{ ...into, swizzle }]));
  }
  return code;
}

function unalignedRead(
  instruction: Instruction,
  { destination, surface, channels }: BufferRead,
  offset: RegisterOperand,
  made: NewRegisters,
): Instruction[] {
  const code: Instruction[] = [];
  let address: RegisterOperand = offset;
  if (offset.negate || offset.absolute) {
    const plain = made.operand(offset.type);
    code.push({ ...moveBehind(instruction, 'mov', plain, [offset]), ...everywhere });
    address = plain;
  }
  const component = swizzled(address.swizzle, 0);
  const read = (vertex: 0 | 1): VirtualOperand => {
    const into = made.operand(destination.type);
    const own = { ...address, offset: address.offset + OWORD * vertex, swizzle: 0b01_01_01_01 * component };
    code.push(blockRead(instruction, 'unaligned_oword_block_read', into, own, surface));
    return into;
  };
  const first = read(0);
  const second = offset.file === 'uniform' ? first : read(1);
  code.push(moveBehind(instruction, 'simd4x2_merge', { ...destination, mask: channels }, [first, second]));
  return code;
}

const everywhere = { noMask: true, predicate: undefined, saturate: false } as const;

const unsigned = (value: number, operand: number): ImmediateOperand => ({
  file: 'immediate',
  type: 'UD',
  low: value,
  high: 0,
  operand,
});

/** One OWord into the register `into`; an unaligned one fills its low half. */
function blockRead(
  instruction: Instruction,
  name: string,
  into: RegisterOperand,
  address: Operand,
  surface: Operand,
): Instruction {
  return {
    ...instruction,
    ...everywhere,
    opcode: opcodeOf(name),
    condition: undefined,
    destinations: [{ ...into, swizzle: XYZW, mask: 15 }],
    sources: [address, surface, unsigned(1, -1)],
    message: { ...instruction.message, mlen: 0, baseMrf: -1, rlen: undefined, header: 0, assumed: [] },
    noDDClear: false,
    noDDCheck: false,
  };
}

/** What puts a read's result where it belongs, under the read's own predicate and mask. */
function moveBehind(
  instruction: Instruction,
  name: string,
  destination: RegisterOperand,
  sources: readonly Operand[],
): Instruction {
  return {
    ...instruction,
    opcode: opcodeOf(name),
    destinations: [destination],
    sources,
    message: noMessage,
    noDDClear: false,
    noDDCheck: false,
  };
}
