import { touches, type Span } from '../../text/span.js';
import { spanAt, statementAt, tokenAt } from './find.js';
import type { GpirUnit, Instruction } from './tree.js';

/** What a selection around `offset` grows to: word, operand, operands, instruction, block, program. Innermost first. */
export function enclosing(unit: GpirUnit, offset: number): readonly Span[] {
  const spans: Span[] = [{ start: 0, end: unit.text.length }];
  const add = (span: Span | undefined): void => {
    if (span === undefined || !touches(span, offset)) return;
    const outer = spans[spans.length - 1];
    const isInside = span.start >= outer.start && span.end <= outer.end;
    if (isInside && span.end - span.start < outer.end - outer.start)
      spans.push({ start: span.start, end: span.end });
  };
  add(blockAt(unit, offset));
  const statement = statementAt(unit, offset);
  add(statement);
  if (statement?.kind === 'instruction') addParts(statement, offset, add);
  const token = tokenAt(unit.tokens, offset);
  if (token >= 0) add({ start: unit.tokens.start[token], end: unit.tokens.end[token] });
  return spans.reverse();
}

function addParts({ opcode, operands, end }: Instruction, offset: number, add: (span?: Span) => void): void {
  add({ start: opcode.start, end });
  if (operands.length === 0) return;
  add({ start: operands[0].start, end: operands[operands.length - 1].end });
  add(spanAt(operands, offset));
}

/** From the last label before `offset` to the end of the last statement before the next one. */
function blockAt({ statements }: GpirUnit, offset: number): Span | undefined {
  let block: { start: number; end: number } | undefined;
  for (const { kind, start, end } of statements) {
    const isCode = kind === 'label' || kind === 'instruction';
    if (kind === 'label' || (isCode && block === undefined)) {
      if (block !== undefined && start > offset) break;
      block = { start, end };
    } else if (block !== undefined) block.end = end;
  }
  return block;
}
