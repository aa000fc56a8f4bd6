import type { Span, TextEdit } from '../../../text/span.js';
import type { Statement } from './statements.js';

/** Statements written like those around them. */

export const lineStart = (text: string, offset: number): number => text.lastIndexOf('\n', offset - 1) + 1;

/** The blanks before `offset` on its line, or undefined where something else stands there. */
export function blanksBefore(text: string, offset: number): string | undefined {
  const blanks = text.slice(lineStart(text, offset), offset);
  return blanks.trim() === '' ? blanks : undefined;
}

const lineBreakOf = (text: string): string => (text.includes('\r\n') ? '\r\n' : '\n');

/** Operands stand behind a tab stop, as the formatter has them. */
function written({ opcode, operands }: Statement, indentation: string, guard: string): string {
  const gap = indentation.startsWith(' ') ? ' ' : ' \t';
  return `${guard === '' ? '' : `${guard} `}${opcode}${operands === '' ? '' : gap + operands};`;
}

/** Lines in front of what stands at `offset`, which keeps its own line. */
export function linesBefore(
  text: string,
  offset: number,
  code: readonly Statement[],
  indentation: string,
  guard = '',
): TextEdit {
  const lineBreak = lineBreakOf(text);
  const isFirst = blanksBefore(text, offset) !== undefined;
  const at = isFirst ? lineStart(text, offset) : offset;
  const lines = code.map((s) =>
    isFirst
      ? indentation + written(s, indentation, guard) + lineBreak
      : written(s, indentation, guard) + lineBreak + indentation,
  );
  return { span: { start: at, end: at }, newText: lines.join('') };
}

/** Lines behind a statement that ends at `end`. */
export function behind(text: string, end: number, code: readonly Statement[], guard: string): TextEdit {
  const from = lineStart(text, end);
  const indentation = /^[ \t]*/.exec(text.slice(from, end))?.[0] ?? '';
  const newText = code.map((s) => lineBreakOf(text) + indentation + written(s, indentation, guard)).join('');
  return { span: { start: end, end }, newText };
}

/** Statements in the place of one. */
export function instead(
  text: string,
  span: { readonly start: number; readonly end: number },
  code: readonly Statement[],
  guard: string,
): TextEdit {
  const indentation = blanksBefore(text, span.start) ?? '\t';
  return {
    span: { start: span.start, end: span.end },
    newText: code.map((s) => written(s, indentation, guard)).join(lineBreakOf(text) + indentation),
  };
}

/** The span, with its line where nothing else stands on it. */
export function wholeLine(text: string, { start, end }: Span): Span {
  const from = lineStart(text, start);
  const newline = text.indexOf('\n', end);
  const to = newline < 0 ? text.length : newline + 1;
  const isAlone = text.slice(from, start).trim() === '' && text.slice(end, to).trim() === '' && newline >= 0;
  return isAlone ? { start: from, end: to } : { start, end };
}
