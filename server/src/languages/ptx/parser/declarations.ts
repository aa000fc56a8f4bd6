import {
  TokenKind,
  type Constant,
  type Declarator,
  type Initializer,
  type Name,
  type Parameter,
  type VariableDeclaration,
} from '../tree.js';
import { isWarpSize, parseConstant, parseNumber } from './constants.js';
import {
  accept,
  advance,
  atEnd,
  fix,
  following,
  gapSpan,
  kindOf,
  MAX_NESTING,
  onNewLine,
  punctuation,
  report,
  shown,
  startOf,
  takeName,
  textOf,
  tokenSpan,
  type Cursor,
} from './cursor.js';
import { declarableTypes, instructionTypes, isStateSpace } from './words.js';
import { didYouMean, nearest } from './suggest.js';

/** Variables and parameters: `.global .align 4 .v2 .f32 name[2] = {...}, other;`, `.param .u64 .ptr .global p`. */

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
function parseShape(c: Cursor): Shape {
  const shape: Shape = { alignment: undefined, vector: undefined, type: undefined };
  while (kindOf(c) === TokenKind.Dotted) {
    const word = textOf(c);
    if (word === '.align') {
      const at = tokenSpan(c);
      advance(c);
      const value = parseNumber(c);
      if (value === undefined)
        report(c, 'syntax/alignment', at, `.align needs a number of bytes before ${shown(c)}`);
      else if (!isPowerOfTwo(value))
        report(
          c,
          'syntax/alignment',
          value,
          `.align must be a power of two; ${c.text.slice(value.start, value.end)} is not`,
        );
      if (shape.vector !== undefined || shape.type !== undefined)
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
      [fix(`Declare ${holder}`, type.start, type.end, holder)],
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
  const space = takeName(c);
  if (space.text === '.const' && punctuation(c) === 91) skipBank(c);
  parseAttributes(c, attributes);
  const shape = parseShape(c);
  const declarators: Declarator[] = [];
  const before = c.problems.length;
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
  return { kind: 'variable', start, end: c.previousEnd, linkage, space, ...shape, attributes, declarators };
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
    if (kindOf(c) !== TokenKind.Identifier) {
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

function parseDeclarator(c: Cursor): Declarator {
  const name = takeName(c);
  let range: Constant | undefined;
  if (punctuation(c) === 60) {
    const open = tokenSpan(c);
    advance(c);
    range = parseNumber(c);
    if (range === undefined)
      report(
        c,
        'syntax/declaration',
        { start: open.start, end: c.previousEnd },
        `number of registers expected: ${name.text}<10> declares ${name.text}0 to ${name.text}9`,
      );
    if (!accept(c, 62) && range !== undefined)
      report(c, 'syntax/unclosed', open, "this '<' is never closed: '>' expected", [
        fix("Insert '>'", c.previousEnd, c.previousEnd, '>'),
      ]);
  }
  const dimensions = parseDimensions(c);
  const initializer = accept(c, 61) ? parseInitializer(c) : undefined;
  return { name, range, dimensions, initializer, start: name.start, end: c.previousEnd };
}

const noDimensions: readonly (Constant | undefined)[] = [];

function parseDimensions(c: Cursor): readonly (Constant | undefined)[] {
  if (punctuation(c) !== 91) return noDimensions;
  const dimensions: (Constant | undefined)[] = [];
  while (punctuation(c) === 91) {
    const open = tokenSpan(c);
    advance(c);
    const size = parseNumber(c);
    dimensions.push(size);
    if (accept(c, 93)) continue;
    if (size === undefined && punctuation(c) !== 59) {
      report(c, 'syntax/declaration', tokenSpan(c), `an array size is a single number, not ${shown(c)}`);
      while (!atEnd(c) && !onNewLine(c) && ![93, 59, 44, 123, 125].includes(punctuation(c))) advance(c);
      accept(c, 93);
    } else if (
      size !== undefined &&
      punctuation(c) !== 59 &&
      punctuation(c) !== 44 &&
      !atEnd(c) &&
      !onNewLine(c)
    ) {
      report(
        c,
        'syntax/declaration',
        tokenSpan(c),
        `an array size is a single number: ']' expected before ${shown(c)}`,
      );
      while (!atEnd(c) && !onNewLine(c) && ![93, 59, 44, 123, 125].includes(punctuation(c))) advance(c);
      accept(c, 93);
    } else
      report(c, 'syntax/unclosed', open, "this '[' is never closed: ']' expected", [
        fix("Insert ']'", c.previousEnd, c.previousEnd, ']'),
      ]);
  }
  return dimensions;
}

function parseInitializer(c: Cursor): Initializer | undefined {
  const start = startOf(c);
  if (punctuation(c) === 123) return parseInitializerList(c);
  if (kindOf(c) === TokenKind.String) {
    const word = takeName(c);
    return { kind: 'string', start, end: word.end, text: unquoted(word.text) };
  }
  if (kindOf(c) === TokenKind.Identifier && !isWarpSize(c)) return parseSymbol(c, start, undefined);
  if (kindOf(c) === TokenKind.Integer) {
    const next = following(c);
    const mask = textOf(c);
    if (
      c.text.charCodeAt(c.tokens.start[next] ?? 0) === 40 &&
      next < c.tokens.count &&
      /^0[xX][fF]{2}0*$/.test(mask)
    ) {
      advance(c);
      return parseSymbol(c, start, mask);
    }
  }
  const value = parseConstant(c);
  if (value !== undefined) return { kind: 'constant', start, end: c.previousEnd, value };
  report(
    c,
    'syntax/initialiser',
    atEnd(c) || onNewLine(c) ? gapSpan(c) : tokenSpan(c),
    `initial value expected before ${shown(c)}`,
  );
  return undefined;
}

export const unquoted = (word: string): string =>
  word.length >= 2 && word.endsWith('"') ? word.slice(1, -1) : word.slice(1);

/** `sym`, `sym+4`, `generic(sym)+4`, `0xff00(sym)`; the operator of the last has been read. */
function parseSymbol(c: Cursor, start: number, mask: string | undefined): Initializer {
  let operator = mask;
  let name: Name;
  if (mask === undefined) {
    name = takeName(c);
    if (punctuation(c) === 40) operator = name.text;
  } else name = { start, end: c.previousEnd, text: '' };
  if (operator !== undefined) {
    const open = tokenSpan(c);
    advance(c);
    if (kindOf(c) === TokenKind.Identifier) name = takeName(c);
    else report(c, 'syntax/initialiser', tokenSpan(c), `symbol expected before ${shown(c)}`);
    if (!accept(c, 41)) report(c, 'syntax/unclosed', open, "this '(' is never closed: ')' expected");
  }
  let offset: Constant | undefined;
  const code = punctuation(c);
  if (code === 43 || code === 45) {
    const sign = tokenSpan(c);
    advance(c);
    offset = parseConstant(c);
    if (offset === undefined) report(c, 'syntax/initialiser', sign, `offset expected before ${shown(c)}`);
    if (code === 45)
      report(c, 'syntax/address', sign, "an offset can only be added: write '+-'", [
        fix('Write +-', sign.start, sign.end, '+-'),
      ]);
  }
  return { kind: 'symbol', operator, name, offset, start, end: c.previousEnd };
}

function parseInitializerList(c: Cursor): Initializer {
  const open = tokenSpan(c);
  const elements: Initializer[] = [];
  const before = c.problems.length;
  advance(c);
  if (c.nesting >= MAX_NESTING) {
    report(c, 'syntax/nesting', open, `nested more than ${MAX_NESTING} deep`);
    while (!atEnd(c) && punctuation(c) !== 59) advance(c);
    return { kind: 'list', elements, start: open.start, end: c.previousEnd };
  }
  c.nesting++;
  while (punctuation(c) !== 125) {
    if (kindOf(c) === TokenKind.String)
      report(c, 'syntax/initialiser', tokenSpan(c), 'a string stands alone, without braces');
    const element = parseInitializer(c);
    if (element === undefined) break;
    elements.push(element);
    if (!accept(c, 44)) {
      if (punctuation(c) === 125 || punctuation(c) === 59 || atEnd(c)) break;
      if (c.problems.length > before) break;
      report(c, 'syntax/missing-comma', tokenSpan(c), `missing ',' before ${shown(c)}`, [
        fix("Insert ','", c.previousEnd, c.previousEnd, ','),
      ]);
      continue;
    }
    if (punctuation(c) === 125) {
      const comma = c.previousEnd - 1;
      report(c, 'syntax/initialiser', gapSpan(c), "value expected after ','", [
        fix("Remove the ','", comma, comma + 1, ''),
      ]);
    }
  }
  c.nesting--;
  if (!accept(c, 125)) {
    if (c.problems.length === before)
      report(c, 'syntax/unclosed', open, "this '{' is never closed: '}' expected");
    while (!atEnd(c) && punctuation(c) !== 59 && punctuation(c) !== 125) advance(c);
    accept(c, 125);
  }
  return { kind: 'list', elements, start: open.start, end: c.previousEnd };
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

const pointerSpaces = new Set(['.global', '.shared', '.const', '.local', '.param', '.generic']);

/** `(` parameters `)`, the parenthesis standing here. */
export function parseParameters(c: Cursor): Parameter[] {
  const open = tokenSpan(c);
  const parameters: Parameter[] = [];
  const before = c.problems.length;
  advance(c);
  while (punctuation(c) !== 41 && kindOf(c) === TokenKind.Dotted) {
    parameters.push(parseParameter(c));
    if (accept(c, 44)) {
      if (punctuation(c) === 41) {
        const comma = c.previousEnd - 1;
        report(c, 'syntax/declaration', gapSpan(c), "parameter expected after ','", [
          fix("Remove the ','", comma, comma + 1, ''),
        ]);
      }
      continue;
    }
    if (kindOf(c) !== TokenKind.Dotted || !isStateSpace(textOf(c))) break;
    if (c.problems.length === before)
      report(c, 'syntax/missing-comma', tokenSpan(c), `missing ',' between parameters before ${shown(c)}`, [
        fix("Insert ','", c.previousEnd, c.previousEnd, ','),
      ]);
  }
  if (accept(c, 41)) return parameters;
  if (c.problems.length === before) {
    if (
      atEnd(c) ||
      punctuation(c) === 123 ||
      punctuation(c) === 59 ||
      (onNewLine(c) && parameters.length > 0)
    )
      report(c, 'syntax/unclosed', open, "this '(' is never closed: ')' expected", [
        fix("Insert ')'", c.previousEnd, c.previousEnd, ')'),
      ]);
    else
      report(
        c,
        'syntax/declaration',
        tokenSpan(c),
        `parameter expected, such as .param .u64 p, not ${shown(c)}`,
      );
  }
  while (!atEnd(c) && ![41, 123, 125, 59].includes(punctuation(c))) advance(c);
  accept(c, 41);
  return parameters;
}

function parseParameter(c: Cursor): Parameter {
  const start = startOf(c);
  const before = c.problems.length;
  let space: Name;
  if (isStateSpace(textOf(c))) space = takeName(c);
  else if (declarableTypes.has(textOf(c)) || textOf(c) === '.align') {
    space = { start, end: start, text: '.param' };
    report(
      c,
      'syntax/declaration',
      tokenSpan(c),
      `a parameter begins with its state space: .param ${textOf(c)}`,
      [fix('Insert .param', start, start, '.param ')],
    );
  } else {
    const guess = nearest(textOf(c), ['.param', '.reg']);
    space = takeName(c);
    report(
      c,
      'syntax/declaration',
      space,
      `state space .param expected, not '${space.text}'`,
      guess === undefined ? [] : [fix(`Write ${guess}`, space.start, space.end, guess)],
    );
  }
  const shape = parseShape(c);
  const pointer: Name[] = [];
  if (kindOf(c) === TokenKind.Dotted && textOf(c) === '.ptr') parsePointer(c, pointer);
  while (kindOf(c) === TokenKind.Dotted && c.problems.length === before && !isStateSpace(textOf(c))) {
    report(c, 'syntax/declaration', tokenSpan(c), `name of the parameter expected, not ${shown(c)}`);
    advance(c);
  }
  const name = kindOf(c) === TokenKind.Identifier ? takeName(c) : undefined;
  if (c.problems.length === before) {
    if (shape.type === undefined)
      report(c, 'syntax/missing-type', name ?? gapSpan(c), `type expected, such as ${space.text} .b32`);
    else if (name === undefined)
      report(c, 'syntax/declaration', gapSpan(c), `name of the parameter expected before ${shown(c)}`);
  }
  if (name !== undefined && punctuation(c) === 60) skipRange(c);
  const dimensions = parseDimensions(c);
  return { start, end: c.previousEnd, space, ...shape, pointer, name, dimensions };
}

function skipRange(c: Cursor): void {
  report(
    c,
    'syntax/declaration',
    tokenSpan(c),
    'a parameter is a single register; ranges are for .reg in a body',
  );
  while (!atEnd(c) && ![62, 44, 41, 59, 123, 125].includes(punctuation(c))) advance(c);
  accept(c, 62);
}

/** `.ptr .global .align 16`. */
function parsePointer(c: Cursor, into: Name[]): void {
  into.push(takeName(c));
  while (kindOf(c) === TokenKind.Dotted) {
    const word = textOf(c);
    if (!pointerSpaces.has(word) && word !== '.align') return;
    into.push(takeName(c));
    if (word !== '.align') continue;
    const start = startOf(c);
    if (parseNumber(c) === undefined)
      report(c, 'syntax/alignment', gapSpan(c), '.align needs a number of bytes');
    else into.push({ start, end: c.previousEnd, text: c.text.slice(start, c.previousEnd) });
  }
}
