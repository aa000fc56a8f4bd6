/**
 * Search over priorities. One run of the list scheduler is cheap, and its result reacts by some per cent to the order
 * in which it meets the nodes; so the best order found is changed a little again and again, and kept when the block
 * gets no longer by it. Everything is counted in placements tried, so that the result depends on the block alone.
 */
import { schedule, type Scheduler } from './list.js';
import { byHeight } from './priorities.js';

export interface Found {
  readonly words: number;
  readonly priority: Float64Array;
}

/** Placements after which a search pauses: a millisecond or two. */
const SLICE = 2000;

/** xorshift: the same sequence for the same seed, numbers in [0, 1). */
export function randomSequence(seed: number): () => number {
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
  const base = byHeight(scheduler.block);
  const random = randomSequence(seed);
  const range = base.reduce((most, height) => Math.max(most, height), 0);
  let best: Found | undefined;
  let pause = scheduler.steps + SLICE;
  const end = scheduler.steps + steps;
  for (
    let run = 0;
    run === 0 || (scheduler.steps < end && (best === undefined || best.words > bound));
    run++
  ) {
    const priority = run === 0 ? base : changed(best?.priority ?? base, base, range, random);
    const words = schedule(scheduler, priority, best ? best.words + 1 : Infinity);
    if (words >= 0 && (best === undefined || words <= best.words)) best = { words, priority };
    if (scheduler.steps >= pause) {
      pause = scheduler.steps + SLICE;
      yield undefined;
    }
    if (best === undefined && run >= 3) return undefined;
  }
  return best;
}

/** A few nodes get another priority near the one that their height gives them. */
function changed(from: Float64Array, base: Float64Array, range: number, random: () => number): Float64Array {
  const priority = from.slice();
  const count = 1 + Math.floor(random() * priority.length * 0.1);
  for (let i = 0; i < count; i++) {
    const node = Math.floor(random() * priority.length);
    priority[node] = base[node] + (random() + random() - 1) * range * 0.5;
  }
  return priority;
}
