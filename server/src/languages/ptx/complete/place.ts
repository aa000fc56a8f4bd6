import type { Span } from '../../../text/span.js';
import { isComment, tokenBefore } from '../find.js';
import { TokenKind, type PtxUnit } from '../tree.js';

/**
 * Where the cursor is, seen from the tokens before it: half-typed text has no tree worth the name, but its last
 * few tokens say what is being written.
 */
export type Place =
  | { readonly kind: 'nothing' }
  /** The first word of a statement. */
  | { readonly kind: 'statement'; readonly span: Span; readonly prefix: string }
  /** After `add.` or `add.sa`: `opcode` is what stands before the last dot. */
  | { readonly kind: 'modifier'; readonly span: Span; readonly prefix: string; readonly opcode: string }
  /** After `%tid.` or `v.`. */
  | { readonly kind: 'component'; readonly span: Span; readonly prefix: string; readonly name: string }
  | {
      readonly kind: 'operand';
      readonly span: Span;
      readonly prefix: string;
      readonly opcode: string;
      /** Commas before the cursor outside of brackets. */
      readonly index: number;
      readonly isAddress: boolean;
      /** Behind a comma in an address: coordinates and the like. */
      readonly isElement: boolean;
      /** Inside the parentheses of a call. */
      readonly isArgument: boolean;
    }
  | { readonly kind: 'guard'; readonly span: Span; readonly prefix: string }
  /** A word with a dot that is no modifier; `before` are the words of the statement so far. */
  | {
      readonly kind: 'directive';
      readonly span: Span;
      readonly prefix: string;
      readonly before: readonly string[];
    }
  /** A word without a dot in a declaration or header line. */
  | {
      readonly kind: 'word';
      readonly span: Span;
      readonly prefix: string;
      readonly before: readonly string[];
    };

/** Most tokens of one statement that are looked at. */
const REACH = 400;

export function placeAt(unit: PtxUnit, offset: number): Place {
  const { tokens, text } = unit;
  const last = tokenBefore(tokens, offset);
  const word = (t: number): string => text.slice(tokens.start[t], Math.min(offset, tokens.end[t]));
  const inLast = last >= 0 && offset <= tokens.end[last];
  if (last >= 0) {
    const kind = tokens.kind[last];
    const isInside =
      offset < tokens.end[last] || kind === TokenKind.LineComment || kind === TokenKind.Preprocessor;
    if (isComment(kind) && isInside && offset <= tokens.end[last]) return { kind: 'nothing' };
    if (kind === TokenKind.String && offset < tokens.end[last]) return { kind: 'nothing' };
    if (inLast && (kind === TokenKind.Integer || kind === TokenKind.Float)) return { kind: 'nothing' };
  }
  const typed = inLast && isWord(tokens.kind[last], word(last)) ? last : -1;
  const prefix = typed >= 0 ? word(typed) : '';
  const span = { start: typed >= 0 ? tokens.start[typed] : offset, end: offset };
  const before = statementTokens(unit, typed >= 0 ? typed - 1 : last);
  const words = before.map(word);
  const isDotted = prefix.startsWith('.');
  const touches = isDotted && typed > 0 && tokens.end[typed - 1] === tokens.start[typed];
  if (touches) {
    const chain = chainStart(unit, typed);
    const name = text.slice(tokens.start[chain], tokens.start[typed]);
    if (tokens.kind[chain] === TokenKind.Identifier) {
      if (isFirstWord(unit, chain)) return { kind: 'modifier', span, prefix, opcode: name };
      return { kind: 'component', span, prefix, name };
    }
  }
  if (isDotted) return { kind: 'directive', span, prefix, before: words };
  if (words.at(-1) === '@' || (words.at(-1) === '!' && words.at(-2) === '@'))
    return { kind: 'guard', span, prefix };
  const head = afterGuard(words);
  if (head >= words.length) return { kind: 'statement', span, prefix };
  if (words[head].startsWith('.')) return { kind: 'word', span, prefix, before: words };
  return operandPlace(words.slice(head), span, prefix);
}

const isWord = (kind: number, text: string): boolean =>
  kind === TokenKind.Identifier || kind === TokenKind.Dotted || text === '%' || text === '.';

/** Tokens of the statement that ends with token `last`, comments left out, oldest first. */
function statementTokens(unit: PtxUnit, last: number): number[] {
  const { tokens, text } = unit;
  const found: number[] = [];
  let depth = 0;
  for (let t = last; t >= 0 && found.length < REACH; t--) {
    if (isComment(tokens.kind[t])) continue;
    const c = tokens.kind[t] === TokenKind.Punctuation ? text[tokens.start[t]] : '';
    if (c === ';' || (c === ':' && text[tokens.start[t] + 1] !== ':')) break;
    if (c === '}') {
      if (depth === 0 && !isListEnd(unit, t)) break;
      depth++;
    }
    if (c === '{') {
      if (depth === 0 && !opensList(unit, t)) break;
      depth = Math.max(0, depth - 1);
    }
    found.push(t);
  }
  return found.reverse();
}

/** Whether a `{` opens a vector operand (after an opcode, comma, bracket or `=`) and not a block. */
function opensList(unit: PtxUnit, at: number): boolean {
  const { tokens, text } = unit;
  let t = at - 1;
  while (t >= 0 && isComment(tokens.kind[t])) t--;
  if (t < 0) return false;
  const kind = tokens.kind[t];
  if (kind === TokenKind.Punctuation)
    return /^[,=[({|]$/.test(text[tokens.start[t]]) && text[tokens.start[t]] !== '{';
  if (kind !== TokenKind.Dotted && kind !== TokenKind.Identifier) return false;
  const chain = chainStart(unit, t);
  return tokens.kind[chain] === TokenKind.Identifier && chain < t;
}

/** Whether a `}` closes a vector operand: something of the same statement follows. */
function isListEnd(unit: PtxUnit, at: number): boolean {
  const { tokens, text } = unit;
  let t = at + 1;
  while (t < tokens.count && isComment(tokens.kind[t])) t++;
  return (
    t < tokens.count && tokens.kind[t] === TokenKind.Punctuation && /^[,\];|]$/.test(text[tokens.start[t]])
  );
}

/** The first token of the run of touching words that ends with token `t`. */
function chainStart(unit: PtxUnit, t: number): number {
  const { tokens, text } = unit;
  let first = t;
  while (first > 0 && text[tokens.start[first]] === '.' && tokens.end[first - 1] === tokens.start[first]) {
    if (tokens.kind[first - 1] !== TokenKind.Dotted && tokens.kind[first - 1] !== TokenKind.Identifier) break;
    first--;
  }
  return first;
}

/** Whether token `t` begins a statement, guards aside. */
function isFirstWord(unit: PtxUnit, t: number): boolean {
  const words = statementTokens(unit, t - 1).map((k) =>
    unit.text.slice(unit.tokens.start[k], unit.tokens.end[k]),
  );
  return afterGuard(words) === words.length;
}

/** Index of the word behind `@p` or `@!p`. */
function afterGuard(words: readonly string[]): number {
  if (words[0] !== '@') return 0;
  return words[1] === '!' ? 3 : 2;
}

function operandPlace(words: readonly string[], span: Span, prefix: string): Place {
  let at = 1;
  let opcode = words[0];
  while (at < words.length && words[at].startsWith('.')) opcode += words[at++];
  let depth = 0;
  let parentheses = 0;
  let brackets = 0;
  let index = 0;
  let isElement = false;
  for (; at < words.length; at++) {
    const c = words[at];
    if (c === '{') depth++;
    else if (c === '}') depth--;
    else if (c === '(') parentheses++;
    else if (c === ')') parentheses--;
    else if (c === '[') [brackets, isElement] = [brackets + 1, false];
    else if (c === ']') brackets--;
    else if (c === ',' && depth <= 0 && parentheses <= 0 && brackets <= 0) index++;
    else if (c === ',' && brackets > 0) isElement = true;
  }
  return {
    kind: 'operand',
    span,
    prefix,
    opcode,
    index,
    isAddress: brackets > 0,
    isElement: brackets > 0 && isElement,
    isArgument: parentheses > 0,
  };
}
