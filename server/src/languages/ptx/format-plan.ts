import type { Span } from '../../text/span.js';
import type { PtxSyntax } from './parser/parse.js';
import {
  TokenKind,
  type Block,
  type FunctionItem,
  type Instruction,
  type ModuleItem,
  type Statement,
  type VariableDeclaration,
} from './tree.js';

/** What formatting wants of the gap before a token. */
export const enum GapKind {
  /** As it is. */
  Keep,
  /** Inside a declaration or directive. */
  Words,
  /** Inside the operands of an instruction, where a dotted word stays with its name. */
  Operands,
  /** The operands' tab stop. */
  OperandColumn,
  Blank,
  None,
}

/** One entry for each token. */
export interface Plan {
  readonly gap: Uint8Array;
  /** Indentation of a token that begins a line, or -1. */
  readonly level: Int16Array;
  /** Indentation of a further line of a statement, should the text break there. */
  readonly continuation: Int16Array;
  /** Indentation of a comment that stands here. */
  readonly commentLevel: Int16Array;
  /** 1: neither the gap nor its line breaks change. */
  readonly frozen: Uint8Array;
}

/** Lays out the tokens of a unit along its tree. Linear, apart from a search for the first token of each node. */
export function planGaps(syntax: PtxSyntax): Plan {
  const count = syntax.tokens.count + 1;
  const plan: Plan = {
    gap: new Uint8Array(count),
    level: new Int16Array(count).fill(-1),
    continuation: new Int16Array(count),
    commentLevel: new Int16Array(count),
    frozen: new Uint8Array(count),
  };
  let wasFaulty = false;
  for (const item of syntax.items) {
    planItem(syntax, plan, item, wasFaulty);
    wasFaulty = item.kind === 'error' || isFaulty(syntax, item);
  }
  return plan;
}

/** Index of the first token that starts at or after `offset`. */
function tokenAt(syntax: PtxSyntax, offset: number): number {
  let low = 0;
  let high = syntax.tokens.count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (syntax.tokens.start[middle] < offset) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Every gap inside `span` is of this kind; its tokens may break to `level`. */
function fill(syntax: PtxSyntax, plan: Plan, span: Span, kind: GapKind, level: number): void {
  const end = tokenAt(syntax, span.end);
  for (let i = tokenAt(syntax, span.start) + 1; i < end; i++) {
    plan.gap[i] = kind;
    plan.continuation[i] = level;
    plan.commentLevel[i] = level;
  }
}

function freeze(syntax: PtxSyntax, plan: Plan, span: Span): void {
  const end = tokenAt(syntax, span.end);
  for (let i = tokenAt(syntax, span.start) + 1; i < end; i++) plan.frozen[i] = 1;
}

/** Whether something inside `span` could not be read; problems are in text order. */
function isFaulty(syntax: PtxSyntax, span: Span): boolean {
  const { problems } = syntax;
  let low = 0;
  let high = problems.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (problems[middle].span.start < span.start) low = middle + 1;
    else high = middle;
  }
  return low < problems.length && problems[low].span.start < span.end;
}

function startLine(syntax: PtxSyntax, plan: Plan, offset: number, level: number, comments: number): void {
  const first = tokenAt(syntax, offset);
  plan.level[first] = level;
  for (let i = first - 1; i >= 0 && syntax.tokens.kind[i] >= TokenKind.LineComment; i--)
    plan.commentLevel[i] = comments;
}

function planItem(syntax: PtxSyntax, plan: Plan, item: ModuleItem, wasFaulty: boolean): void {
  if (tokenAt(syntax, item.start) > 0 && (!wasFaulty || isOnNewLine(syntax, item.start)))
    startLine(syntax, plan, item.start, 0, 0);
  if (item.kind !== 'function' && isFaulty(syntax, item)) {
    freeze(syntax, plan, item);
    return;
  }
  switch (item.kind) {
    case 'error':
    case 'section':
      freeze(syntax, plan, item);
      break;
    case 'function':
      planFunction(syntax, plan, item);
      break;
    case 'variable':
      planVariable(syntax, plan, item, 0);
      break;
    default:
      fill(syntax, plan, item, GapKind.Words, 0);
  }
}

function planFunction(syntax: PtxSyntax, plan: Plan, item: FunctionItem): void {
  const headEnd = item.body?.start ?? item.end;
  if (isFaulty(syntax, { start: item.start, end: headEnd }))
    freeze(syntax, plan, { start: item.start, end: headEnd });
  else planHead(syntax, plan, item, headEnd);
  if (item.body === undefined) return;
  startLine(syntax, plan, item.body.start, 0, 0);
  planBlock(syntax, plan, item.body, 1);
}

function planHead(syntax: PtxSyntax, plan: Plan, item: FunctionItem, headEnd: number): void {
  fill(syntax, plan, { start: item.start, end: headEnd }, GapKind.Words, 0);
  if (item.returns.length > 0 || item.name !== undefined) {
    const first =
      item.linkage.length > 0
        ? tokenAt(syntax, item.linkage[item.linkage.length - 1].end)
        : tokenAt(syntax, item.start);
    for (let i = first + 1; i < tokenAt(syntax, item.name?.start ?? headEnd); i++)
      if (
        syntax.text.charCodeAt(syntax.tokens.start[i]) === 40 &&
        syntax.tokens.kind[i - 1] === TokenKind.Dotted &&
        isWord(syntax, i - 1, '.func')
      )
        plan.gap[i] = GapKind.Blank;
  }
  planParameters(syntax, plan, item);
  for (const directive of item.directives) startLine(syntax, plan, directive.start, 0, 0);
}

const isWord = (syntax: PtxSyntax, i: number, word: string): boolean =>
  syntax.text.slice(syntax.tokens.start[i], syntax.tokens.end[i]) === word;

/** Parameters stand on lines of their own where the first one does. */
function planParameters(syntax: PtxSyntax, plan: Plan, item: FunctionItem): void {
  if (item.parameters.length === 0) return;
  const first = tokenAt(syntax, item.parameters[0].start);
  const { text, tokens } = syntax;
  const gap = first > 0 ? text.slice(tokens.end[first - 1], tokens.start[first]) : '';
  const hasLines = /[\r\n]/.test(gap) || tokens.kind[first - 1] === TokenKind.LineComment;
  if (!hasLines) return;
  for (const parameter of item.parameters) {
    startLine(syntax, plan, parameter.start, 1, 1);
  }
  let close = tokenAt(syntax, item.parameters[item.parameters.length - 1].end);
  while (close < tokens.count && tokens.kind[close] >= TokenKind.LineComment) plan.commentLevel[close++] = 1;
  if (close < tokens.count && text.charCodeAt(tokens.start[close]) === 41) plan.level[close] = 0;
}

/** Deeper blocks are not indented further. */
const MAX_LEVEL = 100;

function planBlock(syntax: PtxSyntax, plan: Plan, block: Block, level: number): void {
  let wasFaulty = false;
  for (const statement of block.statements) {
    if (!wasFaulty || isOnNewLine(syntax, statement.start))
      startLine(syntax, plan, statement.start, statement.kind === 'label' ? 0 : level, level);
    planStatement(syntax, plan, statement, level);
    wasFaulty = statement.kind === 'error' || (statement.kind !== 'block' && isFaulty(syntax, statement));
  }
  if (block.isClosed && (!wasFaulty || isOnNewLine(syntax, block.end - 1)))
    startLine(syntax, plan, block.end - 1, level - 1, level);
}

/** Where recovery from a mistake ended a statement in the middle of a line, the line is not broken. */
function isOnNewLine(syntax: PtxSyntax, offset: number): boolean {
  const first = tokenAt(syntax, offset);
  return first === 0 || /[\r\n]/.test(syntax.text.slice(syntax.tokens.end[first - 1], offset));
}

function planStatement(syntax: PtxSyntax, plan: Plan, statement: Statement, level: number): void {
  if (statement.kind !== 'block' && isFaulty(syntax, statement)) {
    freeze(syntax, plan, statement);
    return;
  }
  switch (statement.kind) {
    case 'block':
      planBlock(syntax, plan, statement, Math.min(level + 1, MAX_LEVEL));
      break;
    case 'instruction':
      planInstruction(syntax, plan, statement, level);
      break;
    case 'variable':
      planVariable(syntax, plan, statement, level);
      break;
    case 'error':
    case 'section':
      freeze(syntax, plan, statement);
      break;
    case 'label':
      fill(syntax, plan, statement, GapKind.None, 0);
      break;
    case 'targets':
    case 'prototype': {
      fill(syntax, plan, statement, GapKind.Words, level);
      const first = tokenAt(syntax, statement.start);
      plan.level[first] = 0;
      for (let i = first + 1; i < tokenAt(syntax, statement.end); i++)
        if (syntax.text.charCodeAt(syntax.tokens.start[i]) === 40) plan.gap[i] = GapKind.Blank;
      break;
    }
    default:
      fill(syntax, plan, statement, GapKind.Words, level);
  }
}

function planInstruction(syntax: PtxSyntax, plan: Plan, instruction: Instruction, level: number): void {
  if (instruction.isFaulty) {
    freeze(syntax, plan, instruction);
    return;
  }
  fill(syntax, plan, instruction, GapKind.Operands, level + 1);
  const { guard, opcode, operands } = instruction;
  if (guard !== undefined) {
    fill(syntax, plan, guard, GapKind.None, level + 1);
    plan.gap[tokenAt(syntax, opcode.start)] = GapKind.Blank;
  }
  for (let i = tokenAt(syntax, opcode.start) + 1; i < tokenAt(syntax, opcode.end); i++)
    plan.gap[i] = GapKind.None;
  if (operands.length > 0)
    plan.gap[tokenAt(syntax, operands[0].start)] = opcode.text.startsWith('call')
      ? GapKind.Blank
      : GapKind.OperandColumn;
  for (const operand of operands) {
    if (operand.kind === 'pair') tighten(syntax, plan, operand.first.end, operand.second.start);
    if (operand.kind === 'address' && operand.base !== undefined && operand.offset !== undefined)
      tighten(
        syntax,
        plan,
        operand.base.kind === 'name' ? (operand.base.component ?? operand.base.name).end : operand.base.end,
        operand.offset.start,
      );
  }
}

/** No blanks from the token behind `from` to the one at `to`. */
function tighten(syntax: PtxSyntax, plan: Plan, from: number, to: number): void {
  const last = tokenAt(syntax, to);
  for (let i = tokenAt(syntax, from); i <= last; i++) plan.gap[i] = GapKind.None;
}

/** Registers and local arrays of a body have their names at the tab stop. */
function planVariable(syntax: PtxSyntax, plan: Plan, item: VariableDeclaration, level: number): void {
  fill(syntax, plan, item, GapKind.Words, level);
  const { space, declarators } = item;
  if (level > 0 && declarators.length > 0 && (space.text === '.reg' || space.text === '.local'))
    plan.gap[tokenAt(syntax, declarators[0].start)] = GapKind.OperandColumn;
  for (const declarator of declarators)
    if (declarator.initializer !== undefined) {
      const equals = tokenAt(syntax, declarator.initializer.start) - 1;
      plan.gap[equals] = GapKind.Blank;
      plan.gap[equals + 1] = GapKind.Blank;
    }
}
