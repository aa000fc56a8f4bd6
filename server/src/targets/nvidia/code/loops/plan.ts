import type { Function } from '../../../../ir/function.js';
import type { CountedLoop } from './counted.js';
import { weightOf } from './weights.js';

/**
 * How ptxas unrolls a counted loop. The figures were measured with ptxas 13.0 on loops of k multiply-adds (`weights.ts`
 * says what else counts how much), at every boundary one further instruction or iteration changes the answer:
 *
 * - Trip count known: unrolled whole as far as iterations * k stays under a bound that falls with k, as the share that
 *   counting and branching have in an iteration does (about 3 / (k + 3)): 966 iterations at k = 4, 295 at 8, 78 at 16,
 *   54 at 20, 21 at 32, 10 at 48; and always up to 4 iterations of k <= 96, 2 of k <= 190. A load from shared memory
 *   counts as less than nothing, an atomic as nine.
 * - Trip count known and too large: the remainder of the iterations first, then copies, of which 290 / k fit, as many
 *   as leave a remainder such that both together stay under 340 / k (k = 16: 128 = 2 + 7 * 18, 256 = 1 + 15 * 17).
 *   Only where the body is one block.
 * - Not known: four copies where k <= 18, or 5 more for each load from shared memory, or 46 with any other load, and
 *   96 at the most; the iterations that are left run behind them. With a barrier in the loop only where the counter
 *   starts alike in all threads and is compared with a number or a kernel parameter itself: from `%ctaid.x` or
 *   `n - (n & 3)` to 0 or `n`, but not to `n + 1` or what was loaded, and not from `%tid.x` on.
 */
export type Plan =
  | { readonly kind: 'whole'; readonly copies: number }
  | { readonly kind: 'peeled'; readonly peeled: number; readonly copies: number }
  | { readonly kind: 'tested'; readonly copies: number };

const TESTED_COPIES = 4;
const TESTED_PLAIN = 18;
const TESTED_WITH_LOADS = 46;
const TESTED_SHARED_LOAD = 5;
const TESTED_MOST = 96;

const COUNTING = 3;
const WHOLE_PER_CENT = 84;
/** Above k = 32 the bound falls more slowly: 520 to 559 at 40, 480 to 527 at 48, 408 to 447 at 64, 256 to 383 at 128. */
const WHOLE_LARGE = 280;
const WHOLE_LARGE_SHARE = 9900;
const COPIES = 290;
const COPIES_AND_REMAINDER = 340;

/**
 * How ptxas would unroll the loop; undefined: it leaves the loop as it is. `isEquallyOften`: whether all threads are
 * seen to run it equally often.
 */
export function planOf(
  f: Function,
  loop: CountedLoop,
  isEquallyOften: (loop: CountedLoop) => boolean,
): Plan | undefined {
  const ignored = new Set([loop.branch, loop.compare, loop.update]);
  const { weight, loads, sharedLoads, atomics, isConvergent, hasBarrier, isBarred } = weightOf(
    f,
    loop.blocks,
    ignored,
  );
  if (isBarred) return undefined;
  const { trips } = loop;
  if (trips !== undefined) {
    if (trips === 0) return undefined;
    const net = Math.max(2, weight - TESTED_SHARED_LOAD * sharedLoads - 2 * atomics);
    if (trips <= wholeTrips(net)) return { kind: 'whole', copies: trips };
    if (loop.hasOtherExits || loop.testsAtTop || loop.blocks.length > 1 || isConvergent) return undefined;
    return peeling(trips, net);
  }
  if (loop.hasOtherExits || isConvergent) return undefined;
  const most = (loads > 0 ? TESTED_WITH_LOADS : TESTED_PLAIN) + TESTED_SHARED_LOAD * sharedLoads;
  if (weight > Math.min(most, TESTED_MOST) || (hasBarrier && !isEquallyOften(loop))) return undefined;
  return { kind: 'tested', copies: TESTED_COPIES };
}

function wholeTrips(weight: number): number {
  const share = Math.floor((100 * COUNTING) / (weight + COUNTING));
  const most = weight <= 32 ? WHOLE_PER_CENT * share : WHOLE_LARGE + WHOLE_LARGE_SHARE / weight;
  const always = weight <= 96 ? 4 : weight <= 190 ? 2 : 1;
  return Math.max(always, Math.floor(most / weight));
}

function peeling(trips: number, weight: number): Plan | undefined {
  for (let copies = Math.min(trips, Math.floor(COPIES / weight)); copies >= 2; copies--) {
    const peeled = trips % copies;
    if ((copies + peeled) * weight <= COPIES_AND_REMAINDER) return { kind: 'peeled', peeled, copies };
  }
  return undefined;
}
