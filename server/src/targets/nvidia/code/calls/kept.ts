import type { Function } from '../../../../ir/function.js';
import { isDefinition } from '../../../../passes/occurrences.js';
import { isLiveAfter } from '../../../../passes/pressure.js';
import { analysisOf } from '../analysis.js';
import { GENERAL, PREDICATE } from '../code.js';

/** Units of a register class whose values go on living behind instruction `i` and are not its results. */
export function keptAcross(f: Function, i: number, registerClass: number = GENERAL): number {
  const { liveness, ranges, pressure } = analysisOf(f);
  let kept = pressure.after[registerClass][i];
  for (let o = f.operandStart[i]; o < f.operandStart[i + 1]; o++) {
    const r = f.operandPlace[o];
    if (r < 0 || f.registerClass[r] !== registerClass || !isDefinition(f, o)) continue;
    if (isLiveAfter(f, liveness, ranges, r, i)) kept -= f.registerWidth[r];
  }
  return Math.max(0, kept);
}

/**
 * General registers in which values are kept across a call by the convention. It saves no predicate: all that live
 * on are packed into one register (ptxas 13.0: P2R in front of the call).
 */
export const savedAcross = (f: Function, i: number): number =>
  keptAcross(f, i) + (keptAcross(f, i, PREDICATE) > 0 ? 1 : 0);
