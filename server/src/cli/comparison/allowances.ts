/** How much worse a figure may get before a gate fails: `--allow registers=2`, `--allow cycles=5%`, `--allow words=any`. */
import { UsageError } from '../arguments.js';
import { nearestName } from '../../text/nearest.js';
import type { Change } from './change.js';
import { metricKeys, metricOf, type Metric } from './metrics.js';

export type Allowance =
  { readonly kind: 'number' | 'percent'; readonly by: number } | { readonly kind: 'any' };

export type Allowances = ReadonlyMap<string, Allowance>;

const nothing: Allowance = { kind: 'number', by: 0 };

/** From the texts of the options, each one or several `metric=amount` with commas between. Throws `UsageError`. */
export function allowancesFrom(texts: readonly string[]): Allowances {
  const found = new Map<string, Allowance>();
  for (const text of texts.flatMap((one) => one.split(','))) {
    const [name, amount, ...rest] = text.trim().split('=');
    if (amount === undefined || rest.length > 0)
      throw new UsageError(
        `--allow is '${text.trim()}'; it must be a metric and how much worse it may get: registers=2, cycles=5%, registers=any`,
      );
    const key = metricOf(name) === undefined ? camelCase(name) : name;
    if (metricOf(key) === undefined) throw new UsageError(unknownMetric(key, name));
    found.set(key, allowance(amount, name));
  }
  return found;
}

const camelCase = (name: string): string =>
  name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());

function unknownMetric(key: string, name: string): string {
  const near = nearestName(key, metricKeys);
  return `--allow names '${name}'; there is ${metricKeys.join(', ')}, registers.CLASS${near === undefined ? '' : ` (${near}?)`}`;
}

function allowance(amount: string, name: string): Allowance {
  if (amount === 'any') return { kind: 'any' };
  const [, digits, sign] = /^(\d+(?:\.\d+)?)(%?)$/.exec(amount) ?? [];
  if (digits === undefined)
    throw new UsageError(`--allow ${name} is '${amount}'; it must be a number, a percentage, or any`);
  return { kind: sign === '%' ? 'percent' : 'number', by: Number(digits) };
}

/** How much worse the figure may get; any where it is not held to anything. */
export const allowanceFor = ({ key, isGated }: Metric, allowances: Allowances): Allowance =>
  allowances.get(key) ?? (isGated ? nothing : { kind: 'any' });

/** Whether the change is worse than allowed. A share of nothing is nothing. */
export function isTooMuch({ metric, before, after, isBetter }: Change, allowances: Allowances): boolean {
  const allowed = allowanceFor(metric, allowances);
  if (isBetter || allowed.kind === 'any') return false;
  const worse = Math.abs(after - before);
  return allowed.kind === 'number' ? worse > allowed.by : 100 * worse > allowed.by * before;
}

export const allowanceInWords = (allowed: Allowance): string =>
  allowed.kind === 'any' ? 'any' : `${allowed.by}${allowed.kind === 'percent' ? '%' : ''}`;
