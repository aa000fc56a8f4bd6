import type { Span, TextEdit } from '../../../text/span.js';
import type { PlacedUnit } from '../../language.js';
import type { PtxBound } from '../bind/index.js';

/**
 * Moves the `.local` frames of PTX functions to soft stacks, GCC's `-msoft-stack` model: automatic data lies in ordinary
 * memory below a pointer in shared memory, so that other threads can read and write it. All spans and edits are offsets of
 * the document.
 */
export interface SoftStackOptions {
  /** The functions to move; absent: every one that has a `.local` frame. */
  readonly functions?: readonly string[];
  /** Frames are multiples of it, and every pointer keeps it. 16 when absent, as GCC's. */
  readonly frameAlignment?: 8 | 16;
  /** Whose a stack is; `checked` when absent. */
  readonly lanes?: Lanes;
  /** The kernel, or function, for which an entry is made that sets the stacks up. */
  readonly mainKernel?: string;
}

/**
 *   checked   one stack a warp, as GCC has it; a function that keeps values of single lanes in its frame is refused
 *   uniform   one stack a warp, and whoever asks knows that one lane of each warp runs, or that all do the same
 *   own       one stack a lane: right for every function, with a slot for each thread of the block
 */
export type Lanes = 'checked' | 'uniform' | 'own';

export interface MovedFunction {
  readonly name: string;
  /** Of the fixed frame, rounded. */
  readonly bytes: number;
}

export interface Refusal {
  readonly function: string;
  readonly span: Span;
  /** What is in the way, and a way out; without a final full stop. */
  readonly reason: string;
}

export interface SoftStackRewrite {
  /** Sorted, without overlap; none of them where nothing can be done. */
  readonly edits: readonly TextEdit[];
  readonly functions: readonly MovedFunction[];
  readonly refusals: readonly Refusal[];
}

export function moveToSoftStack(
  units: readonly PlacedUnit<PtxBound>[],
  options: SoftStackOptions = {},
): SoftStackRewrite {
  void units;
  void options;
  return { edits: [], functions: [], refusals: [] };
}
