import { touches, type Span } from '../../text/span.js';
import type { Fold } from '../language.js';
import { FlowKind } from './flow.js';
import { flowKindOf } from './opcode-flow.js';
import { isBlank, isLineEnd } from './parser/scanner.js';
import { headEnd, type Instruction, type MesaUnit, type Statement } from './tree.js';

/** What an instruction does to the nesting: opens a level, closes one, or both (`else`). */
export interface Nesting {
  readonly closes: boolean;
  readonly opens: boolean;
}

export function nestingOf(statement: Statement): Nesting {
  if (statement.kind !== 'instruction') return { closes: false, opens: false };
  switch (flowKindOf(statement.opcode.text)) {
    case FlowKind.If:
    case FlowKind.Do:
      return { closes: false, opens: true };
    case FlowKind.Else:
      return { closes: true, opens: true };
    case FlowKind.EndIf:
    case FlowKind.While:
      return { closes: true, opens: false };
    default:
      return { closes: false, opens: false };
  }
}

/** What can be folded: `if` and loops, labelled blocks, runs of directives, runs of comment lines. */
export function folds(unit: MesaUnit): readonly Fold[] {
  const { text } = unit;
  return [
    ...nests(unit).map((span) => ({ span, kind: 'region' }) as const),
    ...labelled(unit).map((span) => ({ span, kind: 'region' }) as const),
    ...directiveRuns(unit).map((span) => ({ span, kind: 'region' }) as const),
    ...commentRuns(unit).map((span) => ({ span, kind: 'comment' }) as const),
  ]
    .filter(({ span }) => lineBreaks(text, span.start, span.end) > 0)
    .sort((a, b) => a.span.start - b.span.start || b.span.end - a.span.end);
}

/** From the line that opens a level to the one before its partner, which stays in sight. */
function nests({ statements }: MesaUnit): Span[] {
  const found: Span[] = [];
  const open: number[] = [];
  for (let i = 0; i < statements.length; i++) {
    const { closes, opens } = nestingOf(statements[i]);
    if (closes) {
      const from = open.pop();
      if (from !== undefined && i > from + 1)
        found.push({ start: statements[from].start, end: statements[i - 1].end });
    }
    if (opens) open.push(i);
  }
  return found;
}

/** From each label to the last statement before the next one. */
function labelled({ statements }: MesaUnit): Span[] {
  const found: Span[] = [];
  let start = -1;
  let end = -1;
  for (const statement of statements) {
    if (statement.kind === 'label') {
      if (start >= 0) found.push({ start, end });
      start = statement.start;
    }
    end = statement.end;
  }
  if (start >= 0) found.push({ start, end });
  return found;
}

function directiveRuns({ statements }: MesaUnit): Span[] {
  const found: Span[] = [];
  for (let i = 0; i < statements.length; i++) {
    if (!('directive' in statements[i])) continue;
    let last = i;
    while (last + 1 < statements.length && 'directive' in statements[last + 1]) last++;
    found.push({ start: statements[i].start, end: statements[last].end });
    i = last;
  }
  return found;
}

/** Comment lines without another line between them. */
function commentRuns({ text, comments }: MesaUnit): Span[] {
  const found: Span[] = [];
  for (let k = 0; k < comments.length; k += 2) {
    if (!beginsLine(text, comments[k])) continue;
    let last = k;
    while (
      last + 2 < comments.length &&
      lineBreaks(text, comments[last + 1], comments[last + 2]) === 1 &&
      beginsLine(text, comments[last + 2])
    )
      last += 2;
    found.push({ start: comments[k], end: comments[last + 1] });
    k = last;
  }
  return found;
}

function beginsLine(text: string, at: number): boolean {
  for (let i = at; i > 0; i--) {
    const code = text.charCodeAt(i - 1);
    if (isLineEnd(code)) return true;
    if (!isBlank(code)) return false;
  }
  return true;
}

function lineBreaks(text: string, from: number, to: number): number {
  let count = 0;
  for (let i = from; i < to; i++) {
    const code = text.charCodeAt(i);
    if (code === 10 || (code === 13 && text.charCodeAt(i + 1) !== 10)) count++;
  }
  return count;
}

/** The statement that touches `offset`. O(log statements). */
export function statementAt({ statements }: MesaUnit, offset: number): Statement | undefined {
  let low = 0;
  let high = statements.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (statements[middle].start <= offset) low = middle + 1;
    else high = middle;
  }
  const found = low > 0 ? statements[low - 1] : undefined;
  return found !== undefined && touches(found, offset) ? found : undefined;
}

/** What a selection grows to: name, operand, operands, instruction, level, program. Innermost first. */
export function enclosing(unit: MesaUnit, offset: number): readonly Span[] {
  const candidates: Span[] = [{ start: 0, end: unit.text.length }];
  const statement = statementAt(unit, offset);
  if (statement !== undefined) {
    candidates.push(statement);
    if (statement.kind === 'instruction') candidates.push(...partsOf(statement));
    if (statement.kind === 'label') candidates.push(statement.name);
    if ('directive' in statement) candidates.push(statement.directive);
  }
  candidates.push(...levels(unit, offset), ...directiveRuns(unit), ...labelled(unit));
  const around = candidates
    .filter((span) => span.end > span.start && touches(span, offset))
    .sort((a, b) => a.end - a.start - (b.end - b.start));
  const spans: Span[] = [];
  for (const { start, end } of around) {
    const inner = spans.at(-1);
    const grows = inner === undefined || (start <= inner.start && end >= inner.end);
    if (grows && (inner === undefined || end - start > inner.end - inner.start)) spans.push({ start, end });
  }
  return spans;
}

function partsOf(node: Instruction): Span[] {
  const { opcode, destination, sources, predicate } = node;
  const operands = [destination, ...sources].filter((o) => o.end > o.start);
  const parts: Span[] = [
    opcode,
    { start: opcode.start, end: headEnd(node) },
    { start: opcode.start, end: node.end },
  ];
  if (predicate !== undefined) parts.push(predicate);
  for (const operand of operands) parts.push(operand, { start: operand.nameStart, end: operand.nameEnd });
  if (operands.length > 1) parts.push({ start: operands[0].start, end: operands[operands.length - 1].end });
  return parts;
}

/** Whole levels around `offset`: from `if` to `endif`, from `do` to `while`, and what stands inside. */
function levels({ statements }: MesaUnit, offset: number): Span[] {
  const found: Span[] = [];
  const open: number[] = [];
  for (let i = 0; i < statements.length; i++) {
    const { closes, opens } = nestingOf(statements[i]);
    if (closes) {
      const from = open.pop();
      if (from !== undefined) {
        if (i > from + 1) found.push({ start: statements[from + 1].start, end: statements[i - 1].end });
        found.push({ start: statements[from].start, end: statements[i].end });
      }
    }
    if (opens) open.push(i);
  }
  return found.filter((span) => touches(span, offset));
}
