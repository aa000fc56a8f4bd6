import { registry } from '../workspace/registry.js';
import { settleForManyFiles } from './engine.js';
import { processIo } from './io.js';
import { run } from './run.js';
import { runThread, threadsOf } from './threads/threads.js';

// A terminal that is gone, or an editor: nobody is left to tell.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 2));
// Messages that nobody reads change nothing of the result.
process.stderr.on('error', () => undefined);

const main = new URL(import.meta.url);
if (!(await runThread(processIo, main))) {
  const argv = process.argv.slice(2);
  // the server is a program of its own, with packages that no other command needs
  if (argv[0] === 'serve') await import('../main.js');
  else {
    settleForManyFiles();
    process.exitCode = await run(argv, { ...processIo, threads: threadsOf(main) }, registry);
  }
}
