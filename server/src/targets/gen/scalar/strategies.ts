import type { Allocation } from '../allocation.js';
import type { Attempt } from '../compilation.js';
import { estimate } from '../estimate/estimate.js';
import { loopWeight } from '../loop-weight.js';
import type { Program } from '../program.js';
import { allocateWithPool, analyse, type Analysis, type PoolOptions } from './allocate-program.js';
import { rewiden } from './rewiden.js';
import { scheduleAfter } from './schedule-after.js';
import { allocateWithTemporaries } from './temporaries.js';

/**
 * Beignet's strategy list (facts A.15, gen_program.cpp, compileKernel): widths and pools in the order in which they are
 * tried. By default SIMD16 never spills, since recompiling for SIMD8 costs less than reloads of 16 lanes; a kernel that
 * must be SIMD16 may, up to a threshold.
 */
export interface BeignetOptions {
  /** Forces the width. */
  readonly width?: 8 | 16;
  readonly maxRegisters?: number | undefined;
  /** Registers that SIMD16 may spill before the strategy fails: OCL_SIMD16_SPILL_THRESHOLD. */
  readonly spillThreshold?: number | undefined;
  /** OCL_REUSE_HOLE_REG. */
  readonly reusesHoles?: boolean | undefined;
}

export interface Strategy {
  readonly width: number;
  /** GRFs of the pool. */
  readonly reserved: number;
}

const SPILL_THRESHOLD = 16;

const inSimd8: readonly Strategy[] = [
  { width: 8, reserved: 0 },
  { width: 8, reserved: 8 },
  { width: 8, reserved: 16 },
];

/** The entries to try for a program, in order. */
export function strategiesOf(program: Program, options: BeignetOptions): readonly Strategy[] {
  const list = entries(program, options);
  const { pool } = program;
  if (pool === undefined) return list;
  // the program says how large its pool is: entries with another one cannot be
  const first = list.findIndex(({ reserved }) => reserved > 0);
  return list.flatMap((entry, k) => {
    if (entry.reserved === 0) return [entry];
    return k === first ? [{ ...entry, reserved: pool.count }] : [];
  });
}

function entries(program: Program, { width }: BeignetOptions): readonly Strategy[] {
  if (program.dialect === 'selection' && program.width === 16) {
    if (width === 8) return inSimd8;
    if (width === 16) return [0, 8, 16].map((reserved) => ({ width: 16, reserved }));
    return [{ width: 16, reserved: 0 }, ...inSimd8];
  }
  // a program of another width, and i965's, cannot be made wider or narrower
  return [0, 8, 16].map((reserved) => ({ width: program.width, reserved }));
}

export const strategyName = ({ width, reserved }: Strategy): string =>
  reserved === 0 ? `simd${width}` : `simd${width}+pool${reserved}`;

export interface BeignetResult {
  /** The first allocation that was found, or the last refusal. */
  readonly allocation: Allocation;
  /** The program that was allocated, re-widened where the strategy says so. */
  readonly program: Program;
  readonly attempts: readonly Attempt[];
}

/** The program in the width of an entry, undefined where it cannot be read so. */
class Widths {
  private narrow: { readonly program: Program | undefined } | undefined;
  private readonly analyses = new Map<Program, Analysis>();

  constructor(readonly program: Program) {}

  of(width: number): Program | undefined {
    if (width === this.program.width) return this.program;
    return (this.narrow ??= { program: rewiden(this.program) }).program;
  }

  analysis(program: Program): Analysis {
    let known = this.analyses.get(program);
    if (known === undefined) this.analyses.set(program, (known = analyse(program)));
    return known;
  }
}

export function allocateBeignet(program: Program, options: BeignetOptions = {}): BeignetResult {
  return allocateFirst(
    new Widths(program),
    program.dialect === 'vec4' ? [] : strategiesOf(program, options),
    options,
  );
}

/** Entries in order, until one fits. */
function allocateFirst(widths: Widths, list: readonly Strategy[], options: BeignetOptions): BeignetResult {
  const attempts: Attempt[] = [];
  let allocation: Allocation = {
    kind: 'refused',
    reason: 'REGISTER_ALLOCATION_FAIL',
    detail: 'vec4 programs have no strategies of the scalar back-end',
    instruction: -1,
  };
  let tried = widths.program;
  for (const strategy of list) {
    const name = strategyName(strategy);
    const candidate = widths.of(strategy.width);
    if (candidate === undefined) {
      attempts.push(notNarrower(name, strategy.width));
      continue;
    }
    tried = candidate;
    const pool: PoolOptions = {
      reserved: strategy.reserved,
      maxRegisters: options.maxRegisters,
      reusesHoles: options.reusesHoles,
      ...(candidate.width >= 16 && { spillThreshold: options.spillThreshold ?? SPILL_THRESHOLD }),
    };
    allocation = allocateWithPool(candidate, pool, widths.analysis(candidate));
    attempts.push(attempted(name, allocation));
    if (allocation.kind === 'allocated') break;
  }
  return { allocation, program: tried, attempts };
}

/** What an allocation is for the list of attempts. */
export function attempted(name: string, allocation: Allocation): Attempt {
  if (allocation.kind === 'allocated') return { name };
  const { reason, detail, instruction } = allocation;
  return { name, failure: reason, detail, ...(instruction >= 0 && { instruction }) };
}

const notNarrower = (name: string, width: number): Attempt => ({
  name,
  failure: 'REGISTER_ALLOCATION_FAIL',
  detail: `the program cannot be read as one of ${width} lanes: it works on halves in ways of its own`,
});

/**
 * Selection programs in i965's manner, or in the best we know: in each width without spills, the wider one first, and
 * where none fits, spilled in the last one. In i965's manner that is with a temporary for each reference of a spilled
 * register. The best compares that, the same with values kept and computed again, and Beignet's pool, and takes the
 * one with the least scratch messages, loops counted ten times, then with the least cycles.
 */
export function allocateSelection(
  program: Program,
  options: BeignetOptions,
  manner: 'i965' | 'best',
): BeignetResult {
  const list = strategiesOf(program, options);
  const inRegisters = list.filter(({ reserved }) => reserved === 0);
  const widths = new Widths(program);
  const without = allocateFirst(widths, inRegisters, options);
  if (without.allocation.kind === 'allocated') return without;
  const { width } = list[list.length - 1];
  const spilling = widths.of(width);
  if (spilling === undefined) return without;
  const analysis = widths.analysis(spilling);
  const name = `simd${width}+temporaries`;
  const { maxRegisters, reusesHoles } = options;
  const temporaries = (better: boolean): Spilling => {
    const ways = { maxRegisters, reusesHoles, keeps: better, recomputes: better };
    return { name, allocation: allocateWithTemporaries(spilling, ways, analysis) };
  };
  const found = [temporaries(manner === 'best')];
  const compares = program.instructions.length <= LONG || found[0].allocation.kind === 'refused';
  if (manner === 'best' && compares) {
    found.push(temporaries(false));
    for (const strategy of list.filter((entry) => entry.reserved > 0 && entry.width === width)) {
      const pool = { reserved: strategy.reserved, maxRegisters, reusesHoles };
      const allocation = allocateWithPool(spilling, pool, analysis);
      found.push({ name: strategyName(strategy), allocation });
      if (allocation.kind === 'allocated') break;
    }
  }
  const won = leastOf(found, analysis);
  const attempts = [
    ...without.attempts,
    ...(won.allocation.kind === 'allocated' ? [won] : found).map((one) =>
      attempted(one.name, one.allocation),
    ),
  ];
  return { allocation: won.allocation, program: spilling, attempts };
}

interface Spilling {
  readonly name: string;
  readonly allocation: Allocation;
}

/** Beyond so many instructions the best temporaries are taken without a look at the others. */
const LONG = 4000;

function leastOf(found: readonly Spilling[], analysis: Analysis): Spilling {
  const messages = found.map(({ allocation }) => weightedMessages(allocation, analysis));
  const least = Math.min(...messages);
  const equal = found.filter((_, k) => messages[k] === least);
  if (equal.length === 1 || least === Infinity) return equal[0];
  const cycles = equal.map(({ allocation }) =>
    allocation.kind === 'allocated' ? estimate(scheduleAfter(allocation.code).program).cycles : Infinity,
  );
  return equal[cycles.indexOf(Math.min(...cycles))];
}

/** Scratch messages that the allocation added, each counted ten times for every loop around it. */
function weightedMessages(allocation: Allocation, { skeleton }: Analysis): number {
  if (allocation.kind === 'refused') return Infinity;
  const { instructions, blockStart } = allocation.code;
  let sum = 0;
  for (let block = 0; block + 1 < blockStart.length; block++) {
    const weight = loopWeight(skeleton.loops.depth[block + 1]);
    for (let i = blockStart[block]; i < blockStart[block + 1]; i++)
      if (instructions[i].opcode.scratch !== undefined && instructions[i].origin < 0) sum += weight;
  }
  return sum;
}
