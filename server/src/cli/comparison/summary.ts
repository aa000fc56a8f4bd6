/**
 * What a change of sources or of a compiler did to many functions, a metric at a time: how many were helped and hurt, by
 * how much, and the totals. Figures of different machines are never added up.
 */
import { changesOf, knownMetrics, type Change } from './change.js';
import { compareKeys, type Metric } from './metrics.js';
import type { Pair } from './pairing.js';

/** A change with the function that it is of. */
export interface PlacedChange extends Change {
  readonly pair: Pair;
}

/** Smallest, middle and largest of numbers; the middle of an even number of them lies between two. */
export interface Spread {
  readonly minimum: number;
  readonly median: number;
  readonly maximum: number;
}

/** Functions that changed in one direction, the one that changed by the largest share first. */
export interface Direction {
  readonly changes: readonly PlacedChange[];
  /** How much better or worse, without sign; absent where there is no change. */
  readonly absolute?: Spread;
  /** The same in percent of what was; absent where nothing was. */
  readonly relative?: Spread;
}

export interface MetricSummary {
  readonly metric: Metric;
  /** Functions of which both sides know the figure. */
  readonly functions: number;
  /** Totals over these. */
  readonly before: number;
  readonly after: number;
  readonly unchanged: number;
  readonly helped: Direction;
  readonly hurt: Direction;
}

export interface TargetSummary {
  /** `nvidia sm_90`; both, where functions are compared across architectures. */
  readonly target: string;
  readonly functions: number;
  readonly metrics: readonly MetricSummary[];
}

export function summaries(pairs: readonly Pair[]): TargetSummary[] {
  const byTarget = grouped(pairs, ({ before, after }) =>
    before.target === after.target ? after.target : `${before.target} → ${after.target}`,
  );
  return [...byTarget].map(([target, own]) => ({
    target,
    functions: own.length,
    metrics: summariesOf(own),
  }));
}

function summariesOf(pairs: readonly Pair[]): MetricSummary[] {
  const metrics = new Map(pairs.flatMap(knownMetrics).map((metric) => [metric.key, metric]));
  const changes = grouped(
    pairs.flatMap((pair) => changesOf(pair).map((change): PlacedChange => ({ ...change, pair }))),
    ({ metric }) => metric.key,
  );
  return [...metrics.values()]
    .sort((a, b) => compareKeys(a.key, b.key))
    .map((metric) => {
      const known = pairs.filter((pair) => isKnown(pair, metric));
      const own = changes.get(metric.key) ?? [];
      const total = (side: 'before' | 'after'): number =>
        known.reduce((sum, pair) => sum + pair[side].metrics[metric.key], 0);
      return {
        metric,
        functions: known.length,
        before: total('before'),
        after: total('after'),
        unchanged: known.length - own.length,
        helped: direction(own.filter(({ isBetter }) => isBetter)),
        hurt: direction(own.filter(({ isBetter }) => !isBetter)),
      };
    });
}

const isKnown = ({ before, after }: Pair, { key }: Metric): boolean =>
  Object.hasOwn(before.metrics, key) && Object.hasOwn(after.metrics, key);

function direction(changes: readonly PlacedChange[]): Direction {
  const sizes = changes.map(({ before, after }) => Math.abs(after - before));
  const shares = changes.flatMap((change) => (change.before === 0 ? [] : [shareOf(change)]));
  const [absolute, relative] = [spread(sizes), spread(shares)];
  return {
    changes: [...changes].sort((a, b) => descending(shareOf(a), shareOf(b)) || descending(size(a), size(b))),
    ...(absolute === undefined ? {} : { absolute }),
    ...(relative === undefined ? {} : { relative }),
  };
}

const size = ({ before, after }: Change): number => Math.abs(after - before);
/** In percent; what was nothing has changed most. */
const shareOf = (change: Change): number =>
  change.before === 0 ? Infinity : (100 * size(change)) / change.before;
/** Also of two infinities. */
const descending = (a: number, b: number): number => (a === b ? 0 : b > a ? 1 : -1);

export function spread(values: readonly number[]): Spread | undefined {
  if (values.length === 0) return undefined;
  const sorted = Float64Array.from(values).sort();
  const middle = sorted.length >> 1;
  const median = sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  return { minimum: sorted[0], median, maximum: sorted[sorted.length - 1] };
}

function grouped<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const found = new Map<string, T[]>();
  for (const item of items) {
    const known = found.get(keyOf(item));
    if (known === undefined) found.set(keyOf(item), [item]);
    else known.push(item);
  }
  return found;
}
