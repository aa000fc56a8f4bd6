/** What differs between two states of a function. */
import { compareKeys, metricOf, type Metric } from './metrics.js';
import type { Pair } from './pairing.js';

export interface Change {
  readonly metric: Metric;
  readonly before: number;
  readonly after: number;
  readonly isBetter: boolean;
}

/** Figures that are known on both sides and differ, in the order of reports. */
export function changesOf({ before, after }: Pair): Change[] {
  return knownMetrics({ before, after }).flatMap((metric) => {
    const [a, b] = [before.metrics[metric.key], after.metrics[metric.key]];
    return a === b
      ? []
      : [{ metric, before: a, after: b, isBetter: metric.better === 'lower' ? b < a : b > a }];
  });
}

/** Metrics whose figures both sides have, in the order of reports. */
export function knownMetrics({ before, after }: Pair): Metric[] {
  return Object.keys(before.metrics)
    .filter((key) => Object.hasOwn(after.metrics, key))
    .sort(compareKeys)
    .flatMap((key) => metricOf(key) ?? []);
}

/** `14 → 17 (+3, +21.43%)`. */
export function changeInWords({ before, after }: Pick<Change, 'before' | 'after'>): string {
  const share = relative(before, after);
  return `${before} → ${after} (${signed(after - before)}${share === undefined ? '' : `, ${share}`})`;
}

/** The change as a share of what was: `+21.43%`; undefined where nothing was. */
export function relative(before: number, after: number): string | undefined {
  return before === 0 ? undefined : percent((100 * (after - before)) / before);
}

export const percent = (share: number): string => `${signed(Number(share.toFixed(2)))}%`;

export const signed = (n: number): string => {
  const shown = Number.isInteger(n) ? n : Number(n.toFixed(2));
  return shown > 0 ? `+${shown}` : `${shown}`;
};
