import { LexicalKind, type BoundUnit, type Language } from '../languages/language.js';
import { Role, type SymbolKind } from '../languages/symbols.js';
import { LineIndex } from '../text/line-index.js';
import type { Range } from '../text/span.js';
import type { Snapshot } from '../workspace/snapshot.js';
import { spanOfRange, unitsIn } from './locate.js';

/**
 * Semantic tokens in the protocol's encoding: five numbers a token (line and start relative to the token before,
 * length, type, modifiers). A unit's tokens are encoded once, relative to the unit's first character; a document is
 * put together by copying them and mending the first token of each unit.
 */
export const tokenTypes = [
  'comment',
  'macro',
  'keyword',
  'modifier',
  'type',
  'number',
  'string',
  'operator',
  'variable',
  'label',
  'function',
  'parameter',
  'interface',
  'enumMember',
] as const;

export const tokenModifiers = [
  'declaration',
  'definition',
  'modification',
  'readonly',
  'static',
  'defaultLibrary',
] as const;

type TokenType = (typeof tokenTypes)[number];
type TokenModifier = (typeof tokenModifiers)[number];

const typeOf = (name: TokenType): number => tokenTypes.indexOf(name);
const bitOf = (name: TokenModifier): number => 1 << tokenModifiers.indexOf(name);

const lexicalTypes: Readonly<Record<LexicalKind, number>> = {
  [LexicalKind.Comment]: typeOf('comment'),
  [LexicalKind.Directive]: typeOf('macro'),
  [LexicalKind.Instruction]: typeOf('keyword'),
  [LexicalKind.Modifier]: typeOf('modifier'),
  [LexicalKind.Type]: typeOf('type'),
  [LexicalKind.Number]: typeOf('number'),
  [LexicalKind.String]: typeOf('string'),
  [LexicalKind.Operator]: typeOf('operator'),
  [LexicalKind.SpecialRegister]: typeOf('variable'),
};

const specialRegister = bitOf('readonly') | bitOf('defaultLibrary');

const symbolTypes: Readonly<Record<SymbolKind, { readonly type: number; readonly modifiers: number }>> = {
  register: { type: typeOf('variable'), modifiers: 0 },
  predicate: { type: typeOf('variable'), modifiers: 0 },
  label: { type: typeOf('label'), modifiers: 0 },
  function: { type: typeOf('function'), modifiers: 0 },
  kernel: { type: typeOf('function'), modifiers: bitOf('static') },
  variable: { type: typeOf('variable'), modifiers: bitOf('static') },
  parameter: { type: typeOf('parameter'), modifiers: 0 },
  prototype: { type: typeOf('interface'), modifiers: 0 },
  value: { type: typeOf('enumMember'), modifiers: 0 },
  block: { type: typeOf('label'), modifiers: 0 },
};

/** A value that is computed once and never written again. */
const computedValue = { type: typeOf('variable'), modifiers: bitOf('readonly') };

function roleModifiers(role: number): number {
  return (
    ((role & Role.Declaration) !== 0 ? bitOf('declaration') : 0) |
    ((role & Role.Definition) !== 0 ? bitOf('definition') : 0) |
    ((role & Role.Write) !== 0 ? bitOf('modification') : 0)
  );
}

/** Turns a UTF-16 column of a line into the client's. */
export type EncodeColumn = (line: number, character: number) => number;

/** Tokens of the whole document, or of the lines that the range touches. */
export function semanticTokens(s: Snapshot, range?: Range, encodeColumn?: EncodeColumn): Uint32Array {
  const units = range === undefined ? s.units : unitsIn(s, spanOfRange(s, range));
  const parts = units.map((unit) => ({ unit, tokens: tokensOf(s.language, unit.bound) }));
  const data = new Uint32Array(parts.reduce((sum, p) => sum + p.tokens.data.length, 0));
  let at = 0;
  let line = 0;
  let character = 0;
  let needsColumns = false;
  for (const { unit, tokens } of parts) {
    if (tokens.data.length === 0) continue;
    needsColumns ||= !tokens.isAscii;
    data.set(tokens.data, at);
    const start = s.lines.positionAt(unit.start);
    const absolute = (lineInUnit: number, column: number): [number, number] =>
      lineInUnit === 0 ? [start.line, start.character + column] : [start.line + lineInUnit, column];
    const [firstLine, firstCharacter] = absolute(tokens.data[0], tokens.data[1]);
    data[at] = firstLine - line;
    data[at + 1] = firstLine === line ? firstCharacter - character : firstCharacter;
    [line, character] = absolute(tokens.lastLine, tokens.lastCharacter);
    at += tokens.data.length;
  }
  const wanted = range === undefined ? data : inLines(data, range.start.line, range.end.line);
  return encodeColumn === undefined || !needsColumns ? wanted : reencoded(wanted, encodeColumn);
}

/** The tokens of lines `first` to `last`; the one that comes first then counts from the document's start. */
function inLines(data: Uint32Array, first: number, last: number): Uint32Array {
  let line = 0;
  let character = 0;
  let from = data.length;
  let to = data.length;
  let head: [number, number] = [0, 0];
  for (let k = 0; k < data.length; k += 5) {
    if (data[k] > 0) character = 0;
    line += data[k];
    character += data[k + 1];
    if (line >= first && from === data.length) {
      from = k;
      head = [line, character];
    }
    if (line <= last) continue;
    to = k;
    break;
  }
  const some = data.slice(Math.min(from, to), to);
  if (some.length > 0) some.set(head);
  return some;
}

interface UnitTokens {
  /** The first token's line and start are relative to the unit's first character. */
  readonly data: Uint32Array;
  readonly lastLine: number;
  readonly lastCharacter: number;
  readonly isAscii: boolean;
}

const known = new WeakMap<BoundUnit, UnitTokens>();

function tokensOf(language: Language, bound: BoundUnit): UnitTokens {
  let tokens = known.get(bound);
  if (tokens === undefined) known.set(bound, (tokens = encode(language, bound)));
  return tokens;
}

/** Words of the text and names are two sorted lists; where they overlap the earlier token stays. */
function encode(language: Language, bound: BoundUnit): UnitTokens {
  const { text } = bound.parsed;
  const lexical = language.lexical(bound);
  const { symbols, occurrenceStart, occurrenceEnd, occurrenceSymbol, occurrenceRole } = bound.symbols;
  const lines = LineIndex.of(text);
  const data: number[] = [];
  let lastLine = 0;
  let lastCharacter = 0;
  let line = 0;
  let end = 0;

  const push = (from: number, to: number, type: number, modifiers: number): void => {
    const character = from - lines.startOf(line);
    data.push(
      line - lastLine,
      line === lastLine ? character - lastCharacter : character,
      to - from,
      type,
      modifiers,
    );
    lastLine = line;
    lastCharacter = character;
  };
  const add = (from: number, to: number, type: number, modifiers: number): void => {
    if (from < end || to <= from) return;
    end = to;
    while (line + 1 < lines.lineCount && lines.startOf(line + 1) <= from) line++;
    for (;;) {
      const lineEnd = lines.contentEnd(line);
      if (from < lineEnd) push(from, Math.min(to, lineEnd), type, modifiers);
      if (line + 1 >= lines.lineCount || lines.startOf(line + 1) >= to) return;
      line++;
      from = lines.startOf(line);
    }
  };

  let l = 0;
  let o = 0;
  while (l < lexical.start.length || o < occurrenceStart.length) {
    if (o >= occurrenceStart.length || (l < lexical.start.length && lexical.start[l] < occurrenceStart[o])) {
      const kind = lexical.kind[l] as LexicalKind;
      const modifiers = kind === LexicalKind.SpecialRegister ? specialRegister : 0;
      add(lexical.start[l], lexical.end[l], lexicalTypes[kind], modifiers);
      l++;
    } else {
      const symbol = symbols[occurrenceSymbol[o]];
      const isComputed = symbol.kind === 'value' && symbol.register >= 0;
      const { type, modifiers } = isComputed ? computedValue : symbolTypes[symbol.kind];
      add(occurrenceStart[o], occurrenceEnd[o], type, modifiers | roleModifiers(occurrenceRole[o]));
      o++;
    }
  }
  return { data: new Uint32Array(data), lastLine, lastCharacter, isAscii: isAscii(text) };
}

function isAscii(text: string): boolean {
  for (let k = 0; k < text.length; k++) if (text.charCodeAt(k) > 127) return false;
  return true;
}

function reencoded(data: Uint32Array, encodeColumn: EncodeColumn): Uint32Array {
  let line = 0;
  let character = 0;
  let previous = 0;
  for (let k = 0; k < data.length; k += 5) {
    if (data[k] > 0) character = previous = 0;
    line += data[k];
    character += data[k + 1];
    const start = encodeColumn(line, character);
    data[k + 2] = encodeColumn(line, character + data[k + 2]) - start;
    data[k + 1] = start - previous;
    previous = start;
  }
  return data;
}

/** One edit of the protocol: `deleteCount` numbers from `start` on become `data`. */
export interface TokenEdit {
  readonly start: number;
  readonly deleteCount: number;
  readonly data: Uint32Array;
}

/** What turns one full answer into the next: at most one edit, between what both have in common at front and back. */
export function tokenDelta(previous: Uint32Array, next: Uint32Array): TokenEdit[] {
  const shorter = Math.min(previous.length, next.length);
  let front = 0;
  while (front < shorter && previous[front] === next[front]) front++;
  if (front === previous.length && front === next.length) return [];
  let back = 0;
  while (back < shorter - front && previous[previous.length - 1 - back] === next[next.length - 1 - back])
    back++;
  return [
    {
      start: front,
      deleteCount: previous.length - front - back,
      data: next.slice(front, next.length - back),
    },
  ];
}
