import type { Function } from '../ir/function.js';
import { dominatorsOf } from '../passes/dominators.js';
import { loopEntriesOf, type LoopEntries } from '../passes/loop-entries.js';
import { loopsOf, type Loops } from '../passes/loops.js';
import { controlFlowOf } from './reaching.js';

/** The loops of a function, found when somebody first asks. */

const known = new WeakMap<Function, Loops>();
const knownEntries = new WeakMap<Function, LoopEntries>();

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

function entriesIn(f: Function): LoopEntries {
  let entries = knownEntries.get(f);
  if (entries === undefined) {
    const cfg = controlFlowOf(f);
    knownEntries.set(f, (entries = loopEntriesOf(cfg, dominatorsOf(cfg))));
  }
  return entries;
}

/** For an entry of a loop that has several: how many it has; else 0. */
export const loopEntriesAt = (f: Function, block: number): number => entriesIn(f).entries[block];

/** Whether an edge closes a loop: it leads from inside to an entry. */
export const closesLoop = (f: Function, from: number, to: number): boolean => entriesIn(f).closes(from, to);
