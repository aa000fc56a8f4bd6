/** A table for people: columns padded, numbers to the right. */
export function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const cells = [head, ...rows].map((row) =>
    row.map((cell) => (typeof cell === 'number' ? format(cell) : cell)),
  );
  const widths = head.map((_, column) => Math.max(...cells.map((row) => row[column].length)));
  const line = (row: readonly string[], index: number): string =>
    row
      .map((cell, column) =>
        index > 0 && typeof rows[index - 1]?.[column] === 'number'
          ? cell.padStart(widths[column])
          : cell.padEnd(widths[column]),
      )
      .join('  ')
      .trimEnd();
  const rule = widths.map((width) => '-'.repeat(width)).join('  ');
  const lines = cells.map(line);
  return [lines[0], rule, ...lines.slice(1)].join('\n');
}

function format(value: number): string {
  if (!Number.isFinite(value)) return '–';
  if (Number.isInteger(value)) return value.toLocaleString('en-GB').replaceAll(',', ' ');
  if (Math.abs(value) >= 100) return value.toFixed(0);
  return value.toFixed(Math.abs(value) >= 10 ? 1 : 2);
}

/** The q-quantile of the values (0 to 1), the nearest rank. */
export function quantile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  if (sorted.length === 0) return Number.NaN;
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))];
}
