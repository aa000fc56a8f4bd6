import type { Allocation } from '../allocation.js';
import type { Attempt } from '../compilation.js';
import type { Program } from '../program.js';
import { allocateWithPool, analyse, type Analysis, type PoolOptions } from './allocate-program.js';
import { rewiden } from './rewiden.js';

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

export function allocateBeignet(program: Program, options: BeignetOptions = {}): BeignetResult {
  const attempts: Attempt[] = [];
  let allocation: Allocation = {
    kind: 'refused',
    reason: 'REGISTER_ALLOCATION_FAIL',
    detail: 'vec4 programs have no strategies of the scalar back-end',
    instruction: -1,
  };
  let tried = program;
  let narrow: Program | undefined;
  let analysis: Analysis | undefined;
  if (program.dialect === 'vec4') return { allocation, program, attempts };
  for (const strategy of strategiesOf(program, options)) {
    const name = strategyName(strategy);
    const candidate = strategy.width === program.width ? program : (narrow ??= rewiden(program));
    if (candidate === undefined) {
      const detail = `the program cannot be read as one of ${strategy.width} lanes: it works on halves in ways of its own`;
      attempts.push({ name, failure: 'REGISTER_ALLOCATION_FAIL', detail });
      continue;
    }
    if (candidate !== tried || analysis === undefined) analysis = analyse(candidate);
    tried = candidate;
    const pool: PoolOptions = {
      reserved: strategy.reserved,
      maxRegisters: options.maxRegisters,
      reusesHoles: options.reusesHoles,
      ...(candidate.width >= 16 && { spillThreshold: options.spillThreshold ?? SPILL_THRESHOLD }),
    };
    allocation = allocateWithPool(candidate, pool, analysis);
    if (allocation.kind === 'allocated') {
      attempts.push({ name });
      break;
    }
    const { reason, detail, instruction } = allocation;
    attempts.push({ name, failure: reason, detail, ...(instruction >= 0 && { instruction }) });
  }
  return { allocation, program: tried, attempts };
}
