import type { Problem } from '../../../text/problem.js';
import { lex } from '../lexer.js';
import { NameTable } from '../names.js';
import {
  TokenKind,
  type GpirUnit,
  type Name,
  type NumberedName,
  type ProgramDirective,
  type Statement,
} from '../tree.js';
import type { Declaration } from '../../language.js';
import {
  atEnd,
  codeAt,
  endBefore,
  fix,
  gap,
  kindHere,
  nameAt,
  numberedAt,
  report,
  shown,
  spanHere,
  startHere,
  type Cursor,
} from './cursor.js';
import { parseDirective } from './directives.js';
import { isPlainWord, parseOperands, unexpected } from './operands.js';

/**
 * gpir text to a tree, one line at a time: `[label:] [%result =] operation operand, operand`, or a directive. Accepts
 * any string; linear in its length. What the text says plainly is kept in spite of a mistake beside it: a missing
 * comma or equals sign is reported, and the instruction is taken as it was meant.
 */
export function parse(text: string): GpirUnit {
  const tokens = lex(text);
  const problems: Problem[] = [];
  const names = new NameTable(text);
  const statements: Statement[] = [];
  const c: Cursor = { text, tokens, problems, names, at: 0, end: 0, hasProblem: false, isFaulty: false };
  for (let first = 0; first < tokens.count;) {
    let next = first + 1;
    while (next < tokens.count && tokens.startsLine[next] === 0) next++;
    c.at = first;
    c.end = tokens.kind[next - 1] === TokenKind.Comment ? next - 1 : next;
    c.hasProblem = false;
    if (c.at < c.end) parseLine(c, statements);
    first = next;
  }
  if (/[^\0-\x7f]/.test(text)) checkForeign(c);
  const program = statements.find((s): s is ProgramDirective => s.kind === 'program');
  const declares = declarationsOf(program, statements);
  return {
    text,
    tokens,
    statements,
    names,
    problems,
    program,
    declares,
    mentions: declares.map((d) => d.name),
  };
}

const EQUALS = 61;
const COLON = 58;
const HASH = 35;
const SLASH = 47;
const STAR = 42;

function parseLine(c: Cursor, statements: Statement[]): void {
  const end = c.end;
  const foreign = foreignComment(c);
  if (foreign >= 0) c.end = foreign;
  if (!atEnd(c) && kindHere(c) === TokenKind.Directive) statements.push(parseDirective(c));
  for (let isFirst = true; startsLabel(c); isFirst = false) {
    const name = nameAt(c, c.at);
    if (!isFirst) secondLabel(c, name);
    c.at += 2;
    statements.push({ kind: 'label', start: name.start, end: endBefore(c), name });
  }
  while (!atEnd(c)) statements.push(parseInstruction(c));
  if (foreign >= 0) refuseComment(c, foreign, end);
}

/** The first token of a comment as other languages begin one, or -1. */
function foreignComment(c: Cursor): number {
  const { kind } = c.tokens;
  for (let i = c.at; i < c.end; i++) {
    if (kind[i] !== TokenKind.Unknown) continue;
    const code = codeAt(c, i);
    if (code === HASH) return i;
    if (code === SLASH && c.text.charCodeAt(c.tokens.end[i]) === STAR) return i;
  }
  return -1;
}

function refuseComment(c: Cursor, at: number, end: number): void {
  const start = c.tokens.start[at];
  const isHash = c.text.charCodeAt(start) === HASH;
  const mark = { start, end: start + (isHash ? 1 : 2) };
  c.end = end;
  if (isHash)
    report(
      c,
      'syntax/character',
      mark,
      "'#' begins no comment; ';' and '//' do",
      fix("Replace by ';'", mark, ';', true),
    );
  else report(c, 'syntax/character', mark, "'/*' begins no comment; ';' and '//' do, to the end of the line");
}

function startsLabel(c: Cursor): boolean {
  if (codeAt(c, c.at + 1) !== COLON) return false;
  const kind = kindHere(c);
  return kind === TokenKind.Word || (kind === TokenKind.Number && isPlainWord(shown(c, c.at)));
}

function secondLabel(c: Cursor, name: Name): void {
  const place = { start: endBefore(c), end: name.start };
  report(c, 'syntax/statement', name, 'a line holds one label', fix('Begin a new line', place, '\n', true));
}

const nothing = (at: number): Name => ({ start: at, end: at, text: '' });

function parseInstruction(c: Cursor): Statement {
  const start = startHere(c);
  c.isFaulty = false;
  const result = parseResult(c);
  if (atEnd(c)) {
    report(
      c,
      'syntax/statement',
      { start, end: endBefore(c) },
      'an operation is missing: %value = operation operands',
    );
    return {
      kind: 'instruction',
      start,
      end: endBefore(c),
      result,
      opcode: nothing(endBefore(c)),
      operands: [],
      isFaulty: true,
      hasProblem: true,
    };
  }
  if (kindHere(c) !== TokenKind.Word || codeAt(c, c.at) === 46) {
    noOperation(c);
    const end = c.tokens.end[c.at];
    c.at = c.end;
    if (result === undefined) return { kind: 'error', start, end: endBefore(c) };
    return {
      kind: 'instruction',
      start,
      end,
      result,
      opcode: nothing(end),
      operands: [],
      isFaulty: true,
      hasProblem: true,
    };
  }
  const opcode = nameAt(c, c.at++);
  const operands = parseOperands(c, opcode.text === 'branch' || opcode.text === 'branch_cond');
  return {
    kind: 'instruction',
    start,
    end: endBefore(c),
    result,
    opcode,
    operands,
    isFaulty: c.isFaulty || operands.some((o) => o.kind === 'missing'),
    hasProblem: c.hasProblem,
  };
}

/** `%x =`, if the line begins with something of that kind. */
function parseResult(c: Cursor): NumberedName | undefined {
  const kind = kindHere(c);
  const hasEquals = codeAt(c, c.at + 1) === EQUALS;
  if (kind === TokenKind.Value) {
    const name = numberedAt(c, c.at++);
    if (name.text.length === 1)
      report(c, 'syntax/operand', name, "'%' begins the name of a value, which is missing");
    if (codeAt(c, c.at) === EQUALS) c.at++;
    else if (kindHere(c) === TokenKind.Word)
      report(
        c,
        'syntax/statement',
        name,
        "'=' is missing behind the result",
        fix("Insert '='", gap(c), ' =', true),
      );
    return name.text.length === 1 ? undefined : name;
  }
  if (!hasEquals) return undefined;
  const name = nameAt(c, c.at);
  if (kind === TokenKind.Register || kind === TokenKind.Physical)
    report(
      c,
      'syntax/operand',
      name,
      `only 'st_reg' writes a register: give the result to a value and store that in '${shown(c, c.at)}'`,
    );
  else if (kind === TokenKind.Word && /^\w+$/.test(name.text))
    report(
      c,
      'syntax/operand',
      name,
      "a result is a value, and values begin with '%'",
      fix("Insert '%'", { start: name.start, end: name.start }, '%'),
    );
  else return undefined;
  c.at += 2;
  return undefined;
}

function noOperation(c: Cursor): void {
  if (kindHere(c) === TokenKind.Word)
    report(c, 'syntax/directive', spanHere(c), `a directive such as '${shown(c, c.at)}' begins a line`);
  else if (kindHere(c) === TokenKind.Unknown) unexpected(c, 'an operation');
  else
    report(c, 'syntax/statement', spanHere(c), `'${shown(c, c.at)}' stands where an operation is expected`);
  c.at = Math.min(c.at, c.end - 1);
}

/** Letters of other scripts in names: the reference reader of the dialect takes ASCII letters alone. */
function checkForeign({ text, tokens, problems }: Cursor): void {
  for (let i = 0; i < tokens.count; i++) {
    if (tokens.kind[i] >= TokenKind.Comment) continue;
    const word = text.slice(tokens.start[i], tokens.end[i]);
    const at = word.search(/[^\0-\x7f]/);
    if (at < 0) continue;
    const start = tokens.start[i] + at;
    const character = String.fromCodePoint(word.codePointAt(at) ?? 0);
    problems.push({
      code: 'syntax/non-ascii',
      severity: 'error',
      span: { start, end: start + character.length },
      message: `'${character}' cannot stand in a name: names have the letters a to z and A to Z, digits, '_' and '.'`,
    });
  }
  problems.sort((a, b) => a.span.start - b.span.start);
}

function declarationsOf(
  program: ProgramDirective | undefined,
  statements: readonly Statement[],
): Declaration[] {
  if (program?.name === undefined) return [];
  const { start, end, text } = program.name;
  return [
    {
      name: text,
      span: { start, end },
      extent: { start: program.start, end: statements[statements.length - 1].end },
      signature: 'program',
      isDefinition: true,
    },
  ];
}
