/** Every command but `serve`; also the program of a thread that does a part of one. */
import { isMainThread, type Worker } from 'node:worker_threads';
import { registry } from '../workspace/registry.js';
import { processIo } from './io.js';
import { run } from './run.js';
import { runThread, threadsOf } from './threads/threads.js';

const program = new URL(import.meta.url);

/** Runs the command line in this process. `early`: a thread that compiles, should one be needed; it is ended. */
export async function command(argv: readonly string[], early: Worker | undefined): Promise<void> {
  process.exitCode = await run(argv, { ...processIo, threads: threadsOf(program, early) }, registry);
  await early?.terminate();
}

if (!isMainThread) await runThread(processIo, program);
