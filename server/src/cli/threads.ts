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
 * While code is new, V8 optimises it beside the thread that runs it, and each thread has its code to itself: with a thread
 * for each processor half of all time went into optimising the same functions again. Optimising takes about 4 s of a
 * processor for each thread, and a megabyte of PTX 0.5 s when that is done: from there on every processor gets a thread.
 */
const PROCESSORS_WHILE_NEW = 2;
const BYTES_FOR_ONE_PROCESSOR = 10_000_000;

/** How many threads are worth their start for `bytes` of text. */
export function threadsFor(bytes: number, processors: number): number {
  const isLong = bytes >= processors * BYTES_FOR_ONE_PROCESSOR;
  const threads = isLong ? processors : Math.floor(processors / PROCESSORS_WHILE_NEW);
  return Math.max(1, Math.min(threads, MOST_THREADS, Math.floor(bytes / LEAST_BYTES)));
}

export interface Threads {
  /** Groups of neighbours, about equally large, as many as there are threads to be had; one where that does not pay. */
  groupsOf(files: readonly string[]): readonly (readonly string[])[];
  /** The figures of the files, made in another thread. Rejects with what the thread threw. */
  partOf(args: Arguments): Promise<Part>;
}

/** `main`: the script that a thread runs, which asks `runThread` first. */
export const threadsOf = (main: URL): Threads => ({
  groupsOf: (files) => {
    const sizes = files.map(sizeOf);
    return grouped(files, sizes, threadsFor(sum(sizes), availableParallelism()));
  },
  partOf: (args) =>
    new Promise((done, fail) => {
      const worker = new Worker(main, { workerData: args });
      worker.once('message', (part: Part) => done(part));
      worker.once('error', fail);
    }),
});

const sum = (sizes: readonly number[]): number => sizes.reduce((total, size) => total + size, 0);

function sizeOf(path: string): number {
  return path === '-' ? 0 : (statSync(path, { throwIfNoEntry: false })?.size ?? 0);
}

/** At most `most` groups, about equally large. Standard input is read by the first thread alone. */
export function grouped(
  files: readonly string[],
  sizes: readonly number[],
  most: number,
): readonly (readonly string[])[] {
  const total = sum(sizes);
  const count = files.includes('-') ? 1 : most;
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
