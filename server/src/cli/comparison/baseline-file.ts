/**
 * The file that `spillway baseline` keeps: docs/baseline.schema.json. Sorted, with two lines a function, so that a
 * reviewer sees in a diff which figure of which function has changed, and branches merge.
 */
import { version as spillway } from '../../workspace/version.js';
import { UsageError } from '../arguments.js';
import type { Figures } from './figures.js';
import { compareKeys, FigureError, figure, metricOf } from './metrics.js';

const KIND = 'spillway baseline';
const FORMAT = 1;

export interface Baseline {
  /** The version of Spillway whose models the figures are of. */
  readonly spillway: string;
  /** Files are named from the folder of the baseline. */
  readonly functions: readonly Figures[];
  /** One-based line of a function in the file; undefined where somebody has written the file in another form. */
  readonly lineOf: (f: Figures) => number | undefined;
}

/** Before the first function in what `serialised` writes, and of each function. */
const LINES_BEFORE = 5;
const LINES_EACH = 2;

export function serialised(functions: readonly Figures[], by = spillway): string {
  const lines = [...functions].sort(compareFunctions).map((f) => {
    const key = { file: f.file, name: f.name, ...(f.nth === 1 ? {} : { nth: f.nth }), target: f.target };
    const figures = {
      model: f.model,
      ...(f.strategy === undefined ? {} : { strategy: f.strategy }),
      ...(f.errors === 0 ? {} : { errors: f.errors }),
      ...Object.fromEntries(
        Object.keys(f.metrics)
          .sort(compareKeys)
          .map((name) => [name, f.metrics[name]]),
      ),
    };
    return `    {${inner(key)},\n     ${inner(figures)}}`;
  });
  const list = lines.length === 0 ? '[]' : `[\n${lines.join(',\n')}\n  ]`;
  return `{\n  "kind": "${KIND}",\n  "version": ${FORMAT},\n  "spillway": "${by}",\n  "functions": ${list}\n}\n`;
}

/** `"file": "a.ptx", "line": 3`: the members of a flat object, with blanks. */
const inner = (members: object): string =>
  Object.entries(members)
    .map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`)
    .join(', ');

/** By code unit: the same everywhere, whatever the language of the machine. */
function compareFunctions(a: Figures, b: Figures): number {
  for (const key of ['file', 'name', 'target', 'nth'] as const)
    if (a[key] !== b[key]) return a[key] < b[key] ? -1 : 1;
  return 0;
}

export const isBaseline = (value: unknown): boolean => isObject(value) && value['kind'] === KIND;

/** Throws `UsageError` for what is no baseline of this format. `path` is for its message. */
export function parseBaseline(text: string, path: string): Baseline {
  const anew = `'spillway baseline write --baseline ${path}' makes it anew`;
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\ufeff/, ''));
  } catch (error) {
    const why = /^<{7} |^={7}$|^>{7} /m.test(text)
      ? 'it has marks of a merge in it'
      : error instanceof Error
        ? error.message
        : String(error);
    throw new UsageError(`${path} is not JSON: ${why}; ${anew}`);
  }
  const found = baselineOf(value, path, anew);
  const isOurs = text.replaceAll('\r\n', '\n') === serialised(found.functions, found.spillway);
  if (!isOurs) return found;
  const lines = new Map(found.functions.map((f, i) => [f, LINES_BEFORE + 1 + LINES_EACH * i]));
  return { ...found, lineOf: (f) => lines.get(f) };
}

/** The same from JSON. `way`: what the user can do. */
export function baselineOf(value: unknown, path: string, way: string): Baseline {
  if (!isObject(value) || value['kind'] !== KIND)
    throw new UsageError(`${path} is no baseline: it has no "kind": "${KIND}"; ${way}`);
  if (value['version'] !== FORMAT)
    throw new UsageError(
      `${path} is a baseline of format ${JSON.stringify(value['version'])}, which this Spillway (${spillway}) does not know, only ${FORMAT}: use the Spillway that wrote it, or ${way}`,
    );
  const { functions } = value;
  const by = value['spillway'];
  if (typeof by !== 'string' || !Array.isArray(functions))
    throw new UsageError(`${path} has no "spillway" or no "functions"; ${way}`);
  const seen = new Set<string>();
  return {
    spillway: by,
    lineOf: () => undefined,
    functions: functions.map((item: unknown, i) => {
      const fail = (why: string): UsageError => new UsageError(`${path}: functions[${i}] ${why}; ${way}`);
      const f = entryOf(item, fail);
      const key = JSON.stringify([f.file, f.name, f.nth, f.target]);
      if (seen.has(key)) throw fail(`is '${f.name}' of ${f.file} for ${f.target} once more`);
      seen.add(key);
      return f;
    }),
  };
}

function entryOf(item: unknown, fail: (why: string) => UsageError): Figures {
  if (!isObject(item)) throw fail('is no object');
  const text = (name: string): string => {
    const value = item[name];
    if (typeof value !== 'string') throw fail(`has no ${name}`);
    return value;
  };
  const whole = (name: string, otherwise: number): number => {
    const value = Object.hasOwn(item, name) ? item[name] : otherwise;
    if (!Number.isSafeInteger(value) || (value as number) < otherwise)
      throw fail(`has ${name} ${JSON.stringify(value)}`);
    return value as number;
  };
  const metrics: Record<string, number> = {};
  try {
    for (const [name, value] of Object.entries(item))
      if (metricOf(name) !== undefined) metrics[name] = figure(value, name);
  } catch (error) {
    throw error instanceof FigureError ? fail(`is wrong: ${error.message}`) : error;
  }
  return {
    file: text('file'),
    name: text('name'),
    nth: whole('nth', 1),
    target: text('target'),
    model: text('model'),
    ...(Object.hasOwn(item, 'strategy') ? { strategy: text('strategy') } : {}),
    errors: whole('errors', 0),
    metrics,
  };
}

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
