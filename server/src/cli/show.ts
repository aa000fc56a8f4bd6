/** `spillway show`: the source with what an editor shows on and above its lines. */
import { codeLenses } from '../features/code-lens.js';
import { diagnostics } from '../features/diagnostics.js';
import { inlayHints } from '../features/inlay-hints.js';
import { UsageError } from './arguments.js';
import { coloursFor } from './colours.js';
import { loadInputs, type Context, type Input } from './inputs.js';

export function show(context: Context): number {
  const { format } = context.args;
  if (format !== undefined && format !== 'text')
    throw new UsageError(`--format is '${format}'; show has text`);
  const { inputs, failed } = loadInputs(context);
  let hasErrors = false;
  for (const input of inputs) {
    if (inputs.length > 1) context.io.out(`${coloursFor(context.io).strong(input.path)}\n`);
    hasErrors = showOne(input, context) || hasErrors;
  }
  if (failed) return 2;
  return hasErrors ? 1 : 0;
}

/** What stands at a line, in the order in which it is shown. */
function byLine<T>(items: readonly T[], lineOf: (item: T) => number): Map<number, T[]> {
  const found = new Map<number, T[]>();
  for (const item of items) {
    const known = found.get(lineOf(item));
    if (known === undefined) found.set(lineOf(item), [item]);
    else known.push(item);
  }
  return found;
}

/** Writes one file; true when it has errors. */
function showOne({ document }: Input, { io, args }: Context): boolean {
  const colours = coloursFor(io);
  const { text, lines } = document;
  const whole = lines.range({ start: 0, end: text.length });
  const { items } = diagnostics(document);
  const lenses = byLine(codeLenses(document), ({ range }) => range.start.line);
  const hints = byLine(inlayHints(document, whole), ({ position }) => position.line);
  const problems = byLine(
    items.filter(({ severity }) => severity !== 'hint' || args.hints),
    ({ range }) => range.start.line,
  );
  const gutter = String(lines.lineCount).length;
  const isShown = linesOf(document, args.functionName);
  const parts: string[] = [];
  for (let line = 0; line < lines.lineCount; line++) {
    if (!isShown(line)) continue;
    const content = lines.slice(lines.startOf(line), lines.contentEnd(line));
    if (line + 1 === lines.lineCount && content === '') break;
    for (const { title } of lenses.get(line) ?? [])
      parts.push(`${' '.repeat(gutter)}   ${colours.faint(title)}\n`);
    const notes = (hints.get(line) ?? []).map(({ label }) => colours.hint(label)).join('  ');
    parts.push(
      `${colours.faint(`${String(line + 1).padStart(gutter)} |`)} ${content}${notes === '' ? '' : `    ${notes}`}\n`,
    );
    for (const { range, severity, message, code } of problems.get(line) ?? []) {
      const paint = colours.severity[severity];
      const before = content.slice(0, range.start.character).replace(/[^\t]/g, ' ');
      const end = range.end.line === line ? range.end.character : content.length;
      const mark = paint('^'.repeat(Math.max(1, end - range.start.character)));
      parts.push(
        `${' '.repeat(gutter)} | ${before}${mark} ${paint(severity)}: ${message} ${colours.faint(`[${code}]`)}\n`,
      );
    }
  }
  io.out(parts.join(''));
  return items.some(({ severity }) => severity === 'error');
}

/** All lines, or those of the units that hold a function of that name. */
function linesOf(document: Input['document'], name: string | undefined): (line: number) => boolean {
  if (name === undefined) return () => true;
  const stretches = document.units
    .filter((unit) => unit.function?.name === name)
    .map(({ start, end }) => document.lines.range({ start, end }));
  return (line) => stretches.some(({ start, end }) => start.line <= line && line <= end.line);
}
