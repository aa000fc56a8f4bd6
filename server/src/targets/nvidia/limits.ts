import type { Function } from '../../ir/function.js';
import { count } from '../../text/words.js';
import type { Settled, TargetOptions } from '../target.js';
import { architectureOf, architectures, machine, namesOf, type Architecture } from './architectures.js';
import { registersForBlocks } from './occupancy.js';

/**
 * What the function is compiled for: architecture, threads a block, registers a thread.
 *
 * Measured with ptxas 13.0, one directive varied at a time:
 *
 * - `.maxnreg` is the limit, and the size of the block then sets none (`.maxnreg 100 .maxntid 1024`: 100 registers, which
 *   no launch of 1024 threads gets). Above 255 it is ignored with a warning, and still keeps the others out.
 * - `.maxntid` or `.reqntid` limit to what lets one block of that size into the register file, with `.minnctapersm` so
 *   many blocks; that holds beside `.maxnreg`, the tighter one counts.
 * - `.minnctapersm` is dropped with a warning where so many blocks, or their threads in whole warps, are more than an
 *   SM holds.
 * - A function with any of them silently ignores `--maxrregcount`. Else that is the limit, else the machine's 255.
 * - A limit below 24 is raised to it.
 */
export interface Launchable {
  readonly architecture: Architecture;
  /** The architecture as it was asked for, with its suffix: `sm_90a`. Its limits are those of `architecture`. */
  readonly name: string;
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
  /** The option `maxRegisters`, where a directive that says something else made it have no effect. */
  readonly ignoredOption?: number;
  /** What `.maxnreg` says, where that is more than a thread can have and so ignored. */
  readonly ignoredDirective?: number;
  /** What a limit says that is raised to the least that ptxas gives. */
  readonly raisedLimit?: number;
  /** Blocks an SM that must be resident at once (`.minnctapersm`); absent where nothing says it, or too many. */
  readonly minBlocks?: number;
  /** What `.minnctapersm` says, where an SM does not hold so many. */
  readonly ignoredBlocks?: number;
  /** `.target sm_90, debug`: ptxas compiles without optimisation, whatever else is asked for. */
  readonly isDebug: boolean;
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
    name: nameOf(architecture ?? architectures[0], named),
    ...(named !== undefined && architecture === undefined && { unknownArchitecture: named }),
    ...(architecture !== undefined && unfit(architecture, named, textOf(f.attributes.arch))),
    threads: threads ?? ASSUMED_THREADS,
    threadsAssumed: threads === undefined,
    isDebug: f.attributes.debug === 1,
    staticShared: numberOf(f.attributes.sharedBytes) ?? 0,
    dynamicShared: numberOf(options.sharedBytes) ?? 0,
    ...registerLimit(f, options, required, most, architecture ?? architectures[0]),
  };
}

/** What was written, if it names just that architecture; `compute_90a` is `sm_90a`. */
function nameOf(architecture: Architecture, written: string | undefined): string {
  const name = (written ?? '').replace(/^compute_/, 'sm_');
  return namesOf(architecture).includes(name) ? name : architecture.name;
}

/**
 * Code for a newer architecture does not compile for an older one; code that uses the features of one architecture
 * (`sm_90a`) or family (`sm_100f`) compiles for that one alone (CUDA guide, "Application Compatibility"; ptxas 13.0
 * refuses the others). A name without suffix is taken for that with the file's own.
 */
function unfit(
  architecture: Architecture,
  named: string | undefined,
  target: string | undefined,
): Pick<Launchable, 'unfitTarget'> {
  const match = /^sm_(\d{2,3})([af]?)$/.exec(target ?? '');
  if (match === null) return {};
  const written = Number(match[1]);
  const { name, capability } = architecture;
  const isOther =
    match[2] === 'a'
      ? architectureOf(match[0]) !== architecture || ![name, match[0]].includes(nameOf(architecture, named))
      : match[2] === 'f' && Math.floor(written / 10) !== Math.floor(capability / 10);
  return written > capability || isOther ? { unfitTarget: match[0] } : {};
}

type RegisterLimit = Pick<
  Launchable,
  'limit' | 'limitedBy' | 'ignoredOption' | 'ignoredDirective' | 'raisedLimit' | 'minBlocks' | 'ignoredBlocks'
>;

function registerLimit(
  { attributes }: Function,
  options: TargetOptions,
  required: number | undefined,
  most: number | undefined,
  architecture: Architecture,
): RegisterLimit {
  const directive = numberOf(attributes.maxRegisters);
  const option = numberOf(options.maxRegisters);
  const threads = required ?? most;
  const asked = threads === undefined ? undefined : numberOf(attributes.minBlocks);
  const isTooMany = asked !== undefined && threads !== undefined && !holds(architecture, asked, threads);
  const minBlocks = isTooMany ? undefined : asked;
  const bounds: { limit: number; limitedBy: string }[] = [];
  if (directive !== undefined && directive <= machine.maxRegistersPerThread)
    bounds.push({ limit: directive, limitedBy: '.maxnreg' });
  if (threads !== undefined && (directive === undefined || minBlocks !== undefined))
    bounds.push({
      limit: registersForBlocks(threads, minBlocks ?? 1),
      limitedBy: required !== undefined ? '.reqntid' : '.maxntid',
    });
  const isBound = directive !== undefined || threads !== undefined;
  if (option !== undefined && option <= machine.maxRegistersPerThread && !isBound)
    bounds.push({ limit: option, limitedBy: 'option' });
  let tightest = { limit: machine.maxRegistersPerThread as number, limitedBy: 'machine' };
  for (const bound of bounds) if (bound.limit < tightest.limit) tightest = bound;
  const limit = Math.max(machine.minimumLimit, tightest.limit);
  return {
    limit,
    limitedBy: tightest.limitedBy,
    ...(option !== undefined &&
      isBound &&
      Math.max(machine.minimumLimit, option) !== limit && { ignoredOption: option }),
    ...(directive !== undefined &&
      directive > machine.maxRegistersPerThread && { ignoredDirective: directive }),
    ...(tightest.limit < machine.minimumLimit && { raisedLimit: tightest.limit }),
    ...(minBlocks !== undefined && { minBlocks }),
    ...(isTooMany && { ignoredBlocks: asked }),
  };
}

/** What the source says of registers and threads, against which the options have no effect. */
export function settled({
  source: f,
  options,
}: {
  readonly source: Function;
  readonly options: TargetOptions;
}): Settled[] {
  const { maxRegisters, requiredThreads, maxThreads } = f.attributes;
  const [directive, threads] =
    numberOf(requiredThreads) === undefined
      ? ['.maxntid', numberOf(maxThreads)]
      : ['.reqntid', numberOf(requiredThreads)];
  const bounds = [
    ...(numberOf(maxRegisters) === undefined ? [] : [`.maxnreg ${numberOf(maxRegisters)}`]),
    ...(threads === undefined ? [] : [`${directive} (${count(threads, 'thread')})`]),
  ];
  if (bounds.length === 0) return [];
  const registers: Settled = {
    option: 'maxRegisters',
    group: 'register limit',
    why: `the source sets ${bounds.join(' and ')}, for which ptxas ignores --maxrregcount`,
    isIgnored: launchableOf(f, options).ignoredOption !== undefined,
  };
  if (threads === undefined) return [registers];
  const why = `the source sets ${directive} (${count(threads, 'thread')})`;
  return [
    registers,
    { option: 'threads', why, isIgnored: (numberOf(options.threads) ?? threads) !== threads },
  ];
}

const holds = ({ maxBlocks, maxWarps }: Architecture, blocks: number, threads: number): boolean =>
  blocks <= maxBlocks && blocks * Math.ceil(threads / machine.threadsPerWarp) <= maxWarps;

const numberOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) && value > 0 ? Math.floor(value) : undefined;

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;
