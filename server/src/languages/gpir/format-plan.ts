import { lineBreaks } from './find.js';
import { TokenKind, type GpirUnit, type Statement } from './tree.js';

/** How formatting lays out the tokens of a unit. One entry for each token. */
export interface Plan {
  /** Indentation of a token that begins a line, or -1. */
  readonly level: Int8Array;
  /** 1: on a line with a mistake; the blanks before it are left. */
  readonly isFrozen: Uint8Array;
}

export function planLines(unit: GpirUnit): Plan {
  const { tokens, statements } = unit;
  const plan = { level: new Int8Array(tokens.count).fill(-1), isFrozen: frozenTokens(unit) };
  let statement = 0;
  for (let i = 0; i < tokens.count; i++) {
    if (statement >= statements.length || tokens.start[i] !== statements[statement].start) continue;
    const isMoved = startsLine(unit, i) ? statements[statement].kind !== 'error' : plan.isFrozen[i] === 0;
    if (isMoved) plan.level[i] = levelOf(statements[statement]);
    while (statement < statements.length && statements[statement].start <= tokens.start[i]) statement++;
  }
  planComments(unit, plan.level);
  return plan;
}

const levelOf = ({ kind }: Statement): number => (kind === 'instruction' ? 1 : 0);

const startsLine = ({ text, tokens }: GpirUnit, i: number): boolean =>
  i === 0 || lineBreaks(text, tokens.end[i - 1], tokens.start[i]) > 0;

/** All tokens of lines with a syntax error. Problems and tokens are in text order. */
function frozenTokens(unit: GpirUnit): Uint8Array {
  const { tokens, problems } = unit;
  const frozen = new Uint8Array(tokens.count);
  const starts = problems.filter((p) => p.severity === 'error').map((p) => p.span.start);
  starts.sort((a, b) => a - b);
  let next = 0;
  for (let first = 0; first < tokens.count;) {
    let end = first + 1;
    while (end < tokens.count && !startsLine(unit, end)) end++;
    const limit = end < tokens.count ? tokens.start[end] : unit.text.length + 1;
    if (next < starts.length && starts[next] < limit) frozen.fill(1, first, end);
    while (next < starts.length && starts[next] < limit) next++;
    first = end;
  }
  return frozen;
}

/**
 * A comment line is indented like the statement that it stands before; at the margin, and with a blank line below,
 * it stays there.
 */
function planComments(unit: GpirUnit, level: Int8Array): void {
  const { text, tokens } = unit;
  let below = -1;
  let isApart = true;
  for (let i = tokens.count - 1; i >= 0; i--) {
    if (!startsLine(unit, i)) continue;
    const breaks = i + 1 < tokens.count ? lineBreaks(text, tokens.end[i], tokens.start[i + 1]) : 2;
    if (tokens.kind[i] !== TokenKind.Comment) {
      below = level[i] >= 0 ? level[i] : 1;
      isApart = false;
      continue;
    }
    if (breaks > 1) isApart = true;
    const isAtMargin = i === 0 ? tokens.start[0] === 0 : isLineEnd(text.charCodeAt(tokens.start[i] - 1));
    level[i] = isApart && isAtMargin ? 0 : below < 0 ? 1 : below;
  }
}

const isLineEnd = (code: number): boolean => code === 10 || code === 13;

/**
 * Blanks before each comment that stands behind code. Comments of neighbouring lines that began in one column get
 * one column again: the one that leaves the narrowest of their gaps as it was, at least one blank.
 */
export function alignComments(unit: GpirUnit, plan: Plan, tabSize: number): Int32Array {
  const { text, tokens } = unit;
  const blanks = new Int32Array(tokens.count);
  let group = new Map<number, Row[]>();
  const close = (): void => {
    for (const rows of group.values()) {
      const gap = rows.reduce((least, row) => Math.min(least, row.gap), Infinity);
      const widest = rows.reduce((most, row) => Math.max(most, row.width), 0);
      for (const row of rows) blanks[row.token] = widest + Math.max(1, gap) - row.width;
    }
    group = new Map();
  };
  const ruler = rulerOf(text, tabSize);
  let width = 0;
  for (let i = 0; i < tokens.count; i++) {
    const isFirst = i === 0 || startsLine(unit, i);
    if (isFirst && (i === 0 || lineBreaks(text, tokens.end[i - 1], tokens.start[i]) > 1)) close();
    const before = i === 0 ? 0 : tokens.end[i - 1];
    if (plan.level[i] >= 0) {
      width = plan.level[i] * tabSize;
      if (plan.level[i] === 0 && text[tokens.end[i]] === ':') close();
    } else if (isFirst) width = ruler(tokens.start[i]);
    else {
      const from = ruler(before);
      const column = ruler(tokens.start[i]);
      if (tokens.kind[i] === TokenKind.Comment) {
        const row = { token: i, width, gap: column - from };
        const rows = group.get(column);
        if (rows === undefined) group.set(column, [row]);
        else rows.push(row);
        continue;
      }
      const wanted = plan.isFrozen[i] === 1 ? undefined : innerGap(unit, i);
      width += wanted?.length ?? column - from;
    }
    width += tokens.end[i] - tokens.start[i];
  }
  close();
  return blanks;
}

interface Row {
  readonly token: number;
  /** Columns of the code before it, as it will be. */
  readonly width: number;
  /** Blanks before it, as they were. */
  readonly gap: number;
}

/** The blanks before a token inside a line, or undefined to leave them as they are. */
export function innerGap({ text, tokens }: GpirUnit, i: number): string | undefined {
  const here = text[tokens.start[i]];
  if (tokens.kind[i] === TokenKind.Punctuation && (here === ',' || here === ':')) return '';
  const before = text[tokens.start[i - 1]];
  const isSign = tokens.kind[i - 1] === TokenKind.Punctuation && (before === '-' || before === '+');
  if (!isSign) return ' ';
  return tokens.kind[i] === TokenKind.Number ? undefined : '';
}

/** The column of an offset, tabs counted. Offsets must be asked for in rising order: it goes over the text once. */
function rulerOf(text: string, tabSize: number): (offset: number) => number {
  let at = 0;
  let column = 0;
  return (offset) => {
    for (; at < offset; at++) {
      const code = text.charCodeAt(at);
      if (isLineEnd(code)) column = 0;
      else if (code === 9) column += tabSize - (column % tabSize);
      else column++;
    }
    return column;
  };
}
