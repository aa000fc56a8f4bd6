import type { Code } from '../../../text/codes.js';
import type { Problem } from '../../../text/problem.js';
import { lookAlike } from '../../../text/look-alikes.js';
import { TokenKind, type Tokens } from '../tree.js';
import { fix } from './cursor.js';

/**
 * Problems of single characters and tokens, whatever the grammar makes of them. ptxas refuses a file for a
 * character outside ASCII anywhere, comments and strings included; `#` may only begin a line marker.
 */
export function checkCharacters(text: string, tokens: Tokens, problems: Problem[]): void {
  checkForeign(text, tokens, problems);
  checkLineEnds(text, tokens, problems);
  for (let i = 0; i < tokens.count; i++) {
    const kind = tokens.kind[i];
    if (kind < TokenKind.String || kind === TokenKind.Punctuation || kind === TokenKind.LineComment) continue;
    const start = tokens.start[i];
    const end = tokens.end[i];
    if (kind === TokenKind.String) {
      if (end - start < 2 || text.charCodeAt(end - 1) !== 34)
        push(
          problems,
          'syntax/unclosed',
          start,
          start + 1,
          "string opened here is not closed on this line: '\"' expected",
        );
    } else if (kind === TokenKind.BlockComment) {
      if (!isClosedComment(text, start, end))
        push(
          problems,
          'syntax/unclosed-comment',
          start,
          start + 2,
          'comment opened here with /* is never closed',
        );
    } else if (kind === TokenKind.Preprocessor) {
      if (!isLineMarker(text, start, end) || !isFirstOfLine(text, start))
        push(
          problems,
          'syntax/preprocessor',
          start,
          end,
          'PTX has no preprocessor; only line markers (# 1 "file") are accepted',
        );
    } else if (text.charCodeAt(start) < 128)
      push(
        problems,
        'syntax/character',
        start,
        end,
        `${JSON.stringify(text.slice(start, end))} is no character of PTX`,
      );
  }
}

/** To ptxas a carriage return alone is a blank: a comment goes on to the next line feed and takes what is between. */
function checkLineEnds(text: string, tokens: Tokens, problems: Problem[]): void {
  for (let i = 0; i + 1 < tokens.count; i++) {
    const kind = tokens.kind[i];
    if (kind !== TokenKind.LineComment && kind !== TokenKind.Preprocessor) continue;
    const end = tokens.end[i];
    if (text.charCodeAt(end) !== 13 || text.charCodeAt(end + 1) === 10) continue;
    const next = tokens.start[i + 1];
    if (text.slice(end, next).includes('\n')) continue;
    push(
      problems,
      'syntax/line-end',
      tokens.start[i],
      end,
      'a carriage return alone ends no line for ptxas, so that this comment takes the next line too: save the file with LF or CRLF',
    );
    return;
  }
}

export const isClosedComment = (text: string, start: number, end: number): boolean =>
  end - start >= 4 && text.charCodeAt(end - 1) === 47 && text.charCodeAt(end - 2) === 42;

const isLineMarker = (text: string, start: number, end: number): boolean =>
  /^#[ \t]*(?:line\b|\d)/.test(text.slice(start, Math.min(end, start + 40)));

function isFirstOfLine(text: string, at: number): boolean {
  let i = at - 1;
  while (i >= 0 && (text.charCodeAt(i) === 32 || text.charCodeAt(i) === 9)) i--;
  return i < 0 || text.charCodeAt(i) === 10 || text.charCodeAt(i) === 13;
}

function push(problems: Problem[], code: Code, start: number, end: number, message: string): void {
  problems.push({ code, severity: 'error', span: { start, end }, message });
}

/** One problem a run of foreign characters, this many a unit: a text in another script says it once and again. */
const FOREIGN_LIMIT = 100;

const names: ReadonlyMap<number, string> = new Map([
  [0x2212, 'minus sign'],
  [0x2013, 'en dash'],
  [0x2014, 'em dash'],
  [0x00a0, 'no-break space'],
  [0x00d7, 'multiplication sign'],
  [0x200b, 'zero width space'],
  [0xfeff, 'byte order mark'],
  [0x201c, 'quotation mark'],
  [0x201d, 'quotation mark'],
]);

const codePoint = (code: number): string => {
  const hex = code.toString(16).toUpperCase().padStart(4, '0');
  const name = names.get(code);
  return name === undefined ? `U+${hex}` : `U+${hex} (${name})`;
};

function checkForeign(text: string, tokens: Tokens, problems: Problem[]): void {
  const foreign = /[^\0-\x7f]+/g;
  let count = 0;
  let token = 0;
  for (let found = foreign.exec(text); found !== null && count < FOREIGN_LIMIT; found = foreign.exec(text)) {
    count++;
    const start = found.index;
    const end = start + found[0].length;
    while (token < tokens.count && tokens.end[token] <= start) token++;
    const holder = token < tokens.count && tokens.start[token] <= start ? tokens.kind[token] : -1;
    const code = found[0].codePointAt(0) ?? 0;
    problems.push({
      code: 'syntax/non-ascii',
      severity: 'error',
      span: { start, end },
      ...foreignAdvice(found[0], code, holder, start, end),
    });
  }
}

function foreignAdvice(
  run: string,
  code: number,
  holder: number,
  start: number,
  end: number,
): Pick<Problem, 'message' | 'fixes'> {
  const what = `non-ASCII character ${codePoint(code)}`;
  if (run === '\ufeff' && start === 0)
    return {
      message: `${what} before the text; ptxas refuses the whole file: save it as UTF-8 without one`,
      fixes: [fix('Remove the byte order mark', start, end, '')],
    };
  const ascii = [...run].map(
    (character) =>
      lookAlike(character.codePointAt(0) ?? 0) ?? (/\s|\ufeff|\u200b/.test(character) ? ' ' : undefined),
  );
  if (ascii.every((character) => character !== undefined)) {
    const replacement = ascii.join('');
    const shown = replacement.trim() === '' ? 'a blank' : `'${replacement}'`;
    return { message: `${what}; use ${shown}`, fixes: [fix(`Replace by ${shown}`, start, end, replacement)] };
  }
  if (holder === TokenKind.Identifier || holder === TokenKind.Dotted)
    return { message: `${what} in an identifier; PTX identifiers are ASCII` };
  if (holder === TokenKind.String) return { message: `${what} in a string; ptxas refuses the whole file` };
  if (holder === TokenKind.LineComment || holder === TokenKind.BlockComment)
    return { message: `${what} in a comment; ptxas refuses the whole file` };
  return { message: `${what}; PTX is written in ASCII` };
}
