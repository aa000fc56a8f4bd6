import type { Compilation } from '../target.js';
import type { Allocated, SpilledRegister } from './allocation.js';
import type { Estimate } from './estimate/estimate.js';
import type { Occupancy } from './occupancy.js';
import type { Instruction, Program } from './program.js';

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
  /** The allocation that won, for the checker; undefined where nothing fitted or nothing was to be allocated. */
  readonly allocation?: Allocated | undefined;
  /** The compiled program: hardware registers only. Undefined when no strategy fitted. */
  readonly code?: Program | undefined;
  readonly spilled: readonly SpilledRegister[];
  /** Cycles and waits of `code`, by the reference's model. */
  readonly estimate?: Estimate | undefined;
  /** General registers in use at each instruction of `code`. */
  readonly occupancy?: Occupancy | undefined;
  /** Cycles that the bits for dependency control save in `code`. */
  readonly dependencyControl: { readonly instructions: number; readonly cycles: number };
}

export type { Instruction, Program };
