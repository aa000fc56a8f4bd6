import { outline } from './declarations.js';
import { parseSyntax } from './parser/parse.js';
import type { PtxUnit } from './tree.js';

/** The unit that `text` holds: its tree, what it declares and which names it leaves open. Accepts any string. */
export function parse(text: string): PtxUnit {
  const syntax = parseSyntax(text);
  return { ...syntax, ...outline(syntax.items, text) };
}
