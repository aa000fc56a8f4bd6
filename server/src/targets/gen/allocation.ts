import type { VirtualRegister } from '../../ir/place.js';
import type { Program } from './program.js';

/**
 * What an allocator of this folder returns: the program in hardware registers, or why it found none. Allocators are
 * pure and bounded by steps; they never throw for a well-formed program.
 */
export type Allocation = Allocated | Refused;

export interface Allocated {
  readonly kind: 'allocated';
  /** Hardware registers only, spill code included; `origin` and `operand` still name the source. */
  readonly code: Program;
  /** By virtual register of the input: byte address in the register file (32 * GRF + byte), -1 without a place of its own. */
  readonly address: Int32Array;
  readonly spilled: readonly SpilledRegister[];
  /** Bytes of scratch a thread for spills alone, before rounding. */
  readonly scratchBytes: number;
  /**
   * By instruction of `code`, where a copy, reload or store moves the value of a virtual register: that register, for
   * the checker's reports; -1 elsewhere.
   */
  readonly carries?: Int32Array;
}

export interface Refused {
  readonly kind: 'refused';
  /** By the reference's name: `REGISTER_ALLOCATION_FAIL`, `REGISTER_SPILL_EXCEED_THRESHOLD`, `REGISTER_SPILL_NO_SPACE`, `REGISTER_SPILL_FAIL`, `NO_REGISTER_TO_SPILL`. */
  readonly reason: string;
  /** In a sentence, with numbers and units. */
  readonly detail: string;
  /** Instruction of the input where it failed, -1 for none in particular. */
  readonly instruction: number;
}

export interface SpilledRegister {
  readonly register: VirtualRegister;
  readonly bytes: number;
  /** Byte offset in scratch; -1 where it needs no memory (a temporary, a recomputed value). */
  readonly scratchOffset: number;
  readonly cost: number;
  readonly how: 'stored' | 'recomputed' | 'temporary' | 'split';
  /** Instruction of the input at whose pressure it had to go, -1 unknown. */
  readonly peak: number;
  /** Instructions of the input after which it is stored, and before which it is reloaded (or recomputed). */
  readonly stores: readonly number[];
  readonly reloads: readonly number[];
}
