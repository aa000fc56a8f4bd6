/** `spillway soft-stack`: PTX with its `.local` frames moved to soft stacks. */
import {
  moveToSoftStack,
  type MovedFunction,
  type SoftStackOptions,
} from '../languages/ptx/soft-stack/index.js';
import { rewritten } from '../languages/ptx/soft-stack/formatted.js';
import type { PtxBound } from '../languages/ptx/bind/index.js';
import { count } from '../text/words.js';
import type { Document } from '../workspace/document.js';
import { languageForPath } from '../workspace/registry.js';
import { NotFoundError, UsageError, type Arguments } from './arguments.js';
import { openInput, type Context } from './inputs.js';
import { writeFault } from './writing.js';

/** Writes the whole text, or nothing where a function is refused: a module is never left half moved. */
export function softStack(context: Context): number {
  const { args, io } = context;
  if (args.format !== undefined && args.format !== 'text')
    throw new UsageError(`--format is '${args.format}'; soft-stack writes PTX`);
  if (args.files.length > 1) throw new UsageError('soft-stack takes one file');
  if (args.perLane && args.uniform)
    throw new UsageError('--per-lane and --uniform say the opposite of each other: lanes differ, or do not');
  const alignment = alignmentFrom(args.frameAlignment);
  const [path] = args.files;
  const document = path === undefined ? undefined : openInput(asPtx(context, path), path);
  if (document === undefined) {
    if (path === undefined)
      throw new UsageError("'spillway soft-stack' needs a file, or - for standard input");
    return 2;
  }
  if (document.language.id !== 'ptx')
    throw new UsageError(`soft-stack is for PTX; ${path} is ${document.language.name}`);
  for (const name of args.functionNames)
    if (document.declarations(name).length === 0) throw new NotFoundError(`no function is called '${name}'`);
  if (document.text.includes('\ufffd')) {
    io.error(`spillway: ${path}: it is not UTF-8, and would not be written as it was read\n`);
    return 2;
  }
  const options: SoftStackOptions = {
    ...(args.functionNames.length === 0 ? {} : { functions: args.functionNames }),
    ...(args.mainKernel === undefined ? {} : { mainKernel: kernelName(args.mainKernel, document) }),
    frameAlignment: alignment,
    lanes: args.perLane ? 'own' : args.uniform ? 'uniform' : 'checked',
  };
  return answer(context, path, document, options);
}

/** What does not say its language by its name, as standard input, is PTX: there is nothing else to move. */
function asPtx(context: Context, path: string): Context {
  const { args, pairs } = context;
  if (args.language !== undefined || (path !== '-' && languageForPath(path, pairs) !== undefined))
    return context;
  return { ...context, args: { ...args, language: 'ptx' } };
}

function alignmentFrom(given: string | undefined): 8 | 16 {
  if (given === undefined || given === '16') return 16;
  if (given === '8') return 8;
  throw new UsageError(`--frame-alignment is '${given}'; it must be 8 or 16`);
}

/** The kernel that was named, or the only one. */
function kernelName(given: string, document: Document): string {
  if (given !== '') return given;
  const kernels = document.units.flatMap((unit) => {
    const f = unit.function;
    return f?.isEntry === true ? [f.name] : [];
  });
  // a kernel that has its entry already is still the one
  const bodies = kernels.filter((name) => document.declarations(`${name}$impl`).length > 0);
  const [only, ...others] = bodies.length > 0 ? bodies : kernels;
  if (only === undefined)
    throw new NotFoundError('the file has no kernel; name the function to start with: --main-kernel NAME');
  if (others.length > 0)
    throw new UsageError(
      `the file has ${count(others.length + 1, 'kernel')}; choose one: --main-kernel ${only}`,
    );
  return only;
}

function answer({ args, io }: Context, path: string, document: Document, options: SoftStackOptions): number {
  // its language is PTX
  const units = document.units.map(({ start, bound }) => ({ start, bound: bound as PtxBound }));
  const result = moveToSoftStack(units, options);
  const name = path === '-' ? 'standard input' : path;
  for (const { function: f, span, reason } of result.refusals)
    io.error(`${name}:${document.lines.lineAt(span.start) + 1}: ${f} is not moved: ${reason}\n`);
  for (const { span, severity, message } of result.notes)
    io.error(`${name}:${document.lines.lineAt(span.start) + 1}: ${severity}: ${message}\n`);
  const told = result.functions.map(({ name: f, bytes }) => `${name}: ${f}: ${frameWords(bytes)}\n`);
  if (args.check) {
    const isRefused = result.refusals.length > 0;
    io.out(told.length > 0 || isRefused ? told.join('') : `${name}: nothing to move\n`);
    return isRefused ? 1 : 0;
  }
  if (result.refusals.length > 0) {
    const refused = new Set(result.refusals.map((refusal) => refusal.function));
    io.error(
      `spillway: ${name}: nothing is written, since ${count(refused.size, 'function')} cannot be moved; --function NAME moves others alone\n`,
    );
    return 1;
  }
  for (const line of told) io.error(line);
  if (result.functions.length > 0)
    io.error(note(options) + noteOnKernels(document, result.functions, options));
  return write({ args, io }, rewritten(document.text, units, result.edits));
}

const frameWords = (bytes: number): string =>
  bytes === 0 ? 'what it allocates at run time' : `a frame of ${count(bytes, 'byte')}`;

/** What has to be so when the result runs. */
function note({ lanes, mainKernel }: SoftStackOptions): string {
  const owner =
    lanes === 'own'
      ? 'each lane has a stack of its own'
      : 'all lanes of a warp share its stack: lanes must lie in %tid.x, warps in %tid.y, and one lane of a warp runs or all do the same';
  const start = mainKernel === undefined ? '; something must set the stacks up before (--main-kernel)' : '';
  return `note: ${owner}${start}\n`;
}

/** Kernels that are moved beside the main one get no entry: their slots hold nothing. */
function noteOnKernels(
  document: Document,
  moved: readonly MovedFunction[],
  { mainKernel }: SoftStackOptions,
): string {
  if (mainKernel === undefined) return '';
  const entries = new Set(document.units.flatMap(({ function: f }) => (f?.isEntry === true ? [f.name] : [])));
  const others = moved.map(({ name }) => name).filter((name) => name !== mainKernel && entries.has(name));
  if (others.length === 0) return '';
  const [verb, whose] = others.length === 1 ? ['gets', 'its'] : ['get', 'their'];
  return `note: ${others.join(', ')} ${verb} no entry that sets ${whose} stacks up; something else must, before ${others.length === 1 ? 'it starts' : 'they start'}\n`;
}

function write({ args, io }: { readonly args: Arguments; readonly io: Context['io'] }, text: string): number {
  if (args.output === undefined || args.output === '-') {
    io.out(text);
    return 0;
  }
  if (io.disk === undefined) throw new UsageError('--output needs a file system');
  try {
    io.disk.write(args.output, text);
    return 0;
  } catch (error) {
    io.error(`spillway: ${args.output}: ${writeFault(error)}\n`);
    return 2;
  }
}
