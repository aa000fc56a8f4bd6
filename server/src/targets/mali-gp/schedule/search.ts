/**
 * Search over orders of the nodes. One run of the list scheduler is cheap, and its result reacts by some per cent to
 * the order in which it meets the nodes: first come runs with orders of different character, then the best one is
 * changed a little again and again, and the change is kept when it does no harm. Everything is counted in
 * placements tried, so that the result depends on the block alone.
 */
import { schedule, type Policy, type Scheduler } from './list.js';
import { longestWay, priorities } from './priorities.js';
import { START, nodeAt } from './state.js';

/** How a run went about it, and what came of it. */
export interface Found extends Policy {
  readonly words: number;
  /** Words, and how late the average node stands: what gets shorter first in the mean may get shorter at the end. */
  readonly cost: number;
  /** What `priority` was made from. */
  readonly base: Float64Array;
}

/** The first runs: see `priorities`, and whether values are rather moved than read through a free port. */
const starts: readonly (readonly [depth: number, isThrifty: boolean, tight: number])[] = [
  [0, true, 16],
  [1, true, 32],
  [0, false, 8],
  [0.5, true, 24],
  [2, true, 32],
  [0.25, true, 16],
  [1, false, 16],
  [0.1, true, 32],
  [0.25, false, 24],
  [4, true, 24],
  [0.5, false, 32],
  [0.1, false, 16],
  [2, false, 24],
  [8, true, 32],
];

/** Runs without a schedule after which there is none. */
const TRIALS = 4;

/** What a run costs beside its placements, as placements: else a block of three nodes would be tried a thousand times. */
const RUN_COST = 100;

/** Share of the nodes whose priority a step changes at most, and by how much of the longest way. */
const CHANGED_NODES = 0.25;
const CHANGED_BY = 0.5;
/** How often a step changes its mind about moves and ports. */
const OTHER_THRIFT = 0.15;

/** xorshift: the same sequence for the same seed, numbers in [0, 1). */
function randomSequence(seed: number): () => number {
  let state = (seed ^ 0x9e3779b9) | 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 0x1_0000_0000;
  };
}

/**
 * The best order found within `steps` placements (the first run is always finished), or undefined where no run got to
 * the end. It stops at `bound` words.
 */
export function* search(
  scheduler: Scheduler,
  bound: number,
  steps: number,
  seed: number,
): Generator<undefined, Found | undefined> {
  const { block, reserve } = scheduler;
  const random = randomSequence(seed);
  const range = longestWay(block);
  let best: Found | undefined;
  const end = scheduler.steps + steps;
  for (let number = 0; ; number++) {
    if (best && (best.words <= bound || scheduler.steps >= end)) return best;
    scheduler.steps += RUN_COST;
    let found: Found | undefined;
    if (number >= TRIALS && !best) return undefined;
    if (number < starts.length) {
      const [depth, isThrifty, tight] = starts[number];
      const base = priorities(block, reserve.order, depth);
      found = yield* run(scheduler, base, { priority: base, isThrifty, tight }, best);
    } else if (best) {
      const { base } = best;
      const policy = {
        priority: changed(best.priority, base, range, random),
        isThrifty: random() < OTHER_THRIFT ? !best.isThrifty : best.isThrifty,
        tight: random() < OTHER_THRIFT ? Math.floor(random() * 48) : best.tight,
      };
      found = yield* run(scheduler, base, policy, best);
    }
    if (found) best = found;
  }
}

/** One run; undefined where it is worse than `best`. */
function* run(
  scheduler: Scheduler,
  base: Float64Array,
  policy: Policy,
  best: Found | undefined,
): Generator<undefined, Found | undefined> {
  const words = yield* schedule(scheduler, policy, best ? best.words + 1 : Infinity);
  if (words < 0) return undefined;
  const cost = words + meanStart(scheduler) / (words + 1);
  return best === undefined || cost <= best.cost ? { ...policy, words, cost, base } : undefined;
}

function meanStart({ block, state }: Scheduler): number {
  let sum = 0;
  for (let n = 0; n < block.nodes; n++) sum += state.m[nodeAt(state, n) + START];
  return sum / Math.max(1, block.nodes);
}

/** Some nodes get another priority near the one that they had at first. */
function changed(from: Float64Array, base: Float64Array, range: number, random: () => number): Float64Array {
  const priority = from.slice();
  const count = 1 + Math.floor(random() * priority.length * CHANGED_NODES);
  for (let i = 0; i < count; i++) {
    const node = Math.floor(random() * priority.length);
    priority[node] = base[node] + (random() + random() - 1) * range * CHANGED_BY;
  }
  return priority;
}
