/**
 * From the source function to the graphs that are scheduled, in this order: build.ts (one graph a block, in the
 * machine's operations, simplified as they are made), control.ts and across-blocks.ts in turn until neither finds
 * anything, layout.ts (the order of blocks), signs.ts (who negates).
 */
import type { Function } from '../../../ir/function.js';
import type { Problem } from '../../../text/problem.js';
import type { Program } from '../graph.js';
import { balance } from './balance.js';
import { build } from './build.js';
import { selectArms } from './select-arms.js';
import { propagate } from './across-blocks.js';
import { simplifyControl } from './control.js';
import type { Draft } from './draft.js';
import { factorSelections } from './factor.js';
import { indexUniforms } from './index-uniforms.js';
import { layOut } from './layout.js';
import { rebuild } from './rebuild.js';
import { settleSigns } from './signs.js';

export interface Lowered {
  readonly program: Program;
  readonly problems: readonly Problem[];
}

/** Rounds of control flow and values across blocks; each only removes something, and a few are enough. */
const ROUNDS = 6;

export interface LowerOptions {
  /** Read tables of uniforms through address registers. */
  readonly addresses?: boolean;
}

export function lower(f: Function, { addresses = true }: LowerOptions = {}): Lowered {
  const { draft, problems } = build(f);
  const better = improved(draft);
  const ready = addresses ? indexUniforms(better) : better;
  return { program: balance(settleSigns(layOut(ready))), problems };
}

function improved(draft: Draft): Draft {
  let best = rebuild(draft);
  for (let round = 0; round < ROUNDS; round++) {
    const next = factorSelections(selectArms(propagate(simplifyControl(best))));
    if (next === best) break;
    best = next;
  }
  return best;
}
