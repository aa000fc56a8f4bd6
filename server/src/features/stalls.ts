import type { Compilation, Stall } from '../targets/target.js';

/** The waits of one source instruction; more than one where it is executed again for other uses. */
export interface Waits {
  readonly instruction: number;
  readonly cycles: number;
  readonly stalls: readonly Stall[];
}

const kept = new WeakMap<Compilation, readonly Waits[]>();

/** All waits by instruction, in the order of the text. */
function waitsOf(c: Compilation): readonly Waits[] {
  const known = kept.get(c);
  if (known !== undefined) return known;
  const byInstruction = new Map<number, Stall[]>();
  for (const stall of c.stalls) {
    const list = byInstruction.get(stall.instruction);
    if (list === undefined) byInstruction.set(stall.instruction, [stall]);
    else list.push(stall);
  }
  const waits = [...byInstruction]
    .map(([instruction, stalls]) => ({
      instruction,
      cycles: stalls.reduce((sum, stall) => sum + stall.cycles, 0),
      stalls,
    }))
    .sort((a, b) => a.instruction - b.instruction);
  kept.set(c, waits);
  return waits;
}

/** The waits of instructions `first` to `last`. O(log instructions + answers) once the function was asked about. */
export function waitsIn(c: Compilation, first: number, last: number): readonly Waits[] {
  const all = waitsOf(c);
  const from = lowerBound(all, first);
  return all.slice(from, Math.max(from, lowerBound(all, last + 1)));
}

function lowerBound(all: readonly Waits[], instruction: number): number {
  let low = 0;
  let high = all.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (all[middle].instruction < instruction) low = middle + 1;
    else high = middle;
  }
  return low;
}
