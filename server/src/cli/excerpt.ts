import type { Range } from '../text/span.js';
import type { Document } from '../workspace/document.js';
import type { Paint } from './colours.js';

/** Longest piece of a line that is shown. */
const WIDEST = 160;

/** The line of a range with the range underlined, both indented; a long line is cut around the range. */
export function excerpt(document: Document, range: Range, paint: Paint): string {
  const { lines } = document;
  const { line, character } = range.start;
  const lineStart = lines.startOf(line);
  const length = lines.contentEnd(line) - lineStart;
  const from = length <= WIDEST ? 0 : Math.max(0, Math.min(character - WIDEST / 4, length - WIDEST));
  const to = Math.min(length, from + WIDEST);
  const shown = lines.slice(lineStart + from, lineStart + to);
  if (shown.trim() === '') return '';
  const end = range.end.line === line ? range.end.character : length;
  const before = shown.slice(0, character - from).replace(/[^\t]/g, ' ');
  const width = Math.max(1, Math.min(end, to) - character);
  return `    ${shown}\n    ${before}${paint('^'.repeat(width))}\n`;
}
