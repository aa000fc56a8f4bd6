/**
 * Files of one command, shared among threads. Each thread takes files that stand side by side, since those often have
 * functions in common, which are parsed once; and may hand over to a second one what it has read, to be compiled.
 */
import { statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { registry } from '../../workspace/registry.js';
import type { Arguments } from '../arguments.js';
import type { Io } from '../io.js';
import { partInHalves, partOf, type Part } from '../stats.js';
import { BackEnd } from './halves.js';

/** What a thread must have to do for its start to pay. */
const LEAST_BYTES = 500_000;
/** More have not been seen to help: memory is shared by all. */
const MOST_GROUPS = 8;
/**
 * While code is new, V8 optimises it beside the thread that runs it, and each thread has its code to itself: with the whole
 * compiler in a thread for each processor, half of all time went into optimising the same functions twice. So two threads
 * share the work on one group of files by its kind (`halves.ts`). Optimising takes about 2 s of a processor for each
 * group, and a megabyte of PTX 0.5 s when that is done: from there on every processor gets files of its own.
 */
const PROCESSORS_WHILE_NEW = 2;
const BYTES_FOR_ONE_PROCESSOR = 10_000_000;

export interface Share<T> {
  /** Neighbours, about equally large; one group where more do not pay. */
  readonly groups: readonly (readonly T[])[];
  /** Whether each group has two threads, of which the second one compiles. */
  readonly isHalved: boolean;
}

/** How many groups are worth their start for `bytes` of text, and whether each of them has two threads. */
export function planFor(
  bytes: number,
  processors: number,
): { readonly groups: number; readonly isHalved: boolean } {
  const isLong = bytes >= processors * BYTES_FOR_ONE_PROCESSOR;
  const most = isLong ? processors : Math.floor(processors / PROCESSORS_WHILE_NEW);
  const groups = Math.max(1, Math.min(most, MOST_GROUPS, Math.floor(bytes / LEAST_BYTES)));
  return {
    groups,
    isHalved: !isLong && processors >= PROCESSORS_WHILE_NEW * groups && bytes >= LEAST_BYTES,
  };
}

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

/** `main`: the script that a thread runs, which asks `runThread` first; the back end's stands beside it. */
export const threadsOf = (main: URL): Threads => ({
  shareOf: (files) => {
    const sizes = files.map(sizeOf);
    const { groups, isHalved } = planFor(sum(sizes), availableParallelism());
    return { groups: grouped(files, sizes, groups), isHalved };
  },
  partOf: (args, isHalved) =>
    new Promise((done, fail) => {
      const task: Task = { args, isHalved };
      const worker = new Worker(main, { workerData: task });
      worker.once('message', (part: Part) => done(part));
      worker.once('error', fail);
    }),
  backEnd: () => backEndBeside(main),
});

const backEndBeside = (main: URL): BackEnd => new BackEnd(new URL('back-end.js', main));

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
export async function runThread(io: Io, main: URL): Promise<boolean> {
  if (isMainThread) return false;
  let told = '';
  const quiet: Io = { ...io, errorIsTerminal: false, error: (text) => void (told += text) };
  const { args, isHalved } = workerData as Task;
  const context = { args, io: quiet, pairs: registry };
  const part = isHalved ? await partInHalves(context, backEndBeside(main)) : partOf(context, true);
  parentPort?.postMessage({ ...part, told });
  return true;
}
