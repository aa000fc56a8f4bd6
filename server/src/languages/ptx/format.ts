import type { Span, TextEdit } from '../../text/span.js';
import type { FormatOptions } from '../language.js';
import { isBlank, isWordCharacter } from './lexer.js';
import type { PtxSyntax } from './parser/parse.js';
import { GapKind, planGaps, type Plan } from './format-plan.js';
import { TokenKind } from './tree.js';

/**
 * Formatting in the manner of nvcc: one statement a line, bodies indented by a tab, labels at the left margin,
 * operands behind a tab stop. Only the blanks between tokens change, one edit a gap, so that any subset of the
 * edits can be applied alone. Comments stay where they stand. Text that could not be parsed is left as it is.
 */
export function format(syntax: PtxSyntax, options: FormatOptions): readonly TextEdit[] {
  const { text, tokens } = syntax;
  const edits: TextEdit[] = [];
  if (tokens.count === 0) return edits;
  const plan = planGaps(syntax);
  const style: Style = {
    text,
    lineBreak: text.includes('\r\n') ? '\r\n' : '\n',
    tabSize: Math.max(1, Math.min(16, options.tabSize | 0)),
    insertSpaces: options.insertSpaces,
  };
  for (let i = 0; i <= tokens.count; i++) {
    const gap = {
      start: i === 0 ? 0 : tokens.end[i - 1],
      end: i === tokens.count ? text.length : tokens.start[i],
    };
    const wanted = wantedGap(syntax, plan, style, i, gap);
    if (wanted !== undefined && wanted !== text.slice(gap.start, gap.end))
      edits.push({ span: gap, newText: wanted });
  }
  return edits;
}

interface Style {
  readonly text: string;
  readonly lineBreak: string;
  readonly tabSize: number;
  readonly insertSpaces: boolean;
}

/** Blank lines in a row that are kept; nvcc writes two after the registers of a body. */
const BLANK_LINES = 2;

/** The blanks that should stand before token `i` (at `tokens.count`: at the end), or undefined to leave them. */
function wantedGap(syntax: PtxSyntax, plan: Plan, style: Style, i: number, gap: Span): string | undefined {
  const { text, tokens } = syntax;
  if (!isPlainBlank(text, gap)) return undefined;
  const breaks = lineBreaks(text, gap);
  if (i === tokens.count) return breaks > 0 ? style.lineBreak : '';
  if (i === 0) return breaks > 0 ? lines(style, breaks) + indentation(style, levelAt(plan, i)) : undefined;
  const kind = tokens.kind[i];
  if (tokens.kind[i - 1] === TokenKind.Preprocessor || kind === TokenKind.Preprocessor) return undefined;
  const isComment = kind === TokenKind.LineComment || kind === TokenKind.BlockComment;
  if (plan.frozen[i] === 1 || isGlued(syntax, plan, i)) return undefined;
  if (isComment) return breaks > 0 ? lines(style, breaks) + indentation(style, levelAt(plan, i)) : undefined;
  const level = plan.level[i];
  if (level >= 0) return lines(style, Math.max(1, breaks)) + indentation(style, level);
  const before = tokens.kind[i - 1];
  if (before === TokenKind.LineComment || before === TokenKind.BlockComment)
    return breaks > 0 ? style.lineBreak + indentation(style, Math.max(0, plan.continuation[i])) : undefined;
  if (plan.gap[i] === GapKind.Keep) return undefined;
  return safe(syntax, gap, innerGap(syntax, plan, style, i, gap, breaks > 0));
}

function innerGap(
  syntax: PtxSyntax,
  plan: Plan,
  style: Style,
  i: number,
  gap: Span,
  isBroken: boolean,
): string {
  const { text, tokens } = syntax;
  const before = mark(syntax, i - 1);
  const here = mark(syntax, i);
  if (here === ',' || here === ';') return '';
  const opens = before === '(' || before === '[' || before === '{';
  const closes = here === ')' || here === ']' || here === '}';
  if (isBroken && (before === ',' || opens || closes))
    return style.lineBreak + indentation(style, Math.max(0, plan.continuation[i]));
  switch (plan.gap[i]) {
    case GapKind.OperandColumn:
      return operandColumn(syntax, plan, style, i);
    case GapKind.None:
      return '';
    case GapKind.Blank:
      return ' ';
    default:
  }
  if (before === ',') return ' ';
  if (opens || closes) return '';
  if (before === '@') return '';
  if (isOperator(before) || isOperator(here)) return gap.end > gap.start ? ' ' : '';
  if (tokens.kind[i] === TokenKind.Dotted && plan.gap[i] === GapKind.Operands)
    return gap.end > gap.start ? ' ' : '';
  if (here === '(' || here === '[' || here === '<' || before === '<' || here === '>' || here === ':')
    return '';
  return text.length > 0 ? ' ' : '';
}

/** Punctuation as text; other tokens give the empty string. */
function mark(syntax: PtxSyntax, i: number): string {
  const { text, tokens } = syntax;
  return tokens.kind[i] === TokenKind.Punctuation ? text.slice(tokens.start[i], tokens.end[i]) : '';
}

const operators = new Set('+ - * / % & ^ ~ ! ? || && << >> <= >= == != |'.split(' '));
const isOperator = (word: string): boolean => operators.has(word);

/** nvcc writes a blank and a tab behind the opcode; with blanks for tabs, the next tab stop after one blank. */
function operandColumn(syntax: PtxSyntax, plan: Plan, style: Style, i: number): string {
  if (!style.insertSpaces) return ' \t';
  let first = i - 1;
  while (first > 0 && plan.level[first] < 0) first--;
  const { tokens } = syntax;
  let width = Math.max(0, plan.level[first]) * style.tabSize;
  for (let k = first; k < i; k++) {
    width += tokens.end[k] - tokens.start[k];
    if (k > first && plan.gap[k] === GapKind.Blank) width++;
  }
  return ' '.repeat(style.tabSize - (width % style.tabSize) || style.tabSize);
}

/** A dotted word that only its place behind another word makes what it is: `.2d` alone is a number, `.entry` a new unit. */
function isGlued(syntax: PtxSyntax, plan: Plan, i: number): boolean {
  const { text, tokens } = syntax;
  if (tokens.kind[i] !== TokenKind.Dotted || tokens.end[i - 1] !== tokens.start[i]) return false;
  const code = text.charCodeAt(tokens.start[i] + 1);
  return (
    (code >= 48 && code <= 57) ||
    (plan.level[i] >= 0 && isWordCharacter(text.charCodeAt(tokens.start[i] - 1)))
  );
}

/** Keeps tokens apart that would become one. */
function safe(syntax: PtxSyntax, gap: Span, wanted: string): string {
  if (wanted !== '' || gap.start === gap.end) return wanted;
  const { text } = syntax;
  return wouldJoin(text, gap.start - 1, gap.end) ? ' ' : '';
}

function wouldJoin(text: string, last: number, first: number): boolean {
  const a = text.charCodeAt(last);
  const b = text.charCodeAt(first);
  const isWordBefore = isWordCharacter(a) || a >= 128;
  if (isWordBefore) return isWordCharacter(b) || b >= 128 || b === 46;
  if (a === 37 || a === 46) return isWordCharacter(b) || b >= 128 || b === 46;
  const pair = text.charAt(last) + text.charAt(first);
  return operators.has(pair) || pair === '//' || pair === '/*' || pair === '::';
}

function isPlainBlank(text: string, gap: Span): boolean {
  for (let i = gap.start; i < gap.end; i++) {
    const code = text.charCodeAt(i);
    if (code >= 128 || !isBlank(code) || code === 0) return false;
  }
  return true;
}

function lineBreaks(text: string, gap: Span): number {
  let count = 0;
  for (let i = gap.start; i < gap.end; i++) {
    const code = text.charCodeAt(i);
    if (code === 10 || (code === 13 && text.charCodeAt(i + 1) !== 10)) count++;
  }
  return count;
}

const lines = (style: Style, breaks: number): string =>
  style.lineBreak.repeat(Math.min(breaks, BLANK_LINES + 1));

const indentation = (style: Style, level: number): string =>
  style.insertSpaces ? ' '.repeat(level * style.tabSize) : '\t'.repeat(level);

/** Indentation of a comment: that of the statement it stands before. */
const levelAt = (plan: Plan, i: number): number => Math.max(0, plan.commentLevel[i]);
