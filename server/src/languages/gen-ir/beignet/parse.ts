import type { Problem } from '../../../text/problem.js';
import type { Declaration } from '../../language.js';
import { parseAllocationLine } from './allocation.js';
import { parseIrLine } from './ir-line.js';
import {
  FUNCTION_BEGIN,
  FUNCTION_END,
  lineEnd,
  nextLine,
  sectionAt,
  SELECTION_BEGIN,
  SELECTION_END,
  skipBlanks,
  SPILLED_BEGIN,
  trimmedEnd,
} from './sections.js';
import { parseSelectionLine } from './selection.js';
import type { BeignetUnit, HeaderLine, Line, Name, Section } from './tree.js';

/**
 * One captured section of Beignet's output as a tree. Whatever stands outside the sections, and the lines inside
 * them that are not of their kind, is trivia; a line that begins as one of ours and goes wrong is an error.
 */
export function parseBeignet(text: string): BeignetUnit {
  const problems: Problem[] = [];
  const lines: Line[] = [];
  let unit: Section | undefined;
  /** The section that the next line stands in; undefined behind its end. */
  let open: Section | undefined;
  let name: Name | undefined;
  for (let start = 0; start < text.length;) {
    const end = lineEnd(text, start);
    const last = trimmedEnd(text, start, end);
    const section = last > start ? sectionAt(text, start, last) : undefined;
    if (section !== undefined) {
      const header = headerLine(text, start, last, section);
      lines.push(header);
      unit ??= section;
      name ??= header.name;
      open = section;
    } else if (open !== undefined) {
      const line = lineOf(open, text, start, last, problems);
      if (line !== undefined) lines.push(line);
      if (endsSection(open, line, start === last)) open = undefined;
    }
    start = nextLine(text, end);
  }
  const parts = { form: 'beignet', text, problems, section: unit ?? 'allocation', lines, name } as const;
  return { ...parts, ...namesOf(parts.section, lines, name) };
}

/** A register allocation ends with a blank line, the others with a line that says so. */
const endsSection = (open: Section, line: Line | undefined, isBlankLine: boolean): boolean =>
  line?.kind === 'footer' || (open === 'allocation' && isBlankLine);

function lineOf(
  section: Section,
  text: string,
  start: number,
  end: number,
  problems: Problem[],
): Line | undefined {
  if (start === end) return undefined;
  const first = skipBlanks(text, start, end);
  switch (section) {
    case 'selection': {
      if (text.startsWith(SELECTION_END, end - SELECTION_END.length))
        return { kind: 'footer', start: first, end, name: nameAt(text, first, end - SELECTION_END.length) };
      const line = parseSelectionLine(text, first, end, problems);
      return line ?? (text.charCodeAt(first) === 91 ? badLine(text, first, end, problems) : undefined);
    }
    case 'genIr':
      if (text.startsWith(FUNCTION_END, first)) return { kind: 'footer', start: first, end, name: undefined };
      return parseIrLine(text, first, end, problems);
    case 'allocation': {
      if (text.startsWith(SPILLED_BEGIN, first))
        return { kind: 'header', start: first, end, section: 'spilled', name: undefined };
      const line = parseAllocationLine(text, first, end);
      return line ?? (text.charCodeAt(first) === 37 ? badLine(text, first, end, problems) : undefined);
    }
  }
}

function badLine(text: string, start: number, end: number, problems: Problem[]): Line {
  const isRow = text.charCodeAt(start) === 37;
  problems.push({
    code: 'syntax/statement',
    severity: 'error',
    span: { start, end },
    message: isRow
      ? "no row of a register allocation reads like this: '%45 g10 .0 D 64B [ 4 -> 30 ]use count: 12' is one"
      : "no line of a selection reads like this: '[4]' and an opcode or a label are expected",
  });
  return { kind: 'error', start, end };
}

function headerLine(text: string, start: number, end: number, section: Section): HeaderLine {
  const first = skipBlanks(text, start, end);
  const line = { kind: 'header', start: first, end, section } as const;
  switch (section) {
    case 'selection':
      return { ...line, name: nameAt(text, first, end - SELECTION_BEGIN.length) };
    case 'genIr': {
      const from = skipBlanks(text, first + FUNCTION_BEGIN.length, end);
      return { ...line, name: from < end ? nameAt(text, from, end) : undefined };
    }
    case 'allocation':
      return { ...line, name: undefined };
  }
}

const nameAt = (text: string, start: number, end: number): Name => ({
  start,
  end,
  text: text.slice(start, end),
});

/** The name under which the register families of a GEN IR function are known to the sections of its kernel. */
export const familiesName = (kernel: string): string => `${FUNCTION_BEGIN} ${kernel}`;

function namesOf(
  section: Section,
  lines: readonly Line[],
  name: Name | undefined,
): { readonly declares: readonly Declaration[]; readonly mentions: readonly string[] } {
  if (name === undefined || section === 'allocation') return { declares: [], mentions: [] };
  const span = { start: name.start, end: name.end };
  const extent = { start: lines[0].start, end: lines[lines.length - 1].end };
  const kernel: Declaration = { name: name.text, span, extent, signature: section, isDefinition: true };
  const known = familiesName(name.text);
  const mentions = [known, name.text].sort();
  if (section === 'selection') return { declares: [kernel], mentions };
  const families: string[] = [];
  for (const line of lines)
    if (line.kind === 'declaration' && line.sort === 'register' && line.what !== undefined)
      families.push(`${line.register.number}:${line.what.text}`);
  const signature = families.join(' ');
  return {
    declares: [kernel, { name: known, span, extent: span, signature, isDefinition: true }],
    mentions,
  };
}
