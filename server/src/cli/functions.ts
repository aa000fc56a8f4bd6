import { kebab } from './arguments.js';
import { findingsOf } from '../features/diagnostics.js';
import type { Compilation } from '../targets/target.js';
import { count } from '../text/words.js';
import type { Unit } from '../workspace/snapshot.js';
import type { Context, Input } from './inputs.js';

/** A compiled function where it stands. */
export interface CompiledFunction {
  readonly input: Input;
  readonly unit: Unit;
  readonly compilation: Compilation;
  /** One-based line of its name. */
  readonly line: number;
}

/** The compiled functions of all files in text order, or those of one name. */
export function compiledFunctions(inputs: readonly Input[], name: string | undefined): CompiledFunction[] {
  return inputs.flatMap((input) =>
    input.document.units.flatMap((unit) => {
      const compilation = unit.compilation;
      if (compilation === undefined || (name !== undefined && compilation.source.name !== name)) return [];
      const { line } = input.document.lines.positionAt(unit.start + compilation.source.nameStart);
      return [{ input, unit, compilation, line: line + 1 }];
    }),
  );
}

/** What the figures are for: `{ name: 'nvidia', arch: 'sm_90' }`. */
export interface TargetName {
  readonly name: string;
  readonly arch: string;
}

export const targetOf = ({ compilation }: CompiledFunction): TargetName => ({
  name: compilation.target,
  arch: compilation.machine,
});

export function problemsOf({ input, unit }: CompiledFunction): {
  errors: number;
  warnings: number;
  hints: number;
} {
  const counts = { errors: 0, warnings: 0, hints: 0 };
  for (const { severity } of findingsOf(input.document, unit)) {
    if (severity === 'error') counts.errors++;
    else if (severity === 'warning') counts.warnings++;
    else counts.hints++;
  }
  return counts;
}

/**
 * Tells on standard error, in a line for each file and option of the command line, on which functions the option has
 * no effect, since their source settles what it asks for. The settings of a folder are for many files, and silent.
 */
export function tellIgnored(functions: readonly CompiledFunction[], { args, io }: Context): void {
  const reasons = new Map<string, string[]>();
  for (const { input, compilation } of functions) {
    for (const { option, why, isIgnored } of input.document.target.settled?.(compilation) ?? []) {
      if (!isIgnored || args.targetOptions[option] === undefined) continue;
      const key = `${input.path}: --${kebab(option)} ${args.targetOptions[option]} has no effect on `;
      const all = reasons.get(key);
      const told = `${compilation.source.name} (${why})`;
      if (all === undefined) reasons.set(key, [told]);
      else all.push(told);
    }
  }
  for (const [head, all] of reasons) io.error(`${head}${listed(all)}\n`);
}

const MOST_NAMED = 3;

const listed = (all: readonly string[]): string =>
  all.length <= MOST_NAMED
    ? all.join(', ')
    : `${all.slice(0, MOST_NAMED - 1).join(', ')} and ${all.length - MOST_NAMED + 1} more`;

/**
 * Tells on standard error how many errors each file, or the function asked for, has, for commands that do not list
 * them. True when there are any.
 */
export function tellErrors(inputs: readonly Input[], { args, io }: Context): boolean {
  let total = 0;
  for (const input of inputs) {
    const errors = errorsIn(input, args.functionName);
    if (errors > 0) io.error(errorsTold(input.path, errors));
    total += errors;
  }
  return total > 0;
}

/** Errors of a file, or of the function asked for. */
export function errorsIn({ document }: Input, name: string | undefined): number {
  let errors = 0;
  for (const unit of document.units)
    if (name === undefined || unit.function?.name === name)
      for (const { severity } of findingsOf(document, unit)) if (severity === 'error') errors++;
  return errors;
}

/** The line that says so; empty where there are none. */
export const errorsTold = (path: string, errors: number): string =>
  errors === 0
    ? ''
    : `${path}: ${count(errors, 'error')}; \`spillway check ${path}\` lists ${errors === 1 ? 'it' : 'them'}\n`;
