import type { Compilation } from '../target.js';
import type { Instruction, Program } from './program.js';
import type { SpilledRegister } from './allocation.js';

/** Whose back-end is modelled: Beignet's pool, i965's fresh temporaries, or the better of what we know. */
export type StrategyName = 'beignet' | 'i965' | 'best';

/** What one entry of the strategy list came to: `simd16`, `simd8+pool8`, with the reason by name where it failed. */
export interface Attempt {
  readonly name: string;
  /** In the words of the reference: `REGISTER_ALLOCATION_FAIL`, ... ; undefined for the one that won. */
  readonly failure?: string;
  /** In a sentence: what did not fit, where. */
  readonly detail?: string;
  readonly instruction?: number;
}

export interface GenCompilation extends Compilation {
  readonly strategy: StrategyName;
  readonly attempts: readonly Attempt[];
  /** As written, decoded. */
  readonly program: Program;
  /** What went into allocation: after lowering, coalescing and scheduling. */
  readonly lowered: Program;
  /** The compiled program: hardware registers only. Undefined when no strategy fitted. */
  readonly code?: Program;
  readonly spilled: readonly SpilledRegister[];
  /** By instruction of `code`: cycles that it waits for the scoreboard or a unit by the estimate's model. */
  readonly waits: Int32Array;
}

export type { Instruction, Program };
