/** The table of a comparison in words: for terminals, pull requests, the clipboard. Needs nothing but the table. */
import type { Comparison, ComparisonRow } from './compare-data.js';

export interface Group {
  readonly name: string;
  /** Numbers of its rows. */
  readonly rows: readonly number[];
  /** Which is the best, and why; that they are all alike; why there are none, or no more. */
  readonly verdict: string;
}

export function groupsOf({ rows, best, settled }: Comparison): Group[] {
  const names = [...new Set([...rows, ...settled].map(({ group }) => group))];
  return names.map((name) => {
    const own = [...rows.keys()].filter((k) => rows[k].group === name);
    const found = best.find(({ group }) => group === name);
    const verdict =
      own.length === 0
        ? 'not compared'
        : found === undefined
          ? 'makes no difference'
          : `best: ${rows[found.row].name} (${found.why})`;
    const reasons = settled.filter(({ group }) => group === name).map(({ why }) => why);
    return { name, rows: own, verdict: [verdict, ...reasons].join('; ') };
  });
}

export const isBest = ({ best }: Comparison, row: number): boolean => best.some((one) => one.row === row);

/** Names on a scale, listed while they are few. */
const MOST_LISTED = 3;

/** `same: 40 to 168`, or why it cannot be compiled so. */
export function noteOf({ alike, problem }: ComparisonRow): string {
  const same = alike.length > MOST_LISTED ? `${alike[0]} to ${alike[alike.length - 1]}` : alike.join(', ');
  return [...(same === '' ? [] : [`same: ${same}`]), ...(problem === undefined ? [] : [problem])].join('; ');
}

/** The table as text, columns in line. */
export function comparisonText(comparison: Comparison): string {
  const { columns, rows } = comparison;
  const head = ['', ...columns.map(({ title }) => title), ''];
  const lines = rows.map((row, k) => [nameIn(comparison, k), ...row.cells, noteOf(row)]);
  const widths = head.map((_, c) => Math.max(...[head, ...lines].map((line) => line[c].length)));
  const aligned = (line: readonly string[]): string =>
    line
      .map((cell, c) => (c === 0 || c > columns.length ? cell.padEnd(widths[c]) : cell.padStart(widths[c])))
      .join('  ')
      .trimEnd();
  const parts = groupsOf(comparison).map(({ name, rows: own, verdict }) =>
    [`${name}: ${verdict}`, ...own.map((row) => aligned(lines[row]))].join('\n'),
  );
  return `${[`${comparison.function} (now ${comparison.model})`, aligned(head), ...parts].join('\n')}\n`;
}

const nameIn = (comparison: Comparison, row: number): string => {
  const { name, isPresent } = comparison.rows[row];
  return `  ${isBest(comparison, row) ? '*' : ' '} ${name}${isPresent ? ' (now)' : ''}`;
};

export function comparisonMarkdown(comparison: Comparison): string {
  const { columns, rows } = comparison;
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [
    `### \`${comparison.function}\` (now ${comparison.model})`,
    '',
    line(['', '', ...columns.map(({ title }) => title), '']),
    line([':--', ':--', ...columns.map(() => '--:'), ':--']),
    ...rows.map((row, k) => {
      const name = isBest(comparison, k) ? `**${row.name}**` : row.name;
      return line([row.group, `${name}${row.isPresent ? ' (now)' : ''}`, ...row.cells, noteOf(row)]);
    }),
    '',
    ...groupsOf(comparison).map(({ name, verdict }) => `- ${name}: ${verdict}`),
    '',
  ].join('\n');
}
