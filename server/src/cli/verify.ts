/**
 * `stats --verify`: the figures of ptxas itself beside those of the model. One run a file, one at a time; the program
 * is the one that is named on the command line, else the setting `ptx.ptxas`, else `ptxas` as PATH has it.
 */
import { resolve } from 'node:path';
import { ptxasVersion, startPtxas } from '../lsp/ptxas/run.js';
import { defaultLimits } from '../lsp/ptxas/tool.js';
import { requestFor } from '../targets/nvidia/ptxas/request.js';
import type { PtxasReport } from '../targets/nvidia/ptxas/report.js';
import { count } from '../text/words.js';
import { UsageError } from './arguments.js';
import type { CompiledFunction } from './functions.js';
import type { Context, Input } from './inputs.js';
import type { FunctionStats } from './stats.js';

/** What ptxas reports of a function; `registers` and `difference` are absent where it names none. */
export interface PtxasFigures {
  readonly version: string;
  readonly arch: string;
  readonly registers?: number;
  /** Registers of the model less those of ptxas. */
  readonly difference?: number;
  readonly stackBytes: number;
  readonly spillStoreBytes: number;
  readonly spillLoadBytes: number;
}

export interface Verified {
  readonly functions: readonly FunctionStats[];
  /** ptxas refuses a file; that was told. */
  readonly isRefused: boolean;
  /** ptxas gave no report of a file; that was told. */
  readonly failed: boolean;
}

/** Adds ptxas's figures to those of the model. Files of other machines stay as they are. */
export async function verify(
  compiled: readonly CompiledFunction[],
  figures: readonly FunctionStats[],
  context: Context,
): Promise<Verified> {
  const { io } = context;
  const byInput = new Map<Input, CompiledFunction>();
  for (const one of compiled)
    if (one.compilation.target === 'nvidia' && !byInput.has(one.input)) byInput.set(one.input, one);
  if (byInput.size === 0) throw new UsageError('--verify asks ptxas, and no file has a function for it');
  const reports = new Map<Input, { readonly report: PtxasReport; readonly arch: string }>();
  let isRefused = false;
  let failed = false;
  const versions = new Map<string, string>();
  for (const [input, { compilation }] of byInput) {
    const { ptx } = input.document.settings;
    const program = programOf(context, ptx.ptxas);
    if (!versions.has(program)) versions.set(program, (await ptxasVersion(program)) ?? 'unknown');
    const request = requestFor(compilation);
    const limits = { ...defaultLimits, time: ptx.ptxasTimeLimit * 1000 };
    const outcome = await startPtxas(program, request, input.document.text, limits).outcome;
    if (outcome.kind === 'report') reports.set(input, { report: outcome.report, arch: request.arch });
    else failed = true;
    if (outcome.kind === 'failed') io.error(`spillway: ${input.path}: no verdict: ${outcome.why}\n`);
    if (outcome.kind === 'report' && tellRefusal(input, outcome.report, context)) isRefused = true;
  }
  const version = [...versions.values()][0];
  const functions = figures.map((own, k): FunctionStats => {
    const found = reports.get(compiled[k].input);
    const theirs = found?.report.functions.get(own.name);
    if (found === undefined || theirs === undefined) return own;
    const { registers, stackBytes, spillStoreBytes, spillLoadBytes } = theirs;
    const general = own.registers[compiled[k].compilation.source.classes[0].name];
    const ptxas: PtxasFigures = {
      version,
      arch: found.arch,
      ...(registers !== undefined && { registers, difference: general - registers }),
      stackBytes,
      spillStoreBytes,
      spillLoadBytes,
    };
    return { ...own, ptxas };
  });
  return { functions, isRefused, failed };
}

function programOf({ args }: Context, setting: string): string {
  if (args.ptxas !== undefined) return /[/\\]/.test(args.ptxas) ? resolve(args.ptxas) : args.ptxas;
  return setting === '' ? 'ptxas' : setting;
}

/** Most messages of ptxas that are told of a file. */
const MOST = 3;

function tellRefusal({ path }: Input, { messages }: PtxasReport, { io }: Context): boolean {
  const errors = messages.filter(({ severity }) => severity === 'error');
  for (const { line, message } of errors.slice(0, MOST))
    io.error(`${path}${line === undefined ? '' : `:${line}`}: ptxas refuses it: ${message}\n`);
  if (errors.length > MOST) io.error(`${path}: and ${errors.length - MOST} more of ptxas\n`);
  return errors.length > 0;
}

export const ptxasOf = (f: FunctionStats): PtxasFigures | undefined => f['ptxas'] as PtxasFigures | undefined;

/** Two lines about all functions: how far the model is from ptxas. */
export function differencesInWords(functions: readonly FunctionStats[]): string {
  const compared = functions.flatMap((f) => {
    const theirs = ptxasOf(f);
    const { registers, difference } = theirs ?? {};
    if (theirs === undefined || registers === undefined || difference === undefined) return [];
    const [low, high] = f.registersRange ?? [0, -1];
    return [
      {
        error: Math.abs(difference) / registers,
        isEqual: difference === 0,
        isNear: Math.abs(difference) <= Math.max(2, registers / 10),
        isInside: low <= registers && registers <= high,
        spills:
          Number(theirs.spillStoreBytes + theirs.spillLoadBytes > 0) + 2 * Number(f.spills.registers > 0),
      },
    ];
  });
  if (compared.length === 0) return 'ptxas reports no registers to compare with\n';
  const errors = compared.map(({ error }) => error).sort((a, b) => a - b);
  const median = (errors[(errors.length - 1) >> 1] + errors[errors.length >> 1]) / 2;
  const spilling = (who: number): number => compared.filter(({ spills }) => spills === who).length;
  return (
    `${count(compared.length, 'function')} compared with ptxas: registers of ${compared.filter((f) => f.isEqual).length} equal, ` +
    `of ${compared.filter((f) => f.isNear).length} within 2 or a tenth, of ${compared.filter((f) => f.isInside).length} in the range; ` +
    `median difference ${(100 * median).toFixed(1)} %\n` +
    `spills: ${spilling(3)} with both, ${spilling(1)} with ptxas alone, ${spilling(2)} with the model alone\n`
  );
}
