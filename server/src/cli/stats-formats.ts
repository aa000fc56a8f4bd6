import { coloursFor } from './colours.js';
import type { Context } from './inputs.js';
import type { FunctionStats } from './stats.js';
import { count } from '../text/words.js';
import { ptxasOf, type PtxasFigures } from './verify.js';

/** Writes the figures of all functions. */
export type Format = (functions: readonly FunctionStats[], context: Context) => string;

export const statsFormats: Readonly<Record<string, Format | undefined>> = { text, json, md, csv };

function json(functions: readonly FunctionStats[]): string {
  return `${JSON.stringify({ version: 1, functions }, undefined, 2)}\n`;
}

/** Columns of the tables; a column that no function fills is left out. */
interface Column {
  readonly title: string;
  readonly isNumber: boolean;
  readonly value: (f: FunctionStats, context: Context) => string | number | undefined;
}

const modelOf = ({ target, model }: FunctionStats): string =>
  model.includes(target.arch) ? model : `${target.arch}: ${model}`;

/** A figure that only some targets have. */
const further = (f: FunctionStats, key: string): string | number | undefined => {
  const value = f[key];
  return typeof value === 'number' || typeof value === 'string' ? value : undefined;
};

/** `14 general, 2 predicate`, or with the words of the units. */
function registersUsed({ registers, language }: FunctionStats, { pairs }: Context): string {
  const classes = pairs.find((pair) => pair.language.id === language)?.language.classes ?? [];
  const used = Object.entries(registers).map(([name, n]) => {
    const unit = classes.find((k) => k.name === name && k.isCountedByUnit === true)?.unit;
    return unit === undefined ? `${n} ${name}` : count(n, unit);
  });
  return used.join(', ');
}

const signed = (n: number | undefined): string | undefined =>
  n === undefined ? n : n > 0 ? `+${n}` : `${n}`;

const spillBytesOf = (theirs: PtxasFigures | undefined): number | undefined =>
  theirs === undefined ? undefined : theirs.spillStoreBytes + theirs.spillLoadBytes;

const number = (title: string, value: Column['value']): Column => ({ title, isNumber: true, value });

const tableColumns: readonly Column[] = [
  { title: 'function', isNumber: false, value: (f) => f.name },
  { title: 'model', isNumber: false, value: modelOf },
  { title: 'compiled as', isNumber: false, value: (f) => further(f, 'strategy') },
  number('instructions', (f) => f.instructions),
  {
    title: 'registers',
    isNumber: false,
    value: registersUsed,
  },
  {
    title: 'range',
    isNumber: false,
    value: ({ registersRange: range }) => (range === undefined ? undefined : range.join('–')),
  },
  number('ptxas', (f) => ptxasOf(f)?.registers),
  number('difference', (f) => signed(ptxasOf(f)?.difference)),
  number('pressure as written', (f) => f.pressure.asWritten),
  number('as compiled', (f) => f.pressure.asCompiled),
  number('spilled', (f) => f.spills.registers),
  number('spill bytes', (f) => f.spills.storeBytes + f.spills.loadBytes),
  number('of ptxas', (f) => spillBytesOf(ptxasOf(f))),
  number('words', (f) => further(f, 'words')),
  number('bound', (f) => further(f, 'bound')),
  number('words/bound', (f) => further(f, 'ratio')),
  number('cycles', (f) => f.cycles),
  number('stalled', (f) => f.stallCycles),
  {
    title: 'occupancy',
    isNumber: false,
    value: ({ occupancy: o }) =>
      o === undefined
        ? undefined
        : `${o.warps} of ${o.maxWarps} warps (${o.limitedBy}${o.threadsAssumed ? `, ${count(o.threads, 'thread')} assumed` : ''})`,
  },
];

function rows(
  functions: readonly FunctionStats[],
  context: Context,
): { columns: readonly Column[]; cells: string[][] } {
  const columns = tableColumns.filter((column) =>
    functions.some((f) => column.value(f, context) !== undefined),
  );
  const cells = functions.map((f) => columns.map((column) => String(column.value(f, context) ?? '')));
  return { columns, cells };
}

function text(functions: readonly FunctionStats[], context: Context): string {
  if (functions.length === 0) return 'no functions\n';
  const colours = coloursFor(context.io);
  const { columns, cells } = rows(functions, context);
  const widths = columns.map(({ title }, i) =>
    cells.reduce((widest, row) => Math.max(widest, row[i].length), title.length),
  );
  const pad = (cell: string, i: number): string =>
    columns[i].isNumber ? cell.padStart(widths[i]) : cell.padEnd(widths[i]);
  const lines: string[] = [];
  functions.forEach((f, k) => {
    if (k === 0 || functions[k - 1].file !== f.file) {
      if (k > 0) lines.push('');
      lines.push(
        colours.strong(f.file),
        colours.faint(
          columns
            .map(({ title }, i) => pad(title, i))
            .join('  ')
            .trimEnd(),
        ),
      );
    }
    const line = cells[k].map(pad).join('  ').trimEnd();
    lines.push(f.spills.registers > 0 ? colours.severity.warning(line) : line);
  });
  return `${lines.join('\n')}\n`;
}

function md(functions: readonly FunctionStats[], context: Context): string {
  const { columns, cells } = rows(functions, context);
  if (functions.length === 0) return 'No functions.\n';
  const escaped = (cell: string): string => cell.replaceAll('\\', '\\\\').replaceAll('|', '\\|');
  const line = (row: readonly string[]): string => `| ${row.map(escaped).join(' | ')} |\n`;
  return (
    line(['file', ...columns.map(({ title }) => title)]) +
    `|${['---', ...columns.map(({ isNumber }) => (isNumber ? '--:' : '---'))].join('|')}|\n` +
    cells.map((row, k) => line([`${functions[k].file}:${functions[k].line}`, ...row])).join('')
  );
}

/**
 * RFC 4180, with a header. The columns are the same whatever the files hold, so that results can be put together.
 */
function csv(functions: readonly FunctionStats[], { pairs }: Context): string {
  const classes = [
    ...new Set(
      pairs.flatMap(({ language, target }) => [
        ...language.classes.map(({ name }) => name),
        ...(target.ownClasses ?? []),
      ]),
    ),
  ];
  const columns: readonly (readonly [string, (f: FunctionStats) => unknown])[] = [
    ['file', (f) => f.file],
    ['name', (f) => f.name],
    ['line', (f) => f.line],
    ['language', (f) => f.language],
    ['target', (f) => f.target.name],
    ['arch', (f) => f.target.arch],
    ['limit', (f) => f.limit],
    ['instructions', (f) => f.instructions],
    ...classes.map((name) => [`${name} registers`, (f: FunctionStats) => f.registers[name]] as const),
    ['registers, low', (f) => f.registersRange?.[0]],
    ['registers, high', (f) => f.registersRange?.[1]],
    ['pressure as written', (f) => f.pressure.asWritten],
    ['pressure as compiled', (f) => f.pressure.asCompiled],
    ['spilled registers', (f) => f.spills.registers],
    ['spill stores', (f) => f.spills.stores],
    ['spill loads', (f) => f.spills.loads],
    ['spill store bytes', (f) => f.spills.storeBytes],
    ['spill load bytes', (f) => f.spills.loadBytes],
    ['frame bytes', (f) => f.frameBytes],
    ['scratch bytes', (f) => f.scratchBytes],
    ['words', (f) => further(f, 'words')],
    ['bound', (f) => further(f, 'bound')],
    ['words/bound', (f) => further(f, 'ratio')],
    ['cycles', (f) => f.cycles],
    ['stall cycles', (f) => f.stallCycles],
    ['warps', (f) => f.occupancy?.warps],
    ['most warps', (f) => f.occupancy?.maxWarps],
    ['limited by', (f) => f.occupancy?.limitedBy],
    ['errors', (f) => f.problems.errors],
    ['warnings', (f) => f.problems.warnings],
    ['hints', (f) => f.problems.hints],
    ['model', (f) => f.model],
    ['compiled as', (f) => further(f, 'strategy')],
    ['ptxas version', (f) => ptxasOf(f)?.version],
    ['ptxas registers', (f) => ptxasOf(f)?.registers],
    ['registers less those of ptxas', (f) => ptxasOf(f)?.difference],
    ['ptxas spill store bytes', (f) => ptxasOf(f)?.spillStoreBytes],
    ['ptxas spill load bytes', (f) => ptxasOf(f)?.spillLoadBytes],
    ['ptxas stack bytes', (f) => ptxasOf(f)?.stackBytes],
  ];
  const line = (cells: readonly unknown[]): string => `${cells.map(csvCell).join(',')}\r\n`;
  return (
    line(columns.map(([title]) => title)) +
    functions.map((f) => line(columns.map(([, value]) => value(f)))).join('')
  );
}

function csvCell(value: unknown): string {
  const cell = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
