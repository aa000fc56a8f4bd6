/**
 * The file that `spillway baseline` keeps: docs/baseline.schema.json. Sorted, with two lines a function, so that a
 * reviewer sees in a diff which figure of which function has changed, and branches merge.
 */
import nodePath from 'node:path';
import { version as spillway } from '../../workspace/version.js';
import { UsageError } from '../arguments.js';
import { shellWord } from '../shell.js';
import { optionsKey, type ChosenOptions, type Figures } from './figures.js';
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

/** The file is, or was, a baseline, and cannot be read as one. */
export class BaselineFault extends UsageError {
  /**
   * `why`: told after the path. `files`: those that it names, as far as that can be seen; they are what it can be made
   * anew from.
   */
  constructor(
    path: string,
    readonly why: string,
    readonly files: readonly string[],
  ) {
    const from = files.length === 0 ? ' FILE...' : '';
    super(`${path}${why}; 'spillway baseline write --baseline ${shellWord(path)}${from}' makes it anew`);
  }
}

/** Before the first function in what `serialised` writes, and of each function. */
const LINES_BEFORE = 5;
const LINES_EACH = 2;

export function serialised(functions: readonly Figures[], by = spillway): string {
  const lines = [...functions].sort(compareFunctions).map((f) => {
    const key = {
      file: f.file,
      name: f.name,
      ...(f.nth === 1 ? {} : { nth: f.nth }),
      target: f.target,
      ...(f.options === undefined ? {} : { options: sorted(f.options) }),
    };
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

const sorted = (options: ChosenOptions): ChosenOptions =>
  Object.fromEntries(Object.entries(options).sort(([a], [b]) => (a < b ? -1 : 1)));

/** `"file": "a.ptx", "line": 3`: the members of a flat object, with blanks. */
const inner = (members: object): string =>
  Object.entries(members)
    .map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`)
    .join(', ');

/** By code unit: the same everywhere, whatever the language of the machine. */
function compareFunctions(a: Figures, b: Figures): number {
  for (const key of ['file', 'name', 'target', 'nth'] as const)
    if (a[key] !== b[key]) return a[key] < b[key] ? -1 : 1;
  return optionsKey(a.options) < optionsKey(b.options) ? -1 : 1;
}

export const isBaseline = (value: unknown): boolean => isObject(value) && value['kind'] === KIND;

/**
 * Throws `BaselineFault` for a baseline that cannot be read, `UsageError` for what has never been one. `path` is for
 * their messages; `isOurs`: whatever stands in a file of this name, it is meant for a baseline.
 */
export function parseBaseline(text: string, path: string, isOurs = false): Baseline {
  const value = parsed(text, path, isOurs);
  const fault = (why: string): UsageError =>
    isOurs || isBaseline(value) ? new BaselineFault(path, why, namesIn(text)) : foreign(path, why);
  const found = baselineOf(value, fault);
  const isAsWritten = text.replaceAll('\r\n', '\n') === serialised(found.functions, found.spillway);
  if (!isAsWritten) return found;
  const lines = new Map(found.functions.map((f, i) => [f, LINES_BEFORE + 1 + LINES_EACH * i]));
  return { ...found, lineOf: (f) => lines.get(f) };
}

function parsed(text: string, path: string, isOurs: boolean): unknown {
  try {
    return JSON.parse(text.replace(/^\ufeff/, ''));
  } catch (error) {
    const reason = /^<{7} |^={7}$|^>{7} /m.test(text)
      ? 'it has marks of a merge in it'
      : error instanceof Error
        ? error.message
        : String(error);
    const why = ` is not JSON: ${reason}`;
    const wasBaseline = isOurs || text.includes(`"kind": "${KIND}"`);
    throw wasBaseline ? new BaselineFault(path, why, namesIn(text)) : foreign(path, why);
  }
}

const foreign = (path: string, why: string): UsageError =>
  new UsageError(`${path}${why}; give --baseline the name of a baseline, or of a file that is not there yet`);

/** Files that a text names in the way of a baseline, whether the rest can be read or not. */
function namesIn(text: string): string[] {
  const names = new Set<string>();
  for (const [, quoted] of text.matchAll(/"file":\s*("(?:[^"\\\n]|\\.)*")/g))
    try {
      names.add(normal(JSON.parse(quoted) as string));
    } catch {
      // an escape that JSON does not have
    }
  return [...names].sort();
}

/** `./a//b.ptx` is `a/b.ptx`. */
const normal = (file: string): string => nodePath.posix.normalize(file);

/** The same from JSON. `fault` makes the error of what is wrong, told after the name of the file. */
export function baselineOf(value: unknown, fault: (why: string) => UsageError): Baseline {
  if (!isObject(value) || value['kind'] !== KIND) throw fault(` is no baseline: it has no "kind": "${KIND}"`);
  if (value['version'] !== FORMAT)
    throw fault(
      ` is a baseline of format ${JSON.stringify(value['version'])}, which this Spillway (${spillway}) does not know, only ${FORMAT}: use the Spillway that wrote it`,
    );
  const { functions } = value;
  const by = value['spillway'];
  if (typeof by !== 'string' || !Array.isArray(functions))
    throw fault(' has no "spillway" or no "functions"');
  const seen = new Set<string>();
  return {
    spillway: by,
    lineOf: () => undefined,
    functions: functions.map((item: unknown, i) => {
      const fail = (why: string): UsageError => fault(`: functions[${i}] ${why}`);
      const f = entryOf(item, by === spillway, fail);
      const key = JSON.stringify([f.file, f.name, f.nth, f.target, optionsKey(f.options)]);
      if (seen.has(key)) throw fail(`is '${f.name}' of ${f.file} for ${f.target} once more`);
      seen.add(key);
      return f;
    }),
  };
}

const members: ReadonlySet<string> = new Set([
  'file',
  'name',
  'nth',
  'target',
  'options',
  'model',
  'strategy',
  'errors',
]);

/** `isOwn`: written by this version, so that there is no figure in it that this version does not know. */
function entryOf(item: unknown, isOwn: boolean, fail: (why: string) => UsageError): Figures {
  if (!isObject(item)) throw fail('is no object');
  const unknown = Object.keys(item).find((name) => !members.has(name) && metricOf(name) === undefined);
  if (isOwn && unknown !== undefined) throw fail(`has ${JSON.stringify(unknown)}, which is no figure`);
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
    file: normal(text('file')),
    name: text('name'),
    nth: whole('nth', 1),
    target: text('target'),
    ...(Object.hasOwn(item, 'options') ? { options: optionsOf(item['options'], fail) } : {}),
    model: text('model'),
    ...(Object.hasOwn(item, 'strategy') ? { strategy: text('strategy') } : {}),
    errors: whole('errors', 0),
    metrics,
  };
}

function optionsOf(value: unknown, fail: (why: string) => UsageError): ChosenOptions {
  const isOption = (one: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof one);
  if (!isObject(value) || !Object.values(value).every(isOption))
    throw fail(
      `has options ${JSON.stringify(value)}; they must be an object of texts, numbers, and true or false`,
    );
  return value as ChosenOptions;
}

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
