import { withoutElements, type ElementList } from '../text/element-list.js';
import type { Fix, FixEdit, Problem } from '../text/problem.js';
import type { Range, Span, TextEdit } from '../text/span.js';
import { shift } from '../text/span.js';
import type { Snapshot, Unit } from '../workspace/snapshot.js';
import type { CodeAction, Edit } from './data.js';
import { findingsOf, nearestDeclaration } from './diagnostics.js';
import { rangeIn, spanOfRange, unitsIn } from './locate.js';
import { pressureActions, type IsEnough } from './rewrites/index.js';

/**
 * Repairs at a place: the fixes of the problems there; the same fix for all problems of one code; everything that
 * is safe in the whole document (`source.fixAll`); rewrites that lower pressure, of a kind of their own; and rewrites that
 * the language has.
 */
export interface CodeActionOptions {
  /** Kinds that are wanted, as prefixes (`source` wants `source.fixAll`); all when absent. */
  readonly only?: readonly string[];
  /** When to stop trying rewrites; never when absent. */
  readonly isEnough?: IsEnough;
}

/** All of them at once, for callers that nobody waits for. */
export function codeActions(s: Snapshot, range: Range, options: CodeActionOptions = {}): CodeAction[] {
  const steps = codeActionSteps(s, range, options);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** The same in steps, since rewrites are compiled before they are offered. */
export function* codeActionSteps(
  s: Snapshot,
  range: Range,
  options: CodeActionOptions = {},
): Generator<undefined, CodeAction[]> {
  const isWanted = (kind: CodeAction['kind']): boolean =>
    options.only === undefined ||
    options.only.some((o) => o === '' || kind === o || kind.startsWith(`${o}.`));
  const place = spanOfRange(s, range);
  const actions: CodeAction[] = [];
  if (isWanted('quickfix')) actions.push(...quickFixes(s, place));
  if (isWanted('refactor.rewrite.pressure'))
    for (const unit of unitsIn(s, place))
      actions.push(...(yield* pressureActions(s, unit, place, options.isEnough)));
  if (isWanted('refactor.rewrite')) actions.push(...rewrites(s, place));
  if (isWanted('source.fixAll') && options.only !== undefined) actions.push(...fixAll(s));
  return actions;
}

/** Rewrites that the language offers here, those included that it says it cannot do. */
const rewrites = (s: Snapshot, place: Span): CodeAction[] =>
  (s.language.refactorings?.(s.units, place) ?? []).map((found) => ({
    title: found.title,
    kind: 'refactor.rewrite',
    isPreferred: false,
    ...('refused' in found ? { edits: [], refused: found.refused } : { edits: toRanges(s, found.edits) }),
  }));

function quickFixes(s: Snapshot, place: Span): CodeAction[] {
  const actions: CodeAction[] = [];
  const codes = new Set<string>();
  for (const unit of unitsIn(s, place))
    for (const { problem } of findingsOf(s, unit)) {
      const at = shift(problem.span, unit.start);
      if (at.start > place.end || at.end < place.start) continue;
      for (const fix of [...(problem.fixes ?? []), ...directiveFixes(s, unit, problem)]) {
        const edits = editsOf(s, unit, fix);
        if (edits === undefined) continue;
        codes.add(problem.code);
        actions.push({
          title: fix.title,
          kind: 'quickfix',
          edits: toRanges(s, edits),
          isPreferred: fix.preferred ?? false,
          repairs: { code: problem.code, range: rangeIn(s, unit, problem.span) },
        });
      }
    }
  for (const code of codes) {
    const { edits, count } = together(s, (p) => (p.code === code ? safeFix(p) : undefined));
    if (count < 2) continue;
    const title = `Fix all ${count} problems of ${code} in this file`;
    actions.push({ title, kind: 'quickfix', edits: toRanges(s, edits), isPreferred: false });
  }
  return actions;
}

/** What a target says of a directive, as an edit of the text. Never preferred: it changes what a person has written. */
function directiveFixes(s: Snapshot, unit: Unit, { directiveFix: fix }: Problem): Fix[] {
  const at = fix && s.language.directiveAt?.(unit.parsed, fix.directive);
  if (fix === undefined || at === undefined) return [];
  const written = fix.value === undefined ? '' : `${fix.directive} ${fix.value}`;
  const title = written === '' ? `Remove \`${fix.directive}\`` : `Write \`${written}\``;
  const where = written === '' ? withBlanks(unit.parsed.text, at) : at;
  return [{ title, edits: [{ span: where, newText: written }] }];
}

/** With the blanks in front; with its line, where nothing else stands there. */
function withBlanks(text: string, { start, end }: Span): Span {
  while (/[ \t]/.test(text.charAt(start - 1))) start--;
  const isLineStart = start === 0 || text.charAt(start - 1) === '\n';
  const rest = isLineStart ? /^[ \t]*\r?\n/.exec(text.slice(end)) : null;
  return { start, end: end + (rest?.[0].length ?? 0) };
}

/**
 * Where there are several ways out, or the one way out is a guess, a person has to choose: such problems are not
 * repaired together with others.
 */
const safeFix = (problem: Problem): Fix | undefined =>
  problem.fixes?.length === 1 && problem.fixes[0].preferred === true ? problem.fixes[0] : undefined;

/** Every problem of the document that has exactly one fix and that a safe one; of fixes that want the same text, the first. */
function fixAll(s: Snapshot): CodeAction[] {
  const { edits, count } = together(s, safeFix);
  if (count === 0) return [];
  const title =
    count === 1
      ? 'Fix the problem that has one safe fix'
      : `Fix all ${count} problems that have one safe fix`;
  return [{ title, kind: 'source.fixAll', edits: toRanges(s, edits), isPreferred: false }];
}

/** Edits that are made all or none, and how many problems they mend. */
interface Repair {
  readonly edits: readonly TextEdit[];
  readonly count: number;
}

function together(
  s: Snapshot,
  chosen: (problem: Problem) => Fix | undefined,
): { readonly edits: readonly TextEdit[]; readonly count: number } {
  const repairs: Repair[] = [];
  for (const unit of s.units) {
    const removed = new Map<ElementList, Set<number>>();
    for (const { problem } of findingsOf(s, unit)) {
      const fix = chosen(problem);
      if (fix?.removes !== undefined) {
        const { list, index } = fix.removes;
        const known = removed.get(list);
        if (known === undefined) removed.set(list, new Set([index]));
        else known.add(index);
        continue;
      }
      const edits = fix === undefined ? undefined : editsOf(s, unit, fix);
      if (edits !== undefined && edits.length > 0) repairs.push({ edits, count: 1 });
    }
    for (const [list, indices] of removed) {
      const edits = withoutElements(list, indices).map((e) => ({ ...e, span: shift(e.span, unit.start) }));
      repairs.push({ edits, count: indices.size });
    }
  }
  return combine(repairs);
}

/**
 * Puts repairs together, each whole or not at all. Those that are equal are made once and all counted (one missing
 * declaration mends every use); one that wants text that another one has changed is left for the next time.
 */
function combine(repairs: readonly Repair[]): { edits: TextEdit[]; count: number } {
  const made = new Set<string>();
  const claimed = new Claims();
  const accepted: TextEdit[] = [];
  let count = 0;
  for (const { edits, count: mended } of repairs) {
    const key = JSON.stringify(edits);
    if (!made.has(key)) {
      if (edits.some((e) => claimed.collides(e))) continue;
      for (const e of edits) claimed.add(e);
      accepted.push(...edits);
      made.add(key);
    }
    count += mended;
  }
  return { edits: accepted.sort(byStart), count };
}

/** Stretches of text that are changed already, in buckets of 64 code units so that a look is near constant. */
class Claims {
  private readonly buckets = new Map<number, TextEdit[]>();

  collides(edit: TextEdit): boolean {
    for (let b = edit.span.start >> 6; b <= edit.span.end >> 6; b++)
      if (this.buckets.get(b)?.some((other) => meet(edit, other))) return true;
    return false;
  }

  add(edit: TextEdit): void {
    for (let b = edit.span.start >> 6; b <= edit.span.end >> 6; b++) {
      const list = this.buckets.get(b);
      if (list === undefined) this.buckets.set(b, [edit]);
      else list.push(edit);
    }
  }
}

/** Two insertions at one place stand side by side; everything else that touches is in the way. */
function meet({ span: a }: TextEdit, { span: b }: TextEdit): boolean {
  const areInsertions = a.start === a.end && b.start === b.end;
  return !areInsertions && a.start <= b.end && b.start <= a.end;
}

const byStart = (a: TextEdit, b: TextEdit): number => a.span.start - b.span.start || a.span.end - b.span.end;

/** The fix's edits with offsets in the document, sorted; undefined when an anchor is gone or two edits overlap. */
function editsOf(s: Snapshot, unit: Unit, fix: Fix): TextEdit[] | undefined {
  const edits: TextEdit[] = [];
  for (const edit of fix.edits) {
    const base = baseOf(s, unit, edit);
    if (base === undefined) return undefined;
    const span = shift(edit.span, base);
    if (span.start < 0 || span.end > s.lines.length || span.end < span.start) return undefined;
    edits.push({ span, newText: edit.newText });
  }
  edits.sort(byStart);
  return edits.every((e, k) => k === 0 || edits[k - 1].span.end <= e.span.start) ? edits : undefined;
}

function baseOf(s: Snapshot, unit: Unit, edit: FixEdit): number | undefined {
  if (edit.anchor === undefined) return unit.start;
  const found = nearestDeclaration(s, unit, edit.anchor);
  return found === undefined ? undefined : found.unit.start + found.declaration.span.start;
}

const toRanges = (s: Snapshot, edits: readonly TextEdit[]): Edit[] =>
  edits.map((e) => ({ range: s.lines.range(e.span), newText: e.newText }));
