import type { Problem } from '../../../text/problem.js';
import { span } from '../../../text/span.js';
import { count } from '../../../text/words.js';
import { machine } from '../architectures.js';
import { analysisOf } from '../code/analysis.js';
import { GENERAL } from '../code/code.js';
import type { Launchable } from '../limits.js';
import { registersForBlocks } from '../occupancy.js';
import { reallocationOf } from './setmaxnreg.js';
import type { Advised } from './advised.js';

/**
 * So near to the limit ptxas often spills one or two values that the model finds a place for: of 13 kernels of the
 * reference set that are, 9 have 8 or 16 bytes of spills.
 */
const NEAR = 2;

/**
 * Spills that a limit forces, with the arithmetic between block size and registers: 65 536 registers an SM, shared by
 * so many threads. ptxas says nothing of it but the bytes.
 */
export function launchBoundProblems(c: Advised, launchable: Launchable): Problem[] {
  const { spills, limit, limitedBy, registers } = c.stats;
  const f = c.source;
  const bound = bounds[limitedBy];
  if (bound === undefined || !f.isEntry) return [];
  if (spills.registers === 0) {
    if (registers.general < limit - NEAR || reallocationOf(f, launchable)?.entry !== undefined) return [];
    return [
      {
        code: 'spill/launch-bounds',
        severity: 'hint',
        span: span(f.nameStart, f.nameEnd),
        message: `${bound.leaves(c, launchable)} ${count(limit, 'register')} a thread, and ${registers.general} are expected (${c.model}): ptxas may have to spill a few bytes`,
      },
    ];
  }
  const bytes = spills.storeBytes + spills.loadBytes;
  return [
    {
      code: 'spill/launch-bounds',
      severity: 'warning',
      span: span(f.nameStart, f.nameEnd),
      message: `${bound.leaves(c, launchable)} ${count(limit, 'register')} a thread, and that forces ${count(spills.registers, 'register')} to be spilled (${count(bytes, 'byte')} stored and loaded a thread, ${c.model}); ${bound.wayOut(c, launchable)}`,
      ...bound.fix?.(c, launchable),
    },
  ];
}

function blocksIn(c: Advised, { threads, minBlocks: blocks = 1 }: Launchable): string {
  return `${count(blocks, 'block')} of ${count(threads, 'thread')} an SM (${c.stats.limitedBy}${blocks > 1 ? ', .minnctapersm' : ''}) ${blocks > 1 ? 'leave' : 'leaves'}`;
}

/** Registers that ptxas needs beyond those live at once (measured: 2 to 6 on kernels of every architecture, mostly 4). */
const OVERHEAD = 4;

const neededIn = ({ code }: Advised): number =>
  Math.min(machine.maxRegistersPerThread, (analysisOf(code.f).pressure.peak[GENERAL] ?? 0) + OVERHEAD);

/** The largest block, in whole warps, that leaves so many registers a thread to each of `blocks`; 0 if none does. */
export function largestBlock(registers: number, blocks: number): number {
  for (let threads: number = machine.maxThreadsPerBlock; threads > 0; threads -= machine.threadsPerWarp)
    if (registersForBlocks(threads, blocks) >= registers) return threads;
  return 0;
}

/** The most blocks, fewer than are asked for, that leave so many registers a thread; 0 if none do. */
function fewerBlocks(needed: number, { threads, minBlocks: blocks = 1 }: Launchable): number {
  let fewer = blocks - 1;
  while (fewer > 0 && registersForBlocks(threads, fewer) < needed) fewer--;
  return Math.max(0, fewer);
}

function smallerBlocks(c: Advised, launchable: Launchable): string {
  const { threads, minBlocks: blocks = 1 } = launchable;
  const needed = neededIn(c);
  if (needed <= c.stats.limit) return 'ask for fewer threads or blocks, or shorten live ranges at the peak';
  const parts: string[] = [];
  const fewer = fewerBlocks(needed, launchable);
  if (fewer > 0) parts.push(`.minnctapersm ${fewer}`);
  const most = largestBlock(needed, blocks);
  if (most > 0 && most < threads) parts.push(`blocks of at most ${count(most, 'thread')}`);
  if (parts.length === 0) return `about ${needed} would be needed: shorten live ranges at the peak`;
  return `about ${needed} would be needed, which ${parts.join(' or ')} would leave`;
}

/** Registers a thread that the size of the block and the number of blocks leave; all where nothing says how large they are. */
const leftByThreads = ({ threads, threadsAssumed, minBlocks = 1 }: Launchable): number =>
  threadsAssumed ? machine.maxRegistersPerThread : registersForBlocks(threads, minBlocks);

interface Bound {
  leaves(c: Advised, launchable: Launchable): string;
  wayOut(c: Advised, launchable: Launchable): string;
  /** The part of the way out that is an edit of one directive. */
  fix?(c: Advised, launchable: Launchable): Pick<Problem, 'directiveFix'>;
}

const threadsBound: Bound = {
  leaves: blocksIn,
  wayOut: smallerBlocks,
  fix: (c, launchable) => {
    const needed = neededIn(c);
    const { maxRegisters } = c.source.attributes;
    const isHeldBy = typeof maxRegisters === 'number' && maxRegisters < needed;
    const fewer = isHeldBy || needed <= c.stats.limit ? 0 : fewerBlocks(needed, launchable);
    return fewer === 0 ? {} : { directiveFix: { directive: '.minnctapersm', value: fewer } };
  },
};

/** By what set the limit (`Stats.limitedBy`). */
const bounds: Readonly<Record<string, Bound | undefined>> = {
  '.maxntid': threadsBound,
  '.reqntid': threadsBound,
  '.maxnreg': {
    leaves: () => '.maxnreg leaves',
    wayOut: (c, launchable) => {
      const needed = neededIn(c);
      const most = leftByThreads(launchable);
      if (needed <= c.stats.limit) return 'raise it or leave it out, or shorten live ranges at the peak';
      if (needed <= most) return `about ${needed} would be needed: raise it or leave it out`;
      const { threads, minBlocks = 1 } = launchable;
      const blocks = minBlocks === 1 ? 'blocks' : count(minBlocks, 'block');
      return `about ${needed} would be needed, and ${blocks} of ${count(threads, 'thread')} can have ${most}: take smaller${minBlocks === 1 ? '' : ' or fewer'} blocks, or shorten live ranges at the peak`;
    },
    fix: (c, launchable) => {
      const needed = neededIn(c);
      // registers are given in parts of eight a thread
      const part = machine.registerGranularity;
      const value = Math.min(Math.ceil((needed + NEAR + 1) / part) * part, machine.maxRegistersPerThread);
      if (needed <= c.stats.limit || value > leftByThreads(launchable)) return {};
      return { directiveFix: { directive: '.maxnreg', value } };
    },
  },
  option: {
    leaves: () => 'the option --maxrregcount leaves',
    wayOut: (c) =>
      `about ${neededIn(c)} would be needed: raise it, or say how many threads a block has (.maxntid): then ptxas ignores the option, and blocks of up to ${count(largestBlock(neededIn(c), 1), 'thread')} leave enough`,
  },
};
