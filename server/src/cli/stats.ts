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
  tellIgnored,
  type CompiledFunction,
  type TargetName,
} from './functions.js';
import { checkUsage, loadInputs, visitInputs, type Context, type Input } from './inputs.js';
import { isBounded, stackTotals } from '../features/stack-totals.js';
import { statsFormats, type Format } from './stats-formats.js';
import { visitInHalves, type BackEnd } from './threads/halves.js';

interface StackStats {
  /** `.local`, `soft stack`, or both. */
  readonly place?: string;
  readonly bytes: number;
  readonly alignment: number;
  /** With the deepest path of callees that are known. */
  readonly bytesWithCallees: number;
  /** False where recursion, unknown callees, indirect calls or memory of run-time size may take more. */
  readonly isBounded: boolean;
  readonly recursion?: readonly string[];
  readonly unknownCallees?: readonly string[];
}

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
  const { args } = context;
  const format = statsFormats[args.format ?? 'text'];
  if (format === undefined)
    throw new UsageError(`--format is '${args.format}'; stats has ${Object.keys(statsFormats).join(', ')}`);
  if (args.verify) return verifiedStats(context, format);
  const parts = partsOf(context);
  return parts instanceof Promise
    ? parts.then((all) => written(all, context, format))
    : written(parts, context, format);
}

/** The figures of all files of the command line, in their order; shared among threads where that pays. */
export function partsOf(context: Context): readonly Part[] | Promise<readonly Part[]> {
  const { args, io } = context;
  const share = args.functionName === undefined ? io.threads?.shareOf(args.files) : undefined;
  if (share === undefined || (share.groups.length < 2 && !share.isHalved)) return [partOf(context)];
  checkUsage(context);
  const [own, ...others] = share.groups;
  const parts = others.map((files) => io.threads!.partOf({ ...args, files }, share.isHalved));
  const mine = { ...context, args: { ...args, files: own } };
  const first = share.isHalved ? partInHalves(mine, io.threads!.backEnd()) : partOf(mine, true);
  return Promise.all([first, ...parts]);
}

/** The figures of some of the files, as plain data. */
export interface Part {
  readonly functions: readonly FunctionStats[];
  /** Lines that say how many errors which file has. */
  readonly errors: string;
  /** What is left to tell on standard error. */
  readonly told: string;
  /** A file could not be read. */
  readonly failed: boolean;
}

/** `isChecked`: the command line has been found right for all files, of which these may be a part. */
export function partOf(context: Context, isChecked = false): Part {
  const { visit, part } = collector(context);
  return part(visitInputs(context, visit, isChecked));
}

/** The same, while `backEnd` compiles what this thread reads. The command line has been found right. */
export async function partInHalves(context: Context, backEnd: BackEnd): Promise<Part> {
  const { visit, part } = collector(context);
  return part(await visitInHalves(context, backEnd, visit));
}

function collector(context: Context): {
  readonly visit: (input: Input) => void;
  readonly part: (failed: boolean) => Part;
} {
  const { functionName } = context.args;
  const functions: FunctionStats[] = [];
  let errors = '';
  return {
    visit: (input) => {
      const compiled = compiledFunctions([input], functionName);
      functions.push(...compiled.map(statsOf));
      tellIgnored(compiled, context);
      errors += errorsTold(input.path, errorsIn(input, functionName));
    },
    part: (failed) => ({ functions, errors, told: '', failed }),
  };
}

function written(parts: readonly Part[], context: Context, format: Format): number {
  const { io } = context;
  const tell = (text: string): void => {
    if (text !== '') io.error(text);
  };
  for (const { told } of parts) tell(told);
  io.out(
    format(
      parts.flatMap(({ functions }) => functions),
      context,
    ),
  );
  for (const { errors } of parts) tell(errors);
  if (parts.some(({ failed }) => failed)) return 2;
  return parts.some(({ errors }) => errors !== '') ? 1 : 0;
}

async function verifiedStats(context: Context, format: Format): Promise<number> {
  const { args, io } = context;
  // what starts programs is loaded for this alone
  const { differencesInWords, verify } = await import('./verify.js');
  const { inputs, failed } = loadInputs(context);
  const compiled = compiledFunctions(inputs, args.functionName);
  tellIgnored(compiled, context);
  const verified = await verify(compiled, compiled.map(statsOf), context);
  io.out(format(verified.functions, context));
  if (args.format === undefined || args.format === 'text') io.out(differencesInWords(verified.functions));
  const haveErrors = tellErrors(inputs, context);
  if (failed || verified.failed) return 2;
  return haveErrors || verified.isRefused ? 1 : 0;
}

/** The stack frame with everything below it in the call graph; absent where there is none. */
function stackOf({ input, unit }: CompiledFunction): { readonly stack?: StackStats } {
  const { document } = input;
  const frame = document.language.frame?.(unit.bound);
  if (frame === undefined || (frame.place === '' && frame.calls.length === 0)) return {};
  const total = stackTotals(document).get(frame.name);
  if (frame.place === '' && (total === undefined || (total.total === 0 && total.recursion.length === 0)))
    return {};
  const { place, bytes, alignment } = frame;
  return {
    stack: {
      ...(place === '' ? {} : { place }),
      bytes,
      alignment,
      bytesWithCallees: total?.total ?? bytes,
      isBounded: total === undefined || isBounded(total),
      ...(total === undefined || total.recursion.length === 0 ? {} : { recursion: total.recursion }),
      ...(total === undefined || total.unknown.length === 0 ? {} : { unknownCallees: total.unknown }),
    },
  };
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
    ...stackOf(compiled),
    ...more,
    ...(assumptions === undefined || assumptions.length === 0 ? {} : { assumptions }),
    problems: problemsOf(compiled),
  };
}
