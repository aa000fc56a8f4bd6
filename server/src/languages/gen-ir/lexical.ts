import { IntList } from '../../ir/int-list.js';
import { LexicalKind, type LexicalTokens } from '../language.js';
import { wordEnd } from './parser/scanner.js';
import type { Operand } from './operand.js';
import type { Instruction, MesaUnit } from './tree.js';

/** What is not a name, for semantic tokens, in text order. */
export function lexicalTokens(unit: MesaUnit): LexicalTokens {
  const size = 4 * unit.statements.length + 16;
  const out: Out = { start: new IntList(size), end: new IntList(size), kind: new IntList(size) };
  let comment = 0;
  const commentsBefore = (offset: number): void => {
    for (; comment < unit.comments.length && unit.comments[comment] < offset; comment += 2)
      token(out, unit.comments[comment], unit.comments[comment + 1], LexicalKind.Comment);
  };
  for (const statement of unit.statements) {
    commentsBefore(statement.start);
    if (statement.kind === 'instruction') instructionTokens(out, unit.text, statement);
    else if ('directive' in statement) {
      const { start, end } = statement.directive;
      token(out, start, end, LexicalKind.Directive);
    } else if (statement.kind === 'blockMark')
      token(out, statement.start, statement.end, LexicalKind.Directive);
    else if (statement.kind === 'other') token(out, statement.start, statement.end, LexicalKind.Comment);
  }
  commentsBefore(Infinity);
  return { start: out.start.toArray(), end: out.end.toArray(), kind: new Uint8Array(out.kind.view()) };
}

interface Out {
  readonly start: IntList;
  readonly end: IntList;
  readonly kind: IntList;
}

function token(out: Out, start: number, end: number, kind: LexicalKind): void {
  if (end <= start) return;
  out.start.push(start);
  out.end.push(end);
  out.kind.push(kind);
}

function instructionTokens(out: Out, text: string, node: Instruction): void {
  const { predicate, opcode, condition, destination, sources } = node;
  if (predicate !== undefined && predicate.mode !== '')
    token(out, predicate.flagEnd + 1, predicate.end - 1, LexicalKind.Modifier);
  token(out, opcode.start, opcode.end, LexicalKind.Instruction);
  const saturate = node.saturate ? text.indexOf('.sat', opcode.end) + 1 : -1;
  if (saturate >= 0 && (condition === undefined || saturate < condition.start))
    token(out, saturate, saturate + 3, LexicalKind.Modifier);
  if (condition !== undefined)
    token(
      out,
      condition.start,
      condition.flagStart >= 0 ? condition.flagStart - 1 : condition.end,
      LexicalKind.Modifier,
    );
  if (condition !== undefined && saturate > condition.start)
    token(out, saturate, saturate + 3, LexicalKind.Modifier);
  operandTokens(out, destination);
  for (const source of sources) operandTokens(out, source);
  if (node.noMask || node.group >= 0 || node.attributes !== undefined)
    // an operand that is missing has its end where it was looked for, which may be before words that have a token
    trailerTokens(out, text, node, Math.max((sources.at(-1) ?? destination).end, lastEnd(out)));
}

const lastEnd = ({ end }: Out): number => (end.length === 0 ? 0 : end.at(end.length - 1));

/** `NoMask`, `group8` and braces, which may follow in any order. */
function trailerTokens(out: Out, text: string, { end, attributes }: Instruction, from: number): void {
  for (let at = from; at < end;) {
    const next = at === attributes?.start ? attributes.end : wordEnd(text, at);
    token(out, at, next, LexicalKind.Modifier);
    at = Math.max(next, at + 1);
  }
}

function operandTokens(out: Out, operand: Operand): void {
  if (operand.file === 'immediate') token(out, operand.start, operand.end, LexicalKind.Number);
  if (operand.offsetStart >= 0) token(out, operand.offsetStart, operand.offsetEnd, LexicalKind.Number);
  if (operand.channelsStart >= 0)
    token(out, operand.channelsStart, operand.channelsEnd, LexicalKind.Modifier);
  if (operand.typeStart >= 0) token(out, operand.typeStart, operand.typeEnd, LexicalKind.Type);
}
