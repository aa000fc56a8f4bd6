import { TokenKind } from './tree.js';
import { isBlank, isWordCharacter, KIND_BITS, lineEnd, scanToken } from './lexer.js';

/**
 * Where a PTX unit ends: a function with its body, a declaration with its `;`, a `.section` with its block, or a
 * directive that needs no semicolon. Comments before a unit belong to it.
 *
 * A missing brace or semicolon must not swallow the rest of the file. Directives that stand at module level alone
 * (`.visible`, `.entry`, `.func`, ...) therefore end a unit wherever they are met; only `.extern .func`, a prototype,
 * may be a statement. A superfluous `}` must not tear
 * a function in two: what follows the closing brace of a body and cannot start a declaration still belongs to it.
 *
 * The result depends on the text from `start` to the end of the second token behind the unit, and on nothing else.
 */
export function unitEnd(text: string, start: number): number {
  const first = skipTrivia(text, start);
  if (first >= text.length) return text.length;
  const end = contentEnd(text, first);
  return skipTrivia(text, end) >= text.length ? text.length : end;
}

const MASK = (1 << KIND_BITS) - 1;

/** Directives that end with their own last word. */
const lineDirectives = new Set(['.version', '.target', '.address_size', '.file', '.loc']);

const linkages = new Set(['.visible', '.extern', '.weak', '.common']);

/** Never inside a body, a parameter list or an initialiser. */
const moduleStarters = new Set([
  ...linkages,
  '.entry',
  '.func',
  '.version',
  '.target',
  '.address_size',
  '.section',
  '.alias',
]);

const spaces = new Set(['.global', '.const', '.shared', '.local', '.param', '.reg', '.sreg', '.tex']);

/** Directives, besides the starters, that cannot be statements of the function whose body has just closed. */
const afterBody = new Set(['.global', '.const', '.shared', '.tex', '.file', '.pragma', '.attribute']);

/** Directives that are statements of a body alone. */
const bodyOnly = new Set(['.reg', '.local', '.param', '.loc']);

function skipTrivia(text: string, from: number): number {
  let i = from;
  while (i < text.length) {
    const code = text.charCodeAt(i);
    if (isBlank(code)) {
      i++;
      continue;
    }
    if (code === 35) {
      i = lineEnd(text, i);
      continue;
    }
    if (code !== 47) return i;
    const packed = scanToken(text, i, false);
    if ((packed & MASK) === TokenKind.Punctuation) return i;
    i = packed >> KIND_BITS;
  }
  return text.length;
}

function contentEnd(text: string, first: number): number {
  const packed = scanToken(text, first, false);
  if ((packed & MASK) !== TokenKind.Dotted) return looseEnd(text, first);
  const name = text.slice(first, packed >> KIND_BITS);
  if (lineDirectives.has(name)) return lineDirectiveEnd(text, first);
  return declarationEnd(text, first);
}

/**
 * `.version 8.0`, `.target sm_90, debug`, `.file 1 "a.cu", 0, 12`: the words of the line, and those of later lines
 * while a comma asks for more. A semicolon, though wrong, is taken along.
 */
function lineDirectiveEnd(text: string, first: number): number {
  let end = scanToken(text, first, false) >> KIND_BITS;
  let wantsMore = true;
  for (;;) {
    const at = skipTrivia(text, end);
    if (at >= text.length) return end;
    const packed = scanToken(text, at, end === at);
    const kind = packed & MASK;
    const code = text.charCodeAt(at);
    if (kind === TokenKind.Dotted || code === 123 || code === 125) return end;
    if (!wantsMore && hasLineBreak(text, end, at)) return end;
    if (wantsMore && kind === TokenKind.Identifier && hasLineBreak(text, end, at)) return end;
    end = packed >> KIND_BITS;
    if (code === 59) return end;
    wantsMore = code === 44;
  }
}

function hasLineBreak(text: string, from: number, to: number): boolean {
  for (let i = from; i < to; i++) {
    const code = text.charCodeAt(i);
    if (code === 10 || code === 13) return true;
  }
  return false;
}

/** A declaration or function from its first directive on. */
function declarationEnd(text: string, first: number): number {
  let end = first;
  let depth = 0;
  let kind: 'linkage' | 'function' | 'variable' | 'section' | 'other' = 'linkage';
  let isPragma = false;
  /** The token before; `.entry .visible` on one line is a mistake in one head. */
  let last = '';
  for (;;) {
    const at = skipTrivia(text, end);
    if (at >= text.length) return text.length;
    const packed = scanToken(text, at, end === at && end > first);
    const next = packed >> KIND_BITS;
    if ((packed & MASK) === TokenKind.Dotted) {
      const name = text.slice(at, next);
      const isJoined = at === end && at > first && isWordCharacter(text.charCodeAt(at - 1));
      if (moduleStarters.has(name) && !(isJoined && kind !== 'linkage')) {
        const isHead =
          kind === 'linkage'
            ? linkages.has(name) || isFunctionWord(name)
            : linkages.has(name) && isFunctionWord(last) && !hasLineBreak(text, end, at);
        if (at > first && !isHead) return end;
        if (isFunctionWord(name)) kind = 'function';
        else if (name === '.section') kind = 'section';
        else if (name === '.alias') kind = 'other';
      } else if (spaces.has(name) && depth === 0) {
        if (kind === 'variable' || kind === 'other') return end;
        if (kind === 'function' && afterBody.has(name)) return end;
        if (kind === 'function' && startsBody(text, name, end, at)) return bodyEnd(text, at, true, 1);
        if (kind === 'linkage' && name === '.param' && at > first) {
          // `.entry name(` is missing
          kind = 'function';
          depth = 1;
        } else if (kind === 'linkage') kind = 'variable';
      } else if (name === '.pragma') {
        if (kind === 'variable' || (kind === 'other' && at > first)) return end;
        if (kind === 'function') isPragma = true;
        else kind = 'other';
      } else if (name === '.file' && at > first) return end;
      else if (at === first && name !== '.attribute') kind = 'other';
    } else {
      const code = text.charCodeAt(at);
      if (code === 40) depth++;
      else if (code === 41) depth = Math.max(0, depth - 1);
      else if (code === 59) {
        if (!isPragma) return next;
        isPragma = false;
      } else if (code === 123 && kind !== 'variable') return bodyEnd(text, at, kind === 'function');
      else if (code === 125 && kind !== 'variable') return next;
    }
    last = text.slice(at, Math.min(next, at + 8));
    end = next;
  }
}

const isFunctionWord = (name: string): boolean => name === '.entry' || name === '.func';

/** The end of `.extern .func`, or -1 where something else stands. */
function prototypeEnd(text: string, from: number, to: number): number {
  if (to - from !== 7 || text.slice(from, to) !== '.extern') return -1;
  const at = skipTrivia(text, to);
  if (at >= text.length) return -1;
  const end = scanToken(text, at, false) >> KIND_BITS;
  return text.slice(at, end) === '.func' ? end : -1;
}

/** Registers on a line of their own behind a head: the `{` is missing. */
const startsBody = (text: string, name: string, end: number, at: number): boolean =>
  (name === '.reg' || name === '.local') && hasLineBreak(text, end, at);

/** The end of a block from its `{` on; for a function with whatever a superfluous brace has cut off. */
function bodyEnd(text: string, open: number, isFunction: boolean, depth = 0): number {
  let end = bracedEnd(text, open, depth, false);
  while (isFunction && text.charCodeAt(end - 1) === 125) {
    const at = skipTrivia(text, end);
    if (at >= text.length) return end;
    const packed = scanToken(text, at, false);
    if (text.charCodeAt(at) === 59) return packed >> KIND_BITS;
    if ((packed & MASK) === TokenKind.Dotted && !bodyOnly.has(text.slice(at, packed >> KIND_BITS)))
      return end;
    end = bracedEnd(text, at, 1, true);
  }
  return end;
}

/** Statements without a function around them: all up to the next declaration, so that they give one problem. */
const looseEnd = (text: string, first: number): number => bracedEnd(text, first, 0, true);

/**
 * Scans statements. Ends behind the `}` that brings `depth` to zero (`isLoose` with depth 0: never), before a
 * directive of the module level, and, where the statements lie outside a body, before a variable too.
 */
function bracedEnd(text: string, from: number, depth: number, isLoose: boolean): number {
  const outside = isLoose ? depth : -1;
  const closes = depth > 0 || !isLoose;
  let end = from;
  let level = depth;
  /** Open braces and commas of the statement. */
  let vectors = 0;
  let hasComma = false;
  for (let i = from; i < text.length;) {
    const code = text.charCodeAt(i);
    switch (code) {
      case 44:
        hasComma = true;
        end = ++i;
        break;
      case 59:
        vectors = 0;
        hasComma = false;
        end = ++i;
        break;
      case 123:
        if (vectors === 0 && endsStatement(text.charCodeAt(end - 1))) hasComma = false;
        else vectors++;
        level++;
        end = ++i;
        break;
      case 125:
        if (vectors > 0) vectors--;
        else if (endsVector(text, end, i, hasComma)) {
          end = ++i;
          break;
        } else hasComma = false;
        level--;
        end = ++i;
        if (closes && level === 0) return end;
        level = Math.max(level, 0);
        break;
      case 34:
        end = i = scanToken(text, i, false) >> KIND_BITS;
        break;
      case 35:
        i = lineEnd(text, i);
        break;
      case 47: {
        const packed = scanToken(text, i, false);
        i = packed >> KIND_BITS;
        if ((packed & MASK) === TokenKind.Punctuation) end = i;
        break;
      }
      case 46: {
        const next = scanToken(text, i, true) >> KIND_BITS;
        const prototype = level === outside ? -1 : prototypeEnd(text, i, next);
        if (prototype >= 0) {
          end = i = prototype;
          break;
        }
        if (
          i > from &&
          !isWordCharacter(text.charCodeAt(i - 1)) &&
          endsStatements(text, i, next, level === outside)
        )
          return end;
        end = i = next;
        break;
      }
      default:
        i++;
        if (!isBlank(code)) end = i;
    }
  }
  return text.length;
}

/** `;`, `{`, `}` and `:`: what follows begins a statement. */
const endsStatement = (code: number): boolean => code === 59 || code === 123 || code === 125 || code === 58;

/**
 * Whether the `}` at `at` belongs to a vector whose `{` is missing: no block ends before a comma, nor, behind
 * operands on one line, before a semicolon. `end`: of the token before.
 */
function endsVector(text: string, end: number, at: number, hasComma: boolean): boolean {
  const next = skipTrivia(text, at + 1);
  const code = next < text.length ? text.charCodeAt(next) : 0;
  if (code === 44) return true;
  return code === 59 && hasComma && !endsStatement(text.charCodeAt(end - 1)) && !hasLineBreak(text, end, at);
}

function endsStatements(text: string, from: number, to: number, isOutside: boolean): boolean {
  if (to - from < 5) return false;
  const word = text.slice(from, to);
  return moduleStarters.has(word) || (isOutside && afterBody.has(word));
}
