import { TokenKind, type Constant, type Name } from '../tree.js';
import {
  accept,
  advance,
  END,
  endOf,
  fix,
  following,
  kindOf,
  MAX_NESTING,
  punctuation,
  report,
  shown,
  startOf,
  takeName,
  textOf,
  tokenSpan,
  type Cursor,
} from './cursor.js';
import { readFloat, readInteger } from './numbers.js';
import { applyBinary, applyCast, applyConditional, applyUnary, integerValue, UNKNOWN } from './evaluate.js';
import type { Value } from './evaluate.js';
import { breaksOff, reportBreak } from './recovery.js';

/** Constant expressions: C's operators and precedence, `(.s64)` and `(.u64)`, `WARP_SZ`. Values: see evaluate.ts. */

const binaryPrecedence: ReadonlyMap<string, number> = new Map([
  ['||', 1],
  ['&&', 2],
  ['|', 3],
  ['^', 4],
  ['&', 5],
  ['==', 6],
  ['!=', 6],
  ['<', 7],
  ['<=', 7],
  ['>', 7],
  ['>=', 7],
  ['<<', 8],
  ['>>', 8],
  ['+', 9],
  ['-', 9],
  ['*', 10],
  ['/', 10],
  ['%', 10],
]);

/** Threads of a warp on every machine so far. */
const WARP_SIZE = 32n;

export const isWarpSize = (c: Cursor): boolean =>
  kindOf(c) === TokenKind.Identifier && endOf(c) - startOf(c) === 7 && textOf(c) === 'WARP_SZ';

/** Whether a constant expression can start here. */
export function startsConstant(c: Cursor): boolean {
  const kind = kindOf(c);
  if (kind === TokenKind.Integer || kind === TokenKind.Float) return true;
  if (kind === TokenKind.Identifier) return isWarpSize(c);
  const code = punctuation(c);
  return code === 40 || code === 43 || code === 45 || code === 126 || code === 33;
}

/** Parses an expression; undefined (and nothing reported) when none starts here. */
export function parseConstant(c: Cursor): Constant | undefined {
  if (!startsConstant(c)) return undefined;
  const start = startOf(c);
  if (isLoneNumber(c)) {
    const small = smallInteger(c);
    if (small >= 0) {
      advance(c);
      return integerConstant(start, c.previousEnd, small);
    }
  }
  const names: Name[] = [];
  const value = isLoneNumber(c) ? parsePrimary(c, names) : parseConditional(c, names);
  return constantOf(value, start, c.previousEnd, names);
}

const SMALL_DIGITS = 4;
/** Those that have been met, by value. */
const smallIntegers: bigint[] = [];

/** The value of a decimal number of a few digits, the most frequent kind, or -1. */
function smallInteger(c: Cursor): number {
  const start = startOf(c);
  const end = endOf(c);
  if (end - start > SMALL_DIGITS || (c.text.charCodeAt(start) === 48 && end - start > 1)) return -1;
  let value = 0;
  for (let i = start; i < end; i++) {
    const digit = c.text.charCodeAt(i) - 48;
    if (digit < 0 || digit > 9) return -1;
    value = value * 10 + digit;
  }
  return value;
}

const integerConstant = (start: number, end: number, value: number): Constant => ({
  start,
  end,
  isFloat: false,
  integer: (smallIntegers[value] ??= BigInt(value)),
  float: undefined,
  floatWidth: 0,
  names: noNames,
});

/** A single number or WARP_SZ: array sizes, `%r<10>`, `.align 8`. */
export function parseNumber(c: Cursor): Constant | undefined {
  const kind = kindOf(c);
  if (kind !== TokenKind.Integer && kind !== TokenKind.Float && !isWarpSize(c)) return undefined;
  const start = startOf(c);
  const names: Name[] = [];
  return constantOf(parsePrimary(c, names), start, c.previousEnd, names);
}

/** A register or symbol where a constant may stand, as in `gv[%r1]`: its value is unknown. */
export function namedConstant(name: Name): Constant {
  return {
    start: name.start,
    end: name.end,
    isFloat: false,
    integer: undefined,
    float: undefined,
    floatWidth: 0,
    names: [name],
  };
}

export function negated(value: Constant): Constant {
  return {
    ...value,
    integer: value.integer === undefined ? undefined : BigInt.asIntN(64, -value.integer),
    float: value.float === undefined ? undefined : -value.float,
  };
}

const noNames: readonly Name[] = [];

function constantOf(value: Value, start: number, end: number, names: readonly Name[]): Constant {
  return {
    start,
    end,
    isFloat: value.kind === 'float',
    integer: value.kind === 'integer' ? value.integer : undefined,
    float: value.kind === 'float' ? value.float : undefined,
    floatWidth: value.kind === 'float' ? value.width : 0,
    names: names.length === 0 ? noNames : names,
  };
}

function isLoneNumber(c: Cursor): boolean {
  const kind = kindOf(c);
  if (kind !== TokenKind.Integer && kind !== TokenKind.Float) return false;
  const next = following(c);
  if (next >= c.tokens.count || c.tokens.kind[next] !== TokenKind.Punctuation) return true;
  const code = c.text.charCodeAt(c.tokens.start[next]);
  return code === 59 || code === 44 || code === 93 || code === 125 || code === 41;
}

function parseConditional(c: Cursor, names: Name[]): Value {
  if (c.nesting >= MAX_NESTING) return tooDeep(c);
  c.nesting++;
  const start = startOf(c);
  const before = c.problems.length;
  const condition = parseBinary(c, names, 1);
  let value = condition;
  if (accept(c, 63)) {
    const then = parseConditional(c, names);
    if (accept(c, 58)) {
      const otherwise = parseConditional(c, names);
      value = checked(c, start, applyConditional(condition, then, otherwise));
    } else {
      if (c.problems.length === before)
        report(
          c,
          'syntax/expression',
          tokenSpan(c),
          `':' and the other value of '?:' expected before ${shown(c)}`,
        );
      value = UNKNOWN;
    }
  }
  c.nesting--;
  return value;
}

function parseBinary(c: Cursor, names: Name[], minimum: number): Value {
  const start = startOf(c);
  let left = parseUnary(c, names);
  for (;;) {
    if (kindOf(c) !== TokenKind.Punctuation) return left;
    const operator = textOf(c);
    const precedence = binaryPrecedence.get(operator);
    if (precedence === undefined || precedence < minimum) return left;
    advance(c);
    const right = parseBinary(c, names, precedence + 1);
    left = checked(c, start, applyBinary(operator, left, right));
  }
}

function parseUnary(c: Cursor, names: Name[]): Value {
  const code = punctuation(c);
  const start = startOf(c);
  if (code === 45 || code === 43 || code === 126 || code === 33) {
    if (c.nesting >= MAX_NESTING) return tooDeep(c);
    advance(c);
    c.nesting++;
    const value = parseUnary(c, names);
    c.nesting--;
    return checked(c, start, applyUnary(String.fromCharCode(code), value));
  }
  return parsePrimary(c, names);
}

function parsePrimary(c: Cursor, names: Name[]): Value {
  const kind = kindOf(c);
  if (kind === TokenKind.Integer) {
    const word = textOf(c);
    const read = readInteger(word);
    if ('message' in read) return numberFault(c, read.message, read.replacement);
    advance(c);
    return integerValue(read.value, read.isUnsigned || read.value >= 1n << 63n);
  }
  if (kind === TokenKind.Float) {
    const read = readFloat(textOf(c));
    if ('message' in read) return numberFault(c, read.message, read.replacement);
    advance(c);
    return { kind: 'float', float: read.float, width: read.width };
  }
  if (breaksOff(c)) {
    reportBreak(c, 'syntax/expression', 'operand');
    return UNKNOWN;
  }
  if (isWarpSize(c)) {
    names.push(takeName(c));
    return integerValue(WARP_SIZE, false);
  }
  if (punctuation(c) === 40) return parseParenthesised(c, names);
  if (kind === TokenKind.Identifier) {
    report(
      c,
      'syntax/expression',
      tokenSpan(c),
      `${shown(c)} is not a constant; a symbol or register may only come first, as in name+8`,
    );
    names.push(takeName(c));
    return UNKNOWN;
  }
  report(c, 'syntax/expression', tokenSpan(c), `constant expected before ${shown(c)}`);
  return UNKNOWN;
}

function numberFault(c: Cursor, message: string, replacement: string | undefined): Value {
  const fixes =
    replacement === undefined ? [] : [fix(`Write ${replacement}`, startOf(c), endOf(c), replacement)];
  report(c, 'syntax/number', tokenSpan(c), message, fixes);
  advance(c);
  return UNKNOWN;
}

function parseParenthesised(c: Cursor, names: Name[]): Value {
  const open = tokenSpan(c);
  advance(c);
  if (kindOf(c) === TokenKind.Dotted) {
    const type = takeName(c);
    if (!accept(c, 41)) report(c, 'syntax/expression', type, `')' expected after the cast to ${type.text}`);
    if (c.nesting >= MAX_NESTING) return tooDeep(c);
    c.nesting++;
    const operand = parseUnary(c, names);
    c.nesting--;
    if (type.text !== '.s64' && type.text !== '.u64') {
      report(c, 'syntax/expression', type, `a constant can be cast to .s64 or .u64, not to ${type.text}`);
      return UNKNOWN;
    }
    return checked(c, open.start, applyCast(type.text, operand));
  }
  const before = c.problems.length;
  const value = parseConditional(c, names);
  if (!accept(c, 41) && c.problems.length === before)
    report(c, 'syntax/unclosed', open, "this '(' is never closed: ')' expected");
  return value;
}

function checked(c: Cursor, start: number, value: Value): Value {
  if (value.kind !== 'fault') return value;
  report(c, 'syntax/expression', { start, end: c.previousEnd }, value.message);
  return UNKNOWN;
}

function tooDeep(c: Cursor): Value {
  report(c, 'syntax/nesting', tokenSpan(c), `nested more than ${MAX_NESTING} deep`);
  while (kindOf(c) !== END) {
    const code = punctuation(c);
    if (code === 59 || code === 123 || code === 125) break;
    advance(c);
  }
  return UNKNOWN;
}
