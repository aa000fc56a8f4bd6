import type { Compilation } from '../targets/target.js';
import { shift, type Range, type Span } from '../text/span.js';
import { count } from '../text/words.js';
import type { Snapshot, Unit } from '../workspace/snapshot.js';
import type { InlayHint } from './data.js';
import { peakText } from './hover-peak.js';
import { waitsIn } from './stalls.js';
import { liveTable } from './live-table.js';
import { instructionBefore, spanOfRange, unitsIn } from './locate.js';

/**
 * Notes at the end of the lines: where the compiled program executes an instruction (on machines that reorder them),
 * registers live after each instruction of the compiled program (or only where most are needed), and cycles that an
 * instruction waits. Only what the range shows is looked at.
 */
export function inlayHints(s: Snapshot, range: Range): InlayHint[] {
  const { pressure, stalls, places } = s.settings.inlayHints;
  if (pressure === 'off' && !stalls && !(places && s.target.display?.place !== undefined)) return [];
  const asked = spanOfRange(s, range);
  return unitsIn(s, asked).flatMap((unit) => hintsOf(s, unit, asked));
}

interface Hint {
  readonly instruction: number;
  readonly label: string;
  readonly tooltip: string;
}

function hintsOf(s: Snapshot, unit: Unit, asked: Span): InlayHint[] {
  const c = unit.compilation;
  if (c === undefined) return [];
  const local = shift(asked, -unit.start);
  const first = Math.max(0, instructionBefore(c.source.spanStart, local.start));
  const last = instructionBefore(c.source.spanStart, local.end);
  const { pressure, stalls, places, minimumStall } = s.settings.inlayHints;
  const { display } = s.target;
  const hints: Hint[] = [];
  if (places) hints.push(...placeHints(s, unit, c, first, last));
  if (pressure === 'all') for (let i = first; i <= last; i++) hints.push(liveHint(c, i));
  else if (pressure === 'peaks')
    for (const i of peakInstructions(c)) if (first <= i && i <= last) hints.push(peakHint(s, unit, c, i));
  if (stalls)
    hints.push(...stallHints(c, first, last, display?.minimumStall ?? minimumStall, display?.stallNote));
  const range = s.lines.range(asked);
  return hints
    .map((h) => ({
      position: s.lines.positionAt(placeOf(s, unit, c, h.instruction)),
      label: h.label,
      tooltip: h.tooltip,
    }))
    .filter((h) => isInside(h.position, range));
}

const isInside = (p: InlayHint['position'], { start, end }: Range): boolean =>
  (p.line > start.line || (p.line === start.line && p.character >= start.character)) &&
  (p.line < end.line || (p.line === end.line && p.character <= end.character));

function placeHints(s: Snapshot, unit: Unit, c: Compilation, first: number, last: number): Hint[] {
  const { display } = s.target;
  const line = (instruction: number): number =>
    s.lines.lineAt(unit.start + c.source.spanStart[instruction]) + 1;
  const hints: Hint[] = [];
  for (let i = first; i <= last; i++) {
    const label = display?.place?.(c, i);
    if (label === undefined) continue;
    const rows = display?.ofInstruction?.(c, i, line) ?? [];
    hints.push({
      instruction: i,
      label,
      tooltip: [...rows.map(([name, text]) => `${name}: ${text}`), `*${c.model}*`].join('\n\n'),
    });
  }
  return hints;
}

function stallHints(
  c: Compilation,
  first: number,
  last: number,
  minimum: number,
  note: string | undefined,
): Hint[] {
  return waitsIn(c, first, last)
    .filter(({ cycles }) => cycles >= minimum)
    .map(({ instruction, cycles, stalls }) => ({
      instruction,
      label: `stall ${cycles}`,
      tooltip: [
        ...stalls.map((stall) => `${count(stall.cycles, 'cycle')}: ${stall.cause}`),
        `*${c.model}${note === undefined ? '' : `; ${note}`}*`,
      ].join('\n\n'),
    }));
}

/** The end of the line for the last instruction on it, else the end of the instruction. */
function placeOf(s: Snapshot, unit: Unit, c: Compilation, instruction: number): number {
  const end = unit.start + c.source.spanEnd[instruction];
  const line = s.lines.lineAt(end);
  const next =
    instruction + 1 < c.source.instructionCount ? unit.start + c.source.spanStart[instruction + 1] : Infinity;
  const lineEnd = Math.min(s.lines.contentEnd(line), unit.end);
  return next < lineEnd ? end : Math.max(end, lineEnd);
}

function liveHint(c: Compilation, i: number): Hint {
  return {
    instruction: i,
    label: `live ${c.asCompiled.after[0][i]}`,
    tooltip: `${liveTable(c, i)}\n\n*${c.model}*`,
  };
}

/** Where most registers are needed, as compiled and as written; one place or two. */
function peakInstructions(c: Compilation): readonly number[] {
  const places = new Set<number>();
  for (const { peak, peakAt } of [c.asCompiled, c.asWritten]) if (peak[0] > 0) places.add(peakAt[0]);
  return [...places].sort((a, b) => a - b);
}

function peakHint(s: Snapshot, unit: Unit, c: Compilation, i: number): Hint {
  const compiled = c.asCompiled.peakAt[0] === i ? c.asCompiled.peak[0] : 0;
  const written = c.asWritten.peakAt[0] === i ? c.asWritten.peak[0] : 0;
  const figures: string[] = [];
  if (written > 0 && written === compiled) figures.push(`${written} as written and as compiled`);
  else {
    if (compiled > 0) figures.push(`${compiled} as compiled`);
    if (written > 0) figures.push(`${written} as written`);
  }
  return { instruction: i, label: `peak ${figures.join(', ')}`, tooltip: peakText(s, unit, c, i) };
}
