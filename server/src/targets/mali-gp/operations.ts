/**
 * The operations of a lowered program, and where the geometry processor executes them. Special functions stand as
 * one operation here; on the machine each is a fixed pattern over several words (`Pattern`), because the pieces can
 * neither be moved nor kept: facts of the machine from the public source of Mesa's lima compiler (src/gallium/
 * drivers/lima/ir/gp), measured over its output.
 */
export const enum Op {
  Add,
  Min,
  Max,
  Ge,
  Lt,
  Floor,
  Sign,
  Mul,
  /** condition, value if it is not 0, value if it is 0 */
  Select,
  /** Executed by an adder or a multiplier, whichever is free. */
  Neg,
  Rcp,
  Rsqrt,
  Exp2,
  Log2,
}

export const opNames: readonly string[] = [
  'add',
  'min',
  'max',
  'ge',
  'lt',
  'floor',
  'sign',
  'mul',
  'select',
  'neg',
  'rcp',
  'rsqrt',
  'exp2',
  'log2',
];

/** Where an operation is executed. */
export const enum Place {
  /** ADD0 or ADD1; if both work in a word, on the same opcode (`mov` and `neg` count as `add`). */
  Adder,
  /** MUL0 or MUL1. */
  Multiplier,
  /** MUL0 and MUL1 together. */
  BothMultipliers,
  AdderOrMultiplier,
  /** A pattern over several words, see `patterns`. */
  Sequence,
}

export interface OperationFacts {
  readonly inputs: number;
  readonly place: Place;
  /** Inputs that the unit can negate for nothing, as bits. A multiplication folds them into the sign of its result. */
  readonly negates: number;
}

export const operations: readonly OperationFacts[] = [
  { inputs: 2, place: Place.Adder, negates: 0b11 },
  { inputs: 2, place: Place.Adder, negates: 0b11 },
  { inputs: 2, place: Place.Adder, negates: 0b11 },
  { inputs: 2, place: Place.Adder, negates: 0b11 },
  { inputs: 2, place: Place.Adder, negates: 0b11 },
  { inputs: 1, place: Place.Adder, negates: 0b1 },
  { inputs: 1, place: Place.Adder, negates: 0b1 },
  { inputs: 2, place: Place.Multiplier, negates: 0b11 },
  { inputs: 3, place: Place.BothMultipliers, negates: 0 },
  { inputs: 1, place: Place.AdderOrMultiplier, negates: 0 },
  { inputs: 1, place: Place.Sequence, negates: 0 },
  { inputs: 1, place: Place.Sequence, negates: 0 },
  { inputs: 1, place: Place.Sequence, negates: 0 },
  { inputs: 1, place: Place.Sequence, negates: 0 },
];

/**
 * A special function, by word from its first one:
 *
 *   rcp, rsqrt   word 0: MUL0 complex2(x), COMPLEX impl(x)   word 1: MUL0+MUL1 complex1(impl, complex2, x)
 *   exp2         word 0: PASS preexp2(x)   word 1: complex2, impl of that   word 2: complex1 (reads it too)
 *   log2         words 0 and 1 as rcp      word 3: PASS postlog2 (the result of complex1, which lives in word 3 only)
 *
 * `result` is the word in which the result is made; of rcp, rsqrt and exp2 it can be read exactly 2 words later
 * and not be stored in its own word; of log2 as any PASS result (1 or 2 words later, stored in the same).
 */
export interface Pattern {
  readonly words: number;
  readonly result: number;
  /** Words in which the argument x is read from outside. */
  readonly reads: readonly number[];
}

export const patterns: Readonly<Partial<Record<Op, Pattern>>> = {
  [Op.Rcp]: { words: 2, result: 1, reads: [0, 1] },
  [Op.Rsqrt]: { words: 2, result: 1, reads: [0, 1] },
  [Op.Exp2]: { words: 3, result: 2, reads: [0] },
  [Op.Log2]: { words: 4, result: 3, reads: [0, 1] },
};
