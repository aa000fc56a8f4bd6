import { IntList } from '../../ir/int-list.js';
import { LexicalKind, type LexicalTokens } from '../language.js';
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
    if (statement.kind === 'instruction') instructionTokens(out, statement);
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

function instructionTokens(out: Out, node: Instruction): void {
  token(out, node.opcode.start, node.opcode.end, LexicalKind.Instruction);
  if (node.condition !== undefined)
    token(
      out,
      node.condition.start,
      node.condition.flagStart >= 0 ? node.condition.flagStart - 1 : node.condition.end,
      LexicalKind.Modifier,
    );
  operandTokens(out, node.destination);
  for (const source of node.sources) operandTokens(out, source);
  if (node.attributes !== undefined && node.attributes.start >= 0)
    token(out, node.attributes.start, node.attributes.end, LexicalKind.Modifier);
}

function operandTokens(out: Out, operand: Operand): void {
  if (operand.file === 'immediate') token(out, operand.start, operand.end, LexicalKind.Number);
  if (operand.offsetStart >= 0) token(out, operand.offsetStart, operand.offsetEnd, LexicalKind.Number);
  if (operand.channelsStart >= 0)
    token(out, operand.channelsStart, operand.channelsEnd, LexicalKind.Modifier);
  if (operand.typeStart >= 0) token(out, operand.typeStart, operand.typeEnd, LexicalKind.Type);
}
