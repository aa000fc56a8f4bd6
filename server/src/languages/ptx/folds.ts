import type { Span } from '../../text/span.js';
import type { Fold } from '../language.js';
import type { PtxSyntax } from './parser/parse.js';
import { TokenKind, type Block } from './tree.js';

/** Foldable regions: bodies and blocks, parameter lists, long initialisers, sections, runs of comment lines. */
export function folds(syntax: PtxSyntax): readonly Fold[] {
  const found: Fold[] = [];
  const add = (span: Span, kind: Fold['kind']): void => {
    if (hasLineBreak(syntax.text, span)) found.push({ span: { start: span.start, end: span.end }, kind });
  };
  for (const item of syntax.items) {
    if (item.kind === 'section') add(item, 'region');
    if (item.kind === 'variable')
      for (const { initializer } of item.declarators)
        if (initializer?.kind === 'list') add(initializer, 'region');
    if (item.kind !== 'function') continue;
    if (item.parameters.length > 0)
      add(
        { start: item.parameters[0].start, end: item.parameters[item.parameters.length - 1].end },
        'region',
      );
    if (item.body !== undefined) foldBlocks(item.body, (block) => add(block, 'region'));
  }
  foldComments(syntax, add);
  return found.sort((a, b) => a.span.start - b.span.start || b.span.end - a.span.end);
}

function foldBlocks(body: Block, add: (block: Block) => void): void {
  const pending: Block[] = [body];
  for (let block = pending.pop(); block !== undefined; block = pending.pop()) {
    add(block);
    for (const statement of block.statements) if (statement.kind === 'block') pending.push(statement);
  }
}

/** A block comment of several lines, or comment lines without a blank line between them. */
function foldComments(syntax: PtxSyntax, add: (span: Span, kind: Fold['kind']) => void): void {
  const { text, tokens } = syntax;
  for (let i = 0; i < tokens.count; i++) {
    const kind = tokens.kind[i];
    if (kind === TokenKind.BlockComment) add({ start: tokens.start[i], end: tokens.end[i] }, 'comment');
    if (kind !== TokenKind.LineComment || !beginsLine(syntax, i)) continue;
    let last = i;
    while (
      last + 1 < tokens.count &&
      tokens.kind[last + 1] === TokenKind.LineComment &&
      countBreaks(text, tokens.end[last], tokens.start[last + 1]) === 1
    )
      last++;
    add({ start: tokens.start[i], end: tokens.end[last] }, 'comment');
    i = last;
  }
}

/** The first token of a unit begins its line when a line break or nothing stands before it. */
function beginsLine(syntax: PtxSyntax, i: number): boolean {
  const { text, tokens } = syntax;
  return i === 0
    ? tokens.start[0] === 0 || hasLineBreak(text, { start: 0, end: tokens.start[0] })
    : hasLineBreak(text, { start: tokens.end[i - 1], end: tokens.start[i] });
}

function countBreaks(text: string, from: number, to: number): number {
  let count = 0;
  for (let i = from; i < to; i++) {
    const code = text.charCodeAt(i);
    if (code === 10 || (code === 13 && text.charCodeAt(i + 1) !== 10)) count++;
  }
  return count;
}

function hasLineBreak(text: string, span: Span): boolean {
  for (let i = span.start; i < span.end; i++) {
    const code = text.charCodeAt(i);
    if (code === 10 || code === 13) return true;
  }
  return false;
}
