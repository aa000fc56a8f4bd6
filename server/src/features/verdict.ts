/**
 * What ptxas itself said of a document, beside the model's own figures: its messages on the lines that it names, its
 * registers and spills at each function. Everything is marked as ptxas's.
 */
import type { PtxasFunction, PtxasMessage, PtxasReport } from '../targets/nvidia/ptxas/report.js';
import type { PtxasRequest } from '../targets/nvidia/ptxas/request.js';
import type { Compilation } from '../targets/target.js';
import type { Code } from '../text/codes.js';
import type { Severity } from '../text/problem.js';
import type { Position, Range } from '../text/span.js';
import { count } from '../text/words.js';
import type { Snapshot, Unit } from '../workspace/snapshot.js';
import type { CodeLens, Diagnostic } from './data.js';
import { diagnostics, documentationOf, severityFor } from './diagnostics.js';
import { occurrenceIn, rangeIn } from './locate.js';

/** The report of one run on one version of a document. */
export interface Verdict {
  /** `ptxas 13.0.88`, or `ptxas` where the program does not say. */
  readonly tool: string;
  readonly request: PtxasRequest;
  readonly report: PtxasReport;
}

/** Most messages of ptxas that are shown for one document. */
const MOST_MESSAGES = 200;

export function verdictDiagnostics(s: Snapshot, verdict: Verdict): Diagnostic[] {
  const units = unitsByName(s);
  const found: Diagnostic[] = [];
  const report = (code: Code, usual: Severity, range: Range, message: string): void => {
    const severity = severityFor(s.settings.diagnostics.severity, code) ?? usual;
    if (severity === 'off') return;
    const documentation = documentationOf(code);
    found.push({ range, severity, code, message, documentation, related: [], tags: [], source: 'ptxas' });
  };
  for (const message of verdict.report.messages.slice(0, MOST_MESSAGES))
    report(
      message.severity === 'error' ? 'ptxas/error' : 'ptxas/warning',
      message.severity,
      placeOf(s, units, message),
      `${verdict.tool}: ${message.message}`,
    );
  found.push(...acceptance(s, verdict));
  for (const f of verdict.report.functions.values()) {
    const unit = units.get(f.name);
    const c = unit?.compilation;
    if (unit === undefined || c === undefined || !f.isEntry) continue;
    const isWorse = f.spillStoreBytes > 0 && c.stats.spills.registers === 0;
    report(
      isWorse ? 'ptxas/spill' : 'ptxas/registers',
      isWorse ? 'warning' : 'hint',
      nameRange(s, unit, c),
      `${verdictSummary(verdict, f)}; the model: ${modelFigures(c)}`,
    );
  }
  return found;
}

/** Errors that ptxas does not share: either it is lenient, or Spillway is wrong. */
function acceptance(s: Snapshot, { tool, request, report }: Verdict): Diagnostic[] {
  if (report.messages.some(({ severity }) => severity === 'error')) return [];
  const severity = severityFor(s.settings.diagnostics.severity, 'ptxas/accepted') ?? 'information';
  const errors = diagnostics(s).items.filter(
    (d) => d.severity === 'error' && /^(?:syntax|name|type|isa)\//.test(d.code),
  );
  if (errors.length === 0 || severity === 'off') return [];
  const code: Code = 'ptxas/accepted';
  const message = `${tool} accepts this file for ${request.arch}: ${errors.length === 1 ? 'the error here is' : `the ${errors.length} errors, of which this is the first, are`} Spillway's alone; please report what is wrong`;
  const documentation = documentationOf(code);
  return [
    {
      range: errors[0].range,
      severity,
      code,
      message,
      documentation,
      related: [],
      tags: [],
      source: 'ptxas',
    },
  ];
}

/** A second summary above each function that ptxas reports. */
export function verdictLenses(s: Snapshot, verdict: Verdict): CodeLens[] {
  if (!s.settings.codeLens) return [];
  const lenses: CodeLens[] = [];
  for (const [name, unit] of unitsByName(s)) {
    const f = verdict.report.functions.get(name);
    const c = unit.compilation;
    if (f === undefined || c === undefined) continue;
    lenses.push({ range: nameRange(s, unit, c), title: verdictSummary(verdict, f), command: undefined });
  }
  return lenses;
}

/** For a status bar: what ptxas says of the function at a place. */
export function verdictStatus(s: Snapshot, position: Position, verdict: Verdict): string | undefined {
  const name = s.unitAt(s.lines.offsetAt(position)).function?.name;
  const f = name === undefined ? undefined : verdict.report.functions.get(name);
  return f === undefined ? undefined : verdictSummary(verdict, f);
}

/** For a hover over a function's name: what ptxas says of it, as Markdown; undefined elsewhere. */
export function verdictText(s: Snapshot, position: Position, verdict: Verdict): string | undefined {
  const symbol = occurrenceIn(s, position)?.symbol;
  if (symbol?.isGlobal !== true || (symbol.kind !== 'function' && symbol.kind !== 'kernel')) return undefined;
  const f = verdict.report.functions.get(symbol.name);
  const c = unitsByName(s).get(symbol.name)?.compilation;
  if (f === undefined || c === undefined) return undefined;
  return `**${verdictSummary(verdict, f)}**  \nThe model: ${modelFigures(c)}`;
}

/**
 * `ptxas 13.0.88, sm_90 · 40 registers · spills 0 bytes`. What ptxas calls spills of a function that is no entry are
 * mostly the registers that it saves for its caller (measured: 16 + 4k bytes for k values across one call, under no
 * pressure at all), so they are not called so here.
 */
function verdictSummary({ tool, request }: Verdict, f: PtxasFunction): string {
  const parts = [`${tool}, ${request.arch}`];
  if (f.registers !== undefined) parts.push(count(f.registers, 'register'));
  const bytes = `${f.spillStoreBytes} bytes stored, ${f.spillLoadBytes} loaded`;
  const hasSpills = f.spillStoreBytes + f.spillLoadBytes > 0;
  if (f.isEntry) parts.push(hasSpills ? `spills: ${bytes}` : 'no spills');
  else if (hasSpills) parts.push(`saved for its caller or spilled: ${bytes}`);
  if (f.stackBytes > 0) parts.push(`${count(f.stackBytes, 'byte')} of stack`);
  return parts.join(' · ');
}

function modelFigures({ stats, source, model }: Compilation): string {
  const [low, high] = stats.registersRange ?? [0, 0];
  const range = low < high ? ` (${low} to ${high} for most kernels like this one)` : '';
  const registers = `${count(stats.registers[source.classes[0]?.name] ?? 0, 'register')}${range}`;
  const spills =
    stats.spills.registers === 0
      ? 'no spills'
      : `${stats.spills.storeBytes} bytes stored, ${stats.spills.loadBytes} loaded`;
  return `${registers}, ${spills} (${model})`;
}

const byName = new WeakMap<Snapshot, ReadonlyMap<string, Unit>>();

/** The units that hold a function's code, by its name. */
function unitsByName(s: Snapshot): ReadonlyMap<string, Unit> {
  let units = byName.get(s);
  if (units === undefined) {
    const found = new Map<string, Unit>();
    for (const unit of s.units) if (unit.function !== undefined) found.set(unit.function.name, unit);
    byName.set(s, (units = found));
  }
  return units;
}

const nameRange = (s: Snapshot, unit: Unit, { source }: Compilation): Range =>
  rangeIn(s, unit, { start: source.nameStart, end: source.nameEnd });

/** The line that ptxas names, without its indentation; else the name of the function; else the first line. */
function placeOf(s: Snapshot, units: ReadonlyMap<string, Unit>, message: PtxasMessage): Range {
  const unit = message.function === undefined ? undefined : units.get(message.function);
  const c = unit?.compilation;
  if (message.line === undefined && unit !== undefined && c !== undefined) return nameRange(s, unit, c);
  const line = Math.max(0, Math.min((message.line ?? 1) - 1, s.lines.lineCount - 1));
  const start = s.lines.startOf(line);
  const end = s.lines.contentEnd(line);
  const content = s.lines.slice(start, end);
  const indentation = content.length - content.trimStart().length;
  return s.lines.range({
    start: start + indentation,
    end: start + Math.max(indentation, content.trimEnd().length),
  });
}
