/** The figures of one function, wherever they come from: a compilation, `stats --format json`, a baseline. */
import { ordinal } from '../../text/words.js';
import type { FunctionStats } from '../stats.js';
import { figuresIn } from './metrics.js';

/** By the option's own name: `{ "maxRegisters": 24 }`. */
export type ChosenOptions = Readonly<Record<string, string | number | boolean>>;

/** The same for the same options, in whatever order they came; '' for none. */
export function optionsKey(options: ChosenOptions = {}): string {
  const sorted = Object.entries(options).sort(([a], [b]) => (a < b ? -1 : 1));
  return sorted.length === 0 ? '' : JSON.stringify(sorted);
}

export interface Figures {
  /** With `/` between folders. */
  readonly file: string;
  readonly name: string;
  /** One-based, among the functions of this name that the file has for the target, in the order of the text. */
  readonly nth: number;
  /** Machine and architecture: `nvidia sm_90`. */
  readonly target: string;
  /** Options of the command line that chose what was modelled; absent for none, and where they are not known. */
  readonly options?: ChosenOptions;
  /** The model that the figures rest on, in words; empty where that is not known. */
  readonly model: string;
  /** One-based line of the name; absent where the source is not at hand. */
  readonly line?: number;
  /** Which of several ways to compile won, where the machine has several. */
  readonly strategy?: string;
  /** Errors in the function: its figures are those of a part of it, and are not compared. */
  readonly errors: number;
  /** By key of comparison/metrics.ts. What is not known is absent. */
  readonly metrics: Readonly<Record<string, number>>;
}

/** The part of `FunctionStats` that is needed; other figures are looked up by `figuresIn`. */
export type StatsElement = Pick<FunctionStats, 'file' | 'name' | 'target'> &
  Readonly<{ line?: number; model?: string; strategy?: unknown; problems?: { readonly errors?: number } }>;

/** Numbers functions of one name. `nameOf`: the name of a file by which it is found again. */
export function figuresOf(
  functions: readonly StatsElement[],
  nameOf: (file: string) => string = (file) => file,
): Figures[] {
  const seen = new Map<string, number>();
  return functions.map((f) => {
    const { name, line, model, strategy, problems } = f;
    const file = nameOf(f.file);
    const target = `${f.target.name} ${f.target.arch}`;
    const key = JSON.stringify([file, name, target]);
    const nth = (seen.get(key) ?? 0) + 1;
    seen.set(key, nth);
    return {
      file,
      name,
      nth,
      target,
      model: model ?? '',
      ...(line === undefined ? {} : { line }),
      ...(typeof strategy === 'string' ? { strategy } : {}),
      errors: problems?.errors ?? 0,
      metrics: figuresIn(f),
    };
  });
}

/** `scale`, or `scale (2nd)` where it is not the first of its name. */
export const shownName = ({ name, nth }: Pick<Figures, 'name' | 'nth'>): string =>
  nth === 1 ? name : `${name} (${ordinal(nth)})`;
