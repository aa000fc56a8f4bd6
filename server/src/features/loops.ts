import type { Function } from '../ir/function.js';
import { dominatorsOf } from '../passes/dominators.js';
import { loopsOf, type Loops } from '../passes/loops.js';
import { controlFlowOf } from './reaching.js';

/** The loops of a function, found when somebody first asks. */

const known = new WeakMap<Function, Loops>();

function loopsIn(f: Function): Loops {
  let loops = known.get(f);
  if (loops === undefined) {
    const cfg = controlFlowOf(f);
    known.set(f, (loops = loopsOf(cfg, dominatorsOf(cfg))));
  }
  return loops;
}

/** Loops around a block. */
export const loopDepthOf = (f: Function, block: number): number => loopsIn(f).depth[block];

/** Whether a block is the only entry of a loop. */
export const loopHeadedBy = (f: Function, block: number): boolean => loopsIn(f).header[block] === block;
