/** `spillway baseline write` keeps the figures of files, `spillway baseline check` fails where they have got worse. */
import nodePath from 'node:path';
import { count } from '../text/words.js';
import { version } from '../workspace/version.js';
import { UsageError } from './arguments.js';
import { allowancesFrom } from './comparison/allowances.js';
import { BaselineFault, parseBaseline, serialised, type Baseline } from './comparison/baseline-file.js';
import { figuresOf, type Figures } from './comparison/figures.js';
import { gateFormats } from './comparison/gate-formats.js';
import { fails, isMoved, judged } from './comparison/judgement.js';
import { expanded, namesBeside } from './comparison/sources.js';
import type { Disk } from './disk.js';
import { writeFault } from './writing.js';
import type { Context } from './inputs.js';
import { readFault, type Io } from './io.js';
import { shellWord } from './shell.js';
import { partsOf, type Part } from './stats.js';

const DEFAULT_FILE = 'spillway-baseline.json';

/** What both actions begin with. */
interface Work {
  /** With the files to compile. */
  readonly context: Context;
  readonly disk: Disk;
  readonly path: string;
  /** Absent where there is no file yet, or where it is made anew because it cannot be read. */
  readonly known: Baseline | undefined;
  /** No file was chosen, or a whole folder was: something of the baseline must be there. */
  readonly isWhole: boolean;
  readonly nameOf: (path: string) => string;
}

/** What has been compiled. */
interface Measured {
  readonly functions: readonly Figures[];
  /** Whether a function of the baseline is one of those that were to be compiled now. */
  readonly isWanted: (f: Figures) => boolean;
  readonly haveErrors: boolean;
}

export function baseline(context: Context): number | Promise<number> {
  const [action, ...files] = context.args.files;
  if (action !== 'write' && action !== 'check')
    throw new UsageError(
      `baseline needs 'write' or 'check'${action === undefined ? '' : ` before ${action}`}: 'spillway baseline write kernels/'`,
    );
  const finish = action === 'write' ? writer(context) : checker(context);
  const work = begun(context, files, action);
  const measured = (parts: readonly Part[]): number => {
    const { io } = context;
    for (const { told } of parts) if (told !== '') io.error(told);
    for (const { errors } of parts) if (errors !== '') io.error(errors);
    return finish(
      work,
      measuredFrom(parts, work),
      parts.some(({ failed }) => failed),
    );
  };
  const parts = work.context.args.files.length === 0 ? [] : partsOf(work.context);
  return parts instanceof Promise ? parts.then(measured) : measured(parts);
}

function begun(context: Context, given: readonly string[], action: string): Work {
  const { args, io } = context;
  const { disk } = io;
  if (disk === undefined) throw new UsageError('there is no file system to keep a baseline in');
  const path = args.baseline ?? DEFAULT_FILE;
  if (path === '-') throw new UsageError('--baseline takes a file, which is read again by the next check');
  // a stream to write to has nothing to read
  const isThere = action === 'check' || disk.kindOf(path) !== 'stream';
  const read = isThere ? knownBaseline(path, disk, io) : undefined;
  const isBroken = read instanceof BaselineFault;
  if (isBroken && action === 'check') throw read;
  const known = isBroken ? undefined : read;
  if (known === undefined && action === 'check')
    throw new UsageError(`there is no ${path}; 'spillway baseline write FILE...' makes one`);
  if (known !== undefined && known.spillway !== version && action === 'check')
    throw new UsageError(
      `${path} was written by Spillway ${known.spillway}, this is ${version}: its models may give other figures for the same code. On the sources that were accepted, 'spillway baseline write${optionFor(args, path)}' makes it anew`,
    );
  if (given.includes('-'))
    throw new UsageError('standard input has no name by which a baseline could find it again');
  const named = isBroken ? read.files : filesOf(known?.functions ?? []);
  if (isBroken && given.length + named.length === 0) throw read;
  if (read === undefined && given.length === 0)
    throw new UsageError(`'spillway baseline write' needs a file or a folder, as there is no ${path} yet`);
  const { nameOf, pathOf } = namesBeside(path, disk);
  // what cannot be read keeps nothing: all that it names is compiled again
  const all = [
    ...expanded(given, disk, context),
    ...(given.length === 0 || isBroken ? named.map(pathOf) : []),
  ];
  const byName = new Map(all.map((file) => [nameOf(file), file]));
  const isGiven = new Set(expanded(given, disk, context).map(nameOf));
  const files = [...byName.values()].filter(
    (file) => isGiven.has(nameOf(file)) || disk.kindOf(file) === 'file',
  );
  if (isBroken)
    io.error(`spillway: ${path}${read.why}; it is made anew from ${count(files.length, 'file')}\n`);
  const isWhole = given.length === 0 || given.some((file) => disk.kindOf(file) === 'folder');
  return { context: { ...context, args: { ...args, files } }, disk, path, known, isWhole, nameOf };
}

/** ` --baseline FILE` where it is not the usual one. */
const optionFor = ({ baseline: given }: Context['args'], path: string): string =>
  given === undefined ? '' : ` --baseline ${shellWord(path)}`;

function knownBaseline(path: string, disk: Disk, io: Io): Baseline | BaselineFault | undefined {
  if (disk.kindOf(path) === undefined) return undefined;
  let text: string;
  try {
    text = io.read(path);
  } catch (error) {
    throw new UsageError(
      `${path}: ${readFault(error) ?? 'it is a directory; --baseline takes one JSON file'}`,
    );
  }
  try {
    return parseBaseline(text, path, nodePath.basename(path) === DEFAULT_FILE);
  } catch (error) {
    if (error instanceof BaselineFault) return error;
    throw error;
  }
}

const filesOf = (functions: readonly Figures[]): string[] => [...new Set(functions.map(({ file }) => file))];

function measuredFrom(parts: readonly Part[], { context, disk, nameOf, path, known }: Work): Measured {
  const { files, functionName, targetOptions } = context.args;
  const functions = figuresOf(
    parts.flatMap((part) => part.functions),
    nameOf,
  );
  const names = new Set(files.map(nameOf));
  const { pathOf } = namesBeside(path, disk);
  const isThere = new Map<string, boolean>();
  const exists = (name: string): boolean => {
    const found = isThere.get(name) ?? disk.kindOf(pathOf(name)) === 'file';
    isThere.set(name, found);
    return found;
  };
  // an option chooses the machine for this run alone: what was kept for others stays out of it
  const targets = Object.keys(targetOptions).length > 0 ? new Set(functions.map((f) => f.target)) : undefined;
  const isForOthers = elsewhere(known?.functions ?? [], functions);
  return {
    functions,
    isWanted: (f) =>
      (names.has(f.file) || !exists(f.file)) &&
      (functionName === undefined || f.name === functionName) &&
      (targets === undefined || targets.has(f.target)) &&
      !isForOthers(f),
    haveErrors: parts.some(({ errors }) => errors !== ''),
  };
}

/**
 * Whether an entry is of another run, for a machine that an option chose: its function has been compiled now, not for
 * its machine, and the baseline has it for the machine of this run too.
 */
function elsewhere(kept: readonly Figures[], now: readonly Figures[]): (f: Figures) => boolean {
  const placeOf = ({ file, name, nth }: Figures): string => JSON.stringify([file, name, nth]);
  const targetsNow = new Map<string, Set<string>>();
  for (const f of now) targetsNow.set(placeOf(f), (targetsNow.get(placeOf(f)) ?? new Set()).add(f.target));
  const isMet = (f: Figures): boolean => targetsNow.get(placeOf(f))?.has(f.target) ?? false;
  const met = new Set(kept.filter(isMet).map(placeOf));
  return (f) => met.has(placeOf(f)) && !isMet(f);
}

type Finish = (work: Work, measured: Measured, failed: boolean) => number;

function writer({ args, io }: Context): Finish {
  if (args.format !== undefined) throw new UsageError('--format is an option of baseline check');
  if (args.allow.length > 0 || args.strict)
    throw new UsageError('--allow and --strict are options of baseline check');
  return ({ path, known, disk }, { functions, isWanted, haveErrors }, failed) => {
    if (failed) {
      io.error(`spillway: ${path} is left as it was\n`);
      return 2;
    }
    const others = (known?.functions ?? []).filter((f) => !isWanted(f));
    if (known !== undefined && known.spillway !== version && others.length > 0)
      throw new UsageError(
        `${path} has figures of other files or targets that Spillway ${known.spillway} made, this is ${version}; 'spillway baseline write${optionFor(args, path)}' without files makes all of them anew`,
      );
    const all = [...others, ...functions];
    const text = serialised(all);
    const isSame = known !== undefined && text === serialised(known.functions) && known.spillway === version;
    try {
      if (!isSame) disk.write(path, text);
    } catch (error) {
      io.error(`spillway: ${path}: ${writeFault(error)}\n`);
      return 2;
    }
    io.error(
      `${path}: ${count(all.length, 'function')} of ${count(filesOf(all).length, 'file')}${isSame ? ', as before' : ''}\n`,
    );
    return haveErrors ? 1 : 0;
  };
}

function checker(context: Context): Finish {
  const { args, io } = context;
  const format = gateFormats[args.format ?? 'text'];
  if (format === undefined)
    throw new UsageError(
      `--format is '${args.format}'; baseline check has ${Object.keys(gateFormats).join(', ')}`,
    );
  const allowances = allowancesFrom(args.allow);
  return ({ path, known, isWhole, context: { args: compiled }, nameOf }, measured, failed) => {
    const kept = known!.functions;
    const wanted = kept.filter(measured.isWanted);
    const all = judged(wanted, measured.functions, allowances);
    const paths = new Map(compiled.files.map((file) => [nameOf(file), file]));
    // with paths of another folder, say: a gate that looked at nothing has found nothing
    const isIdle =
      isWhole && kept.length > 0 && !kept.some(({ file }) => paths.has(file)) && !all.some(isMoved);
    const passed = !failed && !measured.haveErrors && !isIdle && !all.some((one) => fails(one, args.strict));
    io.out(
      format(
        {
          baseline: path,
          judged: all,
          isStrict: args.strict,
          passed,
          notChecked: kept.length - wanted.length,
          pathOf: (f) => paths.get(f.file) ?? f.file,
          lineInBaseline: known!.lineOf,
        },
        context,
      ),
    );
    if (isIdle)
      io.error(
        `spillway: the gate has compared nothing: ${path} has no function of the ${count(paths.size, 'file')} that ${paths.size === 1 ? 'was' : 'were'} compiled; it begins with ${kept[0].file}, seen from its own folder\n`,
      );
    const canWrite = all.some((one) => one.status !== 'same' || isMoved(one));
    if (canWrite && (args.format ?? 'text') === 'text')
      io.error(
        `'spillway baseline write${optionFor(args, path)}${context.args.files
          .slice(1)
          .map((file) => ` ${shellWord(file)}`)
          .join('')}' keeps the figures as they are now\n`,
      );
    return failed ? 2 : passed ? 0 : 1;
  };
}
