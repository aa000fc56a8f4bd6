import { applyEdits } from '../../../text/edit.js';
import type { TextEdit } from '../../../text/span.js';
import type { FormatOptions, PlacedUnit } from '../../language.js';
import type { PtxBound } from '../bind/index.js';
import { format } from '../format.js';
import { parseSyntax } from '../parser/parse.js';
import { unitEnd } from '../split.js';

/** The text after `edits`, with the units that they touch formatted as the others are indented: with tabs, or blanks. */
export function rewritten(
  text: string,
  units: readonly PlacedUnit<PtxBound>[],
  edits: readonly TextEdit[],
): string {
  if (edits.length === 0) return text;
  const fresh = applyEdits(text, edits);
  const known = new Set(units.map(({ bound }) => bound.parsed.text));
  const options = indentationOf(text);
  const parts: string[] = [];
  for (let at = 0; at < fresh.length;) {
    const end = unitEnd(fresh, at);
    const part = fresh.slice(at, end);
    parts.push(known.has(part) ? part : applyEdits(part, format(parseSyntax(part), options)));
    at = end;
  }
  return parts.join('');
}

/** PTX is indented with tabs, unless the text has lines with blanks and none with tabs. */
function indentationOf(text: string): FormatOptions {
  const blanks = /^( +)\S/m.exec(text);
  if (blanks === null || /^\t/m.test(text)) return { tabSize: 8, insertSpaces: false };
  return { tabSize: blanks[1].length, insertSpaces: true };
}
