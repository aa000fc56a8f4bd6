/** One side of `spillway diff`: figures that somebody kept, or sources that are compiled now. */
import { languageForPath } from '../../workspace/registry.js';
import { UsageError } from '../arguments.js';
import type { Disk } from '../disk.js';
import type { Context } from '../inputs.js';
import { readFault } from '../io.js';
import { partsOf, type Part } from '../stats.js';
import { baselineOf, isBaseline, isObject } from './baseline-file.js';
import { figuresOf, type Figures, type StatsElement } from './figures.js';
import { FigureError } from './metrics.js';
import { namesWithin, sourcesIn } from './sources.js';

export interface Side {
  /** As given on the command line. */
  readonly path: string;
  /** Whether it is compiled now. */
  readonly isSource: boolean;
  /** The version of Spillway whose models the figures are of, where that is known. */
  readonly spillway?: string;
  readonly functions: readonly Figures[];
  /** A file could not be read. */
  readonly failed: boolean;
  readonly haveErrors: boolean;
}

/** Throws `UsageError` for what cannot be read. */
export function sideOf(path: string, context: Context): Side | Promise<Side> {
  const { disk } = context.io;
  if (disk?.kindOf(path) === 'folder') {
    const files = sourcesIn(path, disk, context);
    return files.length === 0 ? emptySide(path) : compiled(path, files, context);
  }
  const isNamed = path !== '-' && languageForPath(path, context.pairs) !== undefined;
  if (isNamed) return compiled(path, [path], context);
  let text: string;
  try {
    text = context.io.read(path);
  } catch (error) {
    throw new UsageError(`${shown(path)}: ${readFault(error) ?? 'it is a directory'}`);
  }
  const value = jsonIn(text);
  if (value !== undefined) return kept(path, value);
  if (path.toLowerCase().endsWith('.json')) throw new UsageError(`${path} is not JSON`);
  if (context.args.language === undefined)
    throw new UsageError(
      `${shown(path)} is neither JSON of 'spillway stats' or 'spillway baseline', nor does its name say which language it is; give --language`,
    );
  const read = (other: string): string => (other === path ? text : context.io.read(other));
  return compiled(path, [path], { ...context, io: { ...context.io, read } });
}

/** A folder that has no sources yet, or none any more. */
const emptySide = (path: string): Side => ({
  path,
  isSource: true,
  functions: [],
  failed: false,
  haveErrors: false,
});

const shown = (path: string): string => (path === '-' ? 'standard input' : path);

/** What a text is as JSON; undefined where it is none, since captured programs begin with a brace too. */
function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\ufeff/, ''));
  } catch {
    return undefined;
  }
}

function compiled(path: string, files: readonly string[], context: Context): Side | Promise<Side> {
  // a function may be on one side only: it is chosen from what is there
  const parts = partsOf({ ...context, args: { ...context.args, files, functionName: undefined } });
  const { disk } = context.io;
  const finished = (all: readonly Part[]): Side => compiledSide(path, all, disk, context);
  return parts instanceof Promise ? parts.then(finished) : finished(parts);
}

function compiledSide(path: string, parts: readonly Part[], disk: Disk | undefined, { io }: Context): Side {
  for (const { told } of parts) if (told !== '') io.error(told);
  for (const { errors } of parts) if (errors !== '') io.error(errors);
  return {
    path,
    isSource: true,
    functions: figuresOf(
      parts.flatMap(({ functions }) => functions),
      namesWithin(path, disk),
    ),
    failed: parts.some(({ failed }) => failed),
    haveErrors: parts.some(({ errors }) => errors !== ''),
  };
}

function kept(path: string, value: unknown): Side {
  const done = { path, isSource: false, failed: false, haveErrors: false };
  const again = `'spillway stats --format json' and 'spillway baseline write' make what diff reads`;
  if (isBaseline(value)) {
    const { spillway, functions } = baselineOf(
      value,
      (why) => new UsageError(`${shown(path)}${why}; ${again}`),
    );
    return { ...done, spillway, functions };
  }
  if (!isObject(value) || !Array.isArray(value['functions']) || 'kind' in value)
    throw new UsageError(`${shown(path)} holds no figures; ${again}`);
  if (value['version'] !== 1)
    throw new UsageError(
      `${shown(path)} is of version ${JSON.stringify(value['version'])}, which this Spillway does not know, only 1; ${again}`,
    );
  const elements = value['functions'].map((item: unknown, i) =>
    elementOf(item, (why) => new UsageError(`${shown(path)}: functions[${i}] ${why}; ${again}`)),
  );
  try {
    return { ...done, functions: figuresOf(elements) };
  } catch (error) {
    throw error instanceof FigureError ? new UsageError(`${shown(path)}: ${error.message}; ${again}`) : error;
  }
}

function elementOf(item: unknown, fail: (why: string) => UsageError): StatsElement {
  if (!isObject(item)) throw fail('is no object');
  const { line, ...rest } = item;
  const { file, name, target, model, problems } = rest;
  if (typeof file !== 'string' || typeof name !== 'string') throw fail('has no file or no name');
  if (!isObject(target) || typeof target['name'] !== 'string' || typeof target['arch'] !== 'string')
    throw fail('has no target');
  const errors = isObject(problems) && Number.isSafeInteger(problems['errors']) ? problems['errors'] : 0;
  return {
    ...rest,
    file: file.replaceAll('\\', '/'),
    name,
    target: { name: target['name'], arch: target['arch'] },
    model: typeof model === 'string' ? model : '',
    ...(Number.isSafeInteger(line) ? { line: line as number } : {}),
    problems: { errors: errors as number },
  };
}
