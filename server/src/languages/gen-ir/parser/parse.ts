import type { Problem } from '../../../text/problem.js';
import type { Declaration } from '../../language.js';
import type { BlockMark, MesaUnit, Statement } from '../tree.js';
import { dialectOf } from './dialect.js';
import { parseDirective } from './directive.js';
import { continuesHead, mnemonicEnd, parseInstruction, parsePredicate, type Prefix } from './instruction.js';
import {
  decimal,
  digitsEnd,
  isBlank,
  isDigit,
  isLetter,
  isLineEnd,
  peek,
  report,
  shown,
  skipBlanks,
  stretchEnd,
  wordEnd,
  type Scanner,
} from './scanner.js';

/**
 * Text to tree, a line at a time; any text is accepted. In a captured dump a line that has nothing of an
 * instruction is somebody else's output and not a fault; in a standalone program everything must be meant.
 */
export function parse(text: string): MesaUnit {
  const problems: Problem[] = [];
  const statements: Statement[] = [];
  const comments: number[] = [];
  const s: Scanner = { text, at: 0, end: 0, hasProblem: false, problems };
  let isStandalone = false;
  /** Behind the heading of a disassembly only numbered lines are of a dump. */
  let isNative = false;
  for (let start = 0; start < text.length;) {
    const lineEnd = endOfLine(text, start);
    s.at = start;
    s.end = lineEnd;
    s.hasProblem = false;
    skipBlanks(s);
    if (s.at < lineEnd) {
      const comment = commentStart(text, s.at, lineEnd);
      if (comment >= 0) {
        comments.push(comment, lineEnd);
        s.end = comment;
      }
      while (s.end > s.at && isBlank(text.charCodeAt(s.end - 1))) s.end--;
      if (s.at < s.end) {
        if (isNative && !isNumberedLine(text, s.at)) statements.push(rest(s, s.at, 'other'));
        else parseLine(s, statements, isStandalone);
        const last = statements.at(-1);
        if (last?.kind === 'gen') isStandalone = true;
        else if (last?.kind === 'other' && text.startsWith('Native code for', last.start)) isNative = true;
      }
    }
    start = lineEnd;
    if (text.charCodeAt(start) === 13 && text.charCodeAt(start + 1) === 10) start += 2;
    else start++;
  }
  const declares = declarations(statements);
  const { dialect, dialectBy, problem } = dialectOf(statements);
  if (problem !== undefined) {
    problems.push(problem);
    problems.sort((a, b) => a.span.start - b.span.start);
  }
  return {
    form: 'mesa',
    text,
    problems,
    declares,
    mentions: declares.map(({ name }) => name),
    statements,
    comments,
    dialect,
    dialectBy,
    isStandalone: isStandalone || statements.some(isDirective),
  };
}

const isNumberedLine = (text: string, at: number): boolean =>
  isDigit(text.charCodeAt(at)) || text.charCodeAt(at) === 123;

const isDirective = (statement: Statement): boolean => 'directive' in statement;

function endOfLine(text: string, from: number): number {
  let i = from;
  while (i < text.length && !isLineEnd(text.charCodeAt(i))) i++;
  return i;
}

/** Start of the comment, or -1. Disassembly of native code ends in `};`, which is none. */
function commentStart(text: string, from: number, end: number): number {
  for (let i = from; i < end; i++) {
    const code = text.charCodeAt(i);
    if (code === 59 || (code === 47 && text.charCodeAt(i + 1) === 47)) return i;
  }
  return -1;
}

const prefix: Prefix = { start: 0, ip: -1, pressure: -1 };

function parseLine(s: Scanner, statements: Statement[], isStandalone: boolean): void {
  const { text } = s;
  const start = s.at;
  if (text.charCodeAt(start) === 46) {
    statements.push(parseDirective(s));
    return;
  }
  prefix.start = start;
  prefix.ip = -1;
  prefix.pressure = -1;
  parsePrefix(s);
  if (prefix.ip < 0 && prefix.pressure < 0) while (parseLabel(s, statements)) prefix.start = s.at;
  if (s.at < s.end || s.at === start || prefix.ip >= 0 || prefix.pressure >= 0)
    statements.push(parseStatement(s, isStandalone));
}

/** What stands behind the numbers and labels of a line. */
function parseStatement(s: Scanner, isStandalone: boolean): Statement {
  const { text } = s;
  const { start } = prefix;
  const isNumbered = prefix.ip >= 0;
  let code = peek(s);
  if (code === 40) {
    const predicate = parsePredicate(s);
    skipBlanks(s);
    code = peek(s);
    if (
      code >= 0 &&
      isLetter(code) &&
      (predicate !== undefined || continuesHead(text, mnemonicEnd(text, s.at)))
    )
      return parseInstruction(s, prefix, predicate);
    if (predicate !== undefined)
      report(s, 'syntax/guard', predicate.start, predicate.end, 'an instruction must follow the predicate');
    return rest(s, start, 'error');
  }
  if (code >= 0 && isLetter(code)) {
    const end = mnemonicEnd(text, s.at);
    if (end < s.end && continuesHead(text, end)) {
      if (isNumbered || isStandalone || !isForeign(text, s.at, s.end))
        return parseInstruction(s, prefix, undefined);
      return rest(s, start, 'other');
    }
    const mark = isNumbered || prefix.pressure >= 0 ? undefined : parseMark(s);
    if (mark !== undefined) return mark;
  }
  if (!isNumbered && (!isStandalone || otherForm.test(text.slice(start, Math.min(s.end, start + 200)))))
    return rest(s, start, 'other');
  malformed(s);
  return rest(s, start, 'error');
}

const otherForm = /^Maximum +\d+ registers live at once\.|^Native code for|^[A-Za-z0-9_ ]{1,60} shader:/;

/** A line of a log or of a disassembly: what stands behind its head is no operand of a dump. */
function isForeign(text: string, start: number, end: number): boolean {
  return text.charCodeAt(end) === 59 && text.charCodeAt(end - 1) === 125 && start < end;
}

function malformed(s: Scanner): void {
  const start = s.at;
  if (start >= s.end) {
    const first = trimmed(s.text, s.end);
    report(
      s,
      'syntax/statement',
      prefix.start,
      Math.max(first, prefix.start + 1),
      'an instruction must follow the number',
    );
    return;
  }
  const end = Math.max(stretchEnd(s, start), start + 1);
  const isWordlike = isLetter(s.text.charCodeAt(start));
  report(
    s,
    'syntax/statement',
    start,
    end,
    isWordlike
      ? `'${shown(s.text, start, end)}' is no instruction yet: one begins like mov(8)`
      : `no statement of a Gen program begins with '${shown(s.text, start, end)}'`,
  );
}

function trimmed(text: string, from: number): number {
  let end = from;
  while (end > 0 && isBlank(text.charCodeAt(end - 1))) end--;
  return end;
}

function rest(s: Scanner, start: number, kind: 'other' | 'error'): Statement {
  s.at = s.end;
  return { kind, start, end: Math.max(trimmed(s.text, s.end), start) };
}

/** `{ 12}    7: ` */
function parsePrefix(s: Scanner): void {
  const { text } = s;
  if (peek(s) === 123) {
    let at = s.at + 1;
    while (text.charCodeAt(at) === 32) at++;
    const end = digitsEnd(text, at);
    if (end === at || text.charCodeAt(end) !== 125 || end >= s.end) return;
    prefix.pressure = decimal(text, at, end);
    s.at = end + 1;
    skipBlanks(s);
  }
  const end = digitsEnd(text, s.at);
  if (end === s.at || !isDigit(text.charCodeAt(s.at)) || text.charCodeAt(end) !== 58 || end >= s.end) return;
  prefix.ip = decimal(text, s.at, end);
  s.at = end + 1;
  skipBlanks(s);
}

/** `name:`, with nothing or the beginning of an instruction behind it; the scanner goes there. */
function parseLabel(s: Scanner, statements: Statement[]): boolean {
  const { text, at: start } = s;
  if (start >= s.end || !isLetter(text.charCodeAt(start))) return false;
  const end = wordEnd(text, start);
  if (end >= s.end || text.charCodeAt(end) !== 58) return false;
  let next = end + 1;
  while (next < s.end && isBlank(text.charCodeAt(next))) next++;
  if (next < s.end && text.charCodeAt(next) !== 40) {
    if (!isLetter(text.charCodeAt(next))) return false;
    const word = mnemonicEnd(text, next);
    if (!continuesHead(text, word) && text.charCodeAt(word) !== 58) return false;
  }
  statements.push({
    kind: 'label',
    start,
    end: end + 1,
    name: { text: text.slice(start, end), start, end },
  });
  s.at = next;
  return true;
}

const markForm = /^(START|END) B(\d{1,7})\b(.*)$/;

/** `START B1 <-B0 <~B3` */
function parseMark(s: Scanner): BlockMark | undefined {
  const { text, at: start } = s;
  const first = text.charCodeAt(start);
  if (first !== 83 && first !== 69) return undefined;
  const found = markForm.exec(text.slice(start, Math.min(s.end, start + 4000)));
  if (found === null) return undefined;
  const edges = [...found[3].matchAll(/(<-|<~|->|~>)\s*B(\d{1,7})/g)].map((edge) => ({
    block: Number(edge[2]),
    isPhysical: edge[1].includes('~'),
  }));
  s.at = s.end;
  return {
    kind: 'blockMark',
    start,
    end: trimmed(text, s.end),
    isStart: found[1] === 'START',
    block: Number(found[2]),
    edges,
  };
}

/** The name that `.program` gives is known to the other units: two programs of one name are an error. */
function declarations(statements: readonly Statement[]): Declaration[] {
  for (const statement of statements) {
    if (statement.kind !== 'program' || statement.word === undefined) continue;
    const { text, start, end } = statement.word;
    return [
      {
        name: text,
        span: { start, end },
        extent: { start: statement.start, end: statements[statements.length - 1].end },
        signature: 'program',
        isDefinition: true,
      },
    ];
  }
  return [];
}
