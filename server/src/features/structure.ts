import type { Position, Range } from '../text/span.js';
import { shift, type Span } from '../text/span.js';
import type { Snapshot } from '../workspace/snapshot.js';
import type { DocumentLink, FoldingRange, SelectionRanges } from './data.js';
import { rangeIn } from './locate.js';

/** Features that show the shape of the text: folding, selection ranges, links. The languages know the shape. */

/** Only what spans several lines can be folded; one fold a starting line, the outermost. */
export function foldingRanges(s: Snapshot): FoldingRange[] {
  const byLine = new Map<number, FoldingRange>();
  for (const unit of s.units)
    for (const fold of s.language.folds(unit.parsed)) {
      const { start, end } = rangeIn(s, unit, fold.span);
      if (end.line <= start.line) continue;
      const known = byLine.get(start.line);
      if (known !== undefined && known.endLine >= end.line) continue;
      byLine.set(start.line, { startLine: start.line, endLine: end.line, kind: fold.kind });
    }
  return [...byLine.values()].sort((a, b) => a.startLine - b.startLine || b.endLine - a.endLine);
}

/** What encloses each position, innermost first, the whole document last. Each range is larger than the one before. */
export const selectionRanges = (s: Snapshot, positions: readonly Position[]): SelectionRanges[] =>
  positions.map((position) => selectionAt(s, position));

function selectionAt(s: Snapshot, position: Position): SelectionRanges {
  const offset = s.lines.offsetAt(position);
  const unit = s.unitAt(offset);
  const whole: Span = { start: 0, end: s.lines.length };
  const ranges: Range[] = [];
  let last: Span | undefined;
  for (const inner of s.language.enclosing(unit.parsed, offset - unit.start)) {
    const place = shift(inner, unit.start);
    if (place.start > offset || place.end < offset) continue;
    if (last !== undefined && (place.start > last.start || place.end < last.end || isSame(place, last)))
      continue;
    ranges.push(s.lines.range(place));
    last = place;
  }
  if (last === undefined || !isSame(last, whole)) ranges.push(s.lines.range(whole));
  return ranges;
}

const isSame = (a: Span, b: Span): boolean => a.start === b.start && a.end === b.end;

export function documentLinks(s: Snapshot): DocumentLink[] {
  const links: DocumentLink[] = [];
  for (const unit of s.units) {
    for (const link of s.language.links(unit.bound, unit.environment))
      links.push({ range: rangeIn(s, unit, link.span), path: link.path, line: link.line });
  }
  return links;
}
