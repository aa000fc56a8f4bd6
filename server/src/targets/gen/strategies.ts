import type { Allocation } from './allocation.js';
import type { StrategyName } from './compilation.js';
import type { Program } from './program.js';
import { setDependencyControl } from './vec4/dependency-control.js';

/**
 * What is tried, in which order, until something fits. Strategies are data: a back-end is a list of entries, each of
 * which takes the decoded program and says what went into allocation and what came of it.
 */
export interface Entry {
  /** `simd16`, `simd8+pool8`, `lifo`. */
  readonly name: string;
  readonly run: (program: Program) => Tried;
}

export interface Tried {
  readonly lowered: Program;
  readonly allocation: Allocation;
}

export interface StrategyOptions {
  /** Selection programs: the width with which the list begins. */
  readonly width?: 8 | 16;
}

type Entries = (program: Program, options: StrategyOptions) => readonly Entry[];

const none: Entries = () => [];

export const strategies: Readonly<Record<StrategyName, Entries>> = {
  best: none,
  i965: none,
  beignet: none,
};

/** What follows allocation. */
export function finish(allocated: Program): Program {
  return allocated.dialect === 'vec4' ? setDependencyControl(allocated) : allocated;
}
