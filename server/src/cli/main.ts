import { registry } from '../workspace/registry.js';
import { settleForManyFiles } from './engine.js';
import { processIo } from './io.js';
import { run } from './run.js';
import { serve } from './serve.js';
import { runThread, threadsOf } from './threads/threads.js';

// A terminal that is gone, or an editor: nobody is left to tell.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 2));
// Messages that nobody reads change nothing of the result.
process.stderr.on('error', () => undefined);

const main = new URL(import.meta.url);
if (!(await runThread(processIo, main))) {
  const argv = process.argv.slice(2);
  if (argv[0] === 'serve') serve(argv);
  else {
    settleForManyFiles();
    process.exitCode = await run(argv, { ...processIo, threads: threadsOf(main) }, registry);
  }
}
