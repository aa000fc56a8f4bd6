import { OperandFlag, type Function } from '../../../ir/function.js';
import type { ReachingDefinitions } from '../../../passes/reaching.js';

/** How a value differs between the lanes of a warp. */
export const enum Lanes {
  Equal = 0,
  /** The number of the lane itself. */
  Number = 1,
  /** GCC's master lane: `%laneid & __nvptx_uni[%tid.y]`. */
  Master = 2,
  Different = 3,
  /** A predicate that holds in one lane at most. */
  One = 4,
  /** A predicate that holds in all lanes but one at most. */
  AllButOne = 5,
}

export const join = (a: Lanes, b: Lanes): Lanes => {
  if (a === b) return a;
  // the master lane is the lane itself inside a SIMD region, lane 0 outside
  if (a + b === Lanes.Number + Lanes.Master || a + b === (Lanes.Master as number)) return Math.max(a, b);
  return Lanes.Different;
};

export const complement = (lanes: Lanes): Lanes =>
  lanes === Lanes.One ? Lanes.AllButOne : lanes === Lanes.AllButOne ? Lanes.One : lanes;

/** True where a predicate with these lanes may hold in some lanes and not in others, and in more than one. */
export const isPart = (lanes: Lanes): boolean => lanes === Lanes.Different || lanes === Lanes.AllButOne;

/** What the guard of an instruction says, its negation included; `Equal` without one. */
export function guardLanes(f: Function, i: number, reaching: ReachingDefinitions, lanes: Uint8Array): Lanes {
  const k = f.operandStart[i + 1] - 1;
  if (k < f.operandStart[i] || (f.operandFlags[k] & OperandFlag.Guard) === 0) return Lanes.Equal;
  const node = reaching.nodeOfUse[k];
  if (f.operandPlace[k] < 0 || node < 0) return Lanes.Equal;
  const isNegated = (f.operandPayload?.[k] ?? 0) !== 0;
  return isNegated ? complement(lanes[node]) : lanes[node];
}
