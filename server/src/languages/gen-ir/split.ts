import { decimal, digitsEnd, isBlank, isLineEnd, isWord, wordEnd } from './parser/scanner.js';

/**
 * Where one program ends and the next begins. A file may hold several: standalone programs, dumps that were appended
 * to one another, and the sections of a captured compiler run. A program begins
 *
 *   - at `.gen` and `.program`, when code or the same directive stands before;
 *   - at `Native code for ...` and `vertex shader: ...`, the headings of a Mesa capture;
 *   - where the numbers in front of the lines fall back to 0, or begin behind a disassembly;
 *   - at the first line of a section of Beignet's: `.decl_function f`, `f's SELECTION IR begin:`. The section
 *     `## register allocation ##` belongs to the selection directly before it.
 *
 * Comments directly above such a line belong to what follows. Nothing but the text from `start` on is looked at, and
 * of what lies behind the end only the line that begins the next unit.
 */

export type SectionKind = 'mesa' | 'selection' | 'registerAllocation' | 'genIr';

const SELECTION = "'s SELECTION IR begin:";
const ALLOCATION = '## register allocation ##';
const FUNCTION = '.decl_function';

/** What a line says of where units begin. */
const enum LineKind {
  Blank,
  Comment,
  /** `.gen` */
  Gen,
  /** `.program` */
  Program,
  /** Another directive. */
  Directive,
  Heading,
  /** A line with a number in front. */
  Numbered,
  Selection,
  RegisterAllocation,
  GenIr,
  /** Anything else. */
  Code,
}

const line = { kind: LineKind.Blank as LineKind, ip: -1, next: 0 };

function lineEnd(text: string, from: number): number {
  let i = from;
  while (i < text.length && !isLineEnd(text.charCodeAt(i))) i++;
  return i;
}

function scanLine(text: string, start: number): void {
  const end = lineEnd(text, start);
  line.next =
    end < text.length ? end + (text.charCodeAt(end) === 13 && text.charCodeAt(end + 1) === 10 ? 2 : 1) : end;
  let at = start;
  while (at < end && isBlank(text.charCodeAt(at))) at++;
  if (at >= end) {
    line.kind = LineKind.Blank;
    return;
  }
  line.kind = kindAt(text, at, end);
}

function kindAt(text: string, at: number, end: number): LineKind {
  const code = text.charCodeAt(at);
  if (code === 59 || (code === 47 && text.charCodeAt(at + 1) === 47)) return LineKind.Comment;
  if (code === 46) {
    if (isDirective(text, at, '.gen')) return LineKind.Gen;
    if (isDirective(text, at, '.program')) return LineKind.Program;
    return text.startsWith(FUNCTION, at) ? LineKind.GenIr : LineKind.Directive;
  }
  if (code === 35) return text.startsWith(ALLOCATION, at) ? LineKind.RegisterAllocation : LineKind.Code;
  if (code === 78 && text.startsWith('Native code for', at)) return LineKind.Heading;
  if (code >= 48 && code <= 57) return numberedAt(text, at);
  if (code === 123) {
    let i = at + 1;
    while (text.charCodeAt(i) === 32) i++;
    i = digitsEnd(text, i);
    if (text.charCodeAt(i) !== 125) return LineKind.Code;
    i++;
    while (text.charCodeAt(i) === 32) i++;
    return numberedAt(text, i);
  }
  // Headings are words only, so that most lines are told by their first parenthesis.
  let colon = at;
  while (colon < end && text.charCodeAt(colon) !== 58) colon++;
  if (colon < end) {
    if (text.startsWith('begin:', colon - 5) && text.slice(at, colon + 1).endsWith(SELECTION))
      return LineKind.Selection;
    if (text.startsWith(' shader:', colon - 7) && headingForm.test(text.slice(at, colon + 1)))
      return LineKind.Heading;
  }
  return LineKind.Code;
}

const headingForm = /^[A-Za-z0-9_ ]{1,60} shader:$/;

const isDirective = (text: string, at: number, name: string): boolean =>
  text.startsWith(name, at) && !isWord(text.charCodeAt(at + name.length));

function numberedAt(text: string, at: number): LineKind {
  const end = digitsEnd(text, at);
  if (end === at || text.charCodeAt(end) !== 58) return LineKind.Code;
  line.ip = decimal(text, at, end);
  return LineKind.Numbered;
}

const isSection = (kind: LineKind): boolean =>
  kind === LineKind.Selection || kind === LineKind.GenIr || kind === LineKind.RegisterAllocation;

/** Whether the line begins as an instruction, a label or a block's mark does. */
function isStatement(text: string, start: number, end: number): boolean {
  let at = start;
  for (;;) {
    while (at < end && isBlank(text.charCodeAt(at))) at++;
    if (at >= end) return true;
    const code = text.charCodeAt(at);
    if (code === 40 || code === 123) return true;
    const word = wordEnd(text, at);
    const after = text.charCodeAt(word);
    if (word === at) return false;
    if (after === 40 || after === 46 || after === 60) return true;
    if (after !== 58) return text.startsWith('START B', at) || text.startsWith('END B', at);
    at = word + 1;
  }
}

/** The end of the unit that begins at `start`. Linear in the unit. */
export function unitEnd(text: string, start: number): number {
  let hasCode = false;
  let hasGen = false;
  let hasProgram = false;
  let hasHeading = false;
  let hasNumbers = false;
  let lastIp = 0;
  /** A line with a number in front, which only Mesa prints. */
  let hasLines = false;
  let section: LineKind = LineKind.Blank;
  const isMesa = (): boolean => hasLines || hasGen || hasProgram;
  /** Start of the comment lines directly above, or -1. */
  let comments = -1;
  /** Start of the lines since the last statement, which are what else the process printed, or -1. */
  let prose = -1;
  for (let at = start; at < text.length;) {
    scanLine(text, at);
    const { kind, next } = line;
    let begins = false;
    switch (kind) {
      case LineKind.Blank:
        comments = -1;
        at = next;
        continue;
      case LineKind.Comment:
        if (comments < 0) comments = at;
        at = next;
        continue;
      case LineKind.Gen:
        begins = hasCode || hasGen;
        hasGen = true;
        break;
      case LineKind.Program:
        begins = hasCode || hasProgram;
        hasProgram = true;
        break;
      case LineKind.Heading:
        begins = hasCode;
        hasHeading = true;
        break;
      case LineKind.Numbered:
        begins = line.ip === 0 && (lastIp > 0 || (hasCode && hasHeading && !hasNumbers));
        hasNumbers = true;
        lastIp = line.ip;
        hasLines = true;
        break;
      case LineKind.RegisterAllocation:
        begins = section !== LineKind.Selection && (section !== LineKind.Blank || isMesa());
        section = LineKind.RegisterAllocation;
        break;
      case LineKind.Selection:
      case LineKind.GenIr:
        // lines in front that say nothing of themselves are what else the process printed
        begins = section !== LineKind.Blank || isMesa();
        section = kind;
        break;
      case LineKind.Directive:
      case LineKind.Code:
        break;
    }
    if (begins) {
      const end = prose >= 0 && isSection(kind) ? prose : comments >= 0 ? comments : at;
      if (end > start) return end;
    }
    if (kind !== LineKind.Code || isStatement(text, at, next)) prose = -1;
    else if (prose < 0 && section === LineKind.Blank) prose = at;
    if (
      kind !== LineKind.Gen &&
      kind !== LineKind.Program &&
      kind !== LineKind.Directive &&
      kind !== LineKind.Heading
    )
      hasCode = true;
    comments = -1;
    at = next;
  }
  return text.length;
}

/** What the unit is; `mesa` also for one that holds nothing yet. Looks no further than the first line that tells. */
export function sectionKind(text: string): SectionKind {
  for (let at = 0; at < text.length;) {
    scanLine(text, at);
    switch (line.kind) {
      case LineKind.Selection:
        return 'selection';
      case LineKind.RegisterAllocation:
        return 'registerAllocation';
      case LineKind.GenIr:
        return 'genIr';
      case LineKind.Gen:
      case LineKind.Program:
      case LineKind.Numbered:
        return 'mesa';
      default:
        break;
    }
    at = line.next;
  }
  return 'mesa';
}
