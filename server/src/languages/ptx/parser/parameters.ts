import type { Span } from '../../../text/span.js';
import { type Name, type Parameter, TokenKind } from '../tree.js';
import { parseNumber } from './constants.js';
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
import { parseDimensions, parseShape } from './declarations.js';
import { nearest } from './suggest.js';
import { declarableTypes, isStateSpace } from './words.js';

/** Parameter lists of functions and prototypes: `(.param .u64 .ptr .global .align 16 p, .param .b8 q[8])`. */

const pointerSpaces = new Set(['.global', '.shared', '.const', '.local', '.param', '.generic']);

/** `(` parameters `)`, the parenthesis standing here. */
export function parseParameters(c: Cursor): Parameter[] {
  const open = tokenSpan(c);
  advance(c);
  return parseOpenParameters(c, open);
}

/** The list behind its `(`, which stood at `open`. */
export function parseOpenParameters(c: Cursor, open: Span): Parameter[] {
  const parameters: Parameter[] = [];
  const before = c.problems.length;
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
      report(
        c,
        'syntax/missing-comma',
        onNewLine(c) ? gapSpan(c) : tokenSpan(c),
        `missing ',' between parameters before ${shown(c)}`,
        [fix("Insert ','", c.previousEnd, c.previousEnd, ',')],
      );
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
    const near = nearest(textOf(c), ['.param', '.reg']);
    space = takeName(c);
    report(
      c,
      'syntax/declaration',
      space,
      `state space .param expected, not '${space.text}'`,
      near === undefined ? [] : [guess(`Write ${near}`, space, near)],
    );
  }
  const shape = parseShape(c, true);
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
