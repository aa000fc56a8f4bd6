/**
 * What there is to say of a compiled program, each finding with the figures that it rests on. Codes are documented in
 * docs/diagnostics.md. What a program of ordinary size always has (a unit that bounds a block, values in registers,
 * words that wait) is a hint; only what makes it unusable is an error.
 */
import type { Problem } from '../../../text/problem.js';
import type { GpCompilation } from '../compilation.js';
import { limitProblems } from './limits.js';
import { unitProblems } from './units.js';
import { spillProblems } from './spills.js';
import { stallProblems } from './stalls.js';

export type Compiled = Omit<GpCompilation, 'problems'>;

export const problemsOf = (c: Compiled): Problem[] => [
  ...limitProblems(c),
  ...unitProblems(c),
  ...spillProblems(c),
  ...stallProblems(c),
];
