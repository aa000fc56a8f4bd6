/** Reports of `spillway diff`. */
import { count } from '../../text/words.js';
import { coloursFor } from '../colours.js';
import type { Context } from '../inputs.js';
import { changeInWords, changesOf, relative, signed } from './change.js';
import { shownName, type Figures } from './figures.js';
import { markdownRow } from './gate-formats.js';
import { lastPart, type Pair } from './pairing.js';
import type { Side } from './side.js';
import type { Direction, MetricSummary, PlacedChange, Spread, TargetSummary } from './summary.js';

export interface DiffReport {
  readonly before: Side;
  readonly after: Side;
  /** Functions that are on both sides, without errors. */
  readonly pairs: readonly Pair[];
  /** Functions that have an error on a side: their figures say nothing. */
  readonly faulty: readonly Pair[];
  readonly added: readonly Figures[];
  readonly gone: readonly Figures[];
  readonly targets: readonly TargetSummary[];
  /** Functions to list for a metric and direction. */
  readonly listed: number;
}

type Format = (report: DiffReport, context: Context) => string;

export const diffFormats: Readonly<Record<string, Format | undefined>> = { text, json, md };

const shown = (path: string): string => (path === '-' ? 'standard input' : path);

interface Counts {
  readonly both: number;
  readonly helped: number;
  readonly hurt: number;
  /** Better in one figure, worse in another. */
  readonly mixed: number;
  readonly unchanged: number;
  readonly new: number;
  readonly gone: number;
  readonly faulty: number;
}

function countsOf({ pairs, added, gone, faulty }: DiffReport): Counts {
  const counts = { helped: 0, hurt: 0, mixed: 0, unchanged: 0 };
  for (const pair of pairs) {
    const changes = changesOf(pair);
    const better = changes.some(({ isBetter }) => isBetter);
    const worse = changes.some(({ isBetter }) => !isBetter);
    counts[better && worse ? 'mixed' : better ? 'helped' : worse ? 'hurt' : 'unchanged']++;
  }
  return { both: pairs.length, ...counts, new: added.length, gone: gone.length, faulty: faulty.length };
}

function summary(report: DiffReport): string {
  const { both, helped, hurt, mixed, unchanged, new: added, gone, faulty } = countsOf(report);
  const words = (parts: readonly (readonly [number, string])[]): string =>
    parts.flatMap(([n, noun]) => (n === 0 ? [] : [`${n} ${noun}`])).join(', ');
  const changed = words([
    [helped, 'helped'],
    [hurt, 'hurt'],
    [mixed, 'better in one figure and worse in another'],
    [unchanged, 'unchanged'],
  ]);
  const rest = words([
    [added, 'new'],
    [gone, 'gone'],
    [faulty, 'not compared because of errors'],
  ]);
  return `${count(both, 'function')} in both${changed === '' ? '' : `: ${changed}`}${rest === '' ? '' : `; ${rest}`}`;
}

/** What a table shows: what changed, and what a gate looks at. */
const isShown = ({ metric, functions, unchanged }: MetricSummary): boolean =>
  metric.isGated || unchanged < functions;

const isSame = (metrics: readonly MetricSummary[]): boolean =>
  metrics.every(({ functions, unchanged }) => unchanged === functions);

/** `spilled registers, cycles`: the metrics that a table leaves out. */
const left = (metrics: readonly MetricSummary[]): string =>
  metrics
    .filter((one) => !isShown(one))
    .map(({ metric }) => metric.title)
    .join(', ');

const titles = ['metric', 'before', 'after', 'change', 'helped', 'hurt', 'unchanged'];

function row({ metric, before, after, helped, hurt, unchanged }: MetricSummary): string[] {
  const share = relative(before, after);
  const change =
    before === after ? '' : `${signed(after - before)}${share === undefined ? '' : ` (${share})`}`;
  return [
    metric.title,
    ...[before, after].map(String),
    change,
    ...[helped.changes.length, hurt.changes.length, unchanged].map(String),
  ];
}

/** `helped 5: by 1 to 6, median 2; 2.5% to 20%, median 8%`. */
function directionInWords(word: string, { changes, absolute, relative: shares }: Direction): string {
  const inPercent = shares === undefined ? '' : `; ${spreadInWords(shares, '%')}`;
  return `${word} ${changes.length}${absolute === undefined ? '' : `: by ${spreadInWords(absolute, '')}${inPercent}`}`;
}

function spreadInWords({ minimum, median, maximum }: Spread, unit: string): string {
  const shorten = (n: number): string => `${Number(n.toFixed(2))}${unit}`;
  return minimum === maximum
    ? shorten(minimum)
    : `${shorten(minimum)} to ${shorten(maximum)}, median ${shorten(median)}`;
}

const placeOf = (f: Figures): string => (f.line === undefined ? f.file : `${f.file}:${f.line}`);

/** `a.ptx:3: k (sm_90, limit 255)`, with what was otherwise before. */
function functionInWords({ before, after }: Pair): string {
  const was = isRenamed(before.file, after.file) ? `, was in ${before.file}` : '';
  const model = before.model === after.model ? after.model : `${before.model} → ${after.model}`;
  const strategy =
    before.strategy === undefined || before.strategy === after.strategy
      ? ''
      : `, compiled as ${before.strategy} → ${after.strategy ?? 'unknown'}`;
  return `${placeOf(after)}: ${shownName(after)} (${model}${strategy}${was})`;
}

/** Both sides may stand in folders of their own; a file is renamed where its last name is another. */
const isRenamed = (before: string, after: string): boolean =>
  before !== '-' && after !== '-' && lastPart(before) !== lastPart(after);

const alone = (f: Figures): string => `${placeOf(f)}: ${shownName(f)} (${f.target})`;

/** The largest changes of a direction, and how many there are more. */
function listed({ changes }: Direction, most: number): { first: readonly PlacedChange[]; more: number } {
  return { first: changes.slice(0, most), more: Math.max(0, changes.length - most) };
}

const directions = (one: MetricSummary): readonly (readonly ['helped' | 'hurt', Direction])[] =>
  (['hurt', 'helped'] as const).flatMap((word) =>
    one[word].changes.length === 0 ? [] : [[word, one[word]] as const],
  );

function text(report: DiffReport, { io }: Context): string {
  const { strong, faint, severity, hint } = coloursFor(io);
  const lines = [strong(`${shown(report.before.path)} → ${shown(report.after.path)}`), summary(report)];
  for (const { target, functions, metrics } of report.targets) {
    const heading = strong(`${target}, ${count(functions, 'function')}`);
    if (isSame(metrics)) {
      lines.push('', `${heading}: nothing changed`);
      continue;
    }
    lines.push('', heading, ...table(metrics.filter(isShown), faint));
    if (left(metrics) !== '') lines.push(faint(`unchanged: ${left(metrics)}`));
    for (const one of metrics)
      for (const [word, direction] of directions(one)) {
        const { first, more } = listed(direction, report.listed);
        const paint = word === 'hurt' ? severity.warning : hint;
        lines.push('', `${paint(one.metric.title)}: ${directionInWords(word, direction)}`);
        for (const change of first) lines.push(`  ${functionInWords(change.pair)}: ${changeInWords(change)}`);
        if (more > 0) lines.push(faint(`  and ${more} more (--top)`));
      }
  }
  for (const [title, functions] of [
    ['new', report.added],
    ['gone', report.gone],
    ['not compared because of errors', report.faulty.map(({ after }) => after)],
  ] as const) {
    if (functions.length === 0) continue;
    lines.push('', strong(title), ...functions.slice(0, atLeastOne(report)).map((f) => `  ${alone(f)}`));
    const more = functions.length - atLeastOne(report);
    if (more > 0) lines.push(faint(`  and ${more} more (--top)`));
  }
  return `${lines.join('\n')}\n`;
}

/** Lists of functions that have no figures to compare are cut later, since they say what the totals leave out. */
const atLeastOne = ({ listed: most }: DiffReport): number => 4 * most;

function table(metrics: readonly MetricSummary[], faint: (text: string) => string): string[] {
  const rows = metrics.map(row);
  const widths = titles.map((title, i) => Math.max(title.length, ...rows.map((cells) => cells[i].length)));
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, i) => (i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i])))
      .join('  ')
      .trimEnd();
  return [faint(line(titles)), ...rows.map(line)];
}

function md(report: DiffReport): string {
  const parts = [
    `### Spillway: ${shown(report.before.path)} → ${shown(report.after.path)}\n\n${summary(report)}\n`,
  ];
  for (const { target, functions, metrics } of report.targets) {
    const heading = `\n**${target}**, ${count(functions, 'function')}`;
    if (isSame(metrics)) {
      parts.push(`${heading}: nothing changed\n`);
      continue;
    }
    parts.push(
      `${heading}\n\n`,
      markdownRow(titles),
      `|---|${titles
        .slice(1)
        .map(() => '--:|')
        .join('')}\n`,
      ...metrics.filter(isShown).map((one) => markdownRow(row(one))),
      left(metrics) === '' ? '' : `\nUnchanged: ${left(metrics)}\n`,
    );
    if (report.listed === 0) continue;
    for (const one of metrics)
      for (const [word, direction] of directions(one)) {
        const { first, more } = listed(direction, report.listed);
        parts.push(
          `\n<details><summary>${one.metric.title}: ${directionInWords(word, direction)}</summary>\n\n`,
          '| function | before | after | change |\n|---|--:|--:|--:|\n',
          ...first.map((change) =>
            markdownRow([
              functionInWords(change.pair),
              String(change.before),
              String(change.after),
              relative(change.before, change.after) ?? signed(change.after - change.before),
            ]),
          ),
          more > 0 ? `\nand ${more} more\n` : '',
          '\n</details>\n',
        );
      }
  }
  for (const [title, functions] of [
    ['New', report.added],
    ['Gone', report.gone],
    ['Not compared because of errors', report.faulty.map(({ after }) => after)],
  ] as const) {
    if (functions.length === 0) continue;
    const more = functions.length - atLeastOne(report);
    parts.push(
      `\n**${title}**: ${functions
        .slice(0, atLeastOne(report))
        .map((f) => `\`${alone(f).replaceAll('`', "'")}\``)
        .join(', ')}${more > 0 ? ` and ${more} more` : ''}\n`,
    );
  }
  return parts.join('');
}

/** docs/diff.schema.json. */
function json(report: DiffReport): string {
  const side = ({ path, spillway, functions }: Side): object => ({
    source: path,
    ...(spillway === undefined ? {} : { spillway }),
    functions: functions.length,
  });
  const named = (f: Figures): object => ({
    file: f.file,
    name: f.name,
    ...(f.nth === 1 ? {} : { nth: f.nth }),
    ...(f.line === undefined ? {} : { line: f.line }),
    target: f.target,
    model: f.model,
    ...(f.strategy === undefined ? {} : { strategy: f.strategy }),
  });
  const was = ({ before, after }: Pair): object => {
    const differing = (['file', 'target', 'model', 'strategy'] as const).filter(
      (key) => before[key] !== undefined && before[key] !== after[key],
    );
    return differing.length === 0
      ? {}
      : { before: Object.fromEntries(differing.map((key) => [key, before[key]])) };
  };
  const direction = ({ changes, absolute, relative: shares }: Direction): object => ({
    functions: changes.length,
    ...(absolute === undefined ? {} : { absolute }),
    ...(shares === undefined ? {} : { percent: shares }),
  });
  const value = {
    kind: 'spillway diff',
    version: 1,
    before: side(report.before),
    after: side(report.after),
    counts: countsOf(report),
    metrics: report.targets.flatMap(({ target, metrics }) =>
      metrics.map(({ metric, functions, before, after, unchanged, helped, hurt }) => ({
        target,
        metric: metric.key,
        better: metric.better,
        functions,
        before,
        after,
        unchanged,
        helped: direction(helped),
        hurt: direction(hurt),
      })),
    ),
    functions: report.pairs.flatMap((pair) => {
      const changes = changesOf(pair).map(({ metric, before, after, isBetter }) => ({
        metric: metric.key,
        before,
        after,
        isBetter,
      }));
      const others = was(pair);
      return changes.length === 0 && Object.keys(others).length === 0
        ? []
        : [{ ...named(pair.after), ...others, changes }];
    }),
    new: report.added.map(named),
    gone: report.gone.map(named),
    faulty: report.faulty.map(({ after }) => named(after)),
  };
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
