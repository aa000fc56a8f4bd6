import type { Function } from '../../../ir/function.js';
import { NoRegister } from '../../../ir/place.js';
import type { Code } from '../../../text/codes.js';
import type { Fix, Problem, RelatedPlace, Severity } from '../../../text/problem.js';
import { span, type Span } from '../../../text/span.js';
import type { Instruction, Operand, Program } from '../program.js';

/**
 * One rule of the hardware, or of the encoding, about an instruction where it stands. A rule looks at one instruction
 * and at what `Place` remembers of its block: all rules together are one walk over the program.
 */
export type Rule = (instruction: Instruction, place: Place, report: Report) => void;

/** Where the walk is. */
export interface Place {
  readonly program: Program;
  readonly index: number;
  /** First instruction of the block. */
  readonly blockStart: number;
  /** The instruction behind its last one. */
  readonly blockEnd: number;
  /** Enclosing `if` and `do`: 0 outside control flow. */
  readonly depth: number;
  /** Flags written before this in the block: bit 0 is f0.0. */
  readonly flagsWritten: number;
  readonly isAccumulatorWritten: boolean;
}

/** What a rule says; spans are made from the source function, so that rules know no text. */
export interface Finding {
  readonly code: Code;
  readonly severity?: Severity;
  readonly message: string;
  /** What the finding points at; the whole instruction when absent. */
  readonly at?: Operand | { readonly mark: string };
  readonly related?: readonly { readonly instruction: Instruction; readonly message: string }[];
  readonly fix?: Repair;
}

export type Report = (finding: Finding) => void;

/** A mechanical repair, in terms of the instruction. */
export type Repair =
  | { readonly title: string; readonly kind: 'remove'; readonly marks: readonly string[] }
  | { readonly title: string; readonly kind: 'add'; readonly attribute: string }
  | { readonly title: string; readonly kind: 'swap'; readonly operands: readonly [Operand, Operand] }
  | { readonly title: string; readonly kind: 'delete' };

/**
 * Turns findings about instructions of a program into problems of the function that it was decoded from. Words that
 * are written on an instruction (flags, attributes, modifiers) are operands with the payload text `mark:WORD`, whose
 * span is what a deletion takes away.
 */
export function reporterOf(
  f: Function,
  textOf: (operand: Operand) => string,
  problems: Problem[],
): (instruction: Instruction, finding: Finding) => void {
  const instructionSpan = (i: Instruction): Span =>
    i.origin < 0 ? span(f.nameStart, f.nameEnd) : span(f.spanStart[i.origin], f.spanEnd[i.origin]);
  const operandSpan = (o: Operand): Span | undefined =>
    o.operand >= 0 && f.operandSpanStart[o.operand] >= 0
      ? span(f.operandSpanStart[o.operand], f.operandSpanEnd[o.operand])
      : undefined;
  const marksOf = (i: Instruction): { name: string; span: Span }[] => {
    const marks: { name: string; span: Span }[] = [];
    for (let o = f.operandStart[i.origin]; o < f.operandStart[i.origin + 1]; o++) {
      if (f.operandPlace[o] !== NoRegister.Unknown) continue;
      const name = f.operandTexts?.text(f.operandPayload?.[o] ?? 0) ?? '';
      if (name.startsWith(MARK))
        marks.push({
          name: name.slice(MARK.length),
          span: span(f.operandSpanStart[o], f.operandSpanEnd[o]),
        });
    }
    return marks;
  };
  const markSpan = (i: Instruction, word: string): Span | undefined =>
    i.origin < 0 ? undefined : marksOf(i).find(({ name }) => name === word)?.span;
  const fixOf = (i: Instruction, repair: Repair): Fix | undefined => {
    const whole = instructionSpan(i);
    switch (repair.kind) {
      case 'remove': {
        const edits = withoutMarks(marksOf(i), repair.marks).map((s) => ({ span: s, newText: '' }));
        return edits.length === 0 ? undefined : { title: repair.title, edits, preferred: true };
      }
      case 'add': {
        const inside = markSpan(i, 'attrs');
        const edit =
          inside === undefined
            ? { span: span(whole.end, whole.end), newText: ` {${repair.attribute}}` }
            : { span: span(inside.end, inside.end), newText: `, ${repair.attribute}` };
        return { title: repair.title, edits: [edit], preferred: true };
      }
      case 'swap': {
        const [left, right] = repair.operands;
        const first = operandSpan(left);
        const second = operandSpan(right);
        if (first === undefined || second === undefined) return undefined;
        return {
          title: repair.title,
          edits: [
            { span: first, newText: textOf(right) },
            { span: second, newText: textOf(left) },
          ],
          preferred: true,
        };
      }
      case 'delete':
        return { title: repair.title, edits: [{ span: whole, newText: '' }] };
    }
  };
  return (instruction, finding) => {
    if (instruction.origin < 0) return;
    const at =
      finding.at === undefined
        ? undefined
        : 'mark' in finding.at
          ? trimmed(markSpan(instruction, finding.at.mark))
          : operandSpan(finding.at);
    const fix = finding.fix === undefined ? undefined : fixOf(instruction, finding.fix);
    const related = finding.related?.map((one): RelatedPlace => ({
      span: instructionSpan(one.instruction),
      message: one.message,
    }));
    problems.push({
      code: finding.code,
      severity: finding.severity ?? 'error',
      span: at ?? instructionSpan(instruction),
      message: finding.message,
      ...(related !== undefined && { related }),
      ...(fix !== undefined && { fixes: [fix] }),
    });
  };
}

const MARK = 'mark:';

/** What to delete so that the marks called `names` are gone, with the commas that they leave behind. */
function withoutMarks(
  marks: readonly { readonly name: string; readonly span: Span }[],
  names: readonly string[],
): Span[] {
  const braces = marks.find(({ name }) => name === 'braces')?.span;
  const isInside = (s: Span): boolean => braces !== undefined && s.start > braces.start && s.end < braces.end;
  const outside = marks.filter((m) => names.includes(m.name) && !isInside(m.span)).map((m) => m.span);
  const items = marks.filter((m) => isInside(m.span) && m.name !== 'attrs');
  const goes = items.map(({ name }) => names.includes(name));
  if (braces === undefined || !goes.includes(true)) return outside;
  if (!goes.includes(false)) return [...outside, braces];
  const runs: Span[] = [];
  for (let first = 0; first < items.length; first++) {
    if (!goes[first]) continue;
    let next = first;
    while (next < items.length && goes[next]) next++;
    runs.push(
      next < items.length
        ? span(items[first].span.start, items[next].span.start)
        : span(items[first - 1].span.end, items[next - 1].span.end),
    );
    first = next;
  }
  return [...outside, ...runs];
}

/** The span of a mark begins with the blank that a deletion takes with it. */
const trimmed = (s: Span | undefined): Span | undefined =>
  s === undefined || s.end - s.start < 2 ? s : span(s.start + 1, s.end);
