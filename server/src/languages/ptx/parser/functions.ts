import {
  type Constant,
  type FunctionItem,
  type Name,
  type Parameter,
  type PerformanceDirective,
  TokenKind,
} from '../tree.js';
import { parseNumber } from './constants.js';
import {
  accept,
  advance,
  atEnd,
  type Cursor,
  following,
  gapSpan,
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
import { finishDeclaration, parseAttributes } from './declarations.js';
import { parseStrings, reportUnknownDirective } from './directives.js';
import { parseOpenParameters, parseParameters } from './parameters.js';
import { linkageWords, performanceDirectives, statementDirectives } from './words.js';

/** Heads of functions: `.entry name (parameters) .maxntid 128`, and prototypes inside a body. */

type Head = Omit<FunctionItem, 'kind' | 'start' | 'end' | 'body'>;

/** From `.entry` or `.func`, which stands here, up to the `{` or `;`. */
export function parseHead(c: Cursor, declared: readonly Name[], attributes: Name[]): Head {
  const word = takeName(c);
  const isEntry = word.text === '.entry';
  let linkage = declared;
  const before = c.problems.length;
  let returns: readonly Parameter[] = [];
  let parameters: readonly Parameter[] = [];
  if (kindOf(c) === TokenKind.Dotted && linkageWords.has(textOf(c)) && !onNewLine(c)) {
    report(c, 'syntax/declaration-order', tokenSpan(c), `${textOf(c)} stands before ${word.text}`);
    linkage = [...linkage, takeName(c)];
  }
  parseAttributes(c, attributes);
  if (!isEntry && punctuation(c) === 40) returns = parseParameters(c);
  let name: Name | undefined;
  if (kindOf(c) === TokenKind.Identifier) name = takeName(c);
  else
    report(
      c,
      'syntax/declaration',
      c.problems.length > before || atEnd(c) || onNewLine(c) ? gapSpan(c) : tokenSpan(c),
      `name of the ${isEntry ? 'kernel' : 'function'} expected before ${shown(c)}`,
    );
  if (punctuation(c) === 40) parameters = parseParameters(c);
  const directives = parsePerformance(c);
  return { linkage, isEntry, attributes, name, returns, parameters, directives };
}

/** `name (parameters) directives`, the word before them being wrong: that has been reported. */
export function parseHeadFrom(
  c: Cursor,
  linkage: readonly Name[],
  isEntry: boolean,
  attributes: readonly Name[],
): Head {
  const name = kindOf(c) === TokenKind.Identifier ? takeName(c) : undefined;
  const parameters = punctuation(c) === 40 ? parseParameters(c) : [];
  const directives = parsePerformance(c);
  return { linkage, isEntry, attributes, name, returns: [], parameters, directives };
}

/** `.visible .param .u64 p, ...) { ... }`: parameters whose `.entry name(` is gone, as while a person writes it. */
export function parseHeadless(c: Cursor, linkage: readonly Name[], attributes: readonly Name[]): Head {
  const gap = gapSpan(c);
  report(c, 'syntax/declaration', gap, `.entry name( expected between ${linkage[0].text} and the parameters`);
  const parameters = parseOpenParameters(c, gap);
  const directives = parsePerformance(c);
  return { linkage, isEntry: true, attributes, name: undefined, returns: [], parameters, directives };
}

/** Whether `.extern .func` stands here. */
export const startsPrototype = (c: Cursor): boolean => {
  if (textOf(c) !== '.extern') return false;
  const next = following(c);
  return next < c.tokens.count && c.text.slice(c.tokens.start[next], c.tokens.end[next]) === '.func';
};

/** `.extern .func (returns) name (parameters);` as a statement: declares the function for the whole module. */
export function parsePrototypeStatement(c: Cursor): FunctionItem {
  const start = startOf(c);
  const before = c.problems.length;
  const linkage = [takeName(c)];
  const head = parseHead(c, linkage, []);
  if (punctuation(c) === 123 && c.problems.length === before) {
    report(
      c,
      'syntax/declaration',
      tokenSpan(c),
      'a function is not defined inside another one; a prototype ends with ;',
    );
    advance(c);
  }
  finishDeclaration(c, '.extern .func', before);
  return { kind: 'function', ...head, body: undefined, start, end: c.previousEnd };
}

const plural = (count: number): string => (count === 1 ? 'one number' : `${count} numbers`);

function parsePerformance(c: Cursor): PerformanceDirective[] {
  const directives: PerformanceDirective[] = [];
  while (kindOf(c) === TokenKind.Dotted) {
    const start = startOf(c);
    const before = c.problems.length;
    const word = textOf(c);
    const fact = performanceDirectives.get(word);
    if (fact === undefined && word !== '.pragma') {
      if (statementDirectives.includes(word)) return directives;
      reportUnknownDirective(c, [...performanceDirectives.keys(), '.pragma']);
    }
    const name = takeName(c);
    const strings = word === '.pragma' ? parseStrings(c) : [];
    const values: Constant[] = [];
    while (word !== '.pragma') {
      const value = parseNumber(c);
      if (value === undefined) {
        if (values.length > 0 && c.problems.length === before)
          report(c, 'syntax/directive', gapSpan(c), `number expected after ',' of ${word}`);
        break;
      }
      values.push(value);
      if (!accept(c, 44)) break;
    }
    if (word === '.pragma') finishDeclaration(c, '.pragma', before);
    else if (
      fact !== undefined &&
      (values.length < fact.minimum || values.length > fact.maximum) &&
      c.problems.length === before
    )
      report(
        c,
        'syntax/directive',
        { start, end: c.previousEnd },
        `${word} takes ${fact.maximum === 0 ? 'no number' : fact.minimum === fact.maximum ? plural(fact.minimum) : `${fact.minimum} to ${plural(fact.maximum)}`}`,
      );
    directives.push({ name, values, strings, start, end: c.previousEnd });
  }
  return directives;
}
