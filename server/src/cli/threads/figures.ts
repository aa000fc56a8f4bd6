/** What `stats` tells of a compilation, as plain data that goes from thread to thread. */
import type { Function } from '../../ir/function.js';
import type { Compilation, ModuleView, Settled, Target, TargetOptions } from '../../targets/target.js';

export interface Figures extends Pick<
  Compilation,
  'target' | 'machine' | 'model' | 'stats' | 'problems' | 'assumptions'
> {
  readonly settled: readonly Settled[];
}

/** What came of one function: its figures, or what the compiler threw. */
export type Answer = Figures | { readonly thrown: string; readonly stack: string | undefined };

/** The best program that the target finds, however long that takes. */
export function bestCompilation(
  target: Target,
  source: Function,
  options: TargetOptions,
  module: ModuleView,
): Compilation {
  const compilation = target.compile(source, options, module);
  const search = target.improve?.(compilation);
  for (;;) {
    const step = search?.next();
    if (step === undefined) return compilation;
    if (step.done === true) return step.value;
  }
}

export function answerFor(
  target: Target,
  source: Function,
  options: TargetOptions,
  module: ModuleView,
): Answer {
  try {
    const compilation = bestCompilation(target, source, options, module);
    const { target: id, machine, model, stats, problems, assumptions } = compilation;
    const settled = target.settled?.(compilation) ?? [];
    return { target: id, machine, model, stats, problems, ...(assumptions && { assumptions }), settled };
  } catch (error) {
    if (!(error instanceof Error)) return { thrown: String(error), stack: undefined };
    return { thrown: error.message, stack: error.stack };
  }
}

/** The compilation of another thread, or its exception. */
export function compilationFrom(answer: Answer, source: Function, options: TargetOptions): Compilation {
  if ('thrown' in answer)
    throw Object.assign(new Error(answer.thrown), answer.stack === undefined ? {} : { stack: answer.stack });
  return new FiguresAlone(answer, source, options);
}

/** A compilation of which only the figures came along: to ask for more is a fault in Spillway. */
class FiguresAlone implements Compilation, Figures {
  readonly target: string;
  readonly machine: string;
  readonly model: string;
  readonly stats: Compilation['stats'];
  readonly problems: Compilation['problems'];
  readonly assumptions?: readonly string[];
  readonly settled: readonly Settled[];

  constructor(
    figures: Figures,
    readonly source: Function,
    readonly options: TargetOptions,
  ) {
    this.target = figures.target;
    this.machine = figures.machine;
    this.model = figures.model;
    this.stats = figures.stats;
    this.problems = figures.problems;
    this.settled = figures.settled;
    if (figures.assumptions !== undefined) this.assumptions = figures.assumptions;
  }

  get asWritten(): never {
    return missing('asWritten');
  }
  get asCompiled(): never {
    return missing('asCompiled');
  }
  get liveRanges(): never {
    return missing('liveRanges');
  }
  get placements(): never {
    return missing('placements');
  }
  get spills(): never {
    return missing('spills');
  }
  get stalls(): never {
    return missing('stalls');
  }
}

/** Of a compilation that came from another thread, or of one that was made here. */
export const settledIn = (target: Target, compilation: Compilation): readonly Settled[] =>
  compilation instanceof FiguresAlone ? compilation.settled : (target.settled?.(compilation) ?? []);

function missing(what: string): never {
  throw new Error(`${what} was not brought along from the thread that compiled the function`);
}
