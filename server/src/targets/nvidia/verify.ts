import { alignmentOf } from '../../passes/alignment.js';
import { checkAllocation, type Violation } from '../../passes/check-allocation.js';
import type { AllocatedCompilation } from '../target.js';
import { GAPS } from './allocation.js';
import { machine } from './architectures.js';
import { GENERAL, registerPrefixes, UNIFORM } from './code/code.js';

/**
 * Proves a compilation's allocation with this machine's limits: general registers under the limit (and
 * what gaps may take beyond it, `GAPS`), seven predicates, wide values aligned. Where a single instruction names more registers than there are (`hw/operands`), nothing
 * could hold them and the limits are left out.
 */
export function verify({ stats, allocated, problems }: AllocatedCompilation): readonly Violation[] {
  const fits = !problems.some(({ code }) => code === 'hw/operands');
  return checkAllocation(allocated, {
    ...(fits && {
      available: allocated.source.classes.map((_, c) =>
        c === GENERAL ? stats.limit + GAPS : c === UNIFORM ? machine.uniformRegisters : machine.predicates,
      ),
    }),
    alignment: (_, width) => alignmentOf(width),
    unitName: (c, unit) => `${registerPrefixes[c]}${unit}`,
  });
}
