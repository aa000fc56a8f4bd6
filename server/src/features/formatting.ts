import type { FormatOptions } from '../languages/language.js';
import { shift, type Range, type Span } from '../text/span.js';
import type { Snapshot, Unit } from '../workspace/snapshot.js';
import type { Edit } from './data.js';
import { spanOfRange, unitsIn } from './locate.js';

/** Formats the whole document, or what the range touches: of the units there, the edits that lie in its lines. */
export function formatting(s: Snapshot, options: FormatOptions, range?: Range): Edit[] {
  if (!s.settings.format.enable) return [];
  if (range === undefined) return s.units.flatMap((unit) => editsOf(s, unit, options));
  const asked = spanOfRange(s, range);
  const lines: Span = {
    start: s.lines.startOf(s.lines.lineAt(asked.start)),
    end: s.lines.contentEnd(s.lines.lineAt(asked.end)),
  };
  return unitsIn(s, lines).flatMap((unit) => editsOf(s, unit, options, lines));
}

function editsOf(s: Snapshot, unit: Unit, options: FormatOptions, within?: Span): Edit[] {
  const edits: Edit[] = [];
  for (const edit of s.language.format(unit.parsed, options)) {
    const place = shift(edit.span, unit.start);
    if (within !== undefined && (place.start < within.start || place.end > within.end)) continue;
    edits.push({ range: s.lines.range(place), newText: edit.newText });
  }
  return edits;
}
