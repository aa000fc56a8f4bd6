import { type FileDirective, type HeaderDirective, type Name, TokenKind } from '../tree.js';
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
import { rejectSemicolon } from './directives.js';
import { unquoted } from './initialisers.js';

/** Directives of a whole line: `.version`, `.target`, `.address_size`, `.file`. */

const headerForms: Readonly<Record<HeaderDirective['directive'], string>> = {
  '.version': 'a version such as 8.0',
  '.target': 'an architecture such as sm_80',
  '.address_size': '64 or 32',
};

/** Whether a version is written as `8.0`. */
export const hasVersionForm = (text: string): boolean => /^\d+\.\d+$/.test(text);

function reportVersionForm(c: Cursor, value: Name): void {
  const major = /^(\d+)\.?$/.exec(value.text)?.[1];
  const fixes = major === undefined ? [] : [guess(`Write ${major}.0`, value, `${major}.0`)];
  report(c, 'syntax/directive', value, `.version has the form 8.0, not ${value.text.slice(0, 40)}`, fixes);
}

export function parseHeader(c: Cursor, directive: HeaderDirective['directive']): HeaderDirective {
  const start = startOf(c);
  advance(c);
  const values: Name[] = [];
  const before = c.problems.length;
  for (;;) {
    const kind = kindOf(c);
    const isValue =
      directive === '.target'
        ? kind === TokenKind.Identifier
        : kind === TokenKind.Integer || kind === TokenKind.Float;
    if (!isValue) {
      if (c.problems.length === before)
        report(
          c,
          'syntax/directive',
          { start, end: c.previousEnd },
          `${directive} needs ${headerForms[directive]}`,
        );
      if (!atEnd(c) && !onNewLine(c) && kind !== TokenKind.Dotted && punctuation(c) !== 59) advance(c);
      break;
    }
    const value = takeName(c);
    if (directive === '.version' && !hasVersionForm(value.text)) reportVersionForm(c, value);
    values.push(value);
    if (directive !== '.target') break;
    if (accept(c, 44)) continue;
    if (kindOf(c) !== TokenKind.Identifier || onNewLine(c)) break;
    report(c, 'syntax/missing-comma', tokenSpan(c), `missing ',' before ${shown(c)}`, [
      fix("Insert ','", c.previousEnd, c.previousEnd, ','),
    ]);
  }
  rejectSemicolon(c, directive);
  return { kind: 'header', directive, values, start, end: c.previousEnd };
}

/** `.file N "name"[, timestamp, size]` */
export function parseFile(c: Cursor): FileDirective {
  const start = startOf(c);
  const before = c.problems.length;
  advance(c);
  const index = parseNumber(c)?.integer;
  let path = '';
  let pathSpan = { start: c.previousEnd, end: c.previousEnd };
  if (index === undefined)
    report(c, 'syntax/directive', { start, end: c.previousEnd }, '.file needs a number and a path in quotes');
  if (kindOf(c) === TokenKind.String) {
    pathSpan = tokenSpan(c);
    path = unquoted(textOf(c));
    advance(c);
  } else if (c.problems.length === before)
    report(c, 'syntax/directive', { start, end: c.previousEnd }, '.file needs a path in quotes');
  while (accept(c, 44)) {
    if (parseNumber(c) === undefined) {
      report(c, 'syntax/directive', gapSpan(c), `number expected before ${shown(c)}`);
      break;
    }
  }
  rejectSemicolon(c, '.file');
  return {
    kind: 'file',
    index: Number(BigInt.asUintN(32, index ?? 0n)),
    path,
    pathSpan,
    start,
    end: c.previousEnd,
  };
}
