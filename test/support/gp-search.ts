import { Worker } from 'node:worker_threads';

/** Programs number `from` to `to - 1` of the generator's seeds, each `step`-th of them. */
export interface SearchPart {
  readonly from: number;
  readonly to: number;
  readonly step: number;
  /** Mean statements of a program beside those of its shape. */
  readonly size: number;
  /** Each so many programs, the search for a better program is tried as well. */
  readonly improveEach: number;
  /** Stop after so many faults. */
  readonly faults: number;
}

export interface GpFault {
  readonly seed: number;
  readonly text: string;
  readonly fault: string;
}

export interface SearchResult {
  readonly tried: number;
  readonly words: number;
  readonly bound: number;
  readonly faults: readonly GpFault[];
}

/** Compiles random programs in `threads` threads and tries each of them against its source. */
export async function searchGpPrograms(
  part: Omit<SearchPart, 'step'>,
  threads: number,
  progress?: (tried: number) => void,
): Promise<SearchResult> {
  let tried = 0;
  const parts = Array.from(
    { length: threads },
    (_, index) =>
      new Promise<SearchResult>((resolve, reject) => {
        const workerData: SearchPart = { ...part, from: part.from + index, step: threads };
        const worker = new Worker(new URL('../search/gp-worker.js', import.meta.url), { workerData });
        worker.on('message', (message: SearchResult | number) => {
          if (typeof message === 'number') progress?.((tried += message));
          else resolve(message);
        });
        worker.on('error', reject);
      }),
  );
  const results = await Promise.all(parts);
  const sum = (of: (result: SearchResult) => number): number =>
    results.reduce((total, result) => total + of(result), 0);
  return {
    tried: sum((result) => result.tried),
    words: sum((result) => result.words),
    bound: sum((result) => result.bound),
    faults: results.flatMap((result) => result.faults),
  };
}
