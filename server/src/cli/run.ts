import type { Pair } from '../workspace/registry.js';
import { kebab, NotFoundError, parseArguments, UsageError, type Arguments } from './arguments.js';
import { baseline } from './baseline.js';
import { check } from './check.js';
import { compare } from './compare.js';
import { compile } from './compile.js';
import { diff } from './diff.js';
import { help } from './help.js';
import type { Context } from './inputs.js';
import type { Io } from './io.js';
import { show } from './show.js';
import { softStack } from './soft-stack.js';
import { stats } from './stats.js';
import { version } from '../workspace/version.js';

const commands: Readonly<Record<string, ((context: Context) => number | Promise<number>) | undefined>> = {
  check,
  stats,
  compile,
  show,
  'soft-stack': softStack,
  baseline,
  diff,
  compare,
};

/** Runs a command other than `serve` and returns its exit status; a promise only where it waits for a program. */
export function run(argv: readonly string[], io: Io, pairs: readonly Pair[]): number | Promise<number> {
  try {
    const args = parseArguments(argv, pairs);
    if (args.version) {
      io.out(`spillway ${version}\n`);
      return 0;
    }
    if (args.help) {
      io.out(help(pairs));
      return 0;
    }
    const command = Object.hasOwn(commands, args.command) ? commands[args.command] : undefined;
    if (command === undefined)
      throw new UsageError(
        args.command === ''
          ? `which command? ${Object.keys(commands).join(', ')} or serve`
          : `there is no command '${args.command}'; there is ${Object.keys(commands).join(', ')}, serve`,
      );
    refuseOptionsOfOthers(args);
    if (args.functionNames.length > 1 && args.command !== 'soft-stack')
      throw new UsageError(`${args.command} takes one --function; soft-stack takes several`);
    if (args.ptxas !== undefined && !args.verify)
      throw new UsageError('--ptxas names the program for --verify, which is missing');
    const status = command({ args, io, pairs });
    return typeof status === 'number' ? status : status.catch((error: unknown) => tell(error, io));
  } catch (error) {
    return tell(error, io);
  }
}

/** Options that only one command has. */
const ownOptions: Readonly<Record<string, (keyof Arguments)[]>> = {
  stats: ['verify', 'ptxas'],
  baseline: ['baseline', 'allow', 'strict'],
  diff: ['top'],
  'soft-stack': ['mainKernel', 'frameAlignment', 'perLane', 'uniform', 'output', 'check'],
};

function refuseOptionsOfOthers(args: Arguments): void {
  for (const [command, names] of Object.entries(ownOptions))
    if (command !== args.command && names.some((name) => isGiven(args[name])))
      throw new UsageError(`${optionsInWords(names)} of ${command}, not of ${args.command}`);
}

function optionsInWords(names: readonly string[]): string {
  const words = names.map((name) => `--${kebab(name)}`);
  const last = words.pop();
  return words.length === 0 ? `${last} is an option` : `${words.join(', ')} and ${last} are options`;
}

const isGiven = (value: unknown): boolean =>
  Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false;

/** Wrong usage is told, anything else goes on. */
function tell(error: unknown, io: Io): number {
  if (!(error instanceof UsageError)) throw error;
  io.error(`${error.message.replace(/^/gm, 'spillway: ')}\n`);
  if (!(error instanceof NotFoundError)) io.error("'spillway --help' lists commands and options\n");
  return 2;
}
