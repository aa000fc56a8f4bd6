/** How the files of a command are shared among threads. It is asked before anything else is loaded, and so loads nothing. */
import { statSync } from 'node:fs';
import { availableParallelism } from 'node:os';

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

/** The program of the thread that compiles, beside the one that asks. */
export const backEndBeside = (program: URL): URL => new URL('back-end.js', program);

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

export function shareOf(files: readonly string[]): Share<string> {
  const sizes = files.map(sizeOf);
  const { groups, isHalved } = planFor(sum(sizes), availableParallelism());
  return { groups: grouped(files, sizes, groups), isHalved: isHalved && files.length > groups };
}

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
