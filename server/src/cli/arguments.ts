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
  readonly functionName: string | undefined;
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
  readonly help: boolean;
  readonly version: boolean;
  /** By option name of a target; whether a value fits is for the machine to say that has the option. */
  readonly targetOptions: Readonly<Record<string, string | number | boolean>>;
}

export const kebab = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

export function parseArguments(argv: readonly string[], pairs: readonly Pair[]): Arguments {
  const ofTargets = optionsOfTargets(pairs);
  const { values, positionals } = parsed(argv, ofTargets);
  const text = (name: string): string | undefined => {
    const value = values[name];
    return typeof value === 'string' ? value : undefined;
  };
  return {
    command: positionals[0] ?? '',
    files: positionals.slice(1),
    format: text('format'),
    functionName: text('function'),
    config: text('config'),
    language: text('language'),
    selfTest: values['self-test'] === true,
    hints: values['hints'] === true,
    verify: values['verify'] === true,
    ptxas: text('ptxas'),
    baseline: text('baseline'),
    allow: [values['allow'] ?? []].flat().filter((value) => typeof value === 'string'),
    strict: values['strict'] === true,
    top: text('top'),
    help: values['help'] === true,
    version: values['version'] === true,
    targetOptions: targetOptions(values, ofTargets),
  };
}

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
        function: word,
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
