import type { Span } from '../../text/span.js';
import {
  TokenKind,
  type Block,
  type FunctionItem,
  type ModuleItem,
  type PtxUnit,
  type Statement,
  type Tokens,
} from './tree.js';

/** Finding what stands at an offset, by binary search: tokens, items, statements. */

/** Index of the last token that starts before `offset` (or at it, with `inclusive`), or -1. */
export function tokenBefore(tokens: Tokens, offset: number, inclusive = false): number {
  let low = 0;
  let high = tokens.count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (inclusive ? tokens.start[middle] <= offset : tokens.start[middle] < offset) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** The token that covers `offset`, or ends at it, or -1. */
export function tokenAt(tokens: Tokens, offset: number): number {
  const at = tokenBefore(tokens, offset, true);
  if (at >= 0 && offset < tokens.end[at]) return at;
  const before = tokenBefore(tokens, offset);
  return before >= 0 && offset <= tokens.end[before] ? before : -1;
}

export const isComment = (kind: number): boolean =>
  kind === TokenKind.LineComment || kind === TokenKind.BlockComment || kind === TokenKind.Preprocessor;

/** The last of the nodes, sorted by start, that starts at or before `offset` and reaches it. */
function nodeAt<T extends Span>(nodes: readonly T[], offset: number): T | undefined {
  let low = 0;
  let high = nodes.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (nodes[middle].start <= offset) low = middle + 1;
    else high = middle;
  }
  const found = nodes.at(low - 1);
  if (low === 0 || found === undefined) return undefined;
  if (offset <= found.end) return found;
  return undefined;
}

export const itemAt = (unit: PtxUnit, offset: number): ModuleItem | undefined => nodeAt(unit.items, offset);

/** The innermost statement at `offset` that is no block, and the function that it stands in. */
export function statementAt(
  unit: PtxUnit,
  offset: number,
):
  | { readonly item: FunctionItem; readonly block: Block; readonly statement: Statement | undefined }
  | undefined {
  const item = itemAt(unit, offset);
  if (item?.kind !== 'function' || item.body === undefined || offset < item.body.start) return undefined;
  let block = item.body;
  for (;;) {
    const statement: Statement | undefined = nodeAt(block.statements, offset);
    if (statement?.kind !== 'block') return { item, block, statement };
    block = statement;
  }
}
