/** `spillway baseline write` keeps the figures of files, `spillway baseline check` fails where they have got worse. */
import nodePath from 'node:path';
import { count } from '../text/words.js';
import { version } from '../workspace/version.js';
import { kebab, UsageError } from './arguments.js';
import { allowancesFrom } from './comparison/allowances.js';
import { BaselineFault, parseBaseline, serialised, type Baseline } from './comparison/baseline-file.js';
import { figuresOf, optionsKey, type ChosenOptions, type Figures } from './comparison/figures.js';
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

/** Files that are compiled with the same options. */
interface Run {
  readonly options: ChosenOptions;
  readonly files: readonly string[];
}

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
  /** Of the files, by the options that they are compiled with. */
  readonly runs: readonly Run[];
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
  const measured = (ofRuns: readonly (readonly Part[])[]): number => {
    const { io } = context;
    const parts = ofRuns.flat();
    for (const { told } of parts) if (told !== '') io.error(told);
    for (const { errors } of parts) if (errors !== '') io.error(errors);
    return finish(
      work,
      measuredFrom(ofRuns, work),
      parts.some(({ failed }) => failed),
    );
  };
  const { args } = work.context;
  const parts = work.runs.map(({ options, files: ofRun }) =>
    partsOf({ ...work.context, args: { ...args, files: ofRun, targetOptions: options } }),
  );
  const ready: (readonly Part[])[] = [];
  for (const part of parts) if (!(part instanceof Promise)) ready.push(part);
  return ready.length === parts.length
    ? measured(ready)
    : Promise.all(parts.map((part) => Promise.resolve(part))).then(measured);
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
  const chosen = expanded(given, disk, context);
  const all = [...chosen, ...(given.length === 0 || isBroken ? named.map(pathOf) : [])];
  const byName = new Map(all.map((file) => [nameOf(file), file]));
  const isGiven = new Set(chosen.map(nameOf));
  const files = [...byName.values()].filter(
    (file) => isGiven.has(nameOf(file)) || disk.kindOf(file) === 'file',
  );
  if (isBroken)
    io.error(`spillway: ${path}${read.why}; it is made anew from ${count(files.length, 'file')}\n`);
  const isWhole = given.length === 0 || given.some((file) => disk.kindOf(file) === 'folder');
  const runs = runsOf(files, nameOf, known?.functions ?? [], args.targetOptions);
  if (action === 'check') refuseOtherOptions(known?.functions ?? [], args.targetOptions, path);
  return { context: { ...context, args: { ...args, files } }, disk, path, known, isWhole, runs, nameOf };
}

/**
 * What is given on the command line holds for all files. Else each file is compiled as it was for the baseline, with
 * each of several sets of options; one that the baseline does not have, as all others if those agree.
 */
function runsOf(
  files: readonly string[],
  nameOf: (path: string) => string,
  kept: readonly Figures[],
  given: ChosenOptions,
): Run[] {
  const isGiven = Object.keys(given).length > 0;
  const ofFile = new Map<string, Map<string, ChosenOptions>>();
  const all = new Map<string, ChosenOptions>();
  for (const { file, options = {} } of kept) {
    const key = optionsKey(options);
    all.set(key, options);
    ofFile.set(file, (ofFile.get(file) ?? new Map<string, ChosenOptions>()).set(key, options));
  }
  const otherwise = all.size === 1 ? [...all.values()] : [{}];
  const runs = new Map<string, { readonly options: ChosenOptions; readonly files: string[] }>();
  for (const file of files) {
    const sets = isGiven ? [given] : (ofFile.get(nameOf(file))?.values() ?? otherwise);
    for (const options of sets) {
      const key = optionsKey(options);
      const run = runs.get(key) ?? { options, files: [] };
      run.files.push(file);
      runs.set(key, run);
    }
  }
  return [...runs.values()];
}

/** Figures of one limit say nothing of those of another. */
function refuseOtherOptions(kept: readonly Figures[], given: ChosenOptions, path: string): void {
  if (Object.keys(given).length === 0 || kept.length === 0) return;
  const has = new Map(kept.map(({ options = {} }) => [optionsKey(options), options]));
  if (has.has(optionsKey(given))) return;
  const others = [...has.values()].map((options) => inWords(options) || 'no such option').join('; with ');
  throw new UsageError(
    `${path} has no figures made with ${inWords(given)}, only with ${others}; without these options 'spillway baseline check' takes those of the baseline`,
  );
}

/** As on the command line: `--max-registers 24`. */
const inWords = (options: ChosenOptions): string =>
  Object.entries(options)
    .map(([name, value]) => `--${kebab(name)} ${shellWord(String(value))}`)
    .join(' ');

/** ` --baseline FILE` where it is not the usual one, and options that choose what is modelled. */
const optionFor = ({ baseline: given, targetOptions }: Context['args'], path: string): string =>
  (Object.keys(targetOptions).length === 0 ? '' : ` ${inWords(targetOptions)}`) +
  (given === undefined ? '' : ` --baseline ${shellWord(path)}`);

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

function measuredFrom(
  ofRuns: readonly (readonly Part[])[],
  { context, disk, nameOf, path, runs }: Work,
): Measured {
  const { files, functionName, targetOptions } = context.args;
  const functions = ofRuns.flatMap((parts, k) => {
    const found = figuresOf(
      parts.flatMap((part) => part.functions),
      nameOf,
    );
    const { options } = runs[k];
    return Object.keys(options).length === 0 ? found : found.map((f) => ({ ...f, options }));
  });
  const names = new Set(files.map(nameOf));
  const { pathOf } = namesBeside(path, disk);
  const isThere = new Map<string, boolean>();
  const exists = (name: string): boolean => {
    const found = isThere.get(name) ?? disk.kindOf(pathOf(name)) === 'file';
    isThere.set(name, found);
    return found;
  };
  // an option chooses the machine for this run alone: what was kept for others stays out of it
  const isChosen = Object.keys(targetOptions).length > 0;
  const given = optionsKey(targetOptions);
  return {
    functions,
    isWanted: (f) =>
      (names.has(f.file) || !exists(f.file)) &&
      (functionName === undefined || f.name === functionName) &&
      (!isChosen || optionsKey(f.options) === given),
    haveErrors: ofRuns.flat().some(({ errors }) => errors !== ''),
  };
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
