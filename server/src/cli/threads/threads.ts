/**
 * Files of one command, shared among threads. Each thread takes files that stand side by side, since those often have
 * functions in common, which are parsed once; and may hand over to a second one what it has read, to be compiled.
 */
import { parentPort, Worker, workerData } from 'node:worker_threads';
import { registry } from '../../workspace/registry.js';
import type { Arguments } from '../arguments.js';
import type { Io } from '../io.js';
import { partInHalves, partOf, type Part } from '../stats.js';
import { BackEnd } from './halves.js';
import { backEndBeside, shareOf, type Share } from './plan.js';

export interface Threads {
  shareOf(files: readonly string[]): Share<string>;
  /** The figures of the files, made in another thread. Rejects with what the thread threw. */
  partOf(args: Arguments, isHalved: boolean): Promise<Part>;
  /** A thread that compiles; `BackEnd.end` ends it. */
  backEnd(): BackEnd;
}

/** What a thread is started with. */
interface Task {
  readonly args: Arguments;
  readonly isHalved: boolean;
}

/** `early`: a thread that compiles and has been started already, for the first who asks for one. */
export function threadsOf(program: URL, early?: Worker): Threads {
  let ready = early;
  return {
    shareOf,
    partOf: (args, isHalved) =>
      new Promise((done, fail) => {
        const task: Task = { args, isHalved };
        const worker = new Worker(new URL('command.js', program), { workerData: task });
        worker.once('message', (part: Part) => done(part));
        worker.once('error', fail);
      }),
    backEnd: () => {
      const worker = ready ?? new Worker(backEndBeside(program));
      ready = undefined;
      return new BackEnd(worker);
    },
  };
}

/** In a thread that `Threads.partOf` has started: does its part, and says so. */
export async function runThread(io: Io, program: URL): Promise<void> {
  let told = '';
  const quiet: Io = { ...io, errorIsTerminal: false, error: (text) => void (told += text) };
  const { args, isHalved } = workerData as Task;
  const context = { args, io: quiet, pairs: registry };
  const part = isHalved ? await partInHalves(context, threadsOf(program).backEnd()) : partOf(context, true);
  parentPort?.postMessage({ ...part, told });
}
