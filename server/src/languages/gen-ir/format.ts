import type { TextEdit } from '../../text/span.js';
import type { FormatOptions } from '../language.js';
import { isBlank, isLineEnd } from './parser/scanner.js';
import { nestingOf } from './structure.js';
import type { MesaUnit, Statement } from './tree.js';

/**
 * Layout of a standalone program: directives and labels at the margin, instructions indented by their nesting, one
 * blank between the parts of a line, destinations of neighbouring instructions below each other. A captured dump
 * keeps the columns of its printer, and a line with a fault stays as it is.
 */
export function format(unit: MesaUnit, options: FormatOptions): readonly TextEdit[] {
  if (!unit.isStandalone) return [];
  const step = options.insertSpaces ? ' '.repeat(options.tabSize) : '\t';
  const lines = plan(unit, step);
  const edits: TextEdit[] = [];
  for (const { start, end, text } of lines) {
    const edit = difference(unit.text, start, end, text);
    if (edit !== undefined) edits.push(edit);
  }
  return edits;
}

interface PlannedLine {
  /** The line without its end. */
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Heads longer than this do not push the destinations of their neighbours to the right. */
const WIDEST_HEAD = 32;

interface Piece {
  readonly statement: Statement;
  readonly start: number;
  readonly end: number;
  readonly indent: string;
  /** Up to the destination, or the whole. */
  readonly head: string;
  readonly tail: string;
  readonly comment: string;
}

function plan(unit: MesaUnit, step: string): PlannedLine[] {
  const pieces = piecesOf(unit, step);
  const planned: PlannedLine[] = [];
  for (let first = 0; first < pieces.length;) {
    let last = first;
    while (last + 1 < pieces.length && isNeighbour(unit.text, pieces[last], pieces[last + 1])) last++;
    let column = 0;
    for (let k = first; k <= last; k++)
      if (pieces[k].tail !== '' && pieces[k].head.length <= WIDEST_HEAD)
        column = Math.max(column, pieces[k].head.length);
    for (let k = first; k <= last; k++) {
      const { start, end, indent, head, tail, comment } = pieces[k];
      const body = tail === '' ? head : `${head.padEnd(column)} ${tail}`;
      planned.push({ start, end, text: `${indent}${body}${comment === '' ? '' : `  ${comment}`}` });
    }
    first = last + 1;
  }
  return planned;
}

/** Instructions on successive lines, with the same indentation. */
function isNeighbour(text: string, a: Piece, b: Piece): boolean {
  if (a.statement.kind !== 'instruction' || b.statement.kind !== 'instruction') return false;
  if (a.indent !== b.indent) return false;
  let breaks = 0;
  for (let i = a.end; i < b.start; i++) {
    const code = text.charCodeAt(i);
    if (code === 10 || (code === 13 && text.charCodeAt(i + 1) !== 10)) breaks++;
    else if (!isLineEnd(code) && !isBlank(code)) return false;
  }
  return breaks === 1;
}

function piecesOf(unit: MesaUnit, step: string): Piece[] {
  const { text, statements, comments } = unit;
  const pieces: Piece[] = [];
  /** A label and what stands behind it on its line: the line stays as it is. */
  const sharesLine = (k: number): boolean =>
    (k > 0 && statements[k - 1].start >= lineStart(text, statements[k].start)) ||
    (k + 1 < statements.length && statements[k + 1].start < lineEnd(text, statements[k].end));
  let depth = 0;
  let comment = 0;
  for (let k = 0; k < statements.length; k++) {
    const statement = statements[k];
    const { closes, opens } = nestingOf(statement);
    if (closes) depth = Math.max(0, depth - 1);
    const start = lineStart(text, statement.start);
    const end = lineEnd(text, statement.end);
    while (comment < comments.length && comments[comment] < statement.end) comment += 2;
    const at = comment < comments.length && comments[comment] < end ? comments[comment] : end;
    const indent = statement.kind === 'instruction' ? step.repeat(depth + 1) : '';
    if (opens) depth++;
    if (isFixed(statement) || sharesLine(k)) continue;
    const remark = text.slice(at, end).trimEnd();
    pieces.push({ statement, start, end, indent, ...splitLine(text, statement), comment: remark });
  }
  return pieces;
}

const isFixed = (statement: Statement): boolean => {
  switch (statement.kind) {
    case 'error':
    case 'other':
    case 'blockMark':
    case 'unknownDirective':
      return true;
    case 'instruction':
      return statement.isFaulty;
    default:
      return false;
  }
};

/** The text in front of the destination and from it on, one blank wherever there were several. */
function splitLine(text: string, statement: Statement): { head: string; tail: string } {
  if (statement.kind !== 'instruction')
    return { head: collapsed(text, statement.start, statement.end), tail: '' };
  const { destination } = statement;
  if (destination.end <= destination.start)
    return { head: collapsed(text, statement.start, statement.end), tail: '' };
  return {
    head: collapsed(text, statement.start, destination.start),
    tail: collapsed(text, destination.start, statement.end),
  };
}

/** Blanks to one, none in front of a comma and one behind it; a region stays as it is. */
function collapsed(text: string, start: number, end: number): string {
  let out = '';
  let isRegion = false;
  for (let i = start; i < end; i++) {
    const code = text.charCodeAt(i);
    if (isRegion || code === 60) {
      out += text[i];
      isRegion = code !== 62;
    } else if (isBlank(code)) {
      if (out !== '' && !out.endsWith(' ')) out += ' ';
    } else if (code === 44) out = `${out.trimEnd()}, `;
    else out += text[i];
  }
  return out.trimEnd();
}

function lineStart(text: string, at: number): number {
  let i = at;
  while (i > 0 && !isLineEnd(text.charCodeAt(i - 1))) i--;
  return i;
}

function lineEnd(text: string, at: number): number {
  let i = at;
  while (i < text.length && !isLineEnd(text.charCodeAt(i))) i++;
  return i;
}

/** The smallest edit that makes the line read `wanted`. */
function difference(text: string, start: number, end: number, wanted: string): TextEdit | undefined {
  let from = 0;
  while (from < wanted.length && start + from < end && text[start + from] === wanted[from]) from++;
  let behind = 0;
  while (
    behind < wanted.length - from &&
    end - behind > start + from &&
    text[end - behind - 1] === wanted[wanted.length - behind - 1]
  )
    behind++;
  const span = { start: start + from, end: end - behind };
  const newText = wanted.slice(from, wanted.length - behind);
  return span.start === span.end && newText === '' ? undefined : { span, newText };
}
