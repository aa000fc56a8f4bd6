import { heldAmong, heldAt, type HeldRegister } from '../passes/peak.js';
import { registerOccurrences } from './reaching.js';
import type { Compilation } from '../targets/target.js';
import type { Range } from '../text/span.js';
import type { Snapshot, Unit } from '../workspace/snapshot.js';
import { rangeIn } from './locate.js';

/** Peaks of pressure: where they are, and who is live there in the compiled program or in the text. */

/** The instruction where the compiled program needs most registers of the first class; -1 in an empty function. */
export const peakInstruction = (c: Compilation): number => c.asCompiled.peakAt[0] ?? -1;

export function peakOf(s: Snapshot, unit: Unit, c: Compilation): Range | undefined {
  const at = peakInstruction(c);
  if (at < 0) return undefined;
  return rangeIn(s, unit, { start: c.source.spanStart[at], end: c.source.spanEnd[at] });
}

/** Where each function of the document needs most registers, for going from peak to peak. */
export interface Peak {
  readonly function: string;
  readonly range: Range;
  /** In units of the first class, as compiled. */
  readonly registers: number;
  readonly model: string;
}

export function peaks(s: Snapshot): Peak[] {
  return s.units.flatMap((unit) => {
    const c = unit.compilation;
    const range = c === undefined ? undefined : peakOf(s, unit, c);
    if (c === undefined || range === undefined) return [];
    return [{ function: c.source.name, range, registers: c.asCompiled.peak[0], model: c.model }];
  });
}

/** As compiled, without what is spilled, recomputed or folded at that point; or as written, with all. */
export type View = 'asCompiled' | 'asWritten';

/** The registers of the first class that hold a value while instruction `at` executes, longest idle first. */
export function liveAtInstruction(s: Snapshot, c: Compilation, at: number, view: View): HeldRegister[] {
  const occurrences = registerOccurrences(c.source);
  const moved = view === 'asCompiled' ? s.target.display?.heldAt?.(c, at) : undefined;
  if (moved !== undefined) return heldAmong(c.source, moved, occurrences, at);
  const held = heldAt(c.source, c.liveRanges, occurrences, 0, at, s.target.display?.holders?.(c));
  return view === 'asWritten' ? held : held.filter((h) => holdsPlace(c, h));
}

/** Spilled and recomputed values are in a register only where they are touched. */
function holdsPlace(c: Compilation, { register, idle }: HeldRegister): boolean {
  const { kind } = c.placements[register];
  if (kind === 'spilled' || kind === 'recomputed') return idle === 0;
  return kind === 'register';
}
