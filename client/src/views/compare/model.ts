/** What the table of a comparison shows and says, without a document. */
import type { Comparison } from '../../../../server/src/features/compare-data.js';
import { isBest, noteOf } from '../../../../server/src/features/compare-text.js';

/** A row in words, for a screen reader: `architecture sm_90, now, best; registers 30; ...`. */
export function labelOf(comparison: Comparison, row: number): string {
  const { group, name, isPresent, cells } = comparison.rows[row];
  const head = [
    `${group} ${name}`,
    ...(isPresent ? ['now'] : []),
    ...(isBest(comparison, row) ? ['best'] : []),
  ];
  const figures = comparison.columns.flatMap(({ title }, c) =>
    cells[c] === '' ? [] : [`${title} ${cells[c]}`],
  );
  const note = noteOf(comparison.rows[row]);
  return [head.join(', '), ...figures, ...(note === '' ? [] : [note])].join('; ');
}

/** The row that a key leads to from row `at`; undefined for a key that leads nowhere. */
export function rowAfter(key: string, at: number, { rows }: Pick<Comparison, 'rows'>): number | undefined {
  const last = rows.length - 1;
  const group = rows.at(at)?.group;
  switch (key) {
    case 'ArrowDown':
      return Math.min(at + 1, last);
    case 'ArrowUp':
      return Math.max(at - 1, 0);
    case 'Home':
      return 0;
    case 'End':
      return last;
    case 'PageDown': {
      const next = rows.findIndex((row, k) => k > at && row.group !== group);
      return next < 0 ? last : next;
    }
    case 'PageUp': {
      const before = rows.findLastIndex((row, k) => k < at && row.group !== group);
      return before < 0 ? 0 : rows.findIndex((row) => row.group === rows[before].group);
    }
    default:
      return undefined;
  }
}

/** Where the cursor of the table begins: the best row that is not chosen yet, else the present one. */
export function firstRow(comparison: Comparison): number {
  const better = comparison.best.find(({ row }) => !comparison.rows[row].isPresent)?.row;
  return (
    better ??
    Math.max(
      0,
      comparison.rows.findIndex(({ isPresent }) => isPresent),
    )
  );
}
