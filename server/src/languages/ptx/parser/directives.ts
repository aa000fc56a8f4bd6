import {
  type CallPrototype,
  type Constant,
  type ListedTarget,
  type LocDirective,
  type Name,
  type Parameter,
  type PragmaDirective,
  type TargetList,
  TokenKind,
} from '../tree.js';
import { parseNumber } from './constants.js';
import {
  accept,
  advance,
  atEnd,
  type Cursor,
  endOf,
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
import { finishDeclaration } from './declarations.js';
import { unquoted } from './initialisers.js';
import { parseParameters } from './parameters.js';
import { breaksOff } from './recovery.js';
import { didYouMean, nearest } from './suggest.js';
import { performanceDirectives } from './words.js';

/** Directives that are read alike wherever they stand: lists of targets, prototypes, `.pragma`, `.loc`. */

export function parseTargets(c: Cursor, label: Name): TargetList {
  const directive = takeName(c);
  const before = c.problems.length;
  const targets: ListedTarget[] = [];
  for (;;) {
    if (kindOf(c) !== TokenKind.Identifier || breaksOff(c)) {
      report(
        c,
        'syntax/directive',
        atEnd(c) || onNewLine(c) || punctuation(c) === 59 ? gapSpan(c) : tokenSpan(c),
        `${directive.text === '.calltargets' ? 'function' : 'label'} expected before ${shown(c)}`,
      );
      break;
    }
    const name = takeName(c);
    targets.push({ ...name, range: accept(c, 60) ? parseTargetRange(c) : undefined });
    if (!accept(c, 44)) break;
  }
  finishDeclaration(c, directive.text, before);
  return { kind: 'targets', label, directive, targets, start: label.start, end: c.previousEnd };
}

/** `L<4>` stands for L0 to L3. */
function parseTargetRange(c: Cursor): Constant | undefined {
  const count = parseNumber(c);
  if (!accept(c, 62)) report(c, 'syntax/unclosed', gapSpan(c), "'>' expected");
  return count;
}

export function parsePrototype(c: Cursor, label: Name): CallPrototype {
  const directive = takeName(c);
  const before = c.problems.length;
  let returns: readonly Parameter[] = [];
  let parameters: readonly Parameter[] = [];
  if (punctuation(c) === 40) returns = parseParameters(c);
  if (kindOf(c) === TokenKind.Identifier) {
    const name = takeName(c);
    if (name.text !== '_')
      report(c, 'syntax/directive', name, `a prototype has no name: write '_' for '${name.text}'`, [
        fix("Write '_'", name.start, name.end, '_'),
      ]);
  } else if (c.problems.length === before)
    report(c, 'syntax/directive', gapSpan(c), `'_' expected before ${shown(c)}`);
  if (punctuation(c) === 40) parameters = parseParameters(c);
  while (kindOf(c) === TokenKind.Dotted && performanceDirectives.has(textOf(c))) {
    advance(c);
    parseNumber(c);
  }
  finishDeclaration(c, directive.text, before);
  return { kind: 'prototype', label, returns, parameters, start: label.start, end: c.previousEnd };
}

export function reportUnknownDirective(c: Cursor, known: readonly string[]): void {
  const word = textOf(c);
  const at = tokenSpan(c);
  const found = nearest(word, known);
  const fixes = found === undefined ? [] : [guess(`Write ${found}`, at, found)];
  report(c, 'syntax/unknown-directive', at, `unknown directive '${word}'${didYouMean(word, known)}`, fixes);
}

export function parsePragma(c: Cursor): PragmaDirective {
  const start = startOf(c);
  const before = c.problems.length;
  advance(c);
  const values = parseStrings(c);
  finishDeclaration(c, '.pragma', before);
  return { kind: 'pragma', values, start, end: c.previousEnd };
}

/** `"a", "b"`, without the quotes. */
export function parseStrings(c: Cursor): Name[] {
  const values: Name[] = [];
  do {
    if (kindOf(c) !== TokenKind.String) {
      report(
        c,
        'syntax/directive',
        atEnd(c) || onNewLine(c) ? gapSpan(c) : tokenSpan(c),
        `string expected before ${shown(c)}`,
      );
      break;
    }
    const word = takeName(c);
    values.push({ ...word, text: unquoted(word.text) });
  } while (accept(c, 44));
  return values;
}

/** `.loc file line column[, function_name symbol[+n], inlined_at file line column]`, without a semicolon. */
export function parseLocation(c: Cursor): LocDirective {
  const start = startOf(c);
  advance(c);
  const numbers: number[] = [];
  while (numbers.length < 3 && kindOf(c) === TokenKind.Integer) numbers.push(takeInteger(c));
  if (numbers.length < 3)
    report(
      c,
      'syntax/directive',
      { start, end: c.previousEnd },
      '.loc needs three numbers: file, line and column',
    );
  while (accept(c, 44)) {
    if (kindOf(c) !== TokenKind.Identifier) {
      report(c, 'syntax/directive', gapSpan(c), `function_name or inlined_at expected before ${shown(c)}`);
      break;
    }
    const word = takeName(c).text;
    if (word === 'function_name') {
      if (kindOf(c) === TokenKind.Identifier) advance(c);
      if (accept(c, 43)) parseNumber(c);
    } else if (word === 'inlined_at') {
      while (kindOf(c) === TokenKind.Integer) advance(c);
    }
  }
  rejectSemicolon(c, '.loc');
  return {
    kind: 'loc',
    start,
    end: c.previousEnd,
    file: numbers[0] ?? 0,
    line: numbers[1] ?? 0,
    column: numbers[2] ?? 0,
  };
}

const takeInteger = (c: Cursor): number => {
  const value = parseNumber(c)?.integer;
  return value === undefined ? 0 : Number(BigInt.asUintN(32, value));
};

/** Directives of a line end by themselves. */
export function rejectSemicolon(c: Cursor, directive: string): void {
  if (punctuation(c) !== 59 || onNewLine(c)) return;
  report(c, 'syntax/superfluous-semicolon', tokenSpan(c), `${directive} takes no ';'`, [
    fix("Remove the ';'", startOf(c), endOf(c), ''),
  ]);
  advance(c);
}
