import type { Allocation } from './allocation.js';
import { bestOf } from './best/index.js';
import type { Attempt, StrategyName } from './compilation.js';
import { allocateScalar } from './i965/allocate-scalar.js';
import { allocateVec4 } from './i965/allocate-vec4.js';
import type { Dialect, Program } from './program.js';
import {
  allocateBeignet,
  allocateSelection,
  attempted,
  scheduleAfter,
  scheduleBefore,
} from './scalar/index.js';
import { orderBefore } from './schedule/before.js';
import { schedule } from './schedule/schedule.js';
import { setDependencyControl } from './vec4/dependency-control.js';
import { lowerVec4 } from './vec4/lower.js';

/**
 * Whose back-end is followed, as data: for each strategy and dialect what goes before allocation, the allocation (a
 * list of attempts of which the first that fits wins), and what follows it (facts A.1, A.15, B.5, G.11).
 */
export interface Strategy {
  /** Whose back-end it is. */
  readonly of: StrategyName;
  readonly prepare?: Pass;
  readonly allocate: Allocate;
  /** What is tried beside, where the program is not too long: the best of all is taken. */
  readonly others?: readonly Allocate[];
  /** Behind allocation. */
  readonly finish: readonly Pass[];
}

export type Pass = (program: Program) => Program;
export type Allocate = (program: Program, options: StrategyOptions) => Outcome;

export interface Outcome {
  /** In order; the last one is the one that won, where one did. */
  readonly attempts: readonly Attempt[];
  /** What the allocation is of. */
  readonly lowered: Program;
  readonly allocation: Allocation;
}

export interface StrategyOptions {
  /** Selection programs: the width that is forced. */
  readonly width?: 8 | 16;
  readonly maxRegisters?: number;
}

const best: Allocate = (program) => {
  const { lowered, allocation } = bestOf(program);
  return { attempts: [attempted('best', allocation)], lowered, allocation };
};

const beignet: Allocate = (program, options) => {
  const { allocation, program: lowered, attempts } = allocateBeignet(program, options);
  return { attempts, lowered, allocation };
};

const selection =
  (manner: 'i965' | 'best'): Allocate =>
  (program, options) => {
    const { allocation, program: lowered, attempts } = allocateSelection(program, options, manner);
    return { attempts, lowered, allocation };
  };

const i965Vec4: Allocate = (program) => {
  const allocation = allocateVec4(program);
  return { attempts: [attempted('i965', allocation)], lowered: program, allocation };
};

/**
 * The scalar back-end schedules before it allocates, in three ways, each from the order that the one before has left;
 * only with the last it may spill (facts G.11).
 */
const i965Scalar: Allocate = (program) => {
  const attempts: Attempt[] = [];
  let lowered = program;
  let allocation: Allocation | undefined;
  for (const mode of scalarModes) {
    lowered = schedule(lowered, { as: 'i965', mode });
    allocation = allocateScalar(lowered, { maySpill: mode === 'lifo' });
    attempts.push(attempted(mode, allocation));
    if (allocation.kind === 'allocated') break;
  }
  return { attempts, lowered, allocation: allocation ?? allocateScalar(program) };
};

const scalarModes = ['top-down', 'non-lifo', 'lifo'] as const;

/** Latency first, while a twentieth of the registers is free. */
const withinRegisters: Pass = (program) =>
  orderBefore(program, { limit: Math.floor(0.95 * program.registerLimit) });
const after =
  (order: Pass, allocate: Allocate): Allocate =>
  (program, options) =>
    allocate(order(program), options);

const inMode =
  (mode: (typeof scalarModes)[number]): Pass =>
  (program) =>
    schedule(program, { as: 'i965', mode });

/** i965's colouring spreads registers wide: what waits for nothing else may be ahead with it. */
const coloured: Allocate = (program) => {
  const allocation = allocateScalar(program, { maySpill: false });
  return { attempts: [attempted('best', allocation)], lowered: program, allocation };
};

const byEstimate: Pass = (program) => schedule(program, { as: 'best' });
const byReference: Pass = (program) => schedule(program, { as: 'i965', mode: 'post' });
const byBeignet: Pass = (program) => scheduleAfter(program).program;
const safeDependencyControl: Pass = (program) => setDependencyControl(program);
const referenceDependencyControl: Pass = (program) => setDependencyControl(program, { as: 'reference' });

const bestVec4: Strategy = {
  of: 'best',
  prepare: lowerVec4,
  allocate: best,
  others: [after(withinRegisters, best)],
  finish: [byEstimate, safeDependencyControl],
};
const bestScalar: Strategy = {
  of: 'best',
  allocate: best,
  others: [
    after(withinRegisters, best),
    after(inMode('non-lifo'), best),
    after(inMode('top-down'), coloured),
  ],
  finish: [byEstimate],
};
/** Beignet has an order of low pressure too, and leaves it out by default. */
const bestSelection: Strategy = {
  of: 'best',
  allocate: selection('best'),
  others: [after(scheduleBefore, selection('best'))],
  finish: [byBeignet],
};
const referenceVec4: Strategy = {
  of: 'i965',
  prepare: lowerVec4,
  allocate: i965Vec4,
  finish: [byReference, referenceDependencyControl],
};
const referenceScalar: Strategy = { of: 'i965', allocate: i965Scalar, finish: [byReference] };
const temporaries: Strategy = { of: 'i965', allocate: selection('i965'), finish: [byBeignet] };
const pool: Strategy = { of: 'beignet', allocate: beignet, finish: [byBeignet] };

/**
 * Beignet's own scheduler keeps users of the pool in order, which i965's does not know of, in scalar programs too.
 * SIMD4x2 has no pool: its figures under `beignet` are i965's, and say so.
 */
export const strategies: Readonly<Record<StrategyName, Readonly<Record<Dialect, Strategy>>>> = {
  best: { vec4: bestVec4, scalar: bestScalar, selection: bestSelection },
  i965: { vec4: referenceVec4, scalar: referenceScalar, selection: temporaries },
  beignet: { vec4: referenceVec4, scalar: pool, selection: pool },
};

/** Whose back-end the figures are really from. */
export const followed = (name: StrategyName, dialect: Dialect): StrategyName => strategies[name][dialect].of;
