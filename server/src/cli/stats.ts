/** `spillway stats`: the figures of each function. */
import type { Stats } from '../targets/target.js';
import { UsageError } from './arguments.js';
import {
  compiledFunctions,
  problemsOf,
  targetOf,
  tellErrors,
  type CompiledFunction,
  type TargetName,
} from './functions.js';
import { loadInputs, type Context } from './inputs.js';
import { statsFormats } from './stats-formats.js';
import { differencesInWords, verify } from './verify.js';

/** One element of `functions` in docs/stats.schema.json. What a target does not have is absent. */
export interface FunctionStats extends Omit<Stats, 'limitedBy' | 'more'> {
  readonly file: string;
  readonly name: string;
  readonly line: number;
  readonly language: string;
  readonly target: TargetName;
  /** The model that the figures rest on, in words. */
  readonly model: string;
  readonly problems: { readonly errors: number; readonly warnings: number; readonly hints: number };
  /** Figures that only one target has, such as `words`, `bound`, `strategy`. */
  readonly [more: string]: unknown;
}

export function stats(context: Context): number | Promise<number> {
  const { args, io } = context;
  const format = statsFormats[args.format ?? 'text'];
  if (format === undefined)
    throw new UsageError(`--format is '${args.format}'; stats has ${Object.keys(statsFormats).join(', ')}`);
  const { inputs, failed } = loadInputs(context);
  const compiled = compiledFunctions(inputs, args.functionName);
  const functions = compiled.map(statsOf);
  if (args.verify) {
    return verify(compiled, functions, context).then((verified) => {
      io.out(format(verified.functions, context));
      if (args.format === undefined || args.format === 'text') io.out(differencesInWords(verified.functions));
      const haveErrors = tellErrors(inputs, context);
      if (failed || verified.failed) return 2;
      return haveErrors || verified.isRefused ? 1 : 0;
    });
  }
  io.out(format(functions, context));
  const haveErrors = tellErrors(inputs, context);
  if (failed) return 2;
  return haveErrors ? 1 : 0;
}

export function statsOf(compiled: CompiledFunction): FunctionStats {
  const { input, compilation, line } = compiled;
  const { limit, instructions, registers, registersRange, pressure, spills, more, ...rest } =
    compilation.stats;
  const { assumptions } = compilation;
  const { frameBytes, scratchBytes, cycles, stallCycles, occupancy } = rest;
  return {
    file: input.path,
    name: compilation.source.name,
    line,
    language: input.document.language.id,
    target: targetOf(compiled),
    model: compilation.model,
    limit,
    instructions,
    registers,
    ...(registersRange === undefined ? {} : { registersRange }),
    pressure,
    spills,
    ...(frameBytes === undefined ? {} : { frameBytes }),
    ...(scratchBytes === undefined ? {} : { scratchBytes }),
    ...(cycles === undefined ? {} : { cycles }),
    ...(stallCycles === undefined ? {} : { stallCycles }),
    ...(occupancy === undefined ? {} : { occupancy }),
    ...more,
    ...(assumptions === undefined || assumptions.length === 0 ? {} : { assumptions }),
    problems: problemsOf(compiled),
  };
}
