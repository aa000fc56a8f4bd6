/**
 * Files of one command, shared among threads. Each thread has its own copy of the compiler and takes files that stand
 * side by side, since those often have functions in common, which are parsed once.
 */
import { statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { registry } from '../workspace/registry.js';
import type { Arguments } from './arguments.js';
import type { Io } from './io.js';
import { partOf, type Part } from './stats.js';

/** What a thread must have to do for its start to pay. */
const LEAST_BYTES = 500_000;
/** More have not been seen to help: memory is shared by all. */
const MOST_THREADS = 8;
/**
 * While code is new, V8 optimises it beside the thread that runs it, and each thread has its code to itself: a thread for
 * each processor spends half of all time on optimising the same functions again.
 */
const PROCESSORS_PER_THREAD = 2;

export interface Threads {
  /** Groups of neighbours, about equally large, as many as there are threads to be had; one where that does not pay. */
  groupsOf(files: readonly string[]): readonly (readonly string[])[];
  /** The figures of the files, made in another thread. Rejects with what the thread threw. */
  partOf(args: Arguments): Promise<Part>;
}

/** `main`: the script that a thread runs, which asks `runThread` first. */
export const threadsOf = (main: URL): Threads => ({
  groupsOf: (files) => grouped(files, files.map(sizeOf), mostThreads(), LEAST_BYTES),
  partOf: (args) =>
    new Promise((done, fail) => {
      const worker = new Worker(main, { workerData: args });
      worker.once('message', (part: Part) => done(part));
      worker.once('error', fail);
    }),
});

const mostThreads = (): number =>
  Math.max(1, Math.min(Math.floor(availableParallelism() / PROCESSORS_PER_THREAD), MOST_THREADS));

function sizeOf(path: string): number {
  return path === '-' ? 0 : (statSync(path, { throwIfNoEntry: false })?.size ?? 0);
}

/** At most `most` groups of at least `least` bytes. Standard input is read by the first thread alone. */
export function grouped(
  files: readonly string[],
  sizes: readonly number[],
  most: number,
  least: number,
): readonly (readonly string[])[] {
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const count = files.includes('-') ? 1 : Math.max(1, Math.min(most, Math.floor(total / least)));
  const groups: string[][] = Array.from({ length: count }, () => []);
  let before = 0;
  files.forEach((path, k) => {
    const middle = before + sizes[k] / 2;
    groups[Math.min(count - 1, Math.floor((count * middle) / Math.max(1, total)))].push(path);
    before += sizes[k];
  });
  return groups.filter((group) => group.length > 0);
}

/** In a thread that `Threads.partOf` has started: does its part, and says so. False in the main thread. */
export function runThread(io: Io): boolean {
  if (isMainThread) return false;
  let told = '';
  const quiet: Io = { ...io, errorIsTerminal: false, error: (text) => void (told += text) };
  const part = partOf({ args: workerData as Arguments, io: quiet, pairs: registry }, true);
  parentPort?.postMessage({ ...part, told });
  return true;
}
