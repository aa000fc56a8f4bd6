import { type Function } from '../../../ir/function.js';
import type { Problem } from '../../../text/problem.js';
import { count } from '../../../text/words.js';
import { instructionSpan } from '../../spill-places.js';
import { machine } from '../architectures.js';
import { GENERAL } from '../code/code.js';
import type { Launchable } from '../limits.js';
import { operandText } from '../code/operands.js';
import type { Advised } from './advised.js';

/**
 * `setmaxnreg` hands registers from one group of warps to another while the kernel runs. What ptxas makes of it,
 * measured with ptxas 13.0 on sm_90a:
 *
 * - It must know how many registers a thread has at the entry: from `.maxnreg`, from `.minnctapersm` with the size of
 *   the block, or from `--maxrregcount` where that holds. Else every `setmaxnreg` is dropped, with advice C7508 only.
 * - Where it knows, the kernel is given exactly that many, whatever it needs: the limit, or the largest number of an
 *   `.inc` where all of them are below the limit.
 * - Behind a `setmaxnreg N` the code has N registers, fewer or more than the limit.
 * - A `.dec` to more than the kernel ever has is an error (C7406).
 */
export interface Reallocation {
  readonly sites: readonly ReallocationSite[];
  /** Registers a thread at the entry; undefined where ptxas cannot know and drops every site. */
  readonly entry: number | undefined;
  /** The most that a thread has anywhere. */
  readonly most: number;
}

interface ReallocationSite {
  readonly instruction: number;
  readonly isIncrease: boolean;
  readonly registers: number;
}

/** Undefined for a function without `setmaxnreg`. */
export function reallocationOf(f: Function, launchable: Launchable): Reallocation | undefined {
  const sites = sitesIn(f);
  if (sites.length === 0) return undefined;
  const { limit } = launchable;
  const increases = sites.filter((site) => site.isIncrease).map(({ registers }) => registers);
  const highest = increases.length === 0 ? limit : Math.max(...increases);
  return {
    sites,
    entry: isEntryKnown(f, launchable) ? Math.min(limit, highest) : undefined,
    most: increases.length === 0 ? limit : Math.max(limit, highest),
  };
}

function isEntryKnown({ attributes }: Function, launchable: Launchable): boolean {
  const { limitedBy, ignoredDirective, minBlocks } = launchable;
  const hasRegisters = attributes.maxRegisters !== undefined && ignoredDirective === undefined;
  return hasRegisters || minBlocks !== undefined || limitedBy === 'option';
}

function sitesIn(f: Function): ReallocationSite[] {
  const sites: ReallocationSite[] = [];
  const increase = f.opcodes.number('setmaxnreg.inc.sync.aligned.u32');
  const decrease = f.opcodes.number('setmaxnreg.dec.sync.aligned.u32');
  for (let i = 0; i < f.instructionCount; i++) {
    if (f.opcode[i] !== increase && f.opcode[i] !== decrease) continue;
    const registers = Number(operandText(f, f.operandStart[i]));
    if (Number.isInteger(registers) && registers > 0)
      sites.push({ instruction: i, registers, isIncrease: f.opcode[i] === increase });
  }
  return sites;
}

export function reallocationProblems(c: Advised, launchable: Launchable): Problem[] {
  const f = c.source;
  const found = reallocationOf(f, launchable);
  if (found === undefined || !f.isEntry) return [];
  const { entry, most, sites } = found;
  if (entry === undefined) return sites.map(({ instruction }) => ignored(f, instruction));
  const refused = sites.filter(({ isIncrease, registers }) => !isIncrease && registers > most);
  return [
    ...refused.map(({ instruction, registers }): Problem => ({
      code: 'hw/setmaxnreg',
      severity: 'error',
      span: instructionSpan(f, instruction),
      message: `setmaxnreg.dec to ${registers} gives nothing back: no thread of the kernel ever has more than ${most} registers (${c.stats.limitedBy}), and ptxas refuses it (C7406); write at most ${most}`,
    })),
    ...tightRegions(c, found),
  ];
}

function ignored(f: Function, instruction: number): Problem {
  const { maxThreads, requiredThreads } = f.attributes;
  const directive = requiredThreads !== undefined ? '.reqntid' : '.maxntid';
  const wayOut =
    maxThreads === undefined && requiredThreads === undefined
      ? 'say .maxnreg, or .maxntid with .minnctapersm'
      : `add .minnctapersm beside ${directive}, or .maxnreg`;
  return {
    code: 'pressure/setmaxnreg-ignored',
    severity: 'warning',
    span: instructionSpan(f, instruction),
    message: `setmaxnreg has no effect: nothing says how many registers a thread has at the entry, and ptxas drops it (C7508, a remark only); ${wayOut}`,
  };
}

/** In each region that a `setmaxnreg` governs, the place where most is live beyond its number. */
function tightRegions(c: Advised, { sites, entry = 0 }: Reallocation): Problem[] {
  const f = c.source;
  const governing = governingCounts(f, sites, entry);
  const during = c.asCompiled.during[GENERAL];
  const worst = new Map<number, number>();
  for (let i = 0; i < f.instructionCount; i++) {
    const at = worst.get(governing[i]);
    if (governing[i] > 0 && (at === undefined || during[i] > during[at])) worst.set(governing[i], i);
  }
  return [...worst].flatMap(([registers, i]): Problem[] => {
    const needed = during[i] + machine.stackPointer;
    if (registers === entry || needed <= registers) return [];
    const related = sites
      .filter((site) => site.registers === registers)
      .map(({ instruction }) => ({
        span: instructionSpan(f, instruction),
        message: `from here on a thread has ${registers}`,
      }));
    return [
      {
        code: 'pressure/setmaxnreg',
        severity: 'warning',
        span: instructionSpan(f, i),
        message: `${count(needed, 'register')} are needed here, and setmaxnreg has left ${registers}: what does not fit is spilled, though the kernel begins with ${entry}; leave more, or move the work to the warps that have them`,
        related,
      },
    ];
  });
}

/** By instruction: the count in force; 0 where paths bring different ones. Each block changes twice at most. */
function governingCounts(f: Function, sites: readonly ReallocationSite[], entry: number): Int32Array {
  const set = new Int32Array(f.instructionCount);
  for (const { instruction, registers } of sites) set[instruction] = registers;
  const atEntry = new Int32Array(f.blockCount).fill(-1);
  const counts = new Int32Array(f.instructionCount);
  const work = [0];
  if (f.blockCount > 0) atEntry[0] = entry;
  for (let block = work.pop(); block !== undefined && block < f.blockCount; block = work.pop()) {
    let now = atEntry[block];
    for (let i = f.blockStart[block]; i < f.blockStart[block + 1]; i++) {
      if (set[i] > 0) now = set[i];
      counts[i] = now;
    }
    for (let k = f.successorStart[block]; k < f.successorStart[block + 1]; k++) {
      const next = f.successors[k];
      const met = atEntry[next] === -1 || atEntry[next] === now ? now : 0;
      if (met === atEntry[next]) continue;
      atEntry[next] = met;
      work.push(next);
    }
  }
  return counts;
}
