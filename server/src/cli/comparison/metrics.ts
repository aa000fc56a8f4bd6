/**
 * The figures that are compared, with the direction in which each gets better. A new figure that builds may be held to
 * is a row here; its key is that of `--allow`, of baselines and of reports.
 */

export interface Metric {
  readonly key: string;
  /** For people: `spill bytes`. */
  readonly title: string;
  readonly better: 'lower' | 'higher';
  /** A gate that is told nothing else fails where the figure is worse at all. */
  readonly isGated: boolean;
  /** Where it stands in an element of `functions` of docs/stats.schema.json; several are added up. */
  readonly from: readonly string[];
  /** Where it stands if it is not there. */
  readonly otherwise?: string;
  /** Where the figure is a part of a text: the number that the first group finds. */
  readonly pattern?: RegExp;
}

const lower = (key: string, title: string, from: readonly string[], isGated = false): Metric => ({
  key,
  title,
  better: 'lower',
  isGated,
  from,
});
const gated = true;

/** In the order of reports: what costs most comes first. */
const metrics: readonly Metric[] = [
  lower('spills', 'spilled registers', ['spills.registers'], gated),
  lower('spillBytes', 'spill bytes', ['spills.storeBytes', 'spills.loadBytes'], gated),
  { key: 'occupancy', title: 'warps', better: 'higher', isGated: gated, from: ['occupancy.warps'] },
  {
    key: 'width',
    title: 'dispatch width',
    better: 'higher',
    isGated: gated,
    from: ['strategy'],
    pattern: /^simd(\d+)/,
  },
  lower('words', 'words', ['words'], gated),
  lower('registers', 'registers', ['registers.general'], gated),
  lower('bound', 'bound of words', ['bound']),
  lower('pressureAsWritten', 'pressure as written', ['pressure.asWritten']),
  lower('pressureAsCompiled', 'pressure as compiled', ['pressure.asCompiled']),
  lower('frameBytes', 'frame bytes', ['frameBytes']),
  // a function has no `stack` where neither it nor what it calls has a frame
  { ...lower('stackBytes', 'stack bytes', ['stack.bytesWithCallees']), otherwise: 'frameBytes' },
  lower('scratchBytes', 'scratch bytes', ['scratchBytes']),
  lower('instructions', 'instructions', ['instructions']),
  lower('cycles', 'cycles', ['cycles']),
  lower('stallCycles', 'stall cycles', ['stallCycles']),
];

const byKey = new Map(metrics.map((metric) => [metric.key, metric]));

/** Registers of a class that is not the general one. */
const CLASS_KEY = /^registers\.([^.\s]+)$/;

/** The metric of a key, those of register classes included (`registers.predicate`); undefined for any other key. */
export function metricOf(key: string): Metric | undefined {
  const known = byKey.get(key);
  if (known !== undefined) return known;
  const name = CLASS_KEY.exec(key)?.[1];
  return name === undefined || name === 'general' ? undefined : lower(key, `${name} registers`, [key]);
}

export const metricKeys: readonly string[] = [...byKey.keys()];

/** The place of a key in reports: register classes stand together, after the general one. */
export function compareKeys(a: string, b: string): number {
  const place = (key: string): number => metricKeys.indexOf(byKey.has(key) ? key : 'registers');
  return place(a) - place(b) || (a < b ? -1 : a > b ? 1 : 0);
}

/** A fault of a figure that is there and is no number. */
export class FigureError extends Error {}

/**
 * The figures of an element of `functions` of docs/stats.schema.json by key. What is not there stays absent; throws
 * `FigureError` for what is there and is no figure.
 */
export function figuresIn(stats: object): Record<string, number> {
  const found: Record<string, number> = {};
  for (const metric of [...metrics, ...classMetrics(stats)]) {
    const value = valueOf(metric, stats);
    if (value !== undefined) found[metric.key] = value;
  }
  return found;
}

function classMetrics(stats: object): Metric[] {
  const registers: unknown = at(stats, 'registers');
  if (typeof registers !== 'object' || registers === null) return [];
  return Object.keys(registers).flatMap((name) => metricOf(`registers.${name}`) ?? []);
}

function valueOf({ from, otherwise, pattern }: Metric, stats: object): number | undefined {
  let sum = 0;
  for (const path of from) {
    const found = at(stats, path);
    const value = found === undefined && otherwise !== undefined ? at(stats, otherwise) : found;
    if (value === undefined) return undefined;
    if (pattern !== undefined) {
      const digits = typeof value === 'string' ? pattern.exec(value)?.[1] : undefined;
      if (digits === undefined) return undefined;
      sum += Number(digits);
    } else sum += figure(value, path);
  }
  return sum;
}

/** The value as a figure. Throws `FigureError` naming the path. */
export function figure(value: unknown, path: string): number {
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 0)
    throw new FigureError(`'${path}' is ${JSON.stringify(value)}; it must be a number, 0 or more`);
  return value;
}

/** What stands at a dotted path; undefined where something on the way is missing. */
function at(value: unknown, path: string): unknown {
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[name];
  }
  return value;
}
