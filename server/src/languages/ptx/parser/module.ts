import {
  type AliasDirective,
  type Block,
  type FunctionItem,
  type ModuleItem,
  type Name,
  type SectionDirective,
  TokenKind,
} from '../tree.js';
import {
  accept,
  advance,
  atEnd,
  codeAt,
  type Cursor,
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
import {
  finishDeclaration,
  missingSemicolon,
  parseAttributes,
  parseVariable,
  skipToSemicolon,
} from './declarations.js';
import { parseLocation, parsePragma, reportUnknownDirective } from './directives.js';
import { parseHead, parseHeadFrom, parseHeadless } from './functions.js';
import { parseFile, parseHeader } from './headers.js';
import { parseBody, parseOpenBody } from './statements.js';
import { nearest } from './suggest.js';
import {
  isStateSpace,
  linkageWords,
  moduleDirectives,
  performanceDirectives,
  statementDirectives,
} from './words.js';

/** The module level: header directives, variables, functions, sections. */
export function parseItems(c: Cursor): ModuleItem[] {
  const items: ModuleItem[] = [];
  while (!atEnd(c)) items.push(kindOf(c) === TokenKind.Dotted ? parseItem(c) : parseLoose(c));
  return items;
}

function parseItem(c: Cursor): ModuleItem {
  const word = textOf(c);
  switch (word) {
    case '.version':
    case '.target':
    case '.address_size':
      return parseHeader(c, word);
    case '.file':
      return parseFile(c);
    case '.loc': {
      report(c, 'syntax/directive', tokenSpan(c), '.loc stands in the body of a function');
      return parseLocation(c);
    }
    case '.section':
      return parseSection(c);
    case '.pragma':
      return parsePragma(c);
    case '.alias':
      return parseAlias(c);
  }
  return parseDeclaration(c);
}

/** Variables and functions, from their linkage on. */
function parseDeclaration(c: Cursor): ModuleItem {
  const start = startOf(c);
  const linkage: Name[] = [];
  const attributes: Name[] = [];
  parseAttributes(c, attributes);
  while (kindOf(c) === TokenKind.Dotted && linkageWords.has(textOf(c))) {
    if (linkage.length === 1)
      report(
        c,
        'syntax/directive',
        tokenSpan(c),
        `a declaration has one linkage; ${linkage[0].text} has been said`,
      );
    linkage.push(takeName(c));
  }
  parseAttributes(c, attributes);
  const word = kindOf(c) === TokenKind.Dotted ? textOf(c) : '';
  if (word === '.entry' || word === '.func') return parseFunction(c, start, linkage, attributes);
  if (word === '.param' && linkage.length > 0) return parseFunction(c, start, linkage, attributes);
  if (isStateSpace(word)) return parseVariable(c, start, linkage, attributes);
  if (startsHead(c, linkage.length > 0)) return parseBrokenHead(c, start, linkage, attributes);
  if (word === '') {
    const after = c.text.slice(start, c.previousEnd);
    report(
      c,
      'syntax/declaration',
      gapSpan(c),
      `.entry, .func or a state space expected after ${after.slice(0, 40)}`,
    );
    if (!atEnd(c)) skipToSemicolon(c);
  } else {
    reportUnexpectedDirective(c, word);
    skipUnit(c);
  }
  return { kind: 'error', start, end: c.previousEnd };
}

/** Whether `(`, `name(`, `.e (` or `.e name(` stands here: a head whose `.entry` or `.func` is missing or half typed. */
function startsHead(c: Cursor, isLinked: boolean): boolean {
  let next = c.index;
  const isWord = kindOf(c) === TokenKind.Dotted;
  if (isWord) {
    if (knownDirectives.has(textOf(c))) return false;
    next = following(c, next);
  } else if (!isLinked) return false;
  if (next < c.tokens.count && c.tokens.kind[next] === TokenKind.Identifier) next = following(c, next);
  return codeAt(c, next) === 40;
}

const knownDirectives: ReadonlySet<string> = new Set([
  ...moduleDirectives,
  ...statementDirectives,
  ...performanceDirectives.keys(),
]);

/** Takes the head for one of a kernel, so that the body is read as a body. */
function parseBrokenHead(
  c: Cursor,
  start: number,
  linkage: readonly Name[],
  attributes: readonly Name[],
): FunctionItem {
  const before = c.problems.length;
  if (kindOf(c) === TokenKind.Dotted) {
    reportUnknownDirective(c, ['.entry', '.func', ...moduleDirectives]);
    advance(c);
  } else {
    const at = c.previousEnd;
    report(
      c,
      'syntax/declaration',
      gapSpan(c),
      `.entry or .func expected after ${c.text.slice(start, at).slice(-40)}`,
      [guess('Insert .entry', { start: at, end: at }, ' .entry')],
    );
  }
  const head = parseHeadFrom(c, linkage, true, attributes);
  const body = parseFunctionEnd(c, head.name?.text ?? '.entry', before);
  return { kind: 'function', ...head, body, start, end: c.previousEnd };
}

function reportUnexpectedDirective(c: Cursor, word: string): void {
  const at = tokenSpan(c);
  if (performanceDirectives.has(word))
    report(c, 'syntax/directive', at, `${word} stands between the head of a function and its body`);
  else if (statementDirectives.includes(word))
    report(c, 'syntax/directive', at, `${word} stands in the body of a function`);
  else if (moduleDirectives.includes(word)) report(c, 'syntax/directive', at, `${word} cannot stand here`);
  else reportUnknownDirective(c, [...moduleDirectives, '.local', '.param', '.reg']);
}

/** Over the rest of a declaration that could not be read, its body included. */
function skipUnit(c: Cursor): void {
  let depth = 0;
  while (!atEnd(c)) {
    const code = punctuation(c);
    advance(c);
    if (code === 123) depth++;
    if (code === 125) depth--;
    if ((code === 59 && depth <= 0) || (code === 125 && depth <= 0)) return;
  }
}

/** Statements without a function: one problem, whatever their number. */
function parseLoose(c: Cursor): ModuleItem {
  const start = startOf(c);
  const at = tokenSpan(c);
  const code = punctuation(c);
  if (code === 125)
    report(c, 'syntax/superfluous-brace', at, "this '}' closes nothing", [
      fix("Remove the '}'", at.start, at.end, ''),
    ]);
  else if (code === 59)
    report(c, 'syntax/superfluous-semicolon', at, 'an empty statement is not allowed', [
      fix("Remove the ';'", at.start, at.end, ''),
    ]);
  else {
    const near = kindOf(c) === TokenKind.Identifier ? nearest(`.${textOf(c)}`, moduleDirectives) : undefined;
    if (near !== undefined)
      report(c, 'syntax/unknown-directive', at, `${shown(c)} is no directive; did you mean '${near}'?`, [
        guess(`Write ${near}`, at, near),
      ]);
    else
      report(
        c,
        'syntax/outside-function',
        at,
        `${shown(c)} stands outside any function; statements belong between the braces of an .entry or .func`,
      );
  }
  do advance(c);
  while (
    !atEnd(c) &&
    !(kindOf(c) === TokenKind.Dotted && onNewLine(c) && moduleDirectives.includes(textOf(c)))
  );
  return { kind: 'error', start, end: c.previousEnd };
}

/** `.section .debug_info { .b8 1, 2 .b64 label+4 ... }`: data without semicolons. */
function parseSection(c: Cursor): SectionDirective {
  const start = startOf(c);
  advance(c);
  const name = kindOf(c) === TokenKind.Dotted ? takeName(c) : undefined;
  if (name === undefined)
    report(
      c,
      'syntax/directive',
      { start, end: c.previousEnd },
      `.section needs a name such as .debug_info before ${shown(c)}`,
    );
  if (name === undefined && kindOf(c) === TokenKind.Identifier) advance(c);
  const open = tokenSpan(c);
  if (!accept(c, 123)) {
    if (name !== undefined)
      report(c, 'syntax/directive', gapSpan(c), `'{' expected after the name of the section`);
    accept(c, 59);
    return { kind: 'section', name, start, end: c.previousEnd };
  }
  const before = c.problems.length;
  while (!atEnd(c) && punctuation(c) !== 125) {
    if (c.problems.length === before && (punctuation(c) === 59 || kindOf(c) === TokenKind.String))
      report(c, 'syntax/directive', tokenSpan(c), `the data of a section holds no ${shown(c)}`);
    advance(c);
  }
  if (!accept(c, 125) && !c.isCut)
    report(c, 'syntax/unclosed-block', open, "the block opened here is never closed: missing '}'");
  return { kind: 'section', name, start, end: c.previousEnd };
}

/** `.alias name, target;` */
function parseAlias(c: Cursor): ModuleItem {
  const start = startOf(c);
  const before = c.problems.length;
  advance(c);
  const names: Name[] = [];
  while (kindOf(c) === TokenKind.Identifier && !(names.length > 0 && onNewLine(c))) {
    names.push(takeName(c));
    if (!accept(c, 44)) break;
  }
  if (names.length !== 2)
    report(
      c,
      'syntax/directive',
      { start, end: c.previousEnd },
      '.alias takes two names: .alias name, target;',
    );
  finishDeclaration(c, '.alias', before);
  if (names.length === 0) return { kind: 'error', start, end: c.previousEnd };
  return {
    kind: 'alias',
    name: names[0],
    target: names[1],
    start,
    end: c.previousEnd,
  } satisfies AliasDirective;
}

function parseFunction(c: Cursor, start: number, linkage: readonly Name[], attributes: Name[]): FunctionItem {
  const before = c.problems.length;
  const head = (textOf(c) === '.param' ? parseHeadless : parseHead)(c, linkage, attributes);
  const body = parseFunctionEnd(c, head.name?.text ?? (head.isEntry ? '.entry' : '.func'), before);
  return { kind: 'function', ...head, body, start, end: c.previousEnd };
}

/** The body, or the `;` of a prototype. */
function parseFunctionEnd(c: Cursor, name: string, before: number): Block | undefined {
  if (accept(c, 59)) {
    if (punctuation(c) !== 123) return undefined;
    report(
      c,
      'syntax/superfluous-semicolon',
      gapSpan(c),
      "no ';' between the head of a function and its body",
    );
    return parseBody(c);
  }
  if (punctuation(c) === 123) return parseBody(c);
  const isSilent = c.problems.length > before;
  if (startsBody(c)) {
    const at = c.previousEnd;
    if (!isSilent)
      report(c, 'syntax/declaration', gapSpan(c), `missing '{' before the body of ${name}`, [
        fix("Insert '{'", at, at, '\n{'),
      ]);
    return parseOpenBody(c);
  }
  if (!isSilent) {
    if (atEnd(c)) {
      if (!c.isCut) missingSemicolon(c, `the declaration of ${name}, or its body '{ ... }',`);
    } else
      report(
        c,
        'syntax/declaration',
        onNewLine(c) ? gapSpan(c) : tokenSpan(c),
        `'{' or ';' expected before ${shown(c)}`,
      );
  }
  while (!atEnd(c) && ![123, 125, 59].includes(punctuation(c)) && !startsBody(c)) advance(c);
  if (punctuation(c) === 123) return parseBody(c);
  if (startsBody(c)) return parseOpenBody(c);
  if (!atEnd(c)) advance(c);
  return undefined;
}

/** A statement that stands in bodies alone, on a line of its own. */
const startsBody = (c: Cursor): boolean =>
  kindOf(c) === TokenKind.Dotted && onNewLine(c) && ['.reg', '.local'].includes(textOf(c));
