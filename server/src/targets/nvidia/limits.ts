import type { Function } from '../../ir/function.js';
import type { TargetOptions } from '../target.js';
import { architectureOf, architectures, machine, type Architecture } from './architectures.js';
import { registersForBlocks } from './occupancy.js';

/**
 * What the function is compiled for: architecture, threads a block, registers a thread.
 *
 * ptxas takes a register limit from the first of these that there is: `.maxnreg`; the launch bounds `.maxntid` or
 * `.reqntid` with `.minnctapersm` (so many blocks must fit the register file at once); `--maxrregcount`; the machine. A
 * function with any of the directives silently ignores `--maxrregcount` (measured with ptxas 13.0), and a limit
 * below 24 is raised to it. A `.maxnreg` above 255 is ignored with a warning, and still keeps `--maxrregcount` out.
 */
export interface Launchable {
  readonly architecture: Architecture;
  /** Set when the name asked for is no architecture that is known. */
  readonly unknownArchitecture?: string;
  readonly threads: number;
  readonly threadsAssumed: boolean;
  /** Bytes a block: declared, and asked for at launch. */
  readonly staticShared: number;
  readonly dynamicShared: number;
  readonly limit: number;
  /** `.maxnreg`, `.maxntid`, `.reqntid`, `option` or `machine`. */
  readonly limitedBy: string;
  /** The option `maxRegisters`, where a directive made it have no effect. */
  readonly ignoredOption?: number;
  /** What `.maxnreg` says, where that is more than a thread can have and so ignored. */
  readonly ignoredDirective?: number;
  /** `.target` of the file, where the architecture that the option names cannot run what is written for it. */
  readonly unfitTarget?: string;
}

/** What occupancy is computed for where neither the source nor an option says how many threads a block has. */
export const ASSUMED_THREADS = 256;

export function launchableOf(f: Function, options: TargetOptions): Launchable {
  const named = textOf(options.arch) ?? textOf(f.attributes.arch);
  const architecture = named === undefined ? undefined : architectureOf(named);
  const required = numberOf(f.attributes.requiredThreads);
  const most = numberOf(f.attributes.maxThreads);
  const declared = required ?? most;
  const threads = declared ?? numberOf(options.threads);
  return {
    architecture: architecture ?? architectures[0],
    ...(named !== undefined && architecture === undefined && { unknownArchitecture: named }),
    ...(architecture !== undefined && unfit(architecture, textOf(f.attributes.arch))),
    threads: threads ?? ASSUMED_THREADS,
    threadsAssumed: threads === undefined,
    staticShared: numberOf(f.attributes.sharedBytes) ?? 0,
    dynamicShared: numberOf(options.sharedBytes) ?? 0,
    ...registerLimit(f, options, required, most),
  };
}

/**
 * Code for a newer architecture does not compile for an older one, and code that uses the features of one
 * architecture (`sm_90a`) compiles for that one alone (CUDA guide, "Application Compatibility"; ptxas refuses both).
 */
function unfit(architecture: Architecture, target: string | undefined): Pick<Launchable, 'unfitTarget'> {
  const match = /^sm_(\d{2,3})([af]?)$/.exec(target ?? '');
  if (match === null) return {};
  const written = Number(match[1]);
  const isUnfit =
    written > architecture.capability || (match[2] === 'a' && architectureOf(match[0]) !== architecture);
  return isUnfit ? { unfitTarget: match[0] } : {};
}

function registerLimit(
  f: Function,
  options: TargetOptions,
  required: number | undefined,
  most: number | undefined,
): Pick<Launchable, 'limit' | 'limitedBy' | 'ignoredOption' | 'ignoredDirective'> {
  const bounds: { limit: number; limitedBy: string }[] = [
    { limit: machine.maxRegistersPerThread, limitedBy: 'machine' },
  ];
  const directive = numberOf(f.attributes.maxRegisters);
  if (directive !== undefined) bounds.push({ limit: raised(directive), limitedBy: '.maxnreg' });
  const threads = required ?? most;
  if (threads !== undefined) {
    const blocks = numberOf(f.attributes.minBlocks) ?? 1;
    const limit = raised(registersForBlocks(threads, blocks));
    bounds.push({ limit, limitedBy: required !== undefined ? '.reqntid' : '.maxntid' });
  }
  const option = numberOf(options.maxRegisters);
  const isBound = bounds.length > 1;
  if (option !== undefined && option <= machine.maxRegistersPerThread && !isBound)
    bounds.push({ limit: raised(option), limitedBy: 'option' });
  let tightest = bounds[0];
  for (const bound of bounds) if (bound.limit < tightest.limit) tightest = bound;
  return {
    ...tightest,
    ...(option !== undefined && isBound && { ignoredOption: option }),
    ...(directive !== undefined &&
      directive > machine.maxRegistersPerThread && { ignoredDirective: directive }),
  };
}

const raised = (limit: number): number =>
  Math.min(machine.maxRegistersPerThread, Math.max(machine.minimumLimit, limit));

const numberOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) && value > 0 ? Math.floor(value) : undefined;

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;
