import { startsStatement } from './recovery.js';
import { type Constant, type Declarator, type Name, TokenKind, type VariableDeclaration } from '../tree.js';
import { parseConstant, parseNumber } from './constants.js';
import {
  accept,
  advance,
  atEnd,
  type Cursor,
  fix,
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
import { parseInitializer } from './initialisers.js';
import { didYouMean } from './suggest.js';
import { declarableTypes, instructionTypes, isStateSpace } from './words.js';

/** Variables: `.global .align 4 .v2 .f32 name[2] = {...}, other;`. */

interface Shape {
  alignment: Constant | undefined;
  vector: Name | undefined;
  type: Name | undefined;
}

/** `.attribute(.managed)`, `.attribute(.unified(1, 2))`: each a name with its whole text. */
export function parseAttributes(c: Cursor, into: Name[]): void {
  while (kindOf(c) === TokenKind.Dotted && textOf(c) === '.attribute') {
    const start = startOf(c);
    advance(c);
    let depth = 0;
    while (!atEnd(c)) {
      const code = punctuation(c);
      if (code === 59 || code === 123 || code === 125) break;
      if (depth === 0 && code !== 40) break;
      if (code === 40) depth++;
      if (code === 41) depth--;
      advance(c);
      if (depth === 0) break;
    }
    const span = { start, end: c.previousEnd };
    if (depth !== 0 || c.text.charCodeAt(c.previousEnd - 1) !== 41)
      report(
        c,
        'syntax/directive',
        span,
        '.attribute takes its words in parentheses, such as .attribute(.managed)',
      );
    into.push({ ...span, text: c.text.slice(start, c.previousEnd) });
  }
}

const vectorWord = /^\.v\d+$/;

/** `.align N`, `.vN` and the type, in ptxas's order; another order is named. */
export function parseShape(c: Cursor, isParameter = false): Shape {
  const shape: Shape = { alignment: undefined, vector: undefined, type: undefined };
  while (kindOf(c) === TokenKind.Dotted) {
    const word = textOf(c);
    if (word === '.align') {
      const at = tokenSpan(c);
      advance(c);
      const value = parseNumber(c) ?? parseConstant(c);
      if (value !== undefined && c.text.charCodeAt(value.start) === 40)
        report(c, 'syntax/alignment', value, '.align takes a plain number, without parentheses');
      else if (value === undefined)
        report(c, 'syntax/alignment', at, `.align needs a number of bytes before ${shown(c)}`);
      else if (!isPowerOfTwo(value))
        report(
          c,
          'syntax/alignment',
          value,
          `.align must be a power of two; ${c.text.slice(value.start, value.end)} is not`,
        );
      if (!isParameter && (shape.vector !== undefined || shape.type !== undefined))
        report(c, 'syntax/declaration-order', at, '.align stands before the vector width and the type');
      shape.alignment = value ?? shape.alignment;
    } else if (vectorWord.test(word) && shape.vector === undefined) {
      if (word !== '.v2' && word !== '.v4')
        report(
          c,
          'syntax/vector-width',
          tokenSpan(c),
          `a vector variable is .v2 or .v4; ${word} does not exist`,
        );
      else if (shape.type !== undefined)
        report(c, 'syntax/declaration-order', tokenSpan(c), `${word} stands before the type`);
      shape.vector = takeName(c);
    } else if (shape.type === undefined && word !== '.ptr' && word !== '.attribute' && !isStateSpace(word))
      shape.type = parseType(c);
    else break;
  }
  return shape;
}

function isPowerOfTwo(value: Constant): boolean {
  if (value.integer === undefined) return !value.isFloat;
  const bits = BigInt.asUintN(64, value.integer);
  return bits > 0n && (bits & (bits - 1n)) === 0n;
}

/** C's habits, by the number of bits that the word ends in. */
function parseType(c: Cursor): Name {
  const type = takeName(c);
  if (declarableTypes.has(type.text)) return type;
  const holder = instructionTypes.get(type.text);
  if (holder !== undefined) {
    report(
      c,
      'syntax/unknown-type',
      type,
      `${type.text} is a type of instructions alone; declare ${holder}`,
      [guess(`Declare ${holder}`, type, holder)],
    );
    return type;
  }
  const bits = /^\.[a-z]+(8|16|32|64)$/i.exec(type.text)?.[1];
  const float = bits === undefined || bits === '8' ? '' : ` and .f${bits}`;
  const hint =
    bits === undefined
      ? didYouMean(type.text, declarableTypes)
      : float === ''
        ? `; PTX has .s${bits}, .u${bits} and .b${bits}`
        : `; PTX has .s${bits}, .u${bits}, .b${bits}${float}`;
  const lower = type.text.toLowerCase();
  const fixes = declarableTypes.has(lower) ? [fix(`Write ${lower}`, type.start, type.end, lower)] : [];
  report(c, 'syntax/unknown-type', type, `unknown type '${type.text}'${hint}`, fixes);
  return type;
}

export function parseVariable(
  c: Cursor,
  start: number,
  linkage: readonly Name[],
  attributes: Name[],
): VariableDeclaration {
  parseAttributes(c, attributes);
  return parseVariableIn(c, start, c.problems.length, takeName(c), linkage, attributes);
}

/** A declaration behind its state space. `before`: the number of problems where it began. */
export function parseVariableIn(
  c: Cursor,
  start: number,
  before: number,
  space: Name,
  linkage: readonly Name[],
  attributes: Name[],
): VariableDeclaration {
  if (space.text === '.const' && punctuation(c) === 91) skipBank(c);
  parseAttributes(c, attributes);
  const shape = parseShape(c);
  const declarators: Declarator[] = [];
  if (shape.type === undefined && space.text !== '.tex')
    report(
      c,
      'syntax/missing-type',
      atEnd(c) || onNewLine(c) ? gapSpan(c) : tokenSpan(c),
      `type expected after ${c.text.slice(space.start, Math.max(space.end, c.previousEnd))}, such as .b32`,
    );
  while (kindOf(c) === TokenKind.Dotted && !onNewLine(c)) {
    if (c.problems.length === before)
      report(c, 'syntax/declaration', tokenSpan(c), `name expected, not ${shown(c)}`);
    advance(c);
  }
  if (punctuation(c) !== 59 || shape.type === undefined) parseDeclarators(c, declarators, before);
  finishDeclaration(c, `the declaration`, before);
  const isFaulty = c.problems.length > before;
  return {
    kind: 'variable',
    start,
    end: c.previousEnd,
    linkage,
    space,
    ...shape,
    attributes,
    declarators,
    isFaulty,
  };
}

/** `.const[2]`, of before ISA 2.2. */
function skipBank(c: Cursor): void {
  while (!atEnd(c) && punctuation(c) !== 59) {
    const code = punctuation(c);
    advance(c);
    if (code === 93) return;
  }
}

function parseDeclarators(c: Cursor, into: Declarator[], before: number): void {
  for (;;) {
    if (kindOf(c) !== TokenKind.Identifier || (onNewLine(c) && startsStatement(c))) {
      if (c.problems.length > before) return;
      const at = atEnd(c) || onNewLine(c) || punctuation(c) === 59 ? gapSpan(c) : tokenSpan(c);
      report(c, 'syntax/declaration', at, `name expected before ${shown(c)}`);
      return;
    }
    into.push(parseDeclarator(c));
    if (accept(c, 44)) continue;
    if (kindOf(c) === TokenKind.Identifier && !onNewLine(c)) {
      const last = into[into.length - 1].name.text;
      report(c, 'syntax/missing-comma', tokenSpan(c), `missing ',' between '${last}' and ${shown(c)}`, [
        fix("Insert ','", c.previousEnd, c.previousEnd, ','),
      ]);
      continue;
    }
    return;
  }
}

/** A range has at most as many registers as 32 bits count. */
const RANGE_LIMIT = 1n << 32n;

function parseDeclarator(c: Cursor): Declarator {
  const name = takeName(c);
  if (name.text === '_' || name.text === '$')
    report(c, 'syntax/declaration', name, `'${name.text}' cannot be a name; write another one`);
  let range: Constant | undefined;
  if (punctuation(c) === 60) {
    const open = tokenSpan(c);
    const before = c.problems.length;
    advance(c);
    range = parseNumber(c);
    if (range === undefined)
      report(
        c,
        'syntax/declaration',
        { start: open.start, end: c.previousEnd },
        `number of registers expected: ${name.text}<10> declares ${name.text}0 to ${name.text}9`,
      );
    if (range !== undefined && (range.isFloat || !endsNumber(c, 62)))
      report(c, 'syntax/declaration', range, 'the number of registers is a single integer');
    else if (range?.integer !== undefined && BigInt.asUintN(64, range.integer) >= RANGE_LIMIT)
      report(c, 'syntax/number', range, 'the number of registers must be less than 2^32');
    skipWithin(c, 62);
    if (!accept(c, 62) && c.problems.length === before)
      report(c, 'syntax/unclosed', open, "this '<' is never closed: '>' expected", [
        fix("Insert '>'", c.previousEnd, c.previousEnd, '>'),
      ]);
  }
  const dimensions = parseDimensions(c);
  const initializer = accept(c, 61) ? parseInitializer(c) : undefined;
  return { name, range, dimensions, initializer, start: name.start, end: c.previousEnd };
}

/** Whether a lone number ends here, with its closing bracket or without. */
const endsNumber = (c: Cursor, close: number): boolean =>
  atEnd(c) || onNewLine(c) || [close, 44, 59, 61, 125].includes(punctuation(c));

/** Steps to `close` over what a bracket cannot hold, on this line. */
function skipWithin(c: Cursor, close: number): void {
  while (!endsNumber(c, close)) advance(c);
}

const noDimensions: readonly (Constant | undefined)[] = [];

export function parseDimensions(c: Cursor): readonly (Constant | undefined)[] {
  if (punctuation(c) !== 91) return noDimensions;
  const dimensions: (Constant | undefined)[] = [];
  while (punctuation(c) === 91) {
    const open = tokenSpan(c);
    const before = c.problems.length;
    advance(c);
    const size = parseNumber(c);
    dimensions.push(size);
    if (size?.isFloat === true || (size !== undefined && !endsNumber(c, 93)))
      report(c, 'syntax/declaration', size, 'an array size is a single integer');
    else if (size === undefined && punctuation(c) !== 93 && !endsNumber(c, 93))
      report(c, 'syntax/declaration', tokenSpan(c), `an array size is a single integer, not ${shown(c)}`);
    skipWithin(c, 93);
    if (!accept(c, 93) && c.problems.length === before)
      report(c, 'syntax/unclosed', open, "this '[' is never closed: ']' expected", [
        fix("Insert ']'", c.previousEnd, c.previousEnd, ']'),
      ]);
  }
  return dimensions;
}

/** The `;` of a declaration. What stands before it unexpectedly is skipped and gives one problem. */
export function finishDeclaration(c: Cursor, what: string, before: number): boolean {
  if (accept(c, 59)) return true;
  const isSilent = c.problems.length > before;
  if (atEnd(c) || onNewLine(c) || punctuation(c) === 125) {
    if (!isSilent && !(c.isCut && atEnd(c))) missingSemicolon(c, what);
    return false;
  }
  if (!isSilent) report(c, 'syntax/declaration', tokenSpan(c), `',' or ';' expected before ${shown(c)}`);
  skipToSemicolon(c);
  return false;
}

export function missingSemicolon(c: Cursor, what: string): void {
  report(c, 'syntax/missing-semicolon', gapSpan(c), `missing ';' after ${what} at the end of this line`, [
    fix("Insert ';'", c.previousEnd, c.previousEnd, ';'),
  ]);
}

/** Over the `;` of this line; a later line starts something new. */
export function skipToSemicolon(c: Cursor): void {
  while (!atEnd(c) && !onNewLine(c) && punctuation(c) !== 125) {
    const code = punctuation(c);
    advance(c);
    if (code === 59) return;
  }
}
