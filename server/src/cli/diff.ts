/** `spillway diff OLD NEW`: what a change did to the figures of many functions. */
import { NotFoundError, UsageError } from './arguments.js';
import { diffFormats } from './comparison/diff-formats.js';
import { paired, type Pair as FunctionPair } from './comparison/pairing.js';
import { sideOf, type Side } from './comparison/side.js';
import { noSources, sourcesIn } from './comparison/sources.js';
import { summaries } from './comparison/summary.js';
import type { Context } from './inputs.js';

export function diff(context: Context): number | Promise<number> {
  const { args } = context;
  const format = diffFormats[args.format ?? 'text'];
  if (format === undefined)
    throw new UsageError(`--format is '${args.format}'; diff has ${Object.keys(diffFormats).join(', ')}`);
  if (args.files.length !== 2)
    throw new UsageError(
      `diff needs two files or folders, before and after: sources, or JSON of 'spillway stats' or 'spillway baseline'`,
    );
  if (args.files.every((path) => path === '-')) throw new UsageError('standard input can be read only once');
  const listed = listedOf(args.top);
  const { disk } = context.io;
  const isBare = (path: string): boolean =>
    disk?.kindOf(path) === 'folder' && sourcesIn(path, disk, context).length === 0;
  if (args.files.every(isBare)) throw noSources(args.files[1], context);
  const [before, after] = args.files.map((path) => sideOf(path, context));
  const report = (old: Side, now: Side): number => reported(old, now, listed, context);
  return before instanceof Promise || after instanceof Promise
    ? Promise.all([before, after]).then(([old, now]) => report(old, now))
    : report(before, after);
}

function reported(before: Side, after: Side, listed: number, { args, io, pairs: known }: Context): number {
  if (!before.isSource && !after.isSource && Object.keys(args.targetOptions).length > 0)
    throw new UsageError(
      'options of a machine are for sources; both sides hold figures that were made before',
    );
  const name = args.functionName;
  const wanted = ({ functions }: Side): Side['functions'] =>
    name === undefined ? functions : functions.filter((f) => f.name === name);
  const [old, now] = [wanted(before), wanted(after)];
  if (name !== undefined && old.length + now.length === 0)
    throw new NotFoundError(`no function is called '${name}'`);
  if (before.spillway !== undefined && after.spillway !== undefined && before.spillway !== after.spillway)
    io.error(
      `spillway: the figures are of two versions, ${before.spillway} and ${after.spillway}: differences may be the models'\n`,
    );
  const { pairs, gone, added } = paired(old, now);
  const isFaulty = ({ before: a, after: b }: FunctionPair): boolean => a.errors > 0 || b.errors > 0;
  const sound = pairs.filter((pair) => !isFaulty(pair));
  const format = diffFormats[args.format ?? 'text']!;
  io.out(
    format(
      {
        before,
        after,
        pairs: sound,
        faulty: pairs.filter(isFaulty),
        added,
        gone,
        targets: summaries(sound),
        listed,
      },
      { args, io, pairs: known },
    ),
  );
  if (before.failed || after.failed) return 2;
  return before.haveErrors || after.haveErrors ? 1 : 0;
}

/** Functions that are listed for a metric and direction, where nothing else is said. */
const LISTED = 5;

function listedOf(top: string | undefined): number {
  if (top === undefined) return LISTED;
  if (!/^\d{1,9}$/.test(top)) throw new UsageError(`--top is '${top}'; it must be a number, 0 or more`);
  return Number(top);
}
