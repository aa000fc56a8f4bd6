import type { Span } from '../../../text/span.js';
import { type Block, type Name, type Statement, TokenKind } from '../tree.js';
import {
  accept,
  advance,
  atEnd,
  codeAt,
  type Cursor,
  endOf,
  fix,
  following,
  gapSpan,
  guess,
  kindOf,
  MAX_NESTING,
  hasBreak,
  onNewLine,
  punctuation,
  report,
  shown,
  startOf,
  takeName,
  textOf,
  tokenSpan,
} from './cursor.js';
import { parseAttributes, parseVariable, parseVariableIn, skipToSemicolon } from './declarations.js';
import {
  parseLocation,
  parsePragma,
  parsePrototype,
  parseTargets,
  reportUnknownDirective,
} from './directives.js';
import { parsePrototypeStatement, startsPrototype } from './functions.js';
import { parseGuard, parseInstruction } from './instructions.js';
import { endsVector } from './recovery.js';
import {
  declarableTypes,
  isStateSpace,
  labelledDirectives,
  moduleDirectives,
  performanceDirectives,
  statementDirectives,
} from './words.js';

/** Bodies: statements and nested blocks, without recursion over blocks. */

type OpenBlock = { -readonly [K in keyof Block]: K extends 'statements' ? Statement[] : Block[K] };

const openBlock = (start: number, end: number): OpenBlock => ({
  kind: 'block',
  statements: [],
  isClosed: false,
  start,
  end,
});

/** The body that opens here, to its `}` and, where a superfluous `}` has cut it, to the end of the unit. */
export function parseBody(c: Cursor): Block {
  const root = openBlock(startOf(c), endOf(c));
  advance(c);
  return finishBody(c, root);
}

/** A body whose opening brace is missing. */
export const parseOpenBody = (c: Cursor): Block => finishBody(c, openBlock(startOf(c), startOf(c)));

function finishBody(c: Cursor, root: OpenBlock): Block {
  let misplaced = parseStatements(c, root);
  if (root.isClosed && accept(c, 59)) {
    const at = c.previousEnd - 1;
    report(c, 'syntax/superfluous-semicolon', gapSpan(c), "no ';' after the '}' of a function", [
      fix("Remove the ';'", at, at + 1, ''),
    ]);
    return root;
  }
  if (root.isClosed && !atEnd(c)) {
    const brace = { start: c.previousEnd - 1, end: c.previousEnd };
    reportSuperfluousBrace(c, brace);
    while (!atEnd(c)) misplaced = parseStatements(c, root);
    return root;
  }
  if (!root.isClosed && !c.isCut) reportUnclosed(c, misplaced ?? { start: root.start, end: root.start + 1 });
  return root;
}

function reportSuperfluousBrace(c: Cursor, brace: Span): void {
  const follows = punctuation(c) === 125;
  const at = follows ? tokenSpan(c) : brace;
  const message = follows
    ? "this '}' closes nothing: the function has ended before"
    : "this '}' ends the function body; the following statement is outside any function";
  report(c, 'syntax/superfluous-brace', at, message, [fix("Remove the '}'", at.start, at.end, '')]);
}

function reportUnclosed(c: Cursor, brace: Span): void {
  report(c, 'syntax/unclosed-block', brace, "the block opened here is never closed: missing '}'");
}

/**
 * Statements up to the `}` of `root`. Returns the brace of an inner block that was closed by a `}` with less
 * indentation than its own line: where a `}` is missing in the end, it was most likely missing there.
 */
function parseStatements(c: Cursor, root: OpenBlock): Span | undefined {
  const open: OpenBlock[] = [root];
  let beyond = 0;
  let misplaced: Span | undefined;
  root.isClosed = false;
  while (!atEnd(c)) {
    const block = open[open.length - 1];
    const code = punctuation(c);
    if (code === 125 && endsVector(c, false)) {
      report(
        c,
        'syntax/superfluous-brace',
        tokenSpan(c),
        "this '}' closes nothing: a '{' is missing before it",
      );
      advance(c);
      skipToSemicolon(c);
    } else if (code === 125) {
      const at = startOf(c);
      advance(c);
      if (beyond > 0) {
        beyond--;
        continue;
      }
      block.end = c.previousEnd;
      block.isClosed = true;
      open.pop();
      if (open.length === 0) return undefined;
      if (misplaced === undefined && isIndentedLess(c.text, at, block.start))
        misplaced = { start: block.start, end: block.start + 1 };
    } else if (code === 123) {
      if (open.length < MAX_NESTING) {
        const inner = openBlock(startOf(c), endOf(c));
        block.statements.push(inner);
        open.push(inner);
      } else {
        if (beyond === 0)
          report(c, 'syntax/nesting', tokenSpan(c), `blocks are nested more than ${MAX_NESTING} deep`);
        beyond++;
      }
      advance(c);
    } else parseStatement(c, block.statements);
  }
  for (const block of open) block.end = c.previousEnd;
  if (open.length > 1 && misplaced === undefined && c.text.charCodeAt(c.previousEnd - 1) !== 125) {
    const innermost = open[open.length - 1];
    return { start: innermost.start, end: innermost.start + 1 };
  }
  return misplaced;
}

/** How far back a line's start is looked for: beyond, indentation says nothing. */
const LINE_LIMIT = 200;

function isIndentedLess(text: string, closing: number, opening: number): boolean {
  const close = indentation(text, closing);
  const open = indentation(text, opening);
  return close !== undefined && open !== undefined && close.isFirst && close.width < open.width;
}

function indentation(text: string, at: number): { width: number; isFirst: boolean } | undefined {
  let start = at;
  while (start > 0 && text.charCodeAt(start - 1) !== 10 && text.charCodeAt(start - 1) !== 13) {
    if (at - start > LINE_LIMIT) return undefined;
    start--;
  }
  let i = start;
  while (text.charCodeAt(i) === 32 || text.charCodeAt(i) === 9) i++;
  return { width: i - start, isFirst: i === at };
}

function parseStatement(c: Cursor, into: Statement[]): void {
  const start = startOf(c);
  const kind = kindOf(c);
  if (kind === TokenKind.Identifier) {
    const next = c.index + 1;
    const isWhole = next >= c.tokens.count || c.tokens.kind[next] !== TokenKind.Dotted;
    if (isWhole && isLabel(c)) parseLabel(c, into);
    else if (isWhole && isLabelWithoutColon(c)) into.push(parseBareLabel(c));
    else if (lacksDot(c)) into.push(parseUndotted(c));
    else into.push(parseInstruction(c, start, undefined));
    return;
  }
  if (kind === TokenKind.Dotted) {
    parseDirective(c, into);
    return;
  }
  const code = punctuation(c);
  if (code === 64) {
    parseGuarded(c, into);
    return;
  }
  if (code === 59) {
    report(c, 'syntax/superfluous-semicolon', tokenSpan(c), 'an empty statement is not allowed', [
      fix("Remove the ';'", start, endOf(c), ''),
    ]);
    advance(c);
  } else {
    report(c, 'syntax/statement', tokenSpan(c), `instruction, label or directive expected, not ${shown(c)}`);
    advance(c);
    skipToSemicolon(c);
  }
  into.push({ kind: 'error', start, end: c.previousEnd });
}

/** Opcodes are lower case: an upper-case word alone on its line is a label that lacks its colon. */
const isLabelWithoutColon = (c: Cursor): boolean => {
  const next = following(c);
  const word = textOf(c);
  if (!/[A-Z_$]/.test(word) || isWordFollowedOnLine(c, next)) return false;
  return word !== '_' && !word.startsWith('%');
};

const isWordFollowedOnLine = (c: Cursor, next: number): boolean =>
  next < c.tokens.count && !hasBreak(c, endOf(c), c.tokens.start[next]);

const isLabel = (c: Cursor): boolean => codeAt(c, following(c)) === 58;

function parseGuarded(c: Cursor, into: Statement[]): void {
  const start = startOf(c);
  const before = c.problems.length;
  const guard = parseGuard(c);
  if (kindOf(c) === TokenKind.Identifier && !isLabel(c)) {
    const instruction = parseInstruction(c, start, guard);
    into.push(guard === undefined ? { ...instruction, isFaulty: true } : instruction);
    return;
  }
  if (c.problems.length === before) {
    const at = atEnd(c) || onNewLine(c) ? gapSpan(c) : tokenSpan(c);
    report(
      c,
      'syntax/guard',
      at,
      `a guard applies to one instruction, which must follow it; found ${shown(c)}`,
    );
  }
  const code = punctuation(c);
  if (!isLabel(c) && code !== 123 && code !== 125 && !onNewLine(c)) skipToSemicolon(c);
  into.push({ kind: 'error', start, end: c.previousEnd });
}

function parseBareLabel(c: Cursor): Statement {
  const name = takeName(c);
  if (!(atEnd(c) && c.isCut))
    report(c, 'syntax/statement', name, `missing ':' after the label ${name.text}`, [
      fix("Insert ':'", name.end, name.end, ':'),
    ]);
  return { kind: 'label', name, start: name.start, end: name.end };
}

function parseLabel(c: Cursor, into: Statement[]): void {
  const name = takeName(c);
  advance(c);
  const end = c.previousEnd;
  if (name.text === '_' || name.text === '$')
    report(c, 'syntax/statement', name, `'${name.text}' cannot be a label`);
  const word = kindOf(c) === TokenKind.Dotted ? textOf(c) : '';
  if (word === '.branchtargets' || word === '.calltargets') into.push(parseTargets(c, name));
  else if (word === '.callprototype') into.push(parsePrototype(c, name));
  else into.push({ kind: 'label', name, start: name.start, end });
}

function parseDirective(c: Cursor, into: Statement[]): void {
  const start = startOf(c);
  const word = textOf(c);
  if (word === '.loc') {
    into.push(parseLocation(c));
    return;
  }
  if (word === '.pragma') {
    into.push(parsePragma(c));
    return;
  }
  if (startsPrototype(c)) {
    into.push(parsePrototypeStatement(c));
    return;
  }
  if (lacksOpcode(c)) {
    report(
      c,
      'syntax/statement',
      tokenSpan(c),
      `opcode expected before '${word}': these are the modifiers and operands of an instruction`,
    );
    advance(c);
    skipToSemicolon(c);
    into.push({ kind: 'error', start, end: c.previousEnd });
    return;
  }
  if (isStateSpace(word) && word !== '.sreg') {
    into.push(parseVariable(c, start, [], []));
    return;
  }
  if (word === '.attribute') {
    const attributes: Name[] = [];
    parseAttributes(c, attributes);
    if (isStateSpace(textOf(c))) {
      into.push(parseVariable(c, start, [], attributes));
      return;
    }
  }
  if (declarableTypes.has(word) && declaresRange(c)) {
    const before = c.problems.length;
    report(c, 'syntax/declaration', tokenSpan(c), `.reg is missing before ${word}`, [
      fix('Insert .reg', start, start, '.reg '),
    ]);
    into.push(parseVariableIn(c, start, before, { start, end: start, text: '.reg' }, [], []));
    return;
  }
  reportDirective(c, word);
  advance(c);
  const declares = skipDeclaration(c);
  const isDeclaration = declares.length > 0 || '.reg'.startsWith(word);
  into.push({ kind: 'error', start, end: c.previousEnd, ...(isDeclaration && { declares }) });
}

/** Whether `name<` follows, which registers alone have. */
function declaresRange(c: Cursor): boolean {
  const name = following(c);
  return c.tokens.kind[name] === TokenKind.Identifier && codeAt(c, following(c, name)) === 60;
}

/** Over the rest of a line that was to declare something; the names that stand on it. */
function skipDeclaration(c: Cursor): Name[] {
  const names: Name[] = [];
  while (!atEnd(c) && !onNewLine(c) && punctuation(c) !== 125) {
    if (kindOf(c) === TokenKind.Identifier) names.push(takeName(c));
    else if (accept(c, 59)) break;
    else advance(c);
  }
  return names;
}

/** `reg .b32 %r<5>;` */
function lacksDot(c: Cursor): boolean {
  const next = c.index + 1;
  const { kind, start, count } = c.tokens;
  return (
    next < count &&
    kind[next] === TokenKind.Dotted &&
    start[next] !== endOf(c) &&
    isStateSpace(`.${textOf(c)}`)
  );
}

function parseUndotted(c: Cursor): Statement {
  const before = c.problems.length;
  const name = takeName(c);
  const text = `.${name.text}`;
  report(c, 'syntax/declaration', name, `a directive begins with a dot: write ${text}`, [
    fix(`Write ${text}`, name.start, name.start, '.'),
  ]);
  return parseVariableIn(c, name.start, before, { ...name, text }, [], []);
}

/** `.global.nc.u32 %r1, [%rd1];`: an address, which no declaration has, stands behind dotted words. */
function lacksOpcode(c: Cursor): boolean {
  let last = c.index;
  for (let next = following(c); ; last = next, next = following(c, next)) {
    if (next >= c.tokens.count || hasBreak(c, c.tokens.end[last], c.tokens.start[next])) return false;
    const code = c.tokens.kind[next] === TokenKind.Punctuation ? codeAt(c, next) : 0;
    if (code === 59 || code === 61 || code === 60 || code === 123 || code === 125) return false;
    if (code !== 91) continue;
    if (codeAt(c, last) === 44) return true;
    return (
      c.tokens.kind[last] === TokenKind.Dotted && c.tokens.kind[following(c, next)] === TokenKind.Identifier
    );
  }
}

function reportDirective(c: Cursor, word: string): void {
  const at = tokenSpan(c);
  if (labelledDirectives.includes(word))
    report(c, 'syntax/directive', at, `${word} needs a label before it: name: ${word} ...`);
  else if (performanceDirectives.has(word))
    report(c, 'syntax/directive', at, `${word} stands between the head of a function and its body`);
  else if (declarableTypes.has(word))
    report(
      c,
      'syntax/directive',
      at,
      `${word} is a type: a state space such as .reg, or an opcode, is missing before it`,
      [guess('Insert .reg', { start: at.start, end: at.start }, '.reg ')],
    );
  else if (word === '.sreg')
    report(c, 'syntax/directive', at, 'special registers are predefined; .sreg declares none');
  else if (moduleDirectives.includes(word))
    report(c, 'syntax/directive', at, `${word} stands outside of functions`);
  else reportUnknownDirective(c, statementDirectives);
}
