import type { Problem } from '../../../text/problem.js';
import { lex } from '../lexer.js';
import { TokenKind, type ModuleItem, type Tokens } from '../tree.js';
import { checkCharacters, isClosedComment } from './characters.js';
import { openCursor } from './cursor.js';
import { parseItems } from './module.js';

/** A unit's syntax: every token, the tree over them, and what is wrong, in text order. */
export interface PtxSyntax {
  readonly text: string;
  readonly tokens: Tokens;
  readonly items: readonly ModuleItem[];
  readonly problems: readonly Problem[];
}

/** Parses the text of one unit. Accepts any string; linear in its length. */
export function parseSyntax(text: string): PtxSyntax {
  const tokens = lex(text);
  const problems: Problem[] = [];
  checkCharacters(text, tokens, problems);
  const items = parseItems(openCursor(text, tokens, problems, endsInComment(text, tokens)));
  problems.sort((a, b) => a.span.start - b.span.start);
  return { text, tokens, items, problems };
}

function endsInComment(text: string, tokens: Tokens): boolean {
  const last = tokens.count - 1;
  if (last < 0 || tokens.kind[last] !== TokenKind.BlockComment) return false;
  return !isClosedComment(text, tokens.start[last], tokens.end[last]);
}
