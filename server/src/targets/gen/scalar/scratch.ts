import type { VirtualRegister } from '../../../ir/place.js';
import type { Refused } from '../allocation.js';
import type { Program } from '../program.js';
import { familyOf, slotBytes } from './families.js';
import { FreeList } from './free-list.js';
import type { VectorPlan } from './vectors.js';

/**
 * Slots in scratch for spilled registers (facts A.13, allocateScratchForSpilled): by first point; at each step at most
 * one slot whose register has ended is given back; first fit from 0 at multiples of 32 bytes. A register of a single
 * point needs no memory: its value lives in the pool for one instruction.
 */
export interface Scratch {
  readonly kind: 'placed';
  /** Byte offset by spilled register, -1 where it needs no memory. */
  readonly offset: ReadonlyMap<VirtualRegister, number>;
  /** High-water mark in bytes, what the program itself uses included. */
  readonly bytes: number;
}

const SLOT_ALIGNMENT = 32;
/** The free list's byte 0 says "no room", so scratch begins one alignment later there. */
const BIAS = SLOT_ALIGNMENT;

export function placeScratch(
  program: Program,
  plan: Pick<VectorPlan, 'min' | 'max' | 'registers'>,
  spilled: readonly VirtualRegister[],
): Scratch | Refused {
  const { min, max } = plan;
  const limit = program.platform.scratchLimit;
  const start = Math.ceil(program.scratchBytes / SLOT_ALIGNMENT) * SLOT_ALIGNMENT;
  const free = new FreeList(BIAS + start, BIAS + limit);
  const starting = [...spilled].sort((a, b) => min[a] - min[b] || a - b);
  const ending = [...spilled].sort((a, b) => max[a] - max[b] || a - b);
  const offset = new Map<VirtualRegister, number>();
  let bytes = program.scratchBytes;
  let expired = 0;
  for (const register of starting) {
    const ended = ending[expired];
    if (max[ended] < min[register]) {
      const at = offset.get(ended);
      if (at !== undefined && at >= 0) free.free(BIAS + at);
      expired++;
    }
    if (isTemporary(plan, register)) {
      offset.set(register, -1);
      continue;
    }
    const family = familyOf(program, plan.registers[register]) ?? 'dword';
    const size = slotBytes(family, program.width);
    const at = free.allocate(size, SLOT_ALIGNMENT);
    if (at === 0)
      return {
        kind: 'refused',
        reason: 'REGISTER_SPILL_NO_SPACE',
        detail: `the slot of ${plan.registers[register].name} does not fit ${limit} bytes of scratch a thread`,
        instruction: Math.min(Math.max(0, Math.ceil(min[register] / 2)), program.instructions.length - 1),
      };
    offset.set(register, at - BIAS);
    bytes = Math.max(bytes, at - BIAS + size);
  }
  return { kind: 'placed', offset, bytes };
}

/** A register of a single point. */
export const isTemporary = (
  { min, max }: Pick<VectorPlan, 'min' | 'max'>,
  register: VirtualRegister,
): boolean => min[register] === max[register];
