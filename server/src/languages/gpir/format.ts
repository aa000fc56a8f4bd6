import type { Span, TextEdit } from '../../text/span.js';
import type { FormatOptions } from '../language.js';
import { lineBreaks } from './find.js';
import { alignComments, innerGap, planLines, type Plan } from './format-plan.js';
import { TokenKind, type GpirUnit } from './tree.js';

/**
 * Formatting: directives and labels at the margin, instructions indented, one of them a line, one blank behind each
 * comma. Only the blanks between tokens change, one edit a gap, so that any subset of the edits can be applied
 * alone. Comments behind code that stood in one column still do. A line with a mistake is left as it is.
 */
export function format(unit: GpirUnit, options: FormatOptions): readonly TextEdit[] {
  const { text, tokens } = unit;
  if (tokens.count === 0) return [];
  const plan = planLines(unit);
  const style: Style = {
    lineBreak: text.includes('\r\n') ? '\r\n' : text.includes('\n') || !text.includes('\r') ? '\n' : '\r',
    tabSize: Math.max(1, Math.min(16, options.tabSize | 0)),
    insertSpaces: options.insertSpaces,
  };
  const columns = alignComments(unit, plan, style.tabSize);
  const edits: TextEdit[] = [];
  for (let i = 0; i <= tokens.count; i++) {
    const gap: Span = {
      start: i === 0 ? 0 : tokens.end[i - 1],
      end: i === tokens.count ? text.length : tokens.start[i],
    };
    if (!isPlainBlank(text, gap)) continue;
    const wanted = wantedGap(unit, plan, style, columns, i, gap);
    if (wanted !== undefined && wanted !== text.slice(gap.start, gap.end))
      edits.push({ span: gap, newText: wanted });
  }
  return edits;
}

interface Style {
  readonly lineBreak: string;
  readonly tabSize: number;
  readonly insertSpaces: boolean;
}

/** Blank lines in a row that are kept. */
const BLANK_LINES = 2;

/** The blanks that should stand before token `i` (at `tokens.count`: at the end), or undefined to leave them. */
function wantedGap(
  unit: GpirUnit,
  plan: Plan,
  style: Style,
  columns: Int32Array,
  i: number,
  gap: Span,
): string | undefined {
  const { text, tokens } = unit;
  const breaks = lineBreaks(text, gap.start, gap.end);
  const lines = style.lineBreak.repeat(Math.min(Math.max(breaks, i === 0 ? 0 : 1), BLANK_LINES + 1));
  if (i === tokens.count) return breaks === 0 ? '' : lines;
  if (plan.level[i] >= 0) return lines + indentation(style, plan.level[i]);
  if (breaks > 0) return plan.isFrozen[i] === 1 ? undefined : lines;
  if (tokens.kind[i] === TokenKind.Comment) return ' '.repeat(columns[i]);
  return plan.isFrozen[i] === 1 ? undefined : innerGap(unit, i);
}

const indentation = (style: Style, level: number): string =>
  style.insertSpaces ? ' '.repeat(level * style.tabSize) : '\t'.repeat(level);

function isPlainBlank(text: string, gap: Span): boolean {
  for (let i = gap.start; i < gap.end; i++) {
    const code = text.charCodeAt(i);
    if (code !== 32 && !(code >= 9 && code <= 13)) return false;
  }
  return true;
}
