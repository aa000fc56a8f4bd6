import { isLiveAt } from '../passes/live-ranges.js';
import { isDefinition, isUse } from '../passes/occurrences.js';
import { registerOccurrences } from './reaching.js';
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

/**
 * The registers of one class that hold a value while instruction `at` executes, longest idle first.
 * O(registers + mentions of those that are live).
 */
export function liveAtInstruction(
  c: Compilation,
  at: number,
  registerClass: number,
  view: View,
): LiveRegister[] {
  const { source, liveRanges } = c;
  const found: LiveRegister[] = [];
  for (let r = 0; r < source.registerCount; r++) {
    if (source.registerClass[r] !== registerClass) continue;
    if (!isLiveAt(liveRanges, r, 2 * at) && !isLiveAt(liveRanges, r, 2 * at + 1)) continue;
    const touches = touchesAround(c, r, at);
    if (view === 'asWritten' || holdsPlace(c, r, touches.idle))
      found.push({ register: r, width: source.registerWidth[r], ...touches });
  }
  return found.sort((a, b) => b.idle - a.idle || a.register - b.register);
}

/** Spilled and recomputed values are in a register only where they are touched. */
function holdsPlace(c: Compilation, register: number, idle: number): boolean {
  const { kind } = c.placements[register];
  if (kind === 'spilled' || kind === 'recomputed') return idle === 0;
  return kind === 'register';
}

function touchesAround(
  c: Compilation,
  register: number,
  at: number,
): Omit<LiveRegister, 'register' | 'width'> {
  const { start, instruction, operand } = registerOccurrences(c.source);
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
