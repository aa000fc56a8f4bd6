/**
 * The scheduler of the geometry processor: one block of operations to instruction words.
 *
 * A word has six arithmetic units and no place to keep anything: a result can be read in the next two words (from
 * COMPLEX in the next one), or be stored in the word that makes it, to a register that can be read three words later.
 * Constants, uniforms, attributes and registers come in through three read ports, each of which shows one vector a
 * word. All distances are exact: nothing waits, and a word in which nothing can be done is still a word.
 *
 *   flat-block.ts   the block as arrays           state.ts      words, values and registers so far, with undo
 *   homes.ts        registers as homes of values  route.ts      how a unit gets at a value
 *   place.ts        one operation into a word     stores.ts     a store into a word
 *   pressure.ts     never more values than fit    priorities.ts orders of the nodes
 *   list.ts         one run, word by word         finish.ts     a block's end
 *   search.ts       many runs                     emit.ts       the result
 *
 * Two decisions make it work. Words are filled from the first to the last, and a result that still has readers gets a
 * home in a register at once, in the word that makes it, at no cost in arithmetic units; so every value stays within
 * reach and nothing has to be reserved for moves. And words behind are open: whatever idles there, units, ports and
 * store components, serves to bring values to the word at hand. A value's home is given up when all its readers got it
 * through the bypass network, so that a schedule holds a store, a move or a load in advance only where it is used.
 */
import type { BlockTask } from '../graph.js';
import type { BlockSchedule } from '../word.js';
import { blockBound } from '../bound.js';
import { emit } from './emit.js';
import { flatten } from './flat-block.js';
import { newScheduler, schedule } from './list.js';
import { search } from './search.js';

export interface ScheduleOptions {
  /** Placements of an operation in a word that may be tried; the first complete schedule is always finished. */
  readonly steps?: number;
  /** Another one leads the search elsewhere; the same one always to the same schedule. */
  readonly seed?: number;
  /** A length at which to stop; `blockBound(task).words` where absent. */
  readonly bound?: number;
}

/** What the quick answer spends on a block of so many nodes, and what an improvement does. */
const quickSteps = (nodes: number): number => Math.min(1500 + 50 * nodes, 200_000);
const thoroughSteps = (nodes: number): number => 20 * quickSteps(nodes);

/**
 * The block's instruction words, valid for the machine. The same task and options always give the same words. Where
 * more values must live at once than registers and the bypass network can hold, `words` is empty and `failed` set.
 */
export function scheduleBlock(task: BlockTask, options: ScheduleOptions = {}): BlockSchedule {
  const slices = scheduleInSlices(task, options);
  for (;;) {
    const { done, value } = slices.next();
    if (done) return value;
  }
}

/** Like `scheduleBlock`, in slices of a millisecond or two. */
export function* scheduleInSlices(
  task: BlockTask,
  options: ScheduleOptions = {},
): Generator<undefined, BlockSchedule> {
  const block = flatten(task);
  const scheduler = newScheduler(block);
  const bound = options.bound ?? blockBound(task).words;
  const found = yield* search(scheduler, bound, options.steps ?? quickSteps(block.nodes), options.seed ?? 1);
  if (!found) return { words: [], spills: [], failed: true };
  return emit(scheduler.state, yield* schedule(scheduler, found, Infinity));
}

/**
 * Looks for a shorter schedule than `known`, in slices of a millisecond or two; ends in `known` itself where none is
 * found.
 */
export function* improveBlock(
  task: BlockTask,
  known: BlockSchedule,
  options: ScheduleOptions = {},
): Generator<undefined, BlockSchedule> {
  const bound = options.bound ?? blockBound(task).words;
  if (!known.failed && known.words.length <= bound) return known;
  const steps = options.steps ?? thoroughSteps(task.block.nodes.length);
  const other = yield* scheduleInSlices(task, { ...options, steps, bound });
  return !other.failed && (known.failed || other.words.length < known.words.length) ? other : known;
}
