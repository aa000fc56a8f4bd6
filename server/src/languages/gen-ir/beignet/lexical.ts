import { IntList } from '../../../ir/int-list.js';
import { LexicalKind, type LexicalTokens } from '../../language.js';
import { placeOfFlag } from './flags.js';
import type { BeignetUnit, FlagName, IrLine, Line, Operand, SelectionLine } from './tree.js';

/** Colours of what is no name, sorted and without overlap. */
export function lexicalTokens(
  { lines, text }: BeignetUnit,
  flags: ReadonlyMap<Line, FlagName>,
): LexicalTokens {
  const out = new Tokens();
  for (const line of lines)
    switch (line.kind) {
      case 'selection':
        selectionTokens(out, line, flags.get(line));
        break;
      case 'ir':
        irTokens(out, line);
        break;
      case 'declaration':
        out.put(line.directive.start, line.what?.end ?? line.directive.end, LexicalKind.Directive);
        break;
      case 'header':
      case 'footer':
        headerTokens(out, text, line);
        break;
      case 'label':
        out.put(line.start, line.name.start, LexicalKind.Comment);
        break;
      case 'allocation':
        out.put(line.register.end, line.end, LexicalKind.Number);
        break;
      case 'error':
        break;
    }
  return out.finish();
}

class Tokens {
  private readonly start = new IntList();
  private readonly end = new IntList();
  private readonly kind = new IntList();

  put(start: number, end: number, kind: LexicalKind): void {
    if (end <= start) return;
    this.start.push(start);
    this.end.push(end);
    this.kind.push(kind);
  }

  finish(): LexicalTokens {
    return {
      start: this.start.toArray(),
      end: this.end.toArray(),
      kind: new Uint8Array(this.kind.view()),
    };
  }
}

function headerTokens(
  out: Tokens,
  text: string,
  line: { start: number; end: number; name?: { start: number; end: number } | undefined },
): void {
  if (line.name === undefined) {
    const isDirective = text.charCodeAt(line.start) === 46;
    out.put(line.start, line.end, isDirective ? LexicalKind.Directive : LexicalKind.Comment);
    return;
  }
  out.put(line.start, line.name.start, LexicalKind.Directive);
  out.put(line.name.end, line.end, LexicalKind.Comment);
}

function selectionTokens(out: Tokens, line: SelectionLine, written: FlagName | undefined): void {
  const first = line.predicate?.start ?? line.opcode.start;
  // the number in brackets, and the blanks behind it
  let end = first;
  while (end > line.start && isBlank(line, end)) end--;
  out.put(line.start, end, LexicalKind.Comment);
  out.put(line.opcode.start, line.opcode.end, LexicalKind.Instruction);
  if (line.suffix !== undefined) out.put(line.suffix.start, line.suffix.end, LexicalKind.Modifier);
  // the `arf` of a comparison stands for the name of the flag that it is taken to write
  const flagStart = written?.kind === 'virtual' ? placeOfFlag(line).start : -1;
  for (const operand of line.destinations) if (operand.start !== flagStart) operandTokens(out, operand);
  for (const operand of line.sources) operandTokens(out, operand);
}

/** Brackets end where the digits of the number do. */
const isBlank = (line: SelectionLine, at: number): boolean => at > line.start + String(line.id).length + 2;

function operandTokens(out: Tokens, operand: Operand): void {
  switch (operand.kind) {
    case 'register':
      out.put(operand.typeStart, operand.end, LexicalKind.Type);
      break;
    case 'physical':
      out.put(operand.start, operand.typeStart, LexicalKind.SpecialRegister);
      out.put(operand.typeStart, operand.end, LexicalKind.Type);
      break;
    case 'file':
      out.put(operand.start, operand.end, LexicalKind.SpecialRegister);
      break;
    case 'immediate':
      out.put(operand.start, operand.end, LexicalKind.Number);
      break;
    case 'bad':
      break;
  }
}

function irTokens(out: Tokens, line: IrLine): void {
  out.put(line.opcode.start, line.opcode.end, LexicalKind.Instruction);
  for (const { start, end } of line.suffixes) out.put(start, end, LexicalKind.Type);
  const numbers = line.immediate === undefined ? line.numbers : [line.immediate, ...line.numbers];
  const names = [...line.registers, line.predicate, line.target].filter((x) => x !== undefined);
  for (const { start, end } of [...numbers].sort((a, b) => a.start - b.start))
    if (!names.some((n) => n.start < end && start < n.end)) out.put(start, end, LexicalKind.Number);
}
