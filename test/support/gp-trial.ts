import { gpir } from '../../server/src/languages/gpir/index.js';
import type { Function } from '../../server/src/ir/function.js';
import { maliGp, type GpCompilation } from '../../server/src/targets/mali-gp/index.js';
import { verify } from '../../server/src/targets/mali-gp/verify.js';
import { WORD_LIMIT } from '../../server/src/targets/mali-gp/word.js';
import type { Problem } from '../../server/src/text/problem.js';
import { snapshotOf } from './snapshot.js';

/** What is asked of a program's compilation beyond that it exists. */
export interface TrialOptions {
  /** Runs of source and code side by side. */
  readonly runs: number;
  /** Seed of their inputs. */
  readonly seed: number;
  /** Compile twice; the answers must be the same. */
  readonly twice?: boolean;
  /** Search for a better program too, which must be one. */
  readonly improve?: boolean;
}

/** Slices that an improvement may take before it counts as endless. */
const SLICES = 100_000;

/** The first program of a text, and what the language finds wrong in the text. */
export function gpirFunction(text: string): { source: Function | undefined; problems: readonly Problem[] } {
  const { units } = snapshotOf(text, gpir, maliGp);
  return {
    source: units.find((unit) => unit.function !== undefined)?.function,
    problems: units.flatMap(({ bound }) => [...bound.parsed.problems, ...bound.problems]),
  };
}

export interface Trial {
  /** What is wrong with the compilation of a valid program. */
  readonly fault?: string;
  /** Of the quick answer. */
  readonly words: number;
  readonly bound: number;
}

/** Compiles a program and tries the code. Never throws. */
export function tryGpProgram(text: string, options: TrialOptions): Trial {
  try {
    const { source, problems } = gpirFunction(text);
    const error = problems.find(({ severity }) => severity === 'error');
    if (error) return { fault: `not a valid program: ${error.message}`, words: 0, bound: 0 };
    if (!source) return { words: 0, bound: 0 };
    const compilation = maliGp.compile(source, {});
    const fault =
      faultOf(compilation, options) ??
      (options.twice ? changes(compilation, maliGp.compile(source, {})) : undefined) ??
      (options.improve ? improvementFault(compilation, options) : undefined);
    return { ...figuresOf(compilation), ...(fault !== undefined && { fault }) };
  } catch (thrown) {
    const stack = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
    return { fault: `throws ${stack}`, words: 0, bound: 0 };
  }
}

const figuresOf = ({ blocks, code }: GpCompilation): { words: number; bound: number } => ({
  words: code.words.length,
  bound: blocks.reduce((sum, { bound }) => sum + bound.words, 0),
});

function faultOf(
  { source, blocks, code, problems }: GpCompilation,
  options: TrialOptions,
): string | undefined {
  for (const { task, schedule, bound } of blocks) {
    const { label } = task.block;
    if (schedule.failed) return `block ${label} has no schedule`;
    if (schedule.words.length < bound.words)
      return `block ${label} has ${schedule.words.length} words, bound ${bound.words} by ${bound.by}`;
  }
  if (code.words.length <= WORD_LIMIT) {
    const error = problems.find(({ severity }) => severity === 'error');
    if (error) return `${error.code}: ${error.message}`;
  }
  const violation = verify(source, code, { trials: options.runs, seed: options.seed }).at(0);
  return violation && `word ${violation.code}: ${violation.message}`;
}

const changes = (a: GpCompilation, b: GpCompilation): string | undefined =>
  JSON.stringify(a.code) === JSON.stringify(b.code) ? undefined : 'compiles to something else each time';

function improvementFault(compilation: GpCompilation, options: TrialOptions): string | undefined {
  const better = improvedWithin(compilation, SLICES);
  if (better === undefined) return `the search for a better program does not end in ${SLICES} slices`;
  if (better.code.words.length > compilation.code.words.length)
    return `the better program has ${better.code.words.length} words, the quick one ${compilation.code.words.length}`;
  const fault = faultOf(better, options);
  return fault && `improved: ${fault}`;
}

function improvedWithin(compilation: GpCompilation, slices: number): GpCompilation | undefined {
  const search = maliGp.improve?.(compilation);
  if (!search) return compilation;
  for (let slice = 0; slice < slices; slice++) {
    const step = search.next();
    if (step.done) return step.value;
  }
  return undefined;
}

/**
 * Takes lines out of a text for as long as `fails` says the same of what is left: the text that a person wants to
 * look at. Tries at most `tries` texts.
 */
export function fewestLines(text: string, fails: (text: string) => boolean, tries = 2000): string {
  let lines = text.split('\n');
  let left = tries;
  for (let size = lines.length >> 1; size >= 1;) {
    let hasShrunk = false;
    for (let from = 0; from + size <= lines.length && left > 0;) {
      left--;
      const without = [...lines.slice(0, from), ...lines.slice(from + size)];
      if (fails(without.join('\n'))) {
        lines = without;
        hasShrunk = true;
      } else {
        from += size;
      }
    }
    if (size === 1 && (!hasShrunk || left <= 0)) break;
    if (!hasShrunk || size > 1) size = Math.max(1, size >> 1);
  }
  return lines.join('\n');
}

/** What kind of fault a message tells of: its words without numbers and names, to keep to one while shrinking. */
export const faultKind = (fault: string): string =>
  fault
    .split('\n')[0]
    .replace(/'[^']*'/g, 'NAME')
    .replace(/\b[a-z]?-?\d+(\.\d+)?(e[-+]?\d+)?(\.[xyzw])?\b/g, '#')
    .slice(0, 60);
