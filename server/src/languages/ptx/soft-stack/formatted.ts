import { applyEdits } from '../../../text/edit.js';
import type { TextEdit } from '../../../text/span.js';
import type { FormatOptions, PlacedUnit } from '../../language.js';
import type { PtxBound } from '../bind/index.js';
import { format } from '../format.js';
import { parseSyntax } from '../parser/parse.js';
import { unitEnd } from '../split.js';

/**
 * The text after `edits`, with the units that they touch formatted as the others are indented: with tabs, or blanks. A
 * unit that they do not touch keeps its text; beside one that they do it begins a line of its own.
 */
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
  const lineBreak = fresh.includes('\r\n') ? '\r\n' : '\n';
  let wasTouched = false;
  for (let at = 0; at < fresh.length;) {
    const end = unitEnd(fresh, at);
    const part = fresh.slice(at, end);
    const isTouched = !known.has(part);
    const written = isTouched ? applyEdits(part, format(parseSyntax(part), options)) : part;
    const isBroken = at === 0 || !(isTouched || wasTouched);
    parts.push(isBroken ? written : written.replace(SAME_LINE, lineBreak));
    wasTouched = isTouched;
    at = end;
  }
  return parts.join('');
}

/** Blanks before what stands on a line with the unit before; a comment there belongs to that unit. */
const SAME_LINE = /^[ \t]*(?=[^\s/])/;

/** PTX is indented with tabs, unless the text has lines with blanks and none with tabs. */
function indentationOf(text: string): FormatOptions {
  const blanks = /^( +)\S/m.exec(text);
  if (blanks === null || /^\t/m.test(text)) return { tabSize: 8, insertSpaces: false };
  return { tabSize: blanks[1].length, insertSpaces: true };
}
