import { touches, type Span } from '../../../text/span.js';
import type { Fold } from '../../language.js';
import { lineAt, operandsOf, registersOfLine } from './find.js';
import { branchOf } from './graph.js';
import type { BeignetUnit, Line } from './tree.js';

/** What can be folded: sections, blocks, the parts of an IF, the rows of a register allocation, declarations. */
export function folds(unit: BeignetUnit): readonly Fold[] {
  const found: Span[] = [...sections(unit), ...blocks(unit), ...nests(unit), ...declarations(unit)];
  return found
    .filter(({ start, end }) => hasLineBreak(unit.text, start, end))
    .sort((a, b) => a.start - b.start || b.end - a.end)
    .map((span) => ({ span, kind: 'region' }));
}

/** From each head to the last line before the next one. */
function sections({ lines }: BeignetUnit): Span[] {
  const found: Span[] = [];
  let start = -1;
  let end = -1;
  for (const line of lines) {
    if (line.kind === 'header') {
      if (start >= 0) found.push({ start, end });
      start = line.start;
    }
    end = line.end;
  }
  if (start >= 0) found.push({ start, end });
  return found;
}

const isCode = ({ kind }: Line): boolean => kind === 'label' || kind === 'selection' || kind === 'ir';

/** From each label to the last instruction before the next one. */
function blocks({ lines }: BeignetUnit): Span[] {
  const found: Span[] = [];
  let start = -1;
  let end = -1;
  for (const line of lines) {
    if (line.kind === 'label' || !isCode(line)) {
      if (start >= 0) found.push({ start, end });
      start = line.kind === 'label' ? line.start : -1;
    }
    end = line.end;
  }
  if (start >= 0) found.push({ start, end });
  return found;
}

/** From IF to ELSE, and from ELSE to ENDIF; the line of the partner stays. */
function nests({ lines }: BeignetUnit): Span[] {
  const found: Span[] = [];
  const open: number[] = [];
  for (let i = 0; i < lines.length; i++) {
    const branch = branchOf(lines[i]);
    if (branch === 'else' || branch === 'endif') {
      const from = open.pop();
      if (from !== undefined && i > from + 1) found.push({ start: lines[from].start, end: lines[i - 1].end });
    }
    if (branch === 'if' || branch === 'else') open.push(i);
  }
  return found;
}

function declarations({ lines }: BeignetUnit): Span[] {
  const found: Span[] = [];
  for (let i = 0; i < lines.length; i++) {
    if (lines[i].kind !== 'declaration') continue;
    let last = i;
    while (lines.at(last + 1)?.kind === 'declaration') last++;
    found.push({ start: lines[i].start, end: lines[last].end });
    i = last;
  }
  return found;
}

function hasLineBreak(text: string, start: number, end: number): boolean {
  for (let i = start; i < end; i++) {
    const code = text.charCodeAt(i);
    if (code === 10 || code === 13) return true;
  }
  return false;
}

/** What a selection around `offset` grows to: name, operand, instruction, line, block, section. Innermost first. */
export function enclosing(unit: BeignetUnit, offset: number): readonly Span[] {
  const line = lineAt(unit, offset);
  const candidates: Span[] = [];
  if (line !== undefined) {
    candidates.push(...registersOfLine(line), ...operandsOf(line));
    if (line.kind === 'selection') candidates.push({ start: line.opcode.start, end: line.end }, line.opcode);
    if (line.kind === 'ir') candidates.push(line.opcode);
    if (line.kind === 'label') candidates.push(line.name);
    candidates.push(line);
  }
  candidates.push(...blocks(unit), ...sections(unit), { start: 0, end: unit.text.length });
  const around = candidates
    .filter((span) => touches(span, offset))
    .sort((a, b) => a.end - a.start - (b.end - b.start));
  const spans: Span[] = [];
  for (const { start, end } of around) {
    const inner = spans.at(-1);
    if (
      inner === undefined ||
      (start <= inner.start && end >= inner.end && end - start > inner.end - inner.start)
    )
      spans.push({ start, end });
  }
  return spans;
}
