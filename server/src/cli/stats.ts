/** `spillway stats`: the figures of each function. */
import type { Stats } from '../targets/target.js';
import { UsageError } from './arguments.js';
import {
  compiledFunctions,
  errorsIn,
  errorsTold,
  problemsOf,
  targetOf,
  tellErrors,
  type CompiledFunction,
  type TargetName,
} from './functions.js';
import { loadInputs, visitInputs, type Context } from './inputs.js';
import { statsFormats, type Format } from './stats-formats.js';
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
  if (args.verify) return verifiedStats(context, format);
  const functions: FunctionStats[] = [];
  let errors = '';
  const failed = visitInputs(context, (input) => {
    functions.push(...compiledFunctions([input], args.functionName).map(statsOf));
    errors += errorsTold(input.path, errorsIn(input, args.functionName));
  });
  io.out(format(functions, context));
  if (errors !== '') io.error(errors);
  if (failed) return 2;
  return errors === '' ? 0 : 1;
}

async function verifiedStats(context: Context, format: Format): Promise<number> {
  const { args, io } = context;
  const { inputs, failed } = loadInputs(context);
  const compiled = compiledFunctions(inputs, args.functionName);
  const verified = await verify(compiled, compiled.map(statsOf), context);
  io.out(format(verified.functions, context));
  if (args.format === undefined || args.format === 'text') io.out(differencesInWords(verified.functions));
  const haveErrors = tellErrors(inputs, context);
  if (failed || verified.failed) return 2;
  return haveErrors || verified.isRefused ? 1 : 0;
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
