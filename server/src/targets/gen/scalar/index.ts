/** Beignet's scalar back-end (facts part A) for selection programs, and for i965's scalar ones as far as its rules carry. */
export { allocateBeignet, strategiesOf, strategyName } from './strategies.js';
export type { BeignetOptions, BeignetResult, Strategy } from './strategies.js';
export { allocateWithPool, analyse, type Analysis, type PoolOptions } from './allocate-program.js';
export { allocateFlags, type FlagAllocation } from './flags.js';
export { families, familyOf, isSpillableSize, registerBytes, slotBytes } from './families.js';
export { FreeList } from './free-list.js';
export { Insertions, type Inserted } from './insertions.js';
export { idOf, intervalsOf, UNUSED, type Intervals } from './intervals.js';
export { placed, placedOperand } from './place-operands.js';
export { poolSlots } from './pool-slots.js';
export { rewiden } from './rewiden.js';
export { placeScratch } from './scratch.js';
export { skeletonOf, type Skeleton } from './skeleton.js';
export { spillCosts } from './spill-costs.js';
export { SpillCode } from './spill-code.js';
export { planVectors, type VectorPlan } from './vectors.js';
export { scheduleAfter, type ScheduledAfter } from './schedule-after.js';
export { scheduleBefore } from './schedule-before.js';
