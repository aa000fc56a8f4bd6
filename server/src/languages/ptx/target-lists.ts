import type { ListedTarget } from './tree.js';

/** More than any list has labels. */
const RANGE_LIMIT = 1_000_000;

/** The names that an element of a list stands for: `L<3>` for L0, L1, L2. Stop at the first that means nothing. */
export function* listedNames(target: ListedTarget): Generator<string> {
  const { text, range } = target;
  if (range === undefined) {
    yield text;
    return;
  }
  const count = Math.min(RANGE_LIMIT, Number(range.integer ?? 0n));
  for (let i = 0; i < count; i++) yield `${text}${i}`;
}
