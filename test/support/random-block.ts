import type { BlockTask, Value } from '../../server/src/targets/mali-gp/graph.js';
import { Op, operations } from '../../server/src/targets/mali-gp/operations.js';
import { attribute, BlockBuilder, constant, uniform } from './gp-block.js';
import type { Choices } from './random-gpir.js';

/** A random block of a few nodes, each of them needed: `size` from 1. */
export function randomBlock(choices: Choices, size: number): BlockTask {
  const block = new BlockBuilder();
  const register = block.register(choices.below(8));
  const isStored = choices.below(3) === 0;
  // few different leaves, because the search tries to move each of them
  const leaves = Array.from({ length: 1 + choices.below(3) }, (): Value => {
    switch (choices.below(6)) {
      case 0:
        return uniform(choices.below(2), choices.below(2));
      case 1:
        return constant([0, 1, 2, -1][choices.below(4)]);
      case 2:
        return { kind: 'register', register, stored: false };
      default:
        return attribute(choices.below(2), choices.below(2));
    }
  });
  const leaf = (): Value => leaves[choices.below(leaves.length)];
  const unread = new Set<Value>();
  const made: Value[] = [];
  const operand = (): Value => {
    if (made.length === 0 || choices.below(5) < 2) return leaf();
    const value = made[made.length - 1 - choices.below(Math.min(3, made.length))];
    unread.delete(value);
    return value;
  };
  // special functions less often: each is four pieces
  const ops = [Op.Add, Op.Mul, Op.Add, Op.Mul, Op.Min, Op.Max, Op.Ge, Op.Lt, Op.Floor, Op.Select, Op.Neg];
  for (let n = 0; n < size; n++) {
    const op =
      choices.below(9) === 0
        ? [Op.Rcp, Op.Rsqrt, Op.Exp2, Op.Log2][choices.below(4)]
        : ops[choices.below(ops.length)];
    const value = block.node(op, ...Array.from({ length: operations[op].inputs }, operand));
    made.push(value);
    unread.add(value);
    if (isStored && n === 0 && choices.below(2) === 0) {
      block.store({ kind: 'register', register }, value);
      unread.delete(value);
      made.push({ kind: 'register', register, stored: true });
    }
  }
  if (choices.below(4) === 0) {
    const condition = choices.below(3) === 0 ? undefined : operand();
    block.branchTo(0, condition);
  }
  let place = choices.below(3);
  for (const value of unread) {
    block.varying(place >> 2, place & 3, value);
    place += 1 + choices.below(3);
  }
  if (choices.below(6) === 0) block.varying(3, 3, operand());
  if (choices.below(8) === 0) block.varying(3, 1, leaf());
  return block.task();
}
