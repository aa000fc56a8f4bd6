import { virtual } from '../../ir/place.js';
import type { Placement } from '../target.js';
import type { Allocated } from './allocation.js';
import { GENERAL } from './pressure.js';
import { GRF_BYTES, type Program } from './program.js';

/** Where each virtual register of the source ended up. */
export function placementsOf(
  written: Program,
  lowered: Program,
  allocation: Allocated | undefined,
): Placement[] {
  const inSource = mentioned(written);
  const inLowered = mentioned(lowered);
  const placements = written.registers.map((_, r): Placement => {
    if (!inSource.has(r)) return { kind: 'unused' };
    if (!inLowered.has(r)) return { kind: 'absorbed' };
    const address = allocation === undefined || r >= allocation.address.length ? -1 : allocation.address[r];
    return address < 0
      ? { kind: 'absorbed' }
      : { kind: 'register', registerClass: GENERAL, index: Math.floor(address / GRF_BYTES) };
  });
  for (const { register, how, scratchOffset, bytes } of allocation?.spilled ?? []) {
    if (register >= placements.length) continue;
    if (how === 'recomputed') placements[register] = { kind: 'recomputed' };
    else if (scratchOffset >= 0) placements[register] = { kind: 'spilled', slot: scratchOffset, bytes };
  }
  return placements;
}

function mentioned({ instructions }: Program): Set<number> {
  const registers = new Set<number>();
  for (const { destinations, sources, predicate, condition } of instructions) {
    for (const operand of destinations) if (operand.file === 'virtual') registers.add(operand.register);
    for (const operand of sources) if (operand.file === 'virtual') registers.add(operand.register);
    for (const flag of [predicate?.flag, condition?.flag])
      if (flag?.kind === 'virtual') registers.add(virtual(flag.register));
  }
  return registers;
}
