import type { Problem } from '../../../../text/problem.js';
import type { PtxBound } from '../../bind/index.js';
import type { StackSummary } from '../summary.js';

/** What a rule about a whole module sees: what its units bring, and what follows from all of them. */
export interface StackModule {
  readonly bounds: readonly PtxBound[];
  /** By index of the unit; undefined for units that bring nothing. */
  readonly units: readonly (StackSummary | undefined)[];
  readonly byName: ReadonlyMap<string, StackSummary>;
  /** Functions that use a soft stack, themselves or through those that they call by name. */
  readonly softUsers: ReadonlySet<string>;
  /** Of these, those whose stack all lanes of a warp share. */
  readonly sharedUsers: ReadonlySet<string>;
  /** Functions that set a stack up, themselves or through those that they call by name. */
  readonly settersUp: ReadonlySet<string>;
}

/** Finds the faults of one kind in a module. `add` takes the index of the unit that the problem is relative to. */
export type ModuleRule = (module: StackModule, add: (unit: number, problem: Problem) => void) => void;
