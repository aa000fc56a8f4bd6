import type { VirtualRegister } from '../../ir/place.js';
import type { Opcode } from './opcodes.js';
import type { Platform } from './platforms.js';

/**
 * A program of the Intel Gen EU, decoded from `ir/` (decode.ts): what every pass, model and simulator of this folder
 * works on, before and after allocation. Instructions and operands are never changed in place; a pass makes new ones.
 *
 * All three dialects are the same data: `vec4` (SIMD4x2, align16: write masks and swizzles), `scalar` (i965's fs IR,
 * SIMD8 to SIMD32) and `selection` (Beignet's selection IR and GEN IR: families, uniform registers, several results).
 *
 * Virtual registers and hardware registers are different members of the `Operand` union: an operand that has a
 * hardware register has no virtual number at all, so nothing can take an undefined one for a spilled register.
 */
export interface Program {
  readonly name: string;
  readonly dialect: Dialect;
  readonly platform: Platform;
  /** Lanes of one dispatch: 8 (also for SIMD4x2: two vertices of four channels), 16 or 32. */
  readonly width: 8 | 16 | 32;
  /** What a register number means: `allocated` programs have no virtual operands. */
  readonly phase: 'virtual' | 'allocated' | 'hw';
  /** By virtual register, as in `Function`. */
  readonly registers: readonly Register[];
  readonly instructions: readonly Instruction[];
  /** First instruction of each block; `blockStart[blockCount]` is the instruction count. */
  readonly blockStart: Int32Array;
  /** By block; edges that exist only because of other channels (an `else`, a loop that all leave) are among them. */
  readonly successors: readonly (readonly number[])[];
  /** False where the dump has lost branch targets, so that edges are missing. */
  readonly isGraphComplete: boolean;
  /** First hardware registers that hold no payload; g0 .. firstFree - 1 are live at entry. */
  readonly firstFree: number;
  /** Hardware registers that may be used: 112 for vec4 on Gen7 (g112 to g127 stand for m0 to m15), else 128. */
  readonly registerLimit: number;
  /** vec4: 16-byte vectors of push constants; scalar: dwords. */
  readonly uniforms: number;
  /**
   * Operands that the program hands over at its end (`.live_out`), for fragments of code: the sources of its instruction
   * `live_out`, as they are before allocation. In allocated programs the instruction says where the results lie.
   */
  readonly liveOut: readonly RegisterOperand[];
  /** Registers that the code inserted by an allocator keeps for itself: `{ first: 120, count: 8 }`. */
  readonly pool?: { readonly first: number; readonly count: number } | undefined;
  /** Bytes of scratch a thread that the program as given uses already (arrays). */
  readonly scratchBytes: number;
  /**
   * Allocated selection programs: where the dispatch puts the arguments and ids that the source has in virtual
   * registers, by byte address in the register file.
   */
  readonly handedOver?:
    readonly { readonly register: VirtualRegister; readonly address: number }[] | undefined;
}

export type Dialect = 'vec4' | 'scalar' | 'selection';

/** A virtual register. */
export interface Register {
  readonly name: string;
  /** Bytes that it occupies in the register file, all lanes together. */
  readonly bytes: number;
  /** Bytes to which its place must be aligned: 32 for whole registers. */
  readonly alignment: number;
  /** Beignet's family; absent in the Mesa dialects. */
  readonly family?: Family | undefined;
  /** One value for all lanes (Beignet's uniform registers). */
  readonly isUniform: boolean;
}

export type Family = 'bool' | 'byte' | 'word' | 'dword' | 'qword' | 'oword' | 'hword' | 'reg';

export interface Instruction {
  readonly opcode: Opcode;
  readonly execSize: 1 | 2 | 4 | 8 | 16 | 32;
  /** First channel: 0, 4, 8 ... */
  readonly group: number;
  /** Executes in all channels, whatever control flow says. */
  readonly noMask: boolean;
  readonly saturate: boolean;
  /** `.ge`: the flag gets the result of the comparison (cmp) or of the comparison of the result with zero. */
  readonly condition?: { readonly test: Condition; readonly flag: FlagReference } | undefined;
  readonly predicate?:
    | {
        readonly flag: FlagReference;
        readonly inverse: boolean;
        readonly mode: PredicateMode;
      }
    | undefined;
  /** None or one in the Mesa dialects. */
  readonly destinations: readonly Operand[];
  readonly sources: readonly Operand[];
  readonly message: Message;
  /** NoDDClr: the scoreboard entry of the destination stays set. */
  readonly noDDClear: boolean;
  /** NoDDChk: issued without a look at the destination's scoreboard entry. */
  readonly noDDCheck: boolean;
  readonly writesAccumulator: boolean;
  readonly switchesThread: boolean;
  /** The block's label, for opcodes that jump to one: a block number, or -1 where the dump has lost it. */
  readonly target: number;
  /** Instruction number in `Function`, -1 for code that the compiler added. */
  readonly origin: number;
}

export type Condition = 'z' | 'nz' | 'g' | 'ge' | 'l' | 'le' | 'r' | 'o' | 'u';

export type PredicateMode =
  | 'normal'
  | 'x'
  | 'y'
  | 'z'
  | 'w'
  | 'any4h'
  | 'all4h'
  | 'any2h'
  | 'all2h'
  | 'any8h'
  | 'all8h'
  | 'any16h'
  | 'all16h';

/** A flag of the hardware (0 f0.0, 1 f0.1, 2 f1.0, 3 f1.1), or a virtual one (Beignet's bool registers). */
export type FlagReference =
  | { readonly kind: 'hardware'; readonly flag: 0 | 1 | 2 | 3 }
  | { readonly kind: 'virtual'; readonly register: VirtualRegister };

/** What a send carries beside its operands. Fields that the dump did not give and that no rule implies are absent. */
export interface Message {
  /** Payload length in registers; 0 for instructions that are no message. */
  readonly mlen: number;
  readonly exMlen: number;
  /** First message register, -1 where the payload comes from general registers. */
  readonly baseMrf: number;
  /** Registers of the response. */
  readonly rlen?: number | undefined;
  readonly header: number;
  readonly isEndOfThread: boolean;
  /** Byte offset in the thread's scratch space, for scratch messages. */
  readonly scratchOffset?: number | undefined;
  readonly sharedFunction?: string | undefined;
  readonly descriptor?: number | undefined;
  /** The fields above that the text did not give and decode.ts has assumed, by name. */
  readonly assumed: readonly string[];
}

export type Type =
  | 'NF'
  | 'DF'
  | 'F'
  | 'HF'
  | 'VF'
  | 'UQ'
  | 'Q'
  | 'UD'
  | 'D'
  | 'UW'
  | 'W'
  | 'UB'
  | 'B'
  | 'UV'
  | 'V'
  | 'INVALID';

export type Operand = VirtualOperand | HardwareOperand | OtherOperand | ImmediateOperand;
export type RegisterOperand = VirtualOperand | HardwareOperand | OtherOperand;

/** How the bytes of a register are read or written. */
export interface Region {
  readonly type: Type;
  /** Bytes from the start of the register. */
  readonly offset: number;
  /** Sources: applied absolute first, then negated. */
  readonly negate: boolean;
  readonly absolute: boolean;
  /** vec4 sources: two bits a channel, x lowest; `XYZW` is 0b11_10_01_00. */
  readonly swizzle: number;
  /** vec4 destinations: bit 0 is x. 15 elsewhere. */
  readonly mask: number;
  /** Elements between neighbouring lanes: 1 packed, 0 one element for all lanes. */
  readonly stride: number;
  /** The region in full where `stride` cannot say it: vertical stride, width, horizontal stride in elements. */
  readonly region?: readonly [vertical: number, width: number, horizontal: number] | undefined;
  /** Operand number in `Function` (for its span), -1 for what the compiler added. */
  readonly operand: number;
}

export interface VirtualOperand extends Region {
  readonly file: 'virtual';
  readonly register: VirtualRegister;
}

/** g0 to g127. In an allocated program an operand that came from a virtual register still says which, for display only. */
export interface HardwareOperand extends Region {
  readonly file: 'grf';
  readonly grf: number;
}

/** Every other file. `number` counts its registers (`message` m3: 3, `uniform` u2: 2); `null` and `none` have 0. */
export interface OtherOperand extends Region {
  readonly file:
    | 'message'
    | 'uniform'
    | 'attribute'
    | 'flag'
    | 'accumulator'
    | 'address'
    | 'architecture'
    | 'null'
    /** `(null)`: no operand at all. */
    | 'none'
    /** A scratch slot of 32 bytes (`s4`), of the pseudo instructions spill and unspill. */
    | 'slot'
    /** A surface, sampler or binding table index, a bare word: only the text says more. */
    | 'word';
  readonly number: number;
}

export interface ImmediateOperand {
  readonly file: 'immediate';
  readonly type: Type;
  /** The bits as they stand in the instruction; 64-bit types have their upper half in `high`. */
  readonly low: number;
  readonly high: number;
  /** VF: the four numbers. */
  readonly vector?: readonly [number, number, number, number];
  readonly operand: number;
}

/** Of an instruction that is no message. */
export const noMessage: Message = {
  mlen: 0,
  exMlen: 0,
  baseMrf: -1,
  header: 0,
  isEndOfThread: false,
  assumed: [],
};

/** What the code that a pass adds has in common: eight channels under the mask, no origin in the text. */
export const plainInstruction = {
  execSize: 8,
  group: 0,
  noMask: false,
  saturate: false,
  noDDClear: false,
  noDDCheck: false,
  writesAccumulator: false,
  switchesThread: false,
  target: -1,
  origin: -1,
} as const satisfies Partial<Instruction>;

export const XYZW = 0b11_10_01_00;
export const GRF_BYTES = 32;

const sizes: Readonly<Record<Type, number>> = {
  NF: 8,
  DF: 8,
  F: 4,
  HF: 2,
  VF: 4,
  UQ: 8,
  Q: 8,
  UD: 4,
  D: 4,
  UW: 2,
  W: 2,
  UB: 1,
  B: 1,
  UV: 2,
  V: 2,
  INVALID: 4,
};

/** Bytes of one element. */
export const typeSize = (type: Type): number => sizes[type];

export const isFloat = (type: Type): boolean =>
  type === 'F' || type === 'DF' || type === 'HF' || type === 'VF' || type === 'NF';

/** The channel that channel `c` of a source reads. */
export const swizzled = (swizzle: number, c: number): number => (swizzle >>> (2 * c)) & 3;

/** The program with instruction `i` replaced by what `change` returns for it (several, one or none); blocks follow. */
export function rewrite(
  program: Program,
  change: (instruction: Instruction, i: number) => readonly Instruction[],
): Program {
  const instructions: Instruction[] = [];
  const blockStart = new Int32Array(program.blockStart.length);
  for (let block = 0; block + 1 < blockStart.length; block++) {
    blockStart[block] = instructions.length;
    for (let i = program.blockStart[block]; i < program.blockStart[block + 1]; i++)
      for (const made of change(program.instructions[i], i)) instructions.push(made);
  }
  blockStart[blockStart.length - 1] = instructions.length;
  return { ...program, instructions, blockStart };
}
