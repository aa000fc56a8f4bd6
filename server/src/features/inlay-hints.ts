import type { Compilation } from '../targets/target.js';
import { shift, type Range, type Span } from '../text/span.js';
import type { Snapshot, Unit } from '../workspace/snapshot.js';
import type { InlayHint } from './data.js';
import { instructionBefore, spanOfRange, unitsIn } from './locate.js';

/**
 * Numbers at the end of the lines: registers live after each instruction of the compiled program (or only where
 * most are needed), and cycles that an instruction waits. Only what the range shows is looked at.
 */
export function inlayHints(s: Snapshot, range: Range): InlayHint[] {
  const { pressure, stalls } = s.settings.inlayHints;
  if (pressure === 'off' && !stalls) return [];
  const asked = spanOfRange(s, range);
  return unitsIn(s, asked).flatMap((unit) => hintsOf(s, unit, asked));
}

function hintsOf(s: Snapshot, unit: Unit, asked: Span): InlayHint[] {
  const c = unit.compilation;
  if (c === undefined) return [];
  const local = shift(asked, -unit.start);
  const first = Math.max(0, instructionBefore(c.source.spanStart, local.start));
  const last = instructionBefore(c.source.spanStart, local.end);
  const { pressure, stalls, minimumStall } = s.settings.inlayHints;
  const hints: { readonly instruction: number; readonly label: string; readonly tooltip: string }[] = [];
  if (pressure === 'all') for (let i = first; i <= last; i++) hints.push(liveHint(c, i));
  else if (pressure === 'peaks')
    hints.push(...peakHints(c).filter((h) => first <= h.instruction && h.instruction <= last));
  if (stalls)
    for (let k = firstStall(c, first); k < c.stalls.length && c.stalls[k].instruction <= last; k++) {
      const { instruction, cycles, cause } = c.stalls[k];
      if (cycles >= minimumStall)
        hints.push({
          instruction,
          label: `stall ${cycles}`,
          tooltip: `${cycles} cycles: ${cause}\n\n${c.model}, one warp alone, in the order of the text`,
        });
    }
  return hints
    .map((h) => ({
      position: s.lines.positionAt(placeOf(s, unit, c, h.instruction)),
      label: h.label,
      tooltip: h.tooltip,
    }))
    .filter((h) => isInside(h.position, s.lines.range(asked)));
}

const isInside = (p: InlayHint['position'], { start, end }: Range): boolean =>
  (p.line > start.line || (p.line === start.line && p.character >= start.character)) &&
  (p.line < end.line || (p.line === end.line && p.character <= end.character));

/** Stalls are in the order of their instructions. */
function firstStall(c: Compilation, instruction: number): number {
  let low = 0;
  let high = c.stalls.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (c.stalls[middle].instruction < instruction) low = middle + 1;
    else high = middle;
  }
  return low;
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

function liveHint(c: Compilation, i: number): { instruction: number; label: string; tooltip: string } {
  const rows = c.source.classes.map(
    (k, n) =>
      `- ${k.unit}s live after it: ${c.asCompiled.after[n][i]} as compiled, ${c.asWritten.after[n][i]} as written`,
  );
  return {
    instruction: i,
    label: `live ${c.asCompiled.after[0][i]}`,
    tooltip: [...rows, '', c.model].join('\n'),
  };
}

function peakHints(c: Compilation): { instruction: number; label: string; tooltip: string }[] {
  const compiled = c.asCompiled.peakAt[0];
  const written = c.asWritten.peakAt[0];
  const unit = c.source.classes[0].unit;
  const hint = (instruction: number, label: string, count: number, how: string) => ({
    instruction,
    label,
    tooltip: `The instruction of \`${c.source.name}\` that needs most ${unit}s: ${count} ${how}\n\n${c.model}`,
  });
  const hints: { instruction: number; label: string; tooltip: string }[] = [];
  const needed = c.asCompiled.peak[0];
  if (compiled >= 0 && needed > 0) hints.push(hint(compiled, `peak ${needed}`, needed, 'as compiled'));
  const asWritten = c.asWritten.peak[0];
  if (written >= 0 && asWritten > 0 && (written !== compiled || asWritten !== needed))
    hints.push(hint(written, `peak ${asWritten} as written`, asWritten, 'as written'));
  return hints.sort((a, b) => a.instruction - b.instruction);
}
