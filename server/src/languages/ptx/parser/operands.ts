import { breaksOff, previousWord, reportBreak, startsStatement } from './recovery.js';
import { TokenKind, type Constant, type NameOperand, type Operand } from '../tree.js';
import {
  isWarpSize,
  namedConstant,
  negated,
  parseConstant,
  parseNumber,
  startsConstant,
} from './constants.js';
import {
  accept,
  advance,
  atEnd,
  codeAt,
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
  tokenSpan,
  type Cursor,
} from './cursor.js';

/**
 * Operands of instructions: names, constants, `[base+offset, ...]`, `{a, b}`, `(a, b)`, `d|p`, `!p`, `_`. An
 * offset is added, never subtracted: ptxas takes `[a+-4]` and refuses `[a-4]`.
 */

const noOperands: readonly Operand[] = [];

/** A list of its exact size: growing leaves room for a dozen more, and trees live long. */
export const fitted = (operands: readonly Operand[]): readonly Operand[] =>
  operands.length === 0 ? noOperands : operands.slice();

const missing = (at: number): Operand => ({ kind: 'missing', start: at, end: at });

/** Whether an operand can start here. */
export function startsOperand(c: Cursor): boolean {
  const kind = kindOf(c);
  if (kind === TokenKind.Identifier) return true;
  const code = punctuation(c);
  return code === 91 || code === 123 || startsConstant(c);
}

/** `takesLists`: `(` opens the list of a call and not an expression. */
export function parseOperand(c: Cursor, takesLists: boolean): Operand {
  const start = startOf(c);
  const first = parseSimple(c, takesLists);
  if (punctuation(c) !== 124) return first;
  advance(c);
  const second = parseSimple(c, false);
  return { kind: 'pair', first, second, start, end: c.previousEnd };
}

function parseSimple(c: Cursor, takesLists: boolean): Operand {
  if (onNewLine(c) && startsStatement(c)) {
    reportMissing(c);
    return missing(c.previousEnd);
  }
  if (kindOf(c) === TokenKind.Identifier && !isWarpSize(c)) return parseNamed(c);
  const code = punctuation(c);
  const start = startOf(c);
  switch (code) {
    case 91:
      return parseAddress(c);
    case 123:
      return parseSequence(c, 'vector', 125, '}');
    case 40:
      if (takesLists) return parseSequence(c, 'list', 41, ')');
      if (isNameAt(c, following(c))) {
        report(c, 'syntax/operand', tokenSpan(c), 'only call takes a list in parentheses');
        return parseSequence(c, 'list', 41, ')');
      }
      break;
    case 33:
    case 45:
      if (isNameAt(c, following(c))) {
        advance(c);
        if (breaksOff(c)) {
          reportMissing(c);
          return missing(c.previousEnd);
        }
        const operand = parseNamed(c);
        return { kind: 'not', operator: code === 33 ? '!' : '-', operand, start, end: c.previousEnd };
      }
      break;
  }
  const value = parseConstant(c);
  if (value !== undefined) return { kind: 'constant', value, start, end: c.previousEnd };
  const at = atEnd(c) || onNewLine(c) ? gapSpan(c) : tokenSpan(c);
  if (kindOf(c) === TokenKind.String) {
    report(c, 'syntax/operand', at, 'an instruction takes no string');
    advance(c);
  } else if (code === 44 || code === 59 || atEnd(c) || onNewLine(c)) reportMissing(c);
  else report(c, 'syntax/operand', at, `operand expected, not ${shown(c)}`);
  return missing(c.previousEnd);
}

function isNameAt(c: Cursor, index: number): boolean {
  if (index >= c.tokens.count || c.tokens.kind[index] !== TokenKind.Identifier) return false;
  return c.text.slice(c.tokens.start[index], c.tokens.end[index]) !== 'WARP_SZ';
}

/** Nothing between two commas, or between a comma and the end. */
function reportMissing(c: Cursor): void {
  const comma = c.previousEnd - 1;
  if (c.text.charAt(comma) === ',' && punctuation(c) !== 44) {
    const fixes = [fix("Remove the ','", comma, comma + 1, '')];
    report(c, 'syntax/operand', gapSpan(c), "operand expected after ','", fixes);
  } else if (atEnd(c) || onNewLine(c)) reportBreak(c, 'syntax/operand', 'operand');
  else report(c, 'syntax/operand', tokenSpan(c), `operand expected before ${shown(c)}`);
}

function parseNamed(c: Cursor): Operand {
  const name = takeName(c);
  if (name.text === '_') return { kind: 'sink', start: name.start, end: name.end };
  return parseNameTail(c, name);
}

/** What follows a name: `.x`, `[2]`, `+8`. */
function parseNameTail(c: Cursor, name: NameOperand['name']): NameOperand {
  const component = kindOf(c) === TokenKind.Dotted && !onNewLine(c) ? takeName(c) : undefined;
  if (component !== undefined && kindOf(c) === TokenKind.Dotted && startOf(c) === c.previousEnd) {
    report(c, 'syntax/operand', tokenSpan(c), `a name takes one component; ${shown(c)} is a second one`);
    advance(c);
  }
  if (punctuation(c) === 46 && startOf(c) === c.previousEnd) {
    report(c, 'syntax/operand', tokenSpan(c), `component such as x expected after '${name.text}.'`);
    advance(c);
  }
  const index = punctuation(c) === 91 ? parseIndex(c) : undefined;
  const offset = parseOffset(c);
  return { kind: 'name', name, component, index, offset, start: name.start, end: c.previousEnd };
}

function parseIndex(c: Cursor): Constant | undefined {
  const open = tokenSpan(c);
  advance(c);
  if (breaksOff(c)) {
    reportBreak(c, 'syntax/operand', 'index');
    return undefined;
  }
  const index =
    kindOf(c) === TokenKind.Identifier && !isWarpSize(c) ? namedConstant(takeName(c)) : parseConstant(c);
  if (index === undefined) report(c, 'syntax/operand', tokenSpan(c), `index expected before ${shown(c)}`);
  if (!accept(c, 93)) report(c, 'syntax/unclosed', open, "this '[' is never closed: ']' expected");
  return index;
}

/** `+8`, `+-4`, `+(2*4)`; `-4` is mended. */
function parseOffset(c: Cursor): Constant | undefined {
  const code = punctuation(c);
  if (code === 43) {
    advance(c);
    if (breaksOff(c)) {
      reportBreak(c, 'syntax/address', 'offset');
      return undefined;
    }
    if (kindOf(c) === TokenKind.Identifier && !isWarpSize(c)) {
      report(
        c,
        'syntax/address',
        tokenSpan(c),
        `an offset is a constant; add ${shown(c)} with an instruction first`,
      );
      return namedConstant(takeName(c));
    }
    const offset = parseConstant(c);
    if (offset === undefined) report(c, 'syntax/address', gapSpan(c), `offset expected before ${shown(c)}`);
    return offset;
  }
  if (code !== 45) return undefined;
  const minus = tokenSpan(c);
  advance(c);
  if (breaksOff(c)) {
    reportBreak(c, 'syntax/address', 'operand');
    return undefined;
  }
  if (!startsConstant(c)) {
    report(c, 'syntax/address', minus, "an offset is a constant that is added: write '+-4' to subtract 4");
    if (kindOf(c) === TokenKind.Identifier) advance(c);
    return undefined;
  }
  const word = c.text.slice(startOf(c), c.tokens.end[c.index]);
  const offset = parseNumber(c) ?? parseConstant(c);
  report(c, 'syntax/address', minus, `offsets can only be added: write '+-${word}' for '-${word}'`, [
    fix(`Write +-${word}`, minus.start, minus.end, '+-'),
  ]);
  return offset === undefined ? undefined : negated(offset);
}

/** `, sampler, {x, y}` inside the brackets of an address. */
function parseMore(c: Cursor): readonly Operand[] {
  const more: Operand[] = [];
  while (accept(c, 44)) more.push(parseOperand(c, false));
  return fitted(more);
}

function parseAddress(c: Cursor): Operand {
  const open = tokenSpan(c);
  advance(c);
  let base: NameOperand | Extract<Operand, { kind: 'constant' }> | undefined;
  let offset: Constant | undefined;
  const before = c.problems.length;
  const start = startOf(c);
  if (onNewLine(c) && startsStatement(c))
    report(c, 'syntax/address', open, 'address expected between brackets');
  else if (kindOf(c) === TokenKind.Identifier && !isWarpSize(c)) {
    const name = takeName(c);
    const component = kindOf(c) === TokenKind.Dotted && !onNewLine(c) ? takeName(c) : undefined;
    base = { kind: 'name', name, component, index: undefined, offset: undefined, start, end: c.previousEnd };
    if (punctuation(c) === 91) {
      report(
        c,
        'syntax/address',
        tokenSpan(c),
        `an address takes no index: write [${name.text}+offset in bytes]`,
      );
      parseIndex(c);
    }
    offset = parseOffset(c);
  } else {
    const value = parseConstant(c);
    if (value !== undefined) base = { kind: 'constant', value, start, end: c.previousEnd };
    else
      report(
        c,
        'syntax/address',
        punctuation(c) === 93 ? { start: open.start, end: startOf(c) + 1 } : open,
        'address expected between brackets',
      );
  }
  const more = punctuation(c) === 44 ? parseMore(c) : noOperands;
  if (!accept(c, 93) && c.problems.length === before) {
    if (kindOf(c) === TokenKind.Identifier && !onNewLine(c))
      report(c, 'syntax/address', tokenSpan(c), `'+', ',' or ']' expected before ${shown(c)}`);
    else
      report(c, 'syntax/unclosed', open, "this '[' is never closed: ']' expected", [
        fix("Insert ']'", c.previousEnd, c.previousEnd, ']'),
      ]);
    skipTo(c, 93);
  }
  return { kind: 'address', base, offset, more, start: open.start, end: c.previousEnd };
}

/** Steps to `close` and over it if it stands on this line before `;` or a brace. */
function skipTo(c: Cursor, close: number): void {
  let i = c.index;
  while (i < c.tokens.count) {
    const code = c.tokens.kind[i] === TokenKind.Punctuation ? codeAt(c, i) : 0;
    if (code === close) break;
    if (code === 59 || code === 123 || code === 125 || code === 44) return;
    i++;
  }
  if (i >= c.tokens.count) return;
  while (c.index <= i && !atEnd(c)) advance(c);
}

function parseSequence(c: Cursor, kind: 'vector' | 'list', close: number, closeText: string): Operand {
  const open = tokenSpan(c);
  const elements: Operand[] = [];
  advance(c);
  if (c.nesting >= MAX_NESTING) {
    report(c, 'syntax/nesting', open, `nested more than ${MAX_NESTING} deep`);
    while (!atEnd(c) && punctuation(c) !== 59) advance(c);
    return { kind, elements, start: open.start, end: c.previousEnd };
  }
  c.nesting++;
  if (punctuation(c) === close) {
    if (kind === 'vector')
      report(
        c,
        'syntax/operand',
        { start: open.start, end: startOf(c) + 1 },
        'a vector needs at least one element',
      );
    advance(c);
  } else {
    const before = c.problems.length;
    for (;;) {
      elements.push(parseOperand(c, false));
      if (accept(c, 44)) continue;
      if (punctuation(c) !== close && startsOperand(c) && punctuation(c) !== 123 && !onNewLine(c)) {
        reportMissingComma(c);
        continue;
      }
      break;
    }
    if (!accept(c, close) && c.problems.length === before)
      report(
        c,
        'syntax/unclosed',
        open,
        `this '${c.text.charAt(open.start)}' is never closed: '${closeText}' expected`,
        [fix(`Insert '${closeText}'`, c.previousEnd, c.previousEnd, closeText)],
      );
  }
  c.nesting--;
  return { kind, elements: fitted(elements), start: open.start, end: c.previousEnd };
}

/** Two operands side by side. */
export function reportMissingComma(c: Cursor): void {
  const left = previousWord(c);
  report(
    c,
    'syntax/missing-comma',
    onNewLine(c) ? gapSpan(c) : tokenSpan(c),
    `missing ',' between operands '${left}' and ${shown(c)}`,
    [fix("Insert ','", c.previousEnd, c.previousEnd, ',')],
  );
}
