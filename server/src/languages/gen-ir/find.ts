import type { Statement } from './tree.js';

/** The last statement that begins at or before `offset`, in O(log statements). */
export function statementBefore(statements: readonly Statement[], offset: number): Statement | undefined {
  let low = 0;
  let high = statements.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (statements[middle].start <= offset) low = middle + 1;
    else high = middle;
  }
  return low > 0 ? statements[low - 1] : undefined;
}

/** The statement that holds `offset`, its end included. */
export function statementAt(statements: readonly Statement[], offset: number): Statement | undefined {
  const found = statementBefore(statements, offset);
  return found !== undefined && offset <= found.end ? found : undefined;
}
