import { isLiveAt } from '../passes/live-ranges.js';
import { occurrencesOf, isDefinition, isUse, type Occurrences } from '../passes/occurrences.js';
import type { Compilation } from '../targets/target.js';
import type { Range } from '../text/span.js';
import type { Snapshot, Unit } from '../workspace/snapshot.js';
import { rangeIn } from './locate.js';

/**
 * Who is live at an instruction, and for how long each has been idle there: a value that was last touched long ago
 * and is next wanted far away costs a register for nothing in between. It is what to spill, recompute or move.
 */
export interface LiveRegister {
  readonly register: number;
  readonly width: number;
  /** Instructions in text order; -1 where there is none. */
  readonly definition: number;
  readonly lastTouch: number;
  readonly nextUse: number;
  readonly lastUse: number;
  /** Instructions between the touches around the point, the longer way being idle longer. */
  readonly idle: number;
}

/** The instruction where the compiled program needs most registers of the first class; -1 in an empty function. */
export const peakInstruction = (c: Compilation): number => c.asCompiled.peakAt[0] ?? -1;

export function peakOf(s: Snapshot, unit: Unit, c: Compilation): Range | undefined {
  const at = peakInstruction(c);
  if (at < 0) return undefined;
  return rangeIn(s, unit, { start: c.source.spanStart[at], end: c.source.spanEnd[at] });
}

const occurrences = new WeakMap<Compilation, Occurrences>();

export function occurrencesIn(c: Compilation): Occurrences {
  let found = occurrences.get(c);
  if (found === undefined) occurrences.set(c, (found = occurrencesOf(c.source)));
  return found;
}

/**
 * The registers of one class that hold a value while instruction `at` executes and that still have a place of
 * their own, longest idle first. O(registers + mentions of those that are live).
 */
export function liveAtInstruction(c: Compilation, at: number, registerClass: number): LiveRegister[] {
  const { source, liveRanges, placements } = c;
  const found: LiveRegister[] = [];
  for (let r = 0; r < source.registerCount; r++) {
    if (source.registerClass[r] !== registerClass) continue;
    if (!isLiveAt(liveRanges, r, 2 * at) && !isLiveAt(liveRanges, r, 2 * at + 1)) continue;
    const place = placements[r].kind;
    const touch = touchesAround(c, r, at);
    if (place === 'folded' || place === 'unused') continue;
    if ((place === 'spilled' || place === 'recomputed') && touch.idle > 0) continue;
    found.push({ register: r, width: source.registerWidth[r], ...touch });
  }
  return found.sort((a, b) => b.idle - a.idle || a.register - b.register);
}

function touchesAround(
  c: Compilation,
  register: number,
  at: number,
): Omit<LiveRegister, 'register' | 'width'> {
  const { start, instruction, operand } = occurrencesIn(c);
  let definition = -1;
  let lastTouch = -1;
  let nextUse = -1;
  let lastUse = -1;
  let first = -1;
  for (let k = start[register]; k < start[register + 1]; k++) {
    const i = instruction[k];
    if (first < 0) first = i;
    if (i <= at) lastTouch = i;
    if (isDefinition(c.source, operand[k]) && (i <= at || definition < 0)) definition = i;
    if (!isUse(c.source, operand[k])) continue;
    if (i >= at && nextUse < 0) nextUse = i;
    lastUse = i;
  }
  const before = lastTouch >= 0 ? at - lastTouch : 0;
  const after = nextUse >= 0 ? nextUse - at : c.source.instructionCount - at + Math.max(0, first);
  return { definition, lastTouch, nextUse, lastUse, idle: lastTouch === at ? 0 : before + after };
}
