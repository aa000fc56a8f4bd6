/**
 * The command line, parsed. Options of targets are not listed here: each option that a registered target has is one
 * of every command, in kebab case (`maxRegisters` is `--max-registers`).
 */
import { parseArgs } from 'node:util';
import type { TargetOption } from '../targets/target.js';
import type { Pair } from '../workspace/registry.js';

/** Wrong usage: told on standard error, exit status 2. */
export class UsageError extends Error {}

/** Right usage, but what is asked for is not there: told and ended alike, without a word about usage. */
export class NotFoundError extends UsageError {}

export interface Arguments {
  readonly command: string;
  readonly files: readonly string[];
  readonly format: string | undefined;
  /** The last one, for commands that take one. */
  readonly functionName: string | undefined;
  readonly functionNames: readonly string[];
  readonly config: string | undefined;
  readonly language: string | undefined;
  readonly selfTest: boolean;
  readonly hints: boolean;
  /** `stats`: ask ptxas too. */
  readonly verify: boolean;
  /** The program to ask. */
  readonly ptxas: string | undefined;
  /** `baseline`: the file. */
  readonly baseline: string | undefined;
  /** `baseline check`: how much worse which figures may get, as given. */
  readonly allow: readonly string[];
  /** `baseline check`: what cannot be compared fails too. */
  readonly strict: boolean;
  /** `diff`: functions to list for a metric and direction, as given. */
  readonly top: string | undefined;
  /** `soft-stack`: the kernel that gets an entry; empty for the only one. */
  readonly mainKernel: string | undefined;
  readonly frameAlignment: string | undefined;
  readonly perLane: boolean;
  readonly uniform: boolean;
  /** `soft-stack`: the file to write. */
  readonly output: string | undefined;
  /** `soft-stack`: say what would be done. */
  readonly check: boolean;
  readonly help: boolean;
  readonly version: boolean;
  /** By option name of a target; whether a value fits is for the machine to say that has the option. */
  readonly targetOptions: Readonly<Record<string, string | number | boolean>>;
}

export const kebab = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

export function parseArguments(argv: readonly string[], pairs: readonly Pair[]): Arguments {
  const ofTargets = optionsOfTargets(pairs);
  const { values, positionals } = parsed(withMainKernel(argv), ofTargets);
  const text = (name: string): string | undefined => {
    const value = values[name];
    return typeof value === 'string' ? value : undefined;
  };
  const texts = (name: string): string[] =>
    [values[name] ?? []].flat().filter((value) => typeof value === 'string');
  const functionNames = texts('function');
  return {
    command: positionals[0] ?? '',
    files: positionals.slice(1),
    format: text('format'),
    functionName: functionNames.at(-1),
    functionNames,
    config: text('config'),
    language: text('language'),
    selfTest: values['self-test'] === true,
    hints: values['hints'] === true,
    verify: values['verify'] === true,
    ptxas: text('ptxas'),
    baseline: text('baseline'),
    allow: texts('allow'),
    strict: values['strict'] === true,
    top: text('top'),
    mainKernel: text('main-kernel'),
    frameAlignment: text('frame-alignment'),
    perLane: values['per-lane'] === true,
    uniform: values['uniform'] === true,
    output: text('output'),
    check: values['check'] === true,
    help: values['help'] === true,
    version: values['version'] === true,
    targetOptions: targetOptions(values, ofTargets),
  };
}

/** `--main-kernel` may stand alone: what follows is its value only where it is a name, which no file with an ending is. */
const withMainKernel = (argv: readonly string[]): string[] =>
  argv.map((word, k) =>
    word === '--main-kernel' && !/^[A-Za-z_$%][\w$]*$/.test(argv.at(k + 1) ?? '') ? '--main-kernel=' : word,
  );

/** The options of all targets, by their name on the command line. */
export function optionsOfTargets(pairs: readonly Pair[]): Map<string, TargetOption[]> {
  const found = new Map<string, TargetOption[]>();
  for (const target of new Set(pairs.map((pair) => pair.target)))
    for (const option of target.options) {
      const known = found.get(kebab(option.name));
      if (known === undefined) found.set(kebab(option.name), [option]);
      else known.push(option);
    }
  return found;
}

type Values = Readonly<Record<string, string | boolean | (string | boolean)[] | undefined>>;

function parsed(
  argv: readonly string[],
  ofTargets: ReadonlyMap<string, readonly TargetOption[]>,
): { values: Values; positionals: string[] } {
  const flag = { type: 'boolean' } as const;
  const word = { type: 'string' } as const;
  const forTargets = Object.fromEntries(
    [...ofTargets].map(([name, options]) => [name, options[0].type === 'boolean' ? flag : word]),
  );
  try {
    return parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: {
        ...forTargets,
        format: word,
        function: { type: 'string', multiple: true },
        config: word,
        language: word,
        'self-test': flag,
        hints: flag,
        verify: flag,
        ptxas: word,
        baseline: word,
        allow: { type: 'string', multiple: true },
        strict: flag,
        top: word,
        'main-kernel': word,
        'frame-alignment': word,
        'per-lane': flag,
        uniform: flag,
        output: { type: 'string', short: 'o' },
        check: flag,
        help: { type: 'boolean', short: 'h' },
        version: { type: 'boolean', short: 'v' },
      },
    });
  } catch (error) {
    throw new UsageError(parseFault(error as { code?: string; message?: string }));
  }
}

/** What Node's parser refuses, in our words; its messages name the option in quotes. */
function parseFault({ code, message = '' }: { code?: string; message?: string }): string {
  const option = /'(?:-\w, )?(-[^ ']+)/.exec(message)?.[1];
  if (option === undefined) return message;
  if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION') return `there is no option '${option}'`;
  return message.includes('does not take') ? `${option} takes no value` : `${option} needs a value`;
}

function targetOptions(
  values: Values,
  ofTargets: ReadonlyMap<string, readonly TargetOption[]>,
): Record<string, string | number | boolean> {
  const found: Record<string, string | number | boolean> = {};
  for (const [name, options] of ofTargets) {
    const given = values[name];
    if (given === undefined || Array.isArray(given)) continue;
    const [{ type, name: optionName }] = options;
    found[optionName] = type === 'integer' && /^-?\d+$/.test(String(given)) ? Number(given) : given;
  }
  return found;
}
