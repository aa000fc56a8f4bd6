/** What a gate makes of each function: the figures now beside those of the baseline. */
import { allowanceFor, isTooMuch, type Allowance, type Allowances } from './allowances.js';
import { changesOf, type Change } from './change.js';
import type { Figures } from './figures.js';
import { paired } from './pairing.js';

/**
 * `worse` than allowed, worse but `allowed`, `better` or the `same`; `new` and `gone`; for another architecture than in
 * the baseline (`retargeted`), or with an error then or now (`faulty`), so that the figures say nothing.
 */
export type Status = 'worse' | 'allowed' | 'better' | 'same' | 'new' | 'gone' | 'retargeted' | 'faulty';

export interface JudgedChange extends Change {
  readonly verdict: 'worse' | 'allowed' | 'better';
  readonly allowance: Allowance;
}

export interface Judged {
  readonly status: Status;
  /** Absent for a new function. */
  readonly before?: Figures;
  /** Absent for one that is gone. */
  readonly after?: Figures;
  /** The figures that differ, also where they decide nothing. */
  readonly changes: readonly JudgedChange[];
}

/** In the order of the functions now; what is gone comes last. */
export function judged(
  before: readonly Figures[],
  after: readonly Figures[],
  allowances: Allowances,
): Judged[] {
  const { pairs, gone } = paired(before, after);
  const known = new Map(pairs.map((pair) => [pair.after, pair.before]));
  return [
    ...after.map((f): Judged => {
      const old = known.get(f);
      return old === undefined ? { status: 'new', after: f, changes: [] } : judgedPair(old, f, allowances);
    }),
    ...gone.map((f): Judged => ({ status: 'gone', before: f, changes: [] })),
  ];
}

function judgedPair(before: Figures, after: Figures, allowances: Allowances): Judged {
  const changes = changesOf({ before, after }).map((change): JudgedChange => {
    const verdict = change.isBetter ? 'better' : isTooMuch(change, allowances) ? 'worse' : 'allowed';
    return { ...change, verdict, allowance: allowanceFor(change.metric, allowances) };
  });
  return { status: statusOf(before, after, changes), before, after, changes };
}

function statusOf(before: Figures, after: Figures, changes: readonly JudgedChange[]): Status {
  if (limitsOf(before.target) !== limitsOf(after.target)) return 'retargeted';
  if (before.errors > 0 || after.errors > 0) return 'faulty';
  const has = (verdict: JudgedChange['verdict']): boolean => changes.some((c) => c.verdict === verdict);
  return has('worse') ? 'worse' : has('allowed') ? 'allowed' : has('better') ? 'better' : 'same';
}

/** Figures for `sm_90a` and `sm_90f` have the limits of `sm_90`: what such a letter allows is other instructions. */
const limitsOf = (target: string): string => target.replace(/( sm_\d+)[af]$/, '$1');

/** In a file of another name than in the baseline. */
export const isMoved = ({ before, after }: Judged): boolean =>
  before !== undefined && after !== undefined && before.file !== after.file;

/** Statuses that fail a gate only when it is strict. */
const strictly: ReadonlySet<Status> = new Set<Status>(['new', 'gone', 'retargeted', 'faulty']);

export const fails = ({ status }: Judged, isStrict: boolean): boolean =>
  status === 'worse' || (isStrict && strictly.has(status));
