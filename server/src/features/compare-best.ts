/**
 * Which of several ways to compile a function is the best, and why. Memory traffic that the source does not ask for
 * costs most, then comes what can run beside a program to hide its waits, then how long it takes, then registers.
 */
export interface Figures {
  readonly registers?: number;
  readonly range?: readonly [low: number, high: number];
  readonly spilled?: number;
  readonly stores?: number;
  readonly loads?: number;
  readonly scratchBytes?: number;
  readonly frameBytes?: number;
  readonly warps?: number;
  readonly maxWarps?: number;
  readonly cycles?: number;
  /** Invocations that one run works for; 1 where it is absent. */
  readonly lanes?: number;
  readonly words?: number;
}

interface Criterion {
  /** Less is better; undefined: unknown, and so no reason. */
  readonly cost: (figures: Figures) => number | undefined;
  readonly why: (figures: Figures, isZero: boolean) => string;
}

const criteria: readonly Criterion[] = [
  {
    cost: ({ stores, loads }) => (stores === undefined ? undefined : stores + (loads ?? 0)),
    why: (_, isZero) => (isZero ? 'no spills' : 'fewest stores and reloads'),
  },
  {
    cost: ({ warps }) => (warps === undefined ? undefined : -warps),
    why: ({ warps }) => `most warps (${warps ?? 0})`,
  },
  {
    cost: ({ cycles, lanes = 1 }) => (cycles === undefined ? undefined : cycles / lanes),
    why: ({ cycles, lanes }) =>
      lanes === undefined
        ? `fewest cycles (${cycles ?? 0})`
        : `fewest cycles a lane (${cycles ?? 0} for ${lanes})`,
  },
  { cost: ({ words }) => words, why: ({ words }) => `fewest words (${words ?? 0})` },
  { cost: ({ registers }) => registers, why: ({ registers }) => `fewest registers (${registers ?? 0})` },
];

export interface Candidate {
  readonly group: string;
  readonly isPresent: boolean;
  readonly figures: Figures;
  readonly problem?: string;
}

/** The best row of each group in which the rows differ; of equal ones the present one, else the first. */
export function bestOf(
  rows: readonly Candidate[],
): { readonly group: string; readonly row: number; readonly why: string }[] {
  const groups = new Set(rows.map(({ group }) => group));
  return [...groups].flatMap((group) => {
    const all = [...rows.keys()].filter((k) => rows[k].group === group && rows[k].problem === undefined);
    let left = all;
    const reasons: string[] = [];
    for (const { cost, why } of criteria) {
      const costs = left.map((k) => cost(rows[k].figures));
      if (left.length < 2 || costs.some((one) => one === undefined)) continue;
      const least = Math.min(...(costs as number[]));
      const better = left.filter((_, k) => costs[k] === least);
      if (better.length < left.length) reasons.push(why(rows[better[0]].figures, least === 0));
      left = better;
    }
    if (reasons.length === 0 || all.length === 0) return [];
    const row = left.find((k) => rows[k].isPresent) ?? left[0];
    return [{ group, row, why: reasons.join(', of those ') }];
  });
}
