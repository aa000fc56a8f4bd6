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
 * Tells on standard error how many errors each file, or the function asked for, has, for commands that do not list
 * them. True when there are any.
 */
export function tellErrors(inputs: readonly Input[], { args, io }: Context): boolean {
  let total = 0;
  for (const { document, path } of inputs) {
    const units = document.units.filter(
      (unit) => args.functionName === undefined || unit.function?.name === args.functionName,
    );
    const errors = units
      .flatMap((unit) => findingsOf(document, unit))
      .filter(({ severity }) => severity === 'error').length;
    if (errors > 0)
      io.error(
        `${path}: ${count(errors, 'error')}; \`spillway check ${path}\` lists ${errors === 1 ? 'it' : 'them'}\n`,
      );
    total += errors;
  }
  return total > 0;
}
