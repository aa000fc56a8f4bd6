import { bytesRead, bytesWritten, registersTouched } from '../access.js';
import { GRF_BYTES, typeSize, type Instruction, type Operand, type Program } from '../program.js';

/**
 * NoDDClr and NoDDChk: instructions that write different channels of one register need not wait for each other. The
 * earlier one leaves the register's scoreboard entry set (NoDDClr), the later one does not look at it (NoDDChk); a
 * middle one does both. Facts B.7; opt_set_dependency_control in i965.
 *
 * The hardware wants the last instruction of such a run to execute with a non-empty mask, and an instruction that
 * the compiler expands to several would need the bits distributed over its parts. The reference knew only some of
 * these cases: bits on an opcode that becomes two moves stopped its generator with an assertion. `unsafety` is our
 * full list, and says which case it is.
 */
export interface DependencyControlOptions {
  /**
   * `precise` (the default) refuses every unsafe case, and lets a read break only the runs of the registers that it
   * touches. `reference` sets the bits exactly where i965 does: there each read of a fixed register ends all runs,
   * since it might be any register, and some unsafe opcodes are not known.
   */
  readonly as?: 'precise' | 'reference';
}

/** Why an instruction must carry neither bit. */
export type Unsafety =
  'predicated' | 'message' | 'math' | '64-bit' | 'several instructions' | 'half width' | 'several registers';

/**
 * The unsafe case that an instruction is, or undefined where it may carry the bits.
 *
 * - predicated: the last of a run might execute with an empty mask (PRM, cited by the reference).
 * - half width: so might a four-wide instruction, when its vertex is not there.
 * - message: the response arrives whenever it likes, and the payload is read later.
 * - math: found not to work (reference's commit message).
 * - 64-bit: an encoding error on some parts, and two passes through the pipeline on others.
 * - several instructions: only `pack_bytes` distributes the bits over its parts (one channel alone).
 * - several registers: a run is kept for one register only.
 */
export function unsafety(program: Program, instruction: Instruction): Unsafety | undefined {
  const { opcode } = instruction;
  const operands: readonly Operand[] = [...instruction.destinations, ...instruction.sources];
  if (instruction.predicate !== undefined) return 'predicated';
  if (opcode.kind === 'message' || instruction.message.mlen > 0) return 'message';
  if (opcode.kind === 'math') return 'math';
  if (operands.some(({ file, type }) => file !== 'null' && typeSize(type) === 8)) return '64-bit';
  if (expands(program, instruction)) return 'several instructions';
  if (instruction.execSize < 8 && !instruction.noMask) return 'half width';
  if (bytesWritten(instruction, 0, program.dialect) > GRF_BYTES) return 'several registers';
  return undefined;
}

function expands(program: Program, instruction: Instruction): boolean {
  const { opcode } = instruction;
  if (opcode.name === 'pack_bytes') return !isOneChannel(instruction.destinations[0]);
  // Gen8 converts to half precision in two steps
  return (
    opcode.expands ||
    opcode.kind === 'unknown' ||
    (opcode.name === 'f32to16' && program.platform.generation >= 8)
  );
}

const isOneChannel = (destination: Operand): boolean =>
  destination.file !== 'immediate' && [1, 2, 4, 8].includes(destination.mask);

/** What the reference knew (is_dep_ctrl_unsafe in Mesa 21.2). */
function unsafeInReference(instruction: Instruction): boolean {
  return (
    instruction.predicate !== undefined ||
    instruction.message.mlen !== 0 ||
    instruction.opcode.kind === 'math' ||
    [...instruction.destinations, ...instruction.sources].some(
      ({ file, type }) => file !== 'null' && file !== 'none' && typeSize(type) === 8,
    )
  );
}

const MESSAGE = 128;
const ENTRIES = MESSAGE + 24;

/** The open run of each register: who wrote last, from which byte, and which channels since the run began. */
export class Runs {
  readonly #writer = new Int32Array(ENTRIES);
  readonly #offset = new Int32Array(ENTRIES);
  readonly #channels = new Uint8Array(ENTRIES);
  /** An entry counts while its era is that of its file. */
  readonly #era = new Int32Array(ENTRIES);
  #general = 1;
  #message = 1;

  forgetGeneral(): void {
    this.#general++;
  }

  forgetAll(): void {
    this.#general++;
    this.#message++;
  }

  forget(entry: number): void {
    this.#era[entry] = 0;
  }

  /** Whether a write of these channels continues the run of its register. */
  continues(entry: number, offset: number, mask: number): boolean {
    return (
      this.#era[entry] === (entry < MESSAGE ? this.#general : this.#message) &&
      this.#offset[entry] === offset &&
      (this.#channels[entry] & mask) === 0
    );
  }

  /** Notes a write; returns the instruction whose run it continues, or -1 where it begins one. */
  write(entry: number, instruction: number, offset: number, mask: number): number {
    const continues = this.continues(entry, offset, mask);
    const previous = continues ? this.#writer[entry] : -1;
    this.#channels[entry] = continues ? this.#channels[entry] | mask : mask;
    this.#writer[entry] = instruction;
    this.#offset[entry] = offset;
    this.#era[entry] = entry < MESSAGE ? this.#general : this.#message;
    return previous;
  }
}

/** The allocated program with both bits set where they may be, and nowhere else: bits that it had are taken away. */
export function setDependencyControl(program: Program, options: DependencyControlOptions = {}): Program {
  const asReference = options.as === 'reference';
  const { instructions, blockStart } = program;
  const clear = new Uint8Array(instructions.length);
  const check = new Uint8Array(instructions.length);
  const runs = new Runs();
  for (let block = 0; block + 1 < blockStart.length; block++) {
    runs.forgetAll();
    for (let i = blockStart[block]; i < blockStart[block + 1]; i++) {
      const instruction = instructions[i];
      if (asReference) readAsReference(program, instruction, runs);
      else for (const entry of runReads(program, instruction)) runs.forget(entry);
      if (asReference ? unsafeInReference(instruction) : unsafety(program, instruction) !== undefined) {
        runs.forgetAll();
        continue;
      }
      const destination = instruction.destinations.at(0);
      const entry = destination === undefined ? -1 : runEntry(program, destination);
      if (destination === undefined || destination.file === 'immediate' || entry < 0) continue;
      const previous = runs.write(entry, i, destination.offset, destination.mask);
      if (previous < 0) continue;
      clear[previous] = 1;
      check[i] = 1;
    }
  }
  return {
    ...program,
    instructions: instructions.map((instruction, i) => {
      const noDDClear = clear[i] === 1;
      const noDDCheck = check[i] === 1;
      return noDDClear === instruction.noDDClear && noDDCheck === instruction.noDDCheck
        ? instruction
        : { ...instruction, noDDClear, noDDCheck };
    }),
  };
}

/** Number of the run that a register has, -1 for other files; general registers in the message window are the message registers. */
export function runEntry(program: Program, operand: Operand): number {
  if (operand.file === 'message') return operand.number < ENTRIES - MESSAGE ? MESSAGE + operand.number : -1;
  if (operand.file !== 'grf') return -1;
  const grf = Math.min(MESSAGE - 1, operand.grf + (operand.offset >> 5));
  const window = program.platform.messageWindow ?? MESSAGE;
  return grf < window ? grf : MESSAGE + grf - window;
}

/** The reference forgets the first register of each source; a fixed register might be any, and ends the search. */
function readAsReference(program: Program, instruction: Instruction, runs: Runs): void {
  for (const source of instruction.sources) {
    if (source.file !== 'grf') continue;
    if (source.grf < program.firstFree) {
      runs.forgetGeneral();
      return;
    }
    runs.forget(runEntry(program, source));
  }
}

/** Registers whose runs end where the instruction reads them. */
export function runReads(program: Program, instruction: Instruction): number[] {
  const entries: number[] = [];
  for (let k = 0; k < instruction.sources.length; k++) {
    const source = instruction.sources[k];
    const first = runEntry(program, source);
    if (source.file === 'immediate' || first < 0) continue;
    const count = registersTouched(source.offset, bytesRead(instruction, k, program.dialect));
    for (let entry = first; entry < Math.min(ENTRIES, first + count); entry++) entries.push(entry);
  }
  return entries;
}
