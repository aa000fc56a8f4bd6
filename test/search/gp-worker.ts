import { parentPort, workerData } from 'node:worker_threads';
import type { GpFault, SearchPart, SearchResult } from '../support/gp-search.js';
import { faultKind, fewestLines, tryGpProgram, type TrialOptions } from '../support/gp-trial.js';
import { gpirShapes, randomGpir } from '../support/random-gpir.js';
import { Random } from './random.js';

/** Tries its part of the random programs, and shortens those that fail. */
const part = workerData as SearchPart;
const REPORT = 500;

const faults: GpFault[] = [];
let [tried, words, bound] = [0, 0, 0];
for (let seed = part.from; seed < part.to && faults.length < part.faults; seed += part.step) {
  const random = new Random(seed);
  const shape = gpirShapes[seed % gpirShapes.length];
  const statements = Math.max(2, Math.round(shape.statements * part.size));
  const text = randomGpir(random, { ...shape, statements });
  const options: TrialOptions = {
    runs: 2,
    seed,
    twice: seed % 8 === 0,
    improve: seed % part.improveEach === 0,
  };
  const { fault, ...figures } = tryGpProgram(text, options);
  tried++;
  words += figures.words;
  bound += figures.bound;
  if (tried % REPORT === 0) parentPort?.postMessage(REPORT);
  if (fault === undefined) continue;
  const kind = faultKind(fault);
  const isSame = (shorter: string): boolean => {
    const found = tryGpProgram(shorter, options).fault;
    return found !== undefined && faultKind(found) === kind;
  };
  const shortest = fewestLines(text, isSame);
  faults.push({ seed, text: shortest, fault: tryGpProgram(shortest, options).fault ?? fault });
}
parentPort?.postMessage({ tried, words, bound, faults } satisfies SearchResult);
