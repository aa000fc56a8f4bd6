/**
 * Energetic reasoning over heads and tails. If work has at least h words before it and t words behind it, all of it
 * lies in the words between, so a block has at least h + (words that this work fills) + t words. The best such bound
 * over all h and t is found by one sweep a distinct head: for work of unit length it is as good as any argument that
 * looks at one kind of unit alone.
 */

/** Work of one kind that has at least `head` words before and `tail` words behind the one in which it is done. */
export interface Demand {
  readonly kind: number;
  readonly head: number;
  readonly tail: number;
  readonly amount: number;
}

/** Words that given amounts of each kind fill at the least. */
export type Need = (amounts: ArrayLike<number>) => number;

/** For each need the best bound that the demands prove, in words. */
export function windowBounds(demands: readonly Demand[], kinds: number, needs: readonly Need[]): Int32Array {
  const bounds = new Int32Array(needs.length);
  const byTail = [...demands].sort((a, b) => b.tail - a.tail);
  const heads = [...new Set(demands.map((demand) => demand.head))];
  const amounts = new Int32Array(kinds);
  for (const head of heads) {
    amounts.fill(0);
    for (const [index, demand] of byTail.entries()) {
      if (demand.head >= head) amounts[demand.kind] += demand.amount;
      if (byTail[index + 1]?.tail === demand.tail) continue;
      for (const [which, need] of needs.entries()) {
        const words = need(amounts);
        if (words > 0) bounds[which] = Math.max(bounds[which], head + words + demand.tail);
      }
    }
  }
  return bounds;
}
