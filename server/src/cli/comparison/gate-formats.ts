/** Reports of `spillway baseline check`. */
import { count } from '../../text/words.js';
import { coloursFor, type Colours } from '../colours.js';
import { annotation, type GithubLevel } from '../github.js';
import type { Context } from '../inputs.js';
import { sarifLog, uriReference } from '../sarif.js';
import { allowanceInWords } from './allowances.js';
import { changeInWords } from './change.js';
import { shownName, type Figures } from './figures.js';
import { fails, isMoved, type Judged, type JudgedChange, type Status } from './judgement.js';

export interface GateReport {
  /** Path of the baseline as given. */
  readonly baseline: string;
  readonly judged: readonly Judged[];
  readonly isStrict: boolean;
  /** No function fails, and no file has an error. */
  readonly passed: boolean;
  /** Functions of the baseline that were not looked at: of other files, or of other machines. */
  readonly notChecked: number;
  /** The path of a file now, as given on the command line. */
  readonly pathOf: (f: Figures) => string;
  /** One-based line of a function in the baseline file. */
  readonly lineInBaseline: (f: Figures) => number | undefined;
}

type Format = (report: GateReport, context: Context) => string;

export const gateFormats: Readonly<Record<string, Format | undefined>> = { text, json, md, sarif, github };

const countOf = ({ judged }: GateReport, status: Status): number =>
  judged.filter((one) => one.status === status).length;

/** What there is to say something about. */
const noteworthy = ({ judged }: GateReport): readonly Judged[] =>
  judged.filter((one) => one.status !== 'same' || isMoved(one) || strategyChange(one) !== undefined);

const labels: Readonly<Record<Status, string>> = {
  worse: 'worse',
  allowed: 'allowed',
  better: 'better',
  same: 'same',
  new: 'new',
  gone: 'gone',
  retargeted: 'target',
  faulty: 'error',
};

/** In one word; what stays the same under another name, or is compiled another way, is said too. */
const labelOf = (judged: Judged): string =>
  judged.status !== 'same' ? labels[judged.status] : isMoved(judged) ? 'moved' : 'changed';

const figuresIn = ({ before, after }: Judged): Figures => (after ?? before)!;

/** `sm_90, limit 255`, or what it was and is. */
function modelInWords({ before, after }: Judged): string {
  const [a, b] = [before?.model, after?.model];
  if (a === undefined || b === undefined || a === b) return (b ?? a)!;
  return `${a} → ${b}`;
}

function strategyChange({ before, after }: Judged): string | undefined {
  const [a, b] = [before?.strategy, after?.strategy];
  return a === b || a === undefined || b === undefined ? undefined : `compiled as ${a} → ${b}`;
}

function changeLine({ metric, verdict, allowance, ...change }: JudgedChange): string {
  const judgement = {
    worse: `worse, allowed ${allowanceInWords(allowance)}`,
    allowed: allowance.kind === 'any' ? 'worse' : `worse, allowed ${allowanceInWords(allowance)}`,
    better: 'better',
  };
  return `${metric.title} ${changeInWords(change)}: ${judgement[verdict]}`;
}

/** Why the figures say nothing, or what else is to be known. */
function remarks(judged: Judged): string[] {
  const { status, before, after } = judged;
  const all = [isMoved(judged) ? `in ${before!.file} in the baseline` : undefined, strategyChange(judged)];
  if (status === 'retargeted') all.push(`for ${before!.target} in the baseline, now for ${after!.target}`);
  if (status === 'faulty')
    all.push(
      after!.errors > 0 ? 'not compared: it has an error' : 'not compared: it had an error in the baseline',
    );
  return all.flatMap((one) => one ?? []);
}

/** A new function's own figures, so that a reader sees what it brings in. */
function newFigures({ metrics }: Figures): string {
  const shown = (['registers', 'words', 'spills', 'occupancy'] as const).flatMap((key) =>
    metrics[key] === undefined
      ? []
      : [
          `${metrics[key]} ${{ registers: 'registers', words: 'words', spills: 'spilled', occupancy: 'warps' }[key]}`,
        ],
  );
  return shown.join(', ');
}

function details(judged: Judged): string[] {
  const { status, after, changes } = judged;
  const hasChanges = status !== 'faulty' && status !== 'retargeted';
  return [
    ...remarks(judged),
    ...(hasChanges ? changes.map(changeLine) : []),
    ...(status === 'new' ? [newFigures(after!)] : []),
  ];
}

const placeOf = (judged: Judged, { pathOf }: GateReport): string => {
  const f = figuresIn(judged);
  return judged.after?.line === undefined ? f.file : `${pathOf(f)}:${judged.after.line}`;
};

function text(report: GateReport, { io }: Context): string {
  const colours = coloursFor(io);
  const lines = noteworthy(report).flatMap((judged) => [
    `${painted(judged, report, colours)} ${colours.strong(placeOf(judged, report))}: ${shownName(figuresIn(judged))} (${modelInWords(judged)})`,
    ...details(judged).map((line) => `         ${line}`),
  ]);
  return [...lines, summary(report), ''].join('\n');
}

function painted(judged: Judged, { isStrict }: GateReport, { severity, faint }: Colours): string {
  const label = labelOf(judged).padEnd(8);
  return fails(judged, isStrict) ? severity.error(label) : faint(label);
}

/** `41 functions as in spillway-baseline.json or better: 3 better, 38 the same; 1 new. The gate passes.` */
function summary(report: GateReport): string {
  const { judged, baseline, notChecked, passed } = report;
  const compared = judged.filter(({ before, after }) => before !== undefined && after !== undefined).length;
  const counts: readonly (readonly [Status, string])[] = [
    ['worse', 'worse than allowed'],
    ['allowed', 'worse as allowed'],
    ['better', 'better'],
    ['same', 'the same'],
    ['retargeted', 'for another target'],
    ['faulty', 'with errors'],
    ['new', 'new'],
    ['gone', 'gone'],
  ];
  const told = counts.flatMap(([status, words]) => {
    const n = countOf(report, status);
    return n === 0 ? [] : [`${n} ${words}`];
  });
  const rest = notChecked === 0 ? '' : `; ${notChecked} of the baseline not looked at`;
  return `${count(compared, 'function')} compared with ${baseline}${told.length === 0 ? '' : `: ${told.join(', ')}`}${rest}; the gate ${passed ? 'passes' : 'fails'}`;
}

function md(report: GateReport): string {
  const rows = noteworthy(report).flatMap((judged) => {
    const f = figuresIn(judged);
    const line = (change: JudgedChange): string[] => [
      labels[change.verdict],
      placeOf(judged, report),
      shownName(f),
      `${change.metric.title} ${changeInWords(change)}`,
      modelInWords(judged),
    ];
    const rest = judged.status === 'new' ? [newFigures(judged.after!), ...remarks(judged)] : remarks(judged);
    const hasChanges = judged.status !== 'faulty' && judged.status !== 'retargeted';
    const changes = hasChanges ? judged.changes.map(line) : [];
    return changes.length > 0 && rest.length === 0
      ? changes
      : [
          [labelOf(judged), placeOf(judged, report), shownName(f), rest.join('; '), modelInWords(judged)],
          ...changes,
        ];
  });
  const table =
    rows.length === 0
      ? ''
      : `| | place | function | figures | model |\n|---|---|---|---|---|\n${rows.map(markdownRow).join('')}\n`;
  return `### Spillway: the gate ${report.passed ? 'passes' : 'fails'}\n\n${table}${summary(report)}\n`;
}

export const markdownRow = (cells: readonly string[]): string => `| ${cells.map(escaped).join(' | ')} |\n`;

const escaped = (cell: string): string =>
  cell.replaceAll('\\', '\\\\').replace(/[|*_`<>[\]]/g, (sign) => `\\${sign}`);

/** docs/baseline-check.schema.json. */
function json(report: GateReport): string {
  const statuses = Object.keys(labels) as Status[];
  return `${JSON.stringify(
    {
      kind: 'spillway baseline check',
      version: 1,
      baseline: report.baseline,
      passed: report.passed,
      counts: {
        ...Object.fromEntries(statuses.map((status) => [status, countOf(report, status)])),
        notChecked: report.notChecked,
      },
      functions: noteworthy(report).map((judged) => {
        const f = figuresIn(judged);
        return {
          status: judged.status,
          file: judged.after === undefined ? f.file : report.pathOf(f),
          name: f.name,
          ...(f.nth === 1 ? {} : { nth: f.nth }),
          ...(judged.after?.line === undefined ? {} : { line: judged.after.line }),
          target: f.target,
          model: f.model,
          ...before(judged),
          changes: judged.changes.map(({ metric, before, after, verdict, allowance }) => ({
            metric: metric.key,
            before,
            after,
            verdict,
            allowed: allowance.kind === 'number' ? allowance.by : allowanceInWords(allowance),
          })),
        };
      }),
    },
    undefined,
    2,
  )}\n`;
}

/** What was otherwise in the baseline, figures aside. */
function before({ before: old, after }: Judged): object {
  if (old === undefined || after === undefined) return {};
  const keys = ['file', 'target', 'model', 'strategy', 'errors'] as const;
  const differing = keys.filter((key) => old[key] !== undefined && old[key] !== after[key]);
  return differing.length === 0
    ? {}
    : { before: Object.fromEntries(differing.map((key) => [key, old[key]])) };
}

/** One finding for services that show them at a line. */
interface Finding {
  readonly rule: string;
  readonly level: GithubLevel;
  readonly message: string;
  readonly path: string;
  readonly line: number | undefined;
}

function findings(report: GateReport): Finding[] {
  const { isStrict, baseline, pathOf, lineInBaseline } = report;
  return noteworthy(report).flatMap((judged): Finding[] => {
    const f = figuresIn(judged);
    const place =
      judged.after === undefined
        ? { path: baseline, line: lineInBaseline(f) }
        : { path: pathOf(f), line: f.line };
    const about = `${shownName(f)} (${modelInWords(judged)})`;
    if (judged.status === 'worse')
      return judged.changes
        .filter(({ verdict }) => verdict === 'worse')
        .map((change) => ({
          rule: `baseline/${change.metric.key}`,
          level: 'error',
          message: `${about}: ${changeLine(change)}`,
          ...place,
        }));
    const isLoud = judged.status !== 'better' && judged.status !== 'same' && judged.status !== 'new';
    const level =
      fails(judged, isStrict) || (judged.after?.errors ?? 0) > 0 ? 'error' : isLoud ? 'warning' : 'notice';
    const what = judged.status === 'gone' ? [`gone from ${f.file}`] : details(judged);
    const message = `${about}: ${[labelOf(judged), ...what].join('; ')}`;
    return [
      {
        rule: `baseline/${judged.status === 'same' ? labelOf(judged) : judged.status}`,
        level,
        message,
        ...place,
      },
    ];
  });
}

function github(report: GateReport): string {
  return findings(report)
    .map(({ rule, level, message, path, line }) =>
      annotation(level, { file: path.replaceAll('\\', '/'), line, title: rule }, message),
    )
    .join('');
}

const sarifLevels: Readonly<Record<GithubLevel, string>> = {
  error: 'error',
  warning: 'warning',
  notice: 'note',
};

function sarif(report: GateReport): string {
  const all = findings(report);
  const ids = [...new Set(all.map(({ rule }) => rule))].sort();
  return sarifLog(
    ids.map((id) => ({
      id,
      shortDescription: { text: `A function beside its baseline: ${id.replace('baseline/', '')}` },
    })),
    all.map(({ rule, level, message, path, line }) => ({
      ruleId: rule,
      ruleIndex: ids.indexOf(rule),
      level: sarifLevels[level],
      message: { text: message },
      locations: [
        {
          physicalLocation: {
            artifactLocation: { uri: uriReference(path) },
            ...(line === undefined ? {} : { region: { startLine: line } }),
          },
        },
      ],
    })),
  );
}
