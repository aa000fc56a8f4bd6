import type { Fix } from '../../../text/problem.js';
import { intern } from '../../../text/intern.js';
import { fitted } from './operands.js';
import { type Guard, type Instruction, type Name, type Operand, TokenKind } from '../tree.js';
import {
  accept,
  advance,
  atEnd,
  codeAt,
  type Cursor,
  endOf,
  fix,
  following,
  gapSpan,
  guess,
  kindOf,
  onNewLine,
  punctuation,
  report,
  shown,
  startOf,
  takeName,
  textOf,
  tokenSpan,
} from './cursor.js';
import { missingSemicolon, skipToSemicolon } from './declarations.js';
import { parseOperand, reportMissingComma, startsOperand } from './operands.js';
import { endsVector, startsStatement } from './recovery.js';
import { bareInstructions } from './words.js';

/** `[@[!]p] opcode operand, operand ... ;`. The opcode is one word: a blank before a modifier is a mistake. */

/** `@p`, `@!p`, `@ ! p`; the `@` stands here. Undefined when no predicate follows. */
export function parseGuard(c: Cursor): Guard | undefined {
  const start = startOf(c);
  advance(c);
  const isNegated = accept(c, 33);
  if (kindOf(c) !== TokenKind.Identifier || (onNewLine(c) && startsStatement(c))) {
    report(
      c,
      'syntax/guard',
      { start, end: c.previousEnd },
      `predicate register expected after '@' before ${shown(c)}`,
    );
    return undefined;
  }
  const name = takeName(c);
  return { isNegated, name, start, end: name.end };
}

export function parseInstruction(c: Cursor, start: number, guard: Guard | undefined): Instruction {
  const before = c.problems.length;
  const opcode = parseOpcode(c);
  if (accept(c, 59))
    return {
      kind: 'instruction',
      guard,
      opcode,
      operands: fitted([]),
      isTerminated: true,
      isFaulty: c.problems.length > before,
      start,
      end: c.previousEnd,
    };
  const operands: Operand[] = [];
  const isTerminated = parseOperands(c, opcode, operands, before);
  return {
    kind: 'instruction',
    guard,
    opcode,
    operands: fitted(operands),
    isTerminated,
    isFaulty: c.problems.length > before,
    start,
    end: c.previousEnd,
  };
}

function parseOpcode(c: Cursor): Name {
  const start = startOf(c);
  const tokens = c.tokens;
  const first = c.index;
  let last = first;
  while (
    last + 1 < tokens.count &&
    tokens.kind[last + 1] === TokenKind.Dotted &&
    tokens.start[last + 1] === tokens.end[last]
  )
    last++;
  c.index = last;
  advance(c);
  const end = c.previousEnd;
  const text = intern(c.text, start, end);
  const kind = kindOf(c);
  if (kind === TokenKind.Dotted && !onNewLine(c)) return parseDetached(c, start, text);
  if (punctuation(c) === 46) return parseLoneDot(c, start, text);
  return { start, end, text };
}

/** `add .s32`. */
function parseDetached(c: Cursor, start: number, head: string): Name {
  const gap = c.previousEnd;
  const from = startOf(c);
  let text = head;
  while (kindOf(c) === TokenKind.Dotted && !onNewLine(c)) {
    text += textOf(c);
    advance(c);
  }
  report(
    c,
    'syntax/blank-in-opcode',
    { start, end: c.previousEnd },
    `an opcode has no blanks: write ${text}`,
    [fix(`Write ${text}`, gap, from, '')],
  );
  return { start, end: c.previousEnd, text };
}

/** `add.`, half typed, or `add. s32`. */
function parseLoneDot(c: Cursor, start: number, head: string): Name {
  const dot = tokenSpan(c);
  advance(c);
  const next = following(c);
  if (
    kindOf(c) === TokenKind.Identifier &&
    !onNewLine(c) &&
    codeAt(c, next) !== 44 &&
    codeAt(c, next) !== 59
  ) {
    const text = `${head}.${textOf(c)}`;
    const end = endOf(c);
    const from = startOf(c);
    advance(c);
    report(c, 'syntax/blank-in-opcode', { start, end }, `an opcode has no blanks: write ${text}`, [
      fix(`Write ${text}`, start + head.length, from, '.'),
    ]);
    return { start, end, text };
  }
  report(c, 'syntax/modifier', dot, "modifier expected after '.'");
  return { start, end: dot.end, text: `${head}.` };
}

/** True when the statement ends with its semicolon. */
function parseOperands(c: Cursor, opcode: Name, into: Operand[], before: number): boolean {
  if (!startsOperand(c) && punctuation(c) !== 44) return finish(c, opcode, before);
  if (startsStatement(c)) return finish(c, opcode, before);
  const takesLists = opcode.text.startsWith('call');
  let commas = 0;
  for (;;) {
    into.push(parseOperand(c, takesLists));
    const wasMissing = into[into.length - 1].kind === 'missing';
    if (accept(c, 59)) return true;
    if (endsVector(c, into.length > 1)) closeVector(c, opcode, into, before);
    if (accept(c, 59)) return true;
    if (accept(c, 44)) {
      while (wasMissing && punctuation(c) === 44) {
        into.push({ kind: 'missing', start: c.previousEnd, end: c.previousEnd });
        advance(c);
      }
      if (startsStatement(c)) {
        report(c, 'syntax/operand', gapSpan(c), "operand expected after ','");
        into.push({ kind: 'missing', start: c.previousEnd, end: c.previousEnd });
        return false;
      }
      continue;
    }
    if (wasMissing || atEnd(c) || !startsOperand(c) || startsStatement(c)) return finish(c, opcode, before);
    if (c.problems.length > before + commas) return finish(c, opcode, before);
    reportMissingComma(c);
    commas++;
  }
}

/**
 * `ld.v4.f32 a, b, c, d}, [p];`: the operands before the brace become the vector that was meant, as many as the
 * opcode says, or else all but the destination, which stands before them where nothing follows.
 */
function closeVector(c: Cursor, opcode: Name, into: Operand[], before: number): void {
  advance(c);
  const width = Number(/\.v([248])(?!\d)/.exec(opcode.text)?.[1] ?? 0);
  let possible = 0;
  while (possible < into.length && isElement(into[into.length - 1 - possible])) possible++;
  const guessed = possible === into.length && punctuation(c) === 59 ? possible - 1 : possible;
  const count = width > 0 && width <= possible ? width : guessed;
  if (count === 0) {
    if (c.problems.length === before)
      report(c, 'syntax/operand', gapSpan(c), "this '}' closes nothing: a '{' is missing before it");
    return;
  }
  const elements = into.splice(into.length - count, count);
  const { start } = elements[0];
  into.push({ kind: 'vector', elements, start, end: c.previousEnd });
  if (c.problems.length > before) return;
  const insert = count === width ? fix : uncertain;
  report(
    c,
    'syntax/unclosed',
    { start: elements[0].start, end: c.previousEnd },
    `missing '{' before ${c.text.slice(start, elements[0].end)}`,
    [insert("Insert '{'", start, start, '{')],
  );
}

const uncertain = (title: string, start: number, end: number, newText: string): Fix =>
  guess(title, { start, end }, newText);

const isElement = (operand: Operand): boolean =>
  operand.kind === 'name' || operand.kind === 'constant' || operand.kind === 'sink';

/** The beginning of an instruction, while somebody types it. */
const isLoneWord = (c: Cursor, opcode: Name): boolean =>
  c.previousEnd === opcode.end && !opcode.text.includes('.') && !bareInstructions.has(opcode.text);

function finish(c: Cursor, opcode: Name, before: number): boolean {
  if (accept(c, 59)) return true;
  const isSilent = c.problems.length > before;
  const endsHere = atEnd(c) || onNewLine(c) || punctuation(c) === 125 || startsStatement(c);
  if (endsHere) {
    if (isSilent || (atEnd(c) && c.isCut)) return false;
    if (isLoneWord(c, opcode))
      report(
        c,
        'syntax/operand',
        opcode,
        `'${opcode.text}' is no whole instruction: modifiers, operands or ';' are missing`,
      );
    else missingSemicolon(c, opcode.text);
    return false;
  }
  if (!isSilent) {
    const why =
      punctuation(c) === 61
        ? "PTX assigns nothing with '=': an instruction writes its first operand, as in 'mov.f32 %f1, %f2;'"
        : `',' or ';' expected before ${shown(c)}`;
    report(c, 'syntax/operand', tokenSpan(c), why);
  }
  skipToSemicolon(c);
  return false;
}
