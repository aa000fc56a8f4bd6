/** From file names to analysed documents. */
import { pathToFileURL } from 'node:url';
import type { ParsedUnit } from '../languages/language.js';
import type { Target, TargetOption } from '../targets/target.js';
import { Document, type FaultListener } from '../workspace/document.js';
import { languageForId, languageForPath, type Pair } from '../workspace/registry.js';
import { allowedFor, fits, resolveSettings, type Settings } from '../workspace/settings.js';
import { kebab, NotFoundError, UsageError, type Arguments } from './arguments.js';
import { readFault, type Io } from './io.js';
import { Progress } from './progress.js';

/** What a command works with. */
export interface Context {
  readonly args: Arguments;
  readonly io: Io;
  readonly pairs: readonly Pair[];
}

export interface Input {
  /** As given. */
  readonly path: string;
  readonly document: Document;
  /** Exceptions of the compiler so far, with where in our code they came. */
  readonly faults: readonly string[];
}

export interface Inputs {
  readonly inputs: readonly Input[];
  /** True when a file could not be read, or its language is unknown; that was told. */
  readonly failed: boolean;
}

/** Reads, binds and compiles every file. Faults of a file are told and the others go on. */
export function loadInputs(context: Context): Inputs {
  const inputs: Input[] = [];
  const failed = visitInputs(context, (input) => inputs.push(input));
  return { inputs, failed };
}

/**
 * The same one by one, for who need not have all of them at once: what was compiled is given up before the next file
 * is read. True when a file could not be read, or its language is unknown; that was told.
 */
export function visitInputs(context: Context, visit: (input: Input) => void, isChecked = false): boolean {
  const { functionName } = context.args;
  let isFound = false;
  const progress = new Progress(context.io);
  const inputs = openInputs(context, isChecked);
  let step = inputs.next();
  for (; step.done !== true; step = inputs.next()) {
    compileAll(step.value, progress);
    isFound ||= step.value.document.units.some((unit) => unit.function?.name === functionName);
    visit(step.value);
  }
  progress.end();
  if (functionName !== undefined && !isFound)
    throw new NotFoundError(`no function is called '${functionName}'`);
  return step.value;
}

/**
 * Files one by one as they are read, nothing of them compiled; returns what `visitInputs` does. `adapted` may exchange
 * the pair of a file.
 */
export function* openInputs(
  context: Context,
  isChecked = false,
  adapted: (pair: Pair) => Pair = (pair) => pair,
): Generator<Input, boolean, undefined> {
  if (!isChecked) checkUsage(context);
  const settings = settingsFor(context);
  const sharing = new Map<Pair, Pair>();
  let failed = false;
  const shared = (pair: Pair): Pair => {
    const known = sharing.get(pair) ?? sharingUnits(pair);
    sharing.set(pair, known);
    return adapted(known);
  };
  for (const path of context.args.files) {
    const faults: string[] = [];
    const document = opened(path, context, settings, shared, (error, doing) =>
      faults.push(`${doing}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`),
    );
    if (document === undefined) failed = true;
    else yield { path, document, faults };
  }
  return failed;
}

/** A file that nothing is compiled of; undefined when it could not be read, or its language is unknown: that was told. */
export function openInput(context: Context, path: string): Document | undefined {
  checkUsage(context);
  return opened(
    path,
    context,
    settingsFor(context),
    (pair) => pair,
    (error) => {
      throw error;
    },
  );
}

function opened(
  path: string,
  context: Context,
  settings: Settings,
  used: (pair: Pair) => Pair,
  onFault: FaultListener,
): Document | undefined {
  const { io } = context;
  const fail = (why: string): undefined => {
    io.error(`spillway: ${path === '-' ? 'standard input' : path}: ${why}\n`);
  };
  const pair = languageOf(path, context);
  let text: string;
  try {
    text = io.read(path);
  } catch (error) {
    return fail(readFault(error) ?? 'it is a directory; give the files in it');
  }
  if (typeof pair === 'string') return fail(pair);
  return Document.open(uriOf(path), used(pair), 1, text, settings, onFault);
}

/** Throws a `UsageError` where the command line is wrong, whatever the files hold. */
export function checkUsage(context: Context): void {
  const { args } = context;
  if (args.files.length === 0)
    throw new UsageError(`'spillway ${args.command}' needs a file, or - for standard input`);
  if (args.files.filter((path) => path === '-').length > 1)
    throw new UsageError('standard input can be read only once');
  refuseWrongOptions(context);
  settingsFor(context);
}

/** Units that are remembered for files to come, and the most characters that they may have together. */
const UNITS_SHARED = 64;
const CHARACTERS_SHARED = 4_000_000;

/** A pair whose language parses a text once, for files that have functions in common: one kernel for several machines. */
function sharingUnits({ language, target }: Pair): Pair {
  const known = new Map<string, ParsedUnit>();
  let characters = 0;
  const parse = (text: string): ParsedUnit => {
    const found = known.get(text);
    if (found !== undefined) return found;
    const parsed = language.parse(text);
    known.set(text, parsed);
    characters += text.length;
    for (const oldest of known.keys()) {
      if (known.size <= UNITS_SHARED && characters <= CHARACTERS_SHARED) break;
      known.delete(oldest);
      characters -= oldest.length;
    }
    return parsed;
  };
  return { language: { ...language, parse }, target };
}

/**
 * An option of which no file's machine knows anything is a mistake, whatever its value; in a mixed set of files it is
 * for the others. Its value must be one that a machine which has the option takes.
 */
function refuseWrongOptions(context: Context): void {
  const { args, pairs } = context;
  const known = args.files.flatMap((path) => {
    const pair = languageOf(path, context);
    return typeof pair === 'string' ? [] : [{ path, target: pair.target }];
  });
  if (known.length === 0) return;
  const targets = [...new Set(known.map(({ target }) => target))];
  for (const [name, value] of Object.entries(args.targetOptions)) {
    const optionOf = (target: Target): TargetOption | undefined =>
      target.options.find((option) => option.name === name);
    const options = targets.flatMap((target) => optionOf(target) ?? []);
    if (options.length === 0) {
      const owners = new Set(pairs.map(({ target }) => target).filter(optionOf));
      const own = targets.flatMap((target) => target.options.map((option) => `--${kebab(option.name)}`));
      throw new UsageError(
        `--${kebab(name)} is an option of ${[...owners].map((target) => target.name).join(', ')}; ` +
          `${known[0].path} is compiled for ${targets.map((target) => target.name).join(', ')}, which has ${own.length === 0 ? 'no options' : own.join(', ')}`,
      );
    }
    if (!options.some((option) => fits(option, value)))
      throw new UsageError(`--${kebab(name)} is '${value}'; it must be ${allowedFor(options[0])}`);
  }
}

const uriOf = (path: string): string => (path === '-' ? 'stdin:' : pathToFileURL(path).href);

/** The pair, or why there is none. */
function languageOf(path: string, { args, pairs }: Context): Pair | string {
  const known = pairs.map(({ language }) => language.id).join(', ');
  if (args.language !== undefined) {
    const pair = languageForId(args.language, pairs);
    if (pair === undefined)
      throw new UsageError(`there is no language '${args.language}'; there is ${known}`);
    return pair;
  }
  if (path === '-') throw new UsageError(`standard input needs --language (${known})`);
  return (
    languageForPath(path, pairs) ??
    `its name does not say which language it is (${pairs.flatMap(({ language }) => language.extensions).join(', ')}); give --language`
  );
}

/** Defaults, then the configuration file, then options. */
function settingsFor({ args, io, pairs }: Context): Settings {
  const section = args.config === undefined ? undefined : readConfiguration(args.config, io);
  const { settings, problems } = resolveSettings(section, pairs);
  if (problems.length > 0)
    throw new UsageError(problems.map((problem) => `${args.config}: ${problem}`).join('\n'));
  const targets = Object.fromEntries(
    pairs.map(({ target }) => {
      const names = new Set(target.options.map(({ name }) => name));
      const given = Object.entries(args.targetOptions).filter(([name]) => names.has(name));
      return [target.id, { ...settings.targets[target.id], ...Object.fromEntries(given) }];
    }),
  );
  return {
    ...settings,
    targets,
    diagnostics: { ...settings.diagnostics, maximum: Number.MAX_SAFE_INTEGER },
  };
}

function readConfiguration(path: string, io: Io): unknown {
  let text: string;
  try {
    text = io.read(path);
  } catch (error) {
    throw new UsageError(`${path}: ${readFault(error) ?? 'it is a directory; --config takes one JSON file'}`);
  }
  try {
    return JSON.parse(text.replace(/^\ufeff/, '')) as unknown;
  } catch (error) {
    throw new UsageError(`${path} is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}

export function compileAll({ document, path }: Input, progress: Progress): void {
  const total = document.text.length;
  for (const unit of document.units) {
    void unit.compilation;
    document.improveWhollyAt(unit.index);
    progress.report(path, unit.end, total);
  }
}
