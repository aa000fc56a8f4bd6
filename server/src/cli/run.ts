import type { Pair } from '../workspace/registry.js';
import { NotFoundError, parseArguments, UsageError } from './arguments.js';
import { check } from './check.js';
import { compile } from './compile.js';
import { help } from './help.js';
import type { Context } from './inputs.js';
import type { Io } from './io.js';
import { show } from './show.js';
import { stats } from './stats.js';
import { version } from '../workspace/version.js';

const commands: Readonly<Record<string, ((context: Context) => number) | undefined>> = {
  check,
  stats,
  compile,
  show,
};

/** Runs a command other than `serve` and returns its exit status. */
export function run(argv: readonly string[], io: Io, pairs: readonly Pair[]): number {
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
    return command({ args, io, pairs });
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    io.error(`${error.message.replace(/^/gm, 'spillway: ')}\n`);
    if (!(error instanceof NotFoundError)) io.error("'spillway --help' lists commands and options\n");
    return 2;
  }
}
