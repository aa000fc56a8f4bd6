/**
 * Simplifications that keep every result bit by bit (-0 and +0 being one number, NaN left out): never a change of the
 * order of additions, never a rounding less or more.
 *
 * Where NaN may be left out, more is exact than it seems: x * 0 is 0 for every x for which it is a number, and
 * `a >= b ? a : b` is max(a, b). That is for inputs that might be NaN; what is NaN for certain, such as `mul inf, 0`,
 * is kept as NaN and treated as IEEE 754 has it.
 */
import { resultOf } from '../evaluate.js';
import type { Node } from '../graph.js';
import { Op } from '../operations.js';
import { constantOf, constantOperand, negated, sameOperand, sameValue, type Operand } from './draft.js';
import type { NodeMaker } from './make.js';
import { isBoolean } from './ranges.js';

/** A simpler operand equal to `op` of `inputs` in normal form (see make.ts), or undefined. */
export function simplify(
  maker: NodeMaker,
  op: Op,
  inputs: readonly Operand[],
  instruction: number,
): Operand | undefined {
  return folded(op, inputs) ?? rules[op]?.(maker, inputs, instruction);
}

function folded(op: Op, inputs: readonly Operand[]): Operand | undefined {
  const numbers: number[] = [];
  for (const input of inputs) {
    const number = constantOf(input);
    if (number === undefined) return undefined;
    numbers.push(number);
  }
  return constantOperand(resultOf(op, numbers[0], numbers[1], numbers[2]));
}

type Rule = (maker: NodeMaker, inputs: readonly Operand[], instruction: number) => Operand | undefined;

const zero = constantOperand(0);
const one = constantOperand(1);
const notANumber = constantOperand(NaN);

const isNotANumber = (operand: Operand): boolean => Number.isNaN(constantOf(operand));

const rules: Readonly<Partial<Record<Op, Rule>>> = {
  [Op.Add]: add,
  [Op.Mul]: multiply,
  [Op.Min]: (maker, inputs, instruction) => extreme(maker, Op.Min, inputs, instruction),
  [Op.Max]: (maker, inputs, instruction) => extreme(maker, Op.Max, inputs, instruction),
  [Op.Ge]: (maker, inputs) => compare(maker, Op.Ge, inputs),
  [Op.Lt]: (maker, inputs) => compare(maker, Op.Lt, inputs),
  [Op.Select]: select,
  [Op.Floor]: (maker, [x]) => (maker.range(x).isWhole ? x : undefined),
  [Op.Sign]: (maker, [x]) => {
    const { low, high, isWhole } = maker.range(x);
    if (low > 0) return one;
    if (high < 0) return negated(one);
    return isWhole && low >= -1 && high <= 1 ? x : undefined;
  },
};

function add(maker: NodeMaker, [a, b]: readonly Operand[], instruction: number): Operand | undefined {
  if (isNotANumber(a) || isNotANumber(b)) return notANumber;
  for (const [x, y] of [
    [a, b],
    [b, a],
  ]) {
    const constant = constantOf(y);
    if (constant === 0) return x;
    // x - 1 of a truth value is -(not x)
    if (constant === -1) {
      const opposite = complement(maker, x, instruction);
      if (opposite !== undefined) return negated(opposite);
    }
  }
  if (sameOperand(a, negated(b))) return zero;
  return mix(maker, a, b, instruction);
}

/** 1 - x where that is another comparison or a known node; x must be positive. NaN is left out. */
function complement(maker: NodeMaker, x: Operand, instruction: number): Operand | undefined {
  if (x.kind !== 'node' || x.negate) return undefined;
  const node = maker.nodes[x.node];
  if (node.op === Op.Ge) return maker.make(Op.Lt, node.inputs, instruction);
  if (node.op === Op.Lt) return maker.make(Op.Ge, node.inputs, instruction);
  // 1 - (1 - y), which is written -(y - 1)
  if (node.op === Op.Add && constantOf(node.inputs[1]) === -1) {
    const [y] = node.inputs;
    if (isBoolean(maker.range(y))) return undefined;
  }
  return undefined;
}

/** a * c + b * (1 - c) with c 0 or 1 is c ? a : b. */
function mix(maker: NodeMaker, a: Operand, b: Operand, instruction: number): Operand | undefined {
  const first = maker.nodeOf(a, Op.Mul);
  const second = maker.nodeOf(b, Op.Mul);
  if (first === undefined || second === undefined) return undefined;
  for (const [p, c] of pairs(first))
    for (const [q, d] of pairs(second)) {
      if (!isBoolean(maker.range(c)) || !areComplements(maker, c, d)) continue;
      const yes = a.negate ? negated(p) : p;
      const no = b.negate ? negated(q) : q;
      return maker.make(Op.Select, [c, yes, no], instruction);
    }
  return undefined;
}

const pairs = ({ inputs: [x, y] }: Node): readonly (readonly [Operand, Operand])[] => [
  [x, y],
  [y, x],
];

function areComplements(maker: NodeMaker, c: Operand, d: Operand): boolean {
  const [x, y] = [maker.nodeOf(c, Op.Ge), maker.nodeOf(d, Op.Lt)];
  if (x !== undefined && y !== undefined)
    return sameOperand(x.inputs[0], y.inputs[0]) && sameOperand(x.inputs[1], y.inputs[1]);
  const [v, w] = [maker.nodeOf(c, Op.Lt), maker.nodeOf(d, Op.Ge)];
  if (v !== undefined && w !== undefined)
    return sameOperand(v.inputs[0], w.inputs[0]) && sameOperand(v.inputs[1], w.inputs[1]);
  return false;
}

function multiply(maker: NodeMaker, [a, b]: readonly Operand[]): Operand | undefined {
  if (isNotANumber(a) || isNotANumber(b)) return notANumber;
  for (const [x, y] of [
    [a, b],
    [b, a],
  ]) {
    const constant = constantOf(y);
    if (constant === 1) return x;
    if (constant === 0) return zero;
    // of two truth values only 1 * 1 is 1, and x * x is x
    if (sameOperand(x, y) && isBoolean(maker.range(x))) return x;
  }
  return undefined;
}

function extreme(
  maker: NodeMaker,
  op: Op.Min | Op.Max,
  [a, b]: readonly Operand[],
  instruction: number,
): Operand | undefined {
  if (sameOperand(a, b) || isNotANumber(b)) return a;
  if (isNotANumber(a)) return b;
  const [x, y] = [maker.range(a), maker.range(b)];
  if (x.low >= y.high) return op === Op.Max ? a : b;
  if (y.low >= x.high) return op === Op.Max ? b : a;
  // |x| of a value whose sign is known is caught above only for one sign
  if (op === Op.Max && sameOperand(a, negated(b)) && x.low >= 0) return a;
  return (
    truncated(maker, op, a, b, instruction) ??
    absorbed(maker, op, a, b, instruction) ??
    absorbed(maker, op, b, a, instruction)
  );
}

/** max(sign(x) * floor(|x|), c) with c at least 0 is max(floor(x), c): rounding differs only below 0. */
function truncated(
  maker: NodeMaker,
  op: Op.Min | Op.Max,
  whole: Operand,
  least: Operand,
  instruction: number,
): Operand | undefined {
  if (op !== Op.Max || whole.negate || !((constantOf(least) ?? -1) >= 0)) return undefined;
  const product = maker.nodeOf(whole, Op.Mul);
  for (const [sign, amount] of product === undefined ? [] : pairs(product)) {
    const [x] = maker.nodeOf(sign, Op.Sign)?.inputs ?? [];
    const [magnitude] = maker.nodeOf(amount, Op.Floor)?.inputs ?? [];
    const absolute = magnitude && maker.nodeOf(magnitude, Op.Max);
    if (x === undefined || magnitude === undefined || absolute === undefined || magnitude.negate) continue;
    const [a, b] = absolute.inputs;
    if (!sameValue(a, x) || !sameOperand(a, negated(b))) continue;
    return maker.make(Op.Max, [maker.make(Op.Floor, [x], instruction), least], instruction);
  }
  return undefined;
}

/** max(max(x, y), y), and max(max(x, 1), 2). */
function absorbed(
  maker: NodeMaker,
  op: Op.Min | Op.Max,
  outer: Operand,
  other: Operand,
  instruction: number,
): Operand | undefined {
  if (outer.kind !== 'node') return undefined;
  const opposite = op === Op.Min ? Op.Max : Op.Min;
  const node = maker.nodeOf(outer, outer.negate ? opposite : op);
  if (node === undefined) return undefined;
  const inner = outer.negate ? node.inputs.map(negated) : node.inputs;
  for (const [x, y] of [inner, [inner[1], inner[0]]]) {
    if (sameOperand(y, other)) return outer;
    const [c, d] = [constantOf(y), constantOf(other)];
    if (c === undefined || d === undefined) continue;
    const merged = op === Op.Max ? Math.max(c, d) : Math.min(c, d);
    return maker.make(op, [x, constantOperand(merged)], instruction);
  }
  return undefined;
}

function compare(maker: NodeMaker, op: Op.Ge | Op.Lt, [a, b]: readonly Operand[]): Operand | undefined {
  const truth = (isGreaterOrEqual: boolean): Operand => (isGreaterOrEqual === (op === Op.Ge) ? one : zero);
  if (isNotANumber(a) || isNotANumber(b)) return zero;
  if (sameOperand(a, b)) return truth(true);
  const [x, y] = [maker.range(a), maker.range(b)];
  if (x.low >= y.high) return truth(true);
  if (x.high < y.low) return truth(false);
  // a truth value against a number between 0 and 1 is itself
  const [c, d] = [constantOf(a), constantOf(b)];
  if (op === Op.Ge && d !== undefined && d > 0 && isBoolean(x)) return a;
  if (op === Op.Lt && c !== undefined && c >= 0 && isBoolean(y)) return b;
  return undefined;
}

function select(
  maker: NodeMaker,
  [condition, yes, no]: readonly Operand[],
  instruction: number,
): Operand | undefined {
  if (sameOperand(yes, no)) return yes;
  const constant = constantOf(condition);
  if (constant !== undefined) return constant !== 0 ? yes : no;
  if (isBoolean(maker.range(condition))) {
    const [a, b] = [constantOf(yes), constantOf(no)];
    if (a === 1 && b === 0) return condition;
    if (a === 0 && b === 1) return negated(maker.make(Op.Add, [condition, negated(one)], instruction));
    if (a !== undefined && b !== undefined) return linear(maker, condition, a, b, instruction);
  }
  return (
    chosenExtreme(maker, condition, yes, no, instruction) ?? nested(maker, condition, yes, no, instruction)
  );
}

/** c ? b + 1 : b is c + b where that is exact; with a distance of 2, c + c + b. */
function linear(
  maker: NodeMaker,
  condition: Operand,
  a: number,
  b: number,
  instruction: number,
): Operand | undefined {
  const step = a - b;
  if (Math.abs(step) > 2 || !Number.isInteger(step) || Math.fround(step + b) !== a) return undefined;
  const up = step < 0 ? negated(condition) : condition;
  const whole = Math.abs(step) === 2 ? maker.make(Op.Add, [up, up], instruction) : up;
  return maker.make(Op.Add, [whole, constantOperand(b)], instruction);
}

/** a >= b ? a : b is a maximum, b a minimum; a >= 0 ? a : -a the absolute value. */
function chosenExtreme(
  maker: NodeMaker,
  condition: Operand,
  yes: Operand,
  no: Operand,
  instruction: number,
): Operand | undefined {
  const comparison = maker.nodeOf(condition, Op.Ge) ?? maker.nodeOf(condition, Op.Lt);
  if (comparison === undefined) return undefined;
  const [a, b] = comparison.inputs;
  const [more, less] = comparison.op === Op.Ge ? [yes, no] : [no, yes];
  // `more` is chosen where a >= b
  const matches = (x: Operand, y: Operand): boolean => sameOperand(more, x) && sameOperand(less, y);
  if (matches(a, b)) return maker.make(Op.Max, [a, b], instruction);
  if (matches(b, a)) return maker.make(Op.Min, [a, b], instruction);
  if (matches(negated(a), negated(b))) return maker.make(Op.Min, [negated(a), negated(b)], instruction);
  if (matches(negated(b), negated(a))) return maker.make(Op.Max, [negated(a), negated(b)], instruction);
  if (!sameOperand(more, negated(less))) return undefined;
  // a >= 0 ? x : -x with x = a or -a, and 0 >= b likewise
  const tested = constantOf(b) === 0 ? a : constantOf(a) === 0 ? negated(b) : undefined;
  if (tested === undefined || !sameValue(tested, more)) return undefined;
  const magnitude = maker.make(Op.Max, [tested, negated(tested)], instruction);
  return sameOperand(more, tested) ? magnitude : negated(magnitude);
}

/** c ? (c ? a : b) : d is c ? a : d. */
function nested(
  maker: NodeMaker,
  condition: Operand,
  yes: Operand,
  no: Operand,
  instruction: number,
): Operand | undefined {
  const first = maker.nodeOf(yes, Op.Select);
  if (first !== undefined && sameOperand(first.inputs[0], condition)) {
    const inner = yes.negate ? negated(first.inputs[1]) : first.inputs[1];
    return maker.make(Op.Select, [condition, inner, no], instruction);
  }
  const second = maker.nodeOf(no, Op.Select);
  if (second !== undefined && sameOperand(second.inputs[0], condition)) {
    const inner = no.negate ? negated(second.inputs[2]) : second.inputs[2];
    return maker.make(Op.Select, [condition, yes, inner], instruction);
  }
  return undefined;
}
