import { blockOf } from '../../ir/function.js';
import { dominatorsOf } from '../../passes/dominators.js';
import { loopsOf } from '../../passes/loops.js';
import type { Compilation } from '../../targets/target.js';
import { controlFlowOf } from '../reaching.js';

/**
 * Whether one program is better than another, and by which figures. The figures a machine counts in come first; one
 * that gets worse is no price to be paid for one that gets better.
 */
interface Figure {
  readonly name: string;
  of(c: Compilation): number | undefined;
}

/** Of the order of the text: what a compiler that orders anew may know better. */
const asWritten: Figure = { name: 'peak as written', of: ({ stats }) => stats.pressure.asWritten };

const pressureFigures: readonly Figure[] = [
  { name: 'spilled registers', of: ({ stats }) => stats.spills.registers },
  { name: 'spill instructions, in loops ten times', of: executedSpills },
  { name: 'bytes spilled and reloaded', of: ({ stats }) => stats.spills.storeBytes + stats.spills.loadBytes },
  { name: 'registers', of: ({ stats, source }) => stats.registers[source.classes[0].name] },
  { name: 'peak as compiled', of: ({ stats }) => stats.pressure.asCompiled },
  asWritten,
];

/** Where a program is a row of words, it is better when it has fewer: values wait in the words themselves. */
const wordFigures: readonly Figure[] = [{ name: 'words', of: ({ stats }) => numberOf(stats.more?.words) }];

/** Stores and reloads with the weight that allocators give them: tenfold for each loop around. */
function executedSpills({ spills, source }: Compilation): number | undefined {
  if (spills.length === 0) return 0;
  const cfg = controlFlowOf(source);
  const { depth } = loopsOf(cfg, dominatorsOf(cfg));
  let sum = 0;
  for (const { stores, reloads } of spills)
    for (const at of [...stores, ...reloads]) sum += 10 ** Math.min(4, depth[blockOf(source, at)]);
  return sum;
}

const numberOf = (value: number | string | undefined): number | undefined =>
  typeof value === 'number' ? value : undefined;

/** So many figures are told in a title. */
const MOST_TOLD = 3;

/** What a rewrite is worth. */
export interface Improvement {
  /** "peak as written 71 → 68" */
  readonly told: string;
  /** Whether a figure of the compiled program gets better, and not only the order of the text. */
  readonly isCompiled: boolean;
  /** Compares with that of others: the figure that gets better first in the order above, then by how much. */
  readonly rank: readonly [figure: number, gain: number];
}

/**
 * Undefined where nothing gets better, or something worse. Cycles are a price of what the compiled program gains, and
 * told; a gain in the order of the text alone is not worth any.
 */
export function improvement(before: Compilation, after: Compilation): Improvement | undefined {
  const figures = numberOf(before.stats.more?.words) === undefined ? pressureFigures : wordFigures;
  const told: string[] = [];
  let rank: Improvement['rank'] | undefined;
  for (const [k, { name, of }] of figures.entries()) {
    const was = of(before);
    const is = of(after);
    if (was === undefined || is === undefined || was === is) continue;
    if (is > was) return undefined;
    rank ??= [k, was - is];
    told.push(`${name} ${was} → ${is}`);
  }
  if (rank === undefined || warps(after) < warps(before)) return undefined;
  const { cycles: was } = before.stats;
  const { cycles: is } = after.stats;
  const isCompiled = figures[rank[0]] !== asWritten;
  const slower = was !== undefined && is !== undefined && is > was ? [`cycles ${was} → ${is}`] : [];
  if (slower.length > 0 && !isCompiled) return undefined;
  return {
    told: [...told.slice(0, MOST_TOLD), ...slower].join(', '),
    isCompiled,
    rank,
  };
}

/** Less than 0: `a` is worth more than `b`. */
export const byWorth = ({ rank: a }: Improvement, { rank: b }: Improvement): number =>
  a[0] - b[0] || b[1] - a[1];

const warps = ({ stats }: Compilation): number => stats.occupancy?.warps ?? 0;
