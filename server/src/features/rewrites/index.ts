import type { Function } from '../../ir/function.js';
import type { Compilation } from '../../targets/target.js';
import { shift, type Span } from '../../text/span.js';
import type { Snapshot, Unit } from '../../workspace/snapshot.js';
import type { CodeAction } from '../data.js';
import { firstFrom, type Rewrite } from './candidates.js';
import { constantRewrites } from './constants.js';
import { byWorth, type Improvement } from './figures.js';
import { gain } from './gain.js';
import { raiseRewrites } from './raise.js';
import { recomputeRewrites } from './recompute.js';
import { reorderRewrites } from './reorder.js';
import { sinkRewrites } from './sink.js';
import { splitRewrites } from './split.js';
import { tried } from './trial.js';

/**
 * Rewrites that lower pressure, each compiled before it is offered: the figures in its title are what the function
 * comes to. They are offered on the lines that they concern, at the peak and on the function's name, the best first.
 */

/** Longer functions take too long to compile for a menu. */
const LONGEST = 3000;
/** Instructions that are compiled at most for one request. */
const MOST_COMPILED = 12_000;
/** Rewrites of one kind that are tried at most at one place. */
const MOST_TRIED = 6;

const kinds: readonly ((s: Snapshot, unit: Unit, c: Compilation) => Rewrite[])[] = [
  sinkRewrites,
  raiseRewrites,
  reorderRewrites,
  constantRewrites,
  recomputeRewrites,
  splitRewrites,
];

interface Known {
  readonly candidates: readonly (readonly Rewrite[])[];
  /** What came of a candidate: the figures, or undefined where it is not worth making. */
  readonly outcomes: Map<Rewrite, Improvement | undefined>;
}

const remembered = new WeakMap<Compilation, Known>();

/** Says when no further rewrite shall be tried: those that were are offered, and the next request goes on. */
export type IsEnough = () => boolean;

/** Offers at `place` (offsets of the document), step by step. What was tried is remembered while the function is the same. */
export function* pressureActions(
  s: Snapshot,
  unit: Unit,
  place: Span,
  isEnough: IsEnough = () => false,
): Generator<undefined, CodeAction[]> {
  const f = unit.function;
  if (f === undefined || !unit.isCompiled || unit.compilation === undefined || hasErrors(unit)) return [];
  if (f.instructionCount > LONGEST) return [];
  const c = unit.compilation;
  const local = shift(place, -unit.start);
  const isEverywhere = meets(local, f.nameStart, f.nameEnd) || isAtPeak(s, unit, c, place);
  let known = remembered.get(c);
  if (known === undefined)
    remembered.set(c, (known = { candidates: kinds.map((kind) => kind(s, unit, c)), outcomes: new Map() }));
  const { candidates, outcomes } = known;
  let budget = MOST_COMPILED;
  const offered: Offer[] = [];
  for (const ofKind of candidates) {
    const wanted = ofKind.filter(
      ({ anchors }) => isEverywhere || anchors.some((i) => isOnLines(s, unit, f, i, place)),
    );
    for (const rewrite of wanted.slice(0, MOST_TRIED)) {
      if (!outcomes.has(rewrite)) {
        budget -= f.instructionCount;
        if (budget < 0 || isEnough()) continue;
        yield undefined;
        const after = yield* tried(s, unit, rewrite);
        outcomes.set(rewrite, after && (yield* gain(s, unit, c, after)));
      }
      const worth = outcomes.get(rewrite);
      if (worth !== undefined) offered.push({ rewrite, worth });
    }
  }
  offered.sort((a, b) => byWorth(a.worth, b.worth));
  return offered.map((offer, k) => actionOf(s, unit, offer, k === 0));
}

interface Offer {
  readonly rewrite: Rewrite;
  readonly worth: Improvement;
}

/** The first one is what a person would choose, if the compiled program is better for it. */
const actionOf = (s: Snapshot, unit: Unit, { rewrite, worth }: Offer, isFirst: boolean): CodeAction => ({
  title: `${rewrite.title}: ${worth.told}`,
  kind: 'refactor.rewrite.pressure',
  edits: rewrite.edits.map((e) => ({ range: s.lines.range(shift(e.span, unit.start)), newText: e.newText })),
  isPreferred: isFirst && worth.isCompiled,
});

/** A faulty instruction is not in the function: nobody knows what would be moved across it. */
const hasErrors = (unit: Unit): boolean =>
  [unit.parsed.problems, unit.bound.problems].some((list) =>
    list.some(({ severity }) => severity === 'error'),
  );

const meets = ({ start, end }: Span, from: number, to: number): boolean => start <= to && from <= end;

/** Whether as many registers are held on one of the lines as anywhere in the order of the text. */
function isAtPeak(s: Snapshot, unit: Unit, { source: f, asWritten }: Compilation, place: Span): boolean {
  const peak = asWritten.peak[0] ?? 0;
  if (peak === 0) return false;
  const during = asWritten.during[0];
  const first = firstFrom(f.spanEnd, s.lines.startOf(s.lines.lineAt(place.start)) - unit.start);
  for (let i = first; i < f.instructionCount && isOnLines(s, unit, f, i, place); i++)
    if (during[i] === peak) return true;
  return false;
}

function isOnLines(s: Snapshot, unit: Unit, f: Function, instruction: number, place: Span): boolean {
  const first = s.lines.startOf(s.lines.lineAt(unit.start + f.spanStart[instruction]));
  const last = s.lines.contentEnd(s.lines.lineAt(unit.start + f.spanEnd[instruction]));
  return meets(place, first, last);
}
