import { Space } from '../../../ir/payload.js';
import { lookAlike } from '../../../text/look-alikes.js';
import { TokenKind, type Name, type NumberedName, type Operand } from '../tree.js';
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
  textAt,
  type Cursor,
} from './cursor.js';
import { numberBits, overflows } from './numbers.js';

/** Operands: values, registers, locations, numbers and labels, with an optional `-` before all but labels. */

const COMMA = 44;
const MINUS = 45;
const PLUS = 43;
const EQUALS = 61;

/** Comma-separated operands to the line's end, or to an instruction that stands on the same line. `firstIsLabel`: any word may be one, `0` and `a0.x` too. */
export function parseOperands(c: Cursor, firstIsLabel: boolean): Operand[] {
  const operands: Operand[] = [];
  if (atEnd(c)) return operands;
  for (;;) {
    operands.push(parseOperand(c, firstIsLabel && operands.length === 0));
    if (atEnd(c)) return operands;
    if (codeAt(c, c.at) === COMMA) {
      const comma = spanHere(c);
      c.at++;
      if (!atEnd(c)) continue;
      report(
        c,
        'syntax/operand',
        comma,
        "an operand is missing behind ','",
        fix('Remove the comma', comma, ''),
      );
      operands.push({ kind: 'missing', start: comma.end, end: comma.end });
      return operands;
    }
    if (startsInstruction(c)) return operands;
    if (c.hasProblem || !startsOperand(c)) {
      unexpected(c, 'the end of the line');
      return operands;
    }
    const place = gap(c);
    report(
      c,
      'syntax/missing-comma',
      spanHere(c),
      `',' is missing before '${shown(c, c.at)}'`,
      fix("Insert ','", place, ',', true),
    );
  }
}

/** `%a = mov 1 %b = ...`: a line holds one instruction, and another one begins here. */
function startsInstruction(c: Cursor): boolean {
  if (kindHere(c) !== TokenKind.Value || codeAt(c, c.at + 1) !== EQUALS) return false;
  const place = { start: endBefore(c), end: startHere(c) };
  report(
    c,
    'syntax/statement',
    { start: place.end, end: c.tokens.end[c.at] },
    'a line holds one instruction',
    fix('Begin a new line', place, '\n', true),
  );
  return true;
}

function startsOperand(c: Cursor): boolean {
  const kind = kindHere(c);
  return (
    (kind !== -1 && kind <= TokenKind.Physical && kind !== TokenKind.Directive) || codeAt(c, c.at) === MINUS
  );
}

/** Says that the token here is none that can stand here, and leaves the line. */
export function unexpected(c: Cursor, wanted: string): void {
  if (kindHere(c) === TokenKind.Unknown) unknownCharacter(c);
  else report(c, 'syntax/operand', spanHere(c), `'${shown(c, c.at)}' stands where ${wanted} is expected`);
  c.at = c.end;
}

function unknownCharacter(c: Cursor): void {
  const span = spanHere(c);
  const character = c.text.slice(span.start, span.end);
  const instead = lookAlike(character.codePointAt(0) ?? 0);
  if (instead === undefined)
    report(c, 'syntax/character', span, `${JSON.stringify(character)} is no character of gpir`);
  else
    report(
      c,
      'syntax/non-ascii',
      span,
      `'${character}' only looks like '${instead}'`,
      fix(`Replace by '${instead}'`, span, instead, true),
    );
}

function missing(c: Cursor): Operand {
  const start = endBefore(c);
  return { kind: 'missing', start, end: start };
}

export function parseOperand(c: Cursor, isLabel: boolean): Operand {
  const start = startHere(c);
  const code = codeAt(c, c.at);
  if (kindHere(c) !== TokenKind.Punctuation) return parseUnsigned(c, start, false, isLabel);
  if (code === MINUS) {
    const sign = spanHere(c);
    c.at++;
    if (!isLabel) return parseNegated(c, start);
    report(c, 'syntax/operand', sign, 'a label has no sign', fix("Remove the '-'", sign, '', true));
    return atEnd(c) ? missing(c) : parseUnsigned(c, start, false, true);
  }
  if (code === PLUS) {
    const sign = spanHere(c);
    report(
      c,
      'syntax/operand',
      sign,
      "'+' can stand directly before a number only",
      fix("Remove the '+'", sign, '', true),
    );
    c.at++;
    return atEnd(c) ? missing(c) : parseOperand(c, isLabel);
  }
  if (code === COMMA) {
    report(c, 'syntax/operand', spanHere(c), "an operand is missing before ','");
    return { kind: 'missing', start, end: start };
  }
  unexpected(c, 'an operand');
  return { kind: 'missing', start, end: start };
}

function parseNegated(c: Cursor, start: number): Operand {
  const sign = { start, end: start + 1 };
  if (atEnd(c)) {
    report(c, 'syntax/operand', sign, "an operand is missing behind '-'");
    return missing(c);
  }
  if (kindHere(c) === TokenKind.Number) {
    const number = spanHere(c);
    const isSigned = codeAt(c, c.at) === MINUS || codeAt(c, c.at) === PLUS;
    const place = { start, end: number.end };
    if (isSigned) report(c, 'syntax/number', place, `'${shown(c, c.at)}' has two signs`);
    else
      report(
        c,
        'syntax/number',
        place,
        "a blank stands between '-' and its number",
        fix('Remove the blank', { start: sign.end, end: number.start }, '', true),
      );
    return parseUnsigned(c, start, true, false);
  }
  if (kindHere(c) === TokenKind.Punctuation) {
    unexpected(c, "an operand behind '-'");
    return { kind: 'missing', start: sign.end, end: sign.end };
  }
  return parseUnsigned(c, start, true, false);
}

const SIGN = -0x8000_0000;

/** The operand behind its sign; one token. */
function parseUnsigned(c: Cursor, start: number, isNegated: boolean, isLabel: boolean): Operand {
  const at = c.at;
  const kind = kindHere(c);
  if (kind === TokenKind.Unknown || kind === TokenKind.Directive || kind === TokenKind.Comment) {
    unexpected(c, isLabel ? 'a label' : 'an operand');
    return { kind: 'missing', start, end: start };
  }
  c.at++;
  if (kind === TokenKind.Value || kind === TokenKind.Register || kind === TokenKind.Physical)
    return variable(c, start, isNegated, kind);
  const name = nameAt(c, at);
  const { end } = name;
  if (kind === TokenKind.Number && !(isLabel && isPlainWord(name.text)))
    return number(c, start, isNegated, at);
  return (
    (isLabel ? undefined : location(start, isNegated, name)) ?? { kind: 'word', start, end, isNegated, name }
  );
}

/** A value or a register. */
function variable(
  c: Cursor,
  start: number,
  isNegated: boolean,
  kind: TokenKind.Value | TokenKind.Register | TokenKind.Physical,
): Operand {
  const name = numberedAt(c, c.at - 1);
  const { end } = name;
  if (kind === TokenKind.Physical) return physicalRegister(c, start, isNegated, name);
  const isValue = kind === TokenKind.Value;
  if (end - name.start === 1)
    return nameless(
      c,
      name,
      isValue ? "'%' begins the name of a value" : "'@' begins the name of a register",
    );
  return { kind: isValue ? 'value' : 'register', start, end, isNegated, name };
}

export const isPlainWord = (word: string): boolean => !/[+-]/.test(word);

function nameless(c: Cursor, name: Name, message: string): Operand {
  report(c, 'syntax/operand', name, `${message}, which is missing`);
  return { kind: 'missing', start: name.end, end: name.end };
}

function number(c: Cursor, start: number, isNegated: boolean, at: number): Operand {
  const { tokens } = c;
  const end = tokens.end[at];
  const found = numberBits(textAt(c, at));
  if (typeof found === 'number') {
    if (overflows(textAt(c, at), found)) warnOfOverflow(c, at);
    return { kind: 'number', start, end, bits: isNegated ? found ^ SIGN : found };
  }
  const span = { start: tokens.start[at], end };
  const { message, instead } = found;
  if (instead === undefined) report(c, 'syntax/number', span, message);
  else report(c, 'syntax/number', span, message, fix(`Replace by '${instead}'`, span, instead, true));
  return { kind: 'number', start, end, bits: 0 };
}

function warnOfOverflow(c: Cursor, at: number): void {
  c.problems.push({
    code: 'syntax/number',
    severity: 'warning',
    span: { start: c.tokens.start[at], end: c.tokens.end[at] },
    message: `'${shown(c, at)}' is beyond the largest float32: it is infinity`,
  });
}

const physical = /^\$(\d+)\.([xyzw])$/;

function physicalRegister(c: Cursor, start: number, isNegated: boolean, name: NumberedName): Operand {
  const parts = physical.exec(name.text);
  if (parts === null) {
    report(
      c,
      'syntax/operand',
      name,
      `'${shown(c, c.at - 1)}' is no register: '$' is followed by a number from 0 to 15 and a component, as in $3.x`,
    );
    return { kind: 'missing', start, end: name.end };
  }
  return {
    kind: 'physical',
    start,
    end: name.end,
    isNegated,
    name,
    index: bounded(parts[1]),
    component: 'xyzw'.indexOf(parts[2]),
  };
}

/** Numbers with more digits are all beyond every limit. */
export const bounded = (digits: string): number => Math.min(Number(digits), 99_999);

/** Space of `a`, `u`, `v`, `t`, or -1. */
export function spaceOfLetter(code: number): Space | -1 {
  switch (code) {
    case 97:
      return Space.Attribute;
    case 117:
      return Space.Uniform;
    case 118:
      return Space.Varying;
    case 116:
      return Space.Temporary;
  }
  return -1;
}

/** `a0.x`, or undefined when the word has another form. */
function location(start: number, isNegated: boolean, name: Name): Operand | undefined {
  const { text } = name;
  const space = spaceOfLetter(text.charCodeAt(0));
  const point = text.length - 2;
  if (space === -1 || point < 2 || text.charCodeAt(point) !== 46) return undefined;
  const component = componentOf(text.charCodeAt(point + 1));
  if (component < 0) return undefined;
  let index = 0;
  for (let i = 1; i < point; i++) {
    const digit = text.charCodeAt(i) - 48;
    if (digit < 0 || digit > 9) return undefined;
    index = Math.min(index * 10 + digit, 99_999);
  }
  const vectorEnd = name.start + point;
  return { kind: 'location', start, end: name.end, isNegated, name, vectorEnd, space, index, component };
}

/** 0 to 3 for x, y, z, w, else -1. */
const componentOf = (code: number): number =>
  code >= 120 && code <= 122 ? code - 120 : code === 119 ? 3 : -1;
