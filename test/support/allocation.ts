import assert from 'node:assert/strict';
import type { Function } from '../../server/src/ir/function.js';
import {
  isPhysical,
  physicalClass,
  physicalIndex,
  type PhysicalRegister,
} from '../../server/src/ir/place.js';
import { alignmentOf } from '../../server/src/passes/alignment.js';
import { allocate, type Allocation } from '../../server/src/passes/allocate.js';
import { checkAllocation } from '../../server/src/passes/check-allocation.js';
import type { FunctionShape } from './random-function.js';

/** Long, wide, branching, and with many registers. */
export const SHAPES: readonly FunctionShape[] = [
  { maxBlocks: 8, maxInstructions: 6, maxRegisters: 7 },
  { maxBlocks: 1, maxInstructions: 60, maxRegisters: 20 },
  { maxBlocks: 30, maxInstructions: 3, maxRegisters: 24 },
  { maxBlocks: 12, maxInstructions: 12, maxRegisters: 40 },
];

const NOTHING_RESERVED = [[], []];

export const allocateAt = (
  f: Function,
  general: number,
  predicates = 7,
  reserved: readonly (readonly number[])[] = NOTHING_RESERVED,
  temporaries: readonly Uint8Array[] = [],
): Allocation =>
  allocate(f, {
    limits: [general, predicates],
    carriers: [-1, 0],
    reserved,
    recomputeCycles: () => 1,
    spillCycles: 4,
    temporaries,
  });

/** Fails where the checker refutes the allocation, or it breaks its limits. */
export function assertCorrect(
  f: Function,
  general: number,
  predicates: number,
  reserved: readonly (readonly number[])[] = NOTHING_RESERVED,
): void {
  const allocation = allocateAt(f, general, predicates, reserved);
  const violations = checkAllocation(allocation.allocated, {
    available: allocation.limits,
    alignment: (_, width) => alignmentOf(width),
  });
  assert.deepEqual(violations, []);
  for (let c = 0; c < f.classes.length; c++)
    for (const units of allocation.during[c]) assert.ok(units <= allocation.limits[c]);
  for (const place of allocation.allocated.operandPlace)
    if (place < 0 && isPhysical(place)) assert.ok(!isReserved(place, reserved));
}

const isReserved = (place: PhysicalRegister, reserved: readonly (readonly number[])[]): boolean =>
  reserved[physicalClass(place)].includes(physicalIndex(place));
