/**
 * The operations of the language that the machine does not have, each as a few that it has.
 */
import { LN_2, LOG2_E } from '../arithmetic.js';
import { Op } from '../operations.js';
import { constantOperand, negated, type Operand } from './draft.js';
import type { NodeMaker } from './make.js';

type Expansion = (maker: NodeMaker, inputs: readonly Operand[], instruction: number) => Operand;

const plain =
  (op: Op): Expansion =>
  (maker, inputs, instruction) =>
    maker.make(op, inputs, instruction);

const log2OfE = constantOperand(LOG2_E);
const lnOf2 = constantOperand(LN_2);

/** By opcode; the number of inputs is the language's. */
export const expansions: Readonly<Record<string, Expansion>> = {
  add: plain(Op.Add),
  mul: plain(Op.Mul),
  min: plain(Op.Min),
  max: plain(Op.Max),
  ge: plain(Op.Ge),
  lt: plain(Op.Lt),
  floor: plain(Op.Floor),
  sign: plain(Op.Sign),
  select: plain(Op.Select),
  rcp: plain(Op.Rcp),
  rsqrt: plain(Op.Rsqrt),
  exp2: plain(Op.Exp2),
  log2: plain(Op.Log2),
  mov: (_, [x]) => x,
  neg: (_, [x]) => negated(x),
  abs: (maker, [x], at) => maker.make(Op.Max, [x, negated(x)], at),
  ceil: (maker, [x], at) => negated(maker.make(Op.Floor, [negated(x)], at)),
  not: (maker, [x], at) => maker.make(Op.Add, [constantOperand(1), negated(x)], at),
  eq: (maker, [a, b], at) =>
    maker.make(Op.Min, [maker.make(Op.Ge, [a, b], at), maker.make(Op.Ge, [b, a], at)], at),
  ne: (maker, [a, b], at) =>
    maker.make(Op.Max, [maker.make(Op.Lt, [a, b], at), maker.make(Op.Lt, [b, a], at)], at),
  exp: (maker, [x], at) => maker.make(Op.Exp2, [maker.make(Op.Mul, [x, log2OfE], at)], at),
  log: (maker, [x], at) => maker.make(Op.Mul, [maker.make(Op.Log2, [x], at), lnOf2], at),
};
