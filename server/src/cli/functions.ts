import { findingsOf } from '../features/diagnostics.js';
import type { Compilation } from '../targets/target.js';
import type { Unit } from '../workspace/snapshot.js';
import type { Input } from './inputs.js';

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

/** True when a file, or the function asked for, has a problem of severity error. */
export const haveErrors = (inputs: readonly Input[], name: string | undefined): boolean =>
  inputs.some(({ document }) =>
    document.units.some(
      (unit) =>
        (name === undefined || unit.function?.name === name) &&
        findingsOf(document, unit).some(({ severity }) => severity === 'error'),
    ),
  );
