/**
 * A condition is asked only whether it is 0, so whatever keeps that answer falls away: the sign of a value, `abs`,
 * `sign`, a `not`, and comparisons for equality, since a - b is 0 exactly where a = b (float32 has denormals) unless
 * both are infinite.
 */
import type { Node } from '../graph.js';
import { Op } from '../operations.js';
import {
  constantOf,
  constantOperand,
  negated,
  positive,
  sameOperand,
  sameValue,
  type Operand,
} from './draft.js';
import type { NodeMaker } from './make.js';
import { isBoolean, isFinite } from './ranges.js';

export interface Condition {
  readonly condition: Operand;
  /** The condition holds where the value is 0. */
  readonly isInverted: boolean;
}

export function conditionOf(maker: NodeMaker, operand: Operand, instruction: number): Condition {
  let condition = positive(operand);
  let isInverted = false;
  for (;;) {
    const simpler = step(maker, condition, instruction);
    if (simpler === undefined) return { condition, isInverted };
    condition = positive(simpler.condition);
    isInverted = isInverted !== simpler.isInverted;
  }
}

function step(maker: NodeMaker, operand: Operand, instruction: number): Condition | undefined {
  if (operand.kind !== 'node') return undefined;
  const node = maker.nodes[operand.node];
  const [a, b] = node.inputs;
  switch (node.op) {
    case Op.Sign:
      return { condition: a, isInverted: false };
    case Op.Add: {
      const truth = negatedTruth(maker, node);
      return truth && { condition: truth, isInverted: true };
    }
    case Op.Min: {
      const pair = comparedBothWays(maker, node, Op.Ge);
      return pair && difference(maker, pair, true, instruction);
    }
    case Op.Max: {
      if (sameOperand(a, negated(b))) return { condition: a, isInverted: false };
      const pair = comparedBothWays(maker, node, Op.Lt);
      return pair && difference(maker, pair, false, instruction);
    }
    default:
      return undefined;
  }
}

/** Of `x - 1`, which is `not x` but for its sign, with x 0 or 1: x. */
function negatedTruth(maker: NodeMaker, { inputs: [x, one] }: Node): Operand | undefined {
  return constantOf(one) === -1 && isBoolean(maker.range(x)) ? x : undefined;
}

/** Of min(a >= b, b >= a) or max(a < b, b < a): a and b. */
function comparedBothWays(
  maker: NodeMaker,
  node: Node,
  op: Op.Ge | Op.Lt,
): readonly [Operand, Operand] | undefined {
  const [x, y] = node.inputs;
  if (x.negate || y.negate) return undefined;
  const first = maker.nodeOf(x, op);
  const second = maker.nodeOf(y, op);
  if (first === undefined || second === undefined) return undefined;
  const [a, b] = first.inputs;
  const [c, d] = second.inputs;
  const isTurned =
    (sameOperand(a, d) && sameOperand(b, c)) ||
    (sameValue(a, c) && sameValue(b, d) && a.negate !== c.negate && b.negate !== d.negate);
  return isTurned ? [a, b] : undefined;
}

function difference(
  maker: NodeMaker,
  [a, b]: readonly [Operand, Operand],
  isInverted: boolean,
  instruction: number,
): Condition | undefined {
  if (!isFinite(maker.range(a)) && !isFinite(maker.range(b))) return undefined;
  return { condition: maker.make(Op.Add, [a, negated(b)], instruction), isInverted };
}

/** A value that is not 0 exactly where the condition is 0, with as few nodes as possible. */
export function inverseOf(maker: NodeMaker, condition: Operand, instruction: number): Operand {
  const isTruth = isBoolean(maker.range(condition));
  if (isTruth) return maker.make(Op.Add, [constantOperand(1), negated(condition)], instruction);
  const sum = maker.nodeOf(condition, Op.Add);
  const [a, b] =
    sum === undefined ? [positive(condition), constantOperand(0)] : [sum.inputs[0], negated(sum.inputs[1])];
  const [x, y] = [maker.range(a), maker.range(b)];
  const isMore = maker.make(Op.Ge, [a, b], instruction);
  const isLess = maker.make(Op.Ge, [b, a], instruction);
  if (x.low >= y.high) return isLess;
  if (x.high <= y.low) return isMore;
  return maker.make(Op.Min, [isMore, isLess], instruction);
}
