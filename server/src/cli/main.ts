/**
 * `spillway` begins here. Two threads will share the work where there is much of it (`threads/halves.ts`): the second one
 * is started before anything else is loaded, so that both load what they need at once.
 */
import { Worker } from 'node:worker_threads';
import { settleForManyFiles } from './engine.js';
import { backEndBeside, shareOf } from './threads/plan.js';

// A terminal that is gone, or an editor: nobody is left to tell.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 2));
// Messages that nobody reads change nothing of the result.
process.stderr.on('error', () => undefined);

const argv = process.argv.slice(2);
// the server is a program of its own, with packages that no other command needs
if (argv[0] === 'serve') await import('../main.js');
else {
  settleForManyFiles();
  const early = isLargeWork(argv) ? backEnd() : undefined;
  const { command } = await import('./command.js');
  await command(argv, early);
}

/** Whether two threads are worth their start. Options and their values are no files, or make no difference. */
function isLargeWork([name, ...rest]: readonly string[]): boolean {
  return name === 'stats' && shareOf(rest).isHalved;
}

function backEnd(): Worker {
  const worker = new Worker(backEndBeside(new URL(import.meta.url)));
  // who uses it will see that it is gone
  worker.on('error', () => undefined);
  return worker;
}
