import { shift, type Position } from '../text/span.js';
import type { BoundUnit } from '../languages/language.js';
import { familyOf, type Code } from '../text/codes.js';
import type { Problem, RelatedPlace, Severity } from '../text/problem.js';
import type { Settings } from '../workspace/settings.js';
import type { Snapshot, Unit } from '../workspace/snapshot.js';
import type { Diagnostic, Diagnostics } from './data.js';
import { rangeIn } from './locate.js';

/**
 * All problems of a document: syntax, names and rules, and what the machine makes of each function. A unit's
 * problems are judged once under the settings and kept with the unit; an edit elsewhere only moves them.
 */
export interface DiagnosticsOptions {
  /** Leave out what would first need a compilation, to answer at once. */
  readonly compiledOnly?: boolean;
}

/** A problem under the severity that the settings give it. */
export interface Finding {
  readonly problem: Problem;
  readonly severity: Severity;
}

/** The page of a code; the anchor is the one that GitHub and VS Code give its heading. */
export const documentationOf = (code: Code): string => `docs/diagnostics.md#${code.replace('/', '')}`;

const severities: readonly Severity[] = ['error', 'warning', 'information', 'hint'];

export function diagnostics(s: Snapshot, options: DiagnosticsOptions = {}): Diagnostics {
  const found: { readonly unit: Unit; readonly judged: Judged }[] = [];
  const counts: Record<Severity, number> = { error: 0, warning: 0, information: 0, hint: 0 };
  const ofModule = moduleProblemsOf(s);
  for (const unit of s.units) {
    const judged = judgedOf(s, unit, options, ofModule.get(unit.index));
    if (judged.findings.length === 0) continue;
    found.push({ unit, judged });
    for (const severity of severities) counts[severity] += judged.counts[severity];
  }

  const room = { ...counts };
  let left = Math.max(0, s.settings.diagnostics.maximum);
  let omitted = 0;
  for (const severity of severities) {
    room[severity] = Math.min(counts[severity], left);
    left -= room[severity];
    omitted += counts[severity] - room[severity];
  }
  const items: Diagnostic[] = [];
  for (const { unit, judged } of found) {
    const placed = placedAt(s, unit, judged);
    judged.findings.forEach((f, k) => {
      if (room[f.severity]-- > 0) items.push((placed[k] ??= diagnosticOf(s, unit, f)));
    });
  }
  return { items, omitted };
}

/** A unit's problems under the document's settings, in text order. Offsets stay relative to the unit. */
export const findingsOf = (s: Snapshot, unit: Unit, options: DiagnosticsOptions = {}): readonly Finding[] =>
  judgedOf(s, unit, options, moduleProblemsOf(s).get(unit.index)).findings;

const byModule = new WeakMap<Snapshot, ReadonlyMap<number, readonly Problem[]>>();
const noModule: ReadonlyMap<number, readonly Problem[]> = new Map();

/** What shows only when all units are seen together, once for a version of the document. */
function moduleProblemsOf(s: Snapshot): ReadonlyMap<number, readonly Problem[]> {
  const { moduleProblems } = s.language;
  if (moduleProblems === undefined) return noModule;
  let problems = byModule.get(s);
  if (problems === undefined) byModule.set(s, (problems = moduleProblems(s.units)));
  return problems;
}

function judgedOf(
  s: Snapshot,
  unit: Unit,
  options: DiagnosticsOptions,
  ofModule: readonly Problem[] = none,
): Judged {
  const { bound } = unit;
  const compilation = options.compiledOnly !== true || unit.isCompiled ? unit.compilation : undefined;
  const machine = compilation?.problems ?? none;
  const { fault } = unit;
  const severity = s.settings.diagnostics.severity;
  const known = kept.get(bound);
  if (
    known?.machine === machine &&
    known.fault === fault &&
    known.severity === severity &&
    sameProblems(known.ofModule, ofModule)
  )
    return known;
  const findings = judge(severity, [
    ...unit.parsed.problems,
    ...bound.problems,
    ...ofModule,
    ...machine,
    ...(fault === undefined ? none : [fault]),
  ]);
  const counts: Record<Severity, number> = { error: 0, warning: 0, information: 0, hint: 0 };
  for (const f of findings) counts[f.severity]++;
  const pointsElsewhere = findings.some(({ problem }) =>
    problem.related?.some((r) => r.anchor !== undefined),
  );
  const judged = { machine, fault, ofModule, severity, findings, counts, pointsElsewhere, placed: undefined };
  kept.set(bound, judged);
  return judged;
}

/** A unit's diagnostics where the unit stands now: those of before, for as long as it has not moved. */
function placedAt(s: Snapshot, unit: Unit, judged: Judged): (Diagnostic | undefined)[] {
  if (judged.pointsElsewhere) return [];
  const start = s.lines.positionAt(unit.start);
  const before = judged.placed;
  if (before?.start.line === start.line && before.start.character === start.character && before.uri === s.uri)
    return before.diagnostics;
  judged.placed = { uri: s.uri, start, diagnostics: [] };
  return judged.placed.diagnostics;
}

const none: readonly Problem[] = [];

const sameProblems = (a: readonly Problem[], b: readonly Problem[]): boolean =>
  a === b || (a.length === b.length && a.every((problem, n) => problem === b[n]));

interface Judged {
  readonly machine: readonly Problem[];
  readonly fault: Problem | undefined;
  readonly ofModule: readonly Problem[];
  readonly severity: Severities;
  readonly findings: readonly Finding[];
  readonly counts: Readonly<Record<Severity, number>>;
  /** Something in it is related to a place in another unit, which may move by itself. */
  readonly pointsElsewhere: boolean;
  /** By number of the finding; empty where nobody has asked yet. */
  placed:
    | {
        readonly uri: string;
        readonly start: Position;
        readonly diagnostics: (Diagnostic | undefined)[];
      }
    | undefined;
}

/** The last answer for each unit. */
const kept = new WeakMap<BoundUnit, Judged>();

type Severities = Settings['diagnostics']['severity'];

function judge(settings: Severities, problems: readonly Problem[]): readonly Finding[] {
  const byCode = new Map<string, Severity | 'off' | undefined>();
  const findings: Finding[] = [];
  for (const problem of problems) {
    if (!byCode.has(problem.code)) byCode.set(problem.code, severityFor(settings, problem.code));
    const chosen = byCode.get(problem.code) ?? problem.severity;
    if (chosen !== 'off') findings.push({ problem, severity: chosen });
  }
  return findings.sort(byStart);
}

const byStart = (a: Finding, b: Finding): number =>
  a.problem.span.start - b.problem.span.start || a.problem.span.end - b.problem.span.end;

/** What the settings say of a code: the code itself before its family (`stall/*`), that before `*`; undefined for nothing. */
export function severityFor(settings: Severities, code: Code): Severity | 'off' | undefined {
  for (const key of [code, familyOf(code), '*']) if (Object.hasOwn(settings, key)) return settings[key];
  return undefined;
}

function diagnosticOf(s: Snapshot, unit: Unit, { problem, severity }: Finding): Diagnostic {
  return {
    range: rangeIn(s, unit, problem.span),
    severity,
    code: problem.code,
    message: problem.message,
    documentation: documentationOf(problem.code),
    related: (problem.related ?? []).flatMap((place) => {
      const base = baseOf(s, unit, place);
      return base === undefined
        ? []
        : [
            {
              location: { uri: s.uri, range: s.lines.range(shift(place.span, base)) },
              message: place.message,
            },
          ];
    }),
    tags: problem.tags ?? [],
  };
}

/** The offset in the document to which a place is relative; undefined when its anchor is gone. */
function baseOf(s: Snapshot, unit: Unit, place: RelatedPlace): number | undefined {
  if (place.anchor === undefined) return unit.start;
  const found = nearestDeclaration(s, unit, place.anchor);
  return found === undefined ? undefined : found.unit.start + found.declaration.span.start;
}

/** The declaration of a name that a unit sees first: the last one before it, else the first one after it, else its own. */
export function nearestDeclaration(
  s: Snapshot,
  unit: Unit,
  name: string,
): ReturnType<Snapshot['declarations']>[number] | undefined {
  const all = s.declarations(name);
  return (
    all.findLast((d) => d.unit.index < unit.index) ?? all.find((d) => d.unit.index > unit.index) ?? all.at(0)
  );
}
