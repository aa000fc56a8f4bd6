/**
 * Markdown as plain text, for clients that show none (`contentFormat` without `markdown`): tables become aligned
 * lines, marks of emphasis and code go, the words stay. Knows what features write: emphasis with stars, code spans
 * and fences, links, headings, tables (GitHub Flavored Markdown); never throws on anything else.
 */
export function plainText(markdown: string): string {
  const lines = markdown.split('\n');
  const result: string[] = [];
  let isCode = false;
  for (let k = 0; k < lines.length; k++) {
    const line = lines[k];
    if (line.startsWith('```')) {
      isCode = !isCode;
      continue;
    }
    if (isCode) result.push(line);
    else if (isRow(line) && k + 1 < lines.length && isRule(lines[k + 1])) {
      const rows: string[] = [line];
      const rule = lines[++k];
      while (k + 1 < lines.length && isRow(lines[k + 1])) rows.push(lines[++k]);
      result.push(...table(rows, rule));
    } else result.push(inline(line.replace(/^#{1,6} /, '')));
  }
  return result.join('\n');
}

const isRow = (line: string): boolean => line.startsWith('|');
const isRule = (line: string): boolean => /^\|[-:| ]+\|$/.test(line);

function table(lines: readonly string[], rule: string): string[] {
  const isRight = cellsOf(rule).map((cell) => cell.endsWith(':'));
  const rows = lines
    .map((line) => cellsOf(line).map(inline))
    .filter((row, k) => k > 0 || row.some((cell) => cell !== ''));
  const widths: number[] = [];
  for (const row of rows)
    row.forEach((cell, column) => (widths[column] = Math.max(widths[column] ?? 0, cell.length)));
  const pad = (cell: string, column: number): string =>
    isRight[column] ? cell.padStart(widths[column]) : cell.padEnd(widths[column]);
  return rows.map((row) => row.map(pad).join('  ').trimEnd());
}

/** The cells between the bars; `\|` is a bar in a cell. */
function cellsOf(line: string): string[] {
  const cells = line.trim().split(/(?<!\\)\|/);
  if (cells[0] === '') cells.shift();
  if (cells.at(-1) === '') cells.pop();
  return cells.map((cell) => cell.trim().replaceAll('\\|', '|'));
}

const MARKS = /`([^`]+)`|\[([^\][]*)\]\([^()]*\)|\\([\\`*_{}[\]<>()#+.!|~-])|\*{1,2}/g;

/** Code spans are taken word for word; a link is its text; a star that stands alone is a star. */
const inline = (text: string): string =>
  text.replace(
    MARKS,
    (mark: string, code?: string, link?: string, escaped?: string, at: number = 0): string =>
      code ??
      (link === undefined ? undefined : inline(link)) ??
      escaped ??
      (isEmphasis(text[at - 1], text[at + mark.length]) ? '' : mark),
  );

/** Stars that open stand before a word, those that close behind one, and not inside. */
const isEmphasis = (before = ' ', after = ' '): boolean =>
  (!/\s/.test(after) && !/\w/.test(before)) || (!/\s/.test(before) && !/\w/.test(after));
