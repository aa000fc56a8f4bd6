import { type Constant, type Initializer, type Name, TokenKind } from '../tree.js';
import { breaksOff, reportBreak } from './recovery.js';
import { isWarpSize, parseConstant } from './constants.js';
import {
  accept,
  advance,
  atEnd,
  type Cursor,
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
} from './cursor.js';

/**
 * Initial values: constants, symbols with an offset, `generic(symbol)`, one byte of an address as `0xff00(symbol)`,
 * strings, nested lists. Measured: a list has no comma before its end; a string has no escapes and no braces.
 */

export function parseInitializer(c: Cursor): Initializer | undefined {
  const start = startOf(c);
  if (breaksOff(c)) {
    reportBreak(c, 'syntax/initialiser', 'initial value');
    return undefined;
  }
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
