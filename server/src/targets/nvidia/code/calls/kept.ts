import type { Function } from '../../../../ir/function.js';
import { isDefinition } from '../../../../passes/occurrences.js';
import { isLiveAfter } from '../../../../passes/pressure.js';
import { analysisOf } from '../analysis.js';
import { GENERAL } from '../code.js';

/** General registers whose values go on living behind instruction `i` and are not its results. */
export function keptAcross(f: Function, i: number): number {
  const { liveness, ranges, pressure } = analysisOf(f);
  let kept = pressure.after[GENERAL][i];
  for (let o = f.operandStart[i]; o < f.operandStart[i + 1]; o++) {
    const r = f.operandPlace[o];
    if (r < 0 || f.registerClass[r] !== GENERAL || !isDefinition(f, o)) continue;
    if (isLiveAfter(f, liveness, ranges, r, i)) kept -= f.registerWidth[r];
  }
  return Math.max(0, kept);
}
