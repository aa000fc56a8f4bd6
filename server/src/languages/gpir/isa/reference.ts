/**
 * What each operation computes and what it costs on the machine, for hovers, completion and signature help. Slots
 * and distances are lima's (see machine.ts); results for NaN, infinities and the sign of zero are those of this
 * project's model, because nothing exact is known of the hardware: `special` says so where it matters.
 */
import type { Evidence, Producer, SlotName } from './machine.js';

export interface OperationReference {
  /** As a formula over its operands, or in a few words. */
  readonly computes: string;
  /** Names of its `source` operands there, where they are not `a` and `b`. */
  readonly operands?: readonly string[];
  readonly text: string;
  /** NaN, infinities, -0. */
  readonly special?: string;
  /** Where it is executed, in order of preference; empty for an operation that is always rewritten. */
  readonly slots: readonly SlotName[];
  /** More about the slots: pairs, shared opcodes, those of a sequence word by word. */
  readonly occupies?: string;
  /** How its result reaches the readers; undefined for operations without one. */
  readonly latency?: Producer;
  readonly restrictions?: string;
  /** What can be negated at no cost: `free on the operand`. */
  readonly negation?: string;
  /** Other operations that it becomes. */
  readonly becomes?: string;
  readonly evidence: Evidence;
}

const adders: readonly SlotName[] = ['ADD0', 'ADD1'];
const sharedOpcode =
  'both adders execute the same opcode in a word, so that only another one of its kind fits beside it';
const bothOperands = 'free on both operands';
const multiplierSigns = 'free on operands and result: the signs are folded into one bit of the result';
const unfinished =
  'The result is an unfinished approximation: it may only be read by the rest of its sequence, is never moved, and cannot be kept in a register.';
const noNegation = 'not free';

const loads: Readonly<Record<string, OperationReference>> = {
  ld_att: {
    computes: 'the component of the attribute',
    text: 'Reads an input that belongs to the vertex. A load costs no arithmetic unit and is repeated wherever its value is read; a word reads one attribute vector, and then no register vector through port 0.',
    slots: ['REG0'],
    latency: 'attribute',
    evidence: 'source',
  },
  ld_uni: {
    computes: 'the component of the uniform',
    text: 'Reads an input that is the same for all vertices. A load costs no arithmetic unit and is repeated wherever its value is read; a word reads one vector of uniforms, constants or temporaries.',
    slots: ['MEM'],
    latency: 'uniform',
    evidence: 'measured',
  },
  ld_reg: {
    computes: 'the register',
    text: 'Reads a register that another block, or this one, has stored. A word reads two register vectors, one if it also reads an attribute.',
    slots: ['REG1', 'REG0'],
    latency: 'register',
    restrictions: 'At least 3 words after the store of the same register.',
    evidence: 'measured',
  },
  ld_tmp: {
    computes: 'the component of the temporary',
    text: 'Reads memory that the program itself has stored. Temporaries are numbered anew by the compiler: they share the address space of uniforms and constants and lie above both.',
    slots: ['MEM'],
    latency: 'temporary',
    restrictions: 'At least 4 words after the store of the same vector.',
    evidence: 'model',
  },
  const: {
    computes: 'the number',
    text: 'A number, rounded to float32; `0x40200000` gives its bits. The compiler puts constants above the uniforms and reads them through the uniform port: equal ones once, up to four of one vector in a word. 1 as factor and 0 as summand need no constant.',
    slots: ['MEM'],
    latency: 'uniform',
    evidence: 'source',
  },
};

const stores: Readonly<Record<string, OperationReference>> = {
  st_var: {
    computes: 'varying = value',
    operands: ['value'],
    text: 'Writes a component of an output vector. The last store to a component wins.',
    slots: ['STORE'],
    restrictions:
      'The value is taken from a unit of the same word: a load, or a result that is older, needs a `mov` in it. x and y of a word go to one vector, z and w too.',
    negation: noNegation,
    evidence: 'measured',
  },
  st_reg: {
    computes: 'register = value',
    operands: ['value'],
    text: 'Writes a register, which keeps its value from block to block.',
    slots: ['STORE'],
    restrictions:
      'The value is taken from a unit of the same word. Not in the last two words of a block, and read at the earliest 3 words later.',
    negation: noNegation,
    evidence: 'measured',
  },
  st_tmp: {
    computes: 'temporary = value',
    operands: ['value'],
    text: 'Writes memory of the program. The address goes through an address register that COMPLEX sets (`store_addr`), in the same word or before.',
    slots: ['STORE'],
    restrictions:
      'The value is taken from a unit of the same word. Not in a word with a branch. Read at the earliest 4 words later.',
    negation: noNegation,
    evidence: 'model',
  },
};

const arithmetic: Readonly<Record<string, OperationReference>> = {
  mov: {
    computes: 'a',
    text: 'Hands a value on. The scheduler makes the moves that a program needs; one that is written is only another name for its operand.',
    special: 'In an adder it is a + (-0), which keeps -0.',
    slots: ['ADD0', 'MUL1', 'ADD1', 'MUL0', 'PASS', 'COMPLEX'],
    latency: 'unit',
    negation: noNegation,
    evidence: 'source',
  },
  add: {
    computes: 'a + b',
    text: 'Sum, rounded once.',
    special: 'inf + (-inf) is NaN; x + (-x) is +0.',
    slots: adders,
    latency: 'unit',
    negation: bothOperands,
    evidence: 'measured',
  },
  mul: {
    computes: 'a * b',
    text: 'Product, rounded once. There is no fused multiply-add: the product is rounded before it is added.',
    special: '0 * inf is NaN.',
    slots: ['MUL1', 'MUL0'],
    latency: 'unit',
    negation: multiplierSigns,
    evidence: 'measured',
  },
  min: {
    computes: 'the smaller of a and b',
    text: 'Minimum.',
    special: 'Of a NaN and a number the number; of -0 and +0 the -0 (model).',
    slots: adders,
    occupies: sharedOpcode,
    latency: 'unit',
    negation: bothOperands,
    evidence: 'measured',
  },
  max: {
    computes: 'the larger of a and b',
    text: 'Maximum.',
    special: 'Of a NaN and a number the number; of -0 and +0 the +0 (model).',
    slots: adders,
    occupies: sharedOpcode,
    latency: 'unit',
    negation: bothOperands,
    evidence: 'measured',
  },
  ge: {
    computes: 'a >= b ? 1 : 0',
    text: 'Comparison; truth is the number 1.',
    special: '0 when an operand is NaN; -0 equals +0.',
    slots: adders,
    occupies: sharedOpcode,
    latency: 'unit',
    negation: bothOperands,
    evidence: 'measured',
  },
  lt: {
    computes: 'a < b ? 1 : 0',
    text: 'Comparison; truth is the number 1.',
    special: '0 when an operand is NaN; -0 equals +0.',
    slots: adders,
    occupies: sharedOpcode,
    latency: 'unit',
    negation: bothOperands,
    evidence: 'measured',
  },
  eq: {
    computes: 'a == b ? 1 : 0',
    text: 'Equality. The machine has no such comparison.',
    special: '0 when an operand is NaN; -0 equals +0.',
    slots: [],
    latency: 'unit',
    negation: bothOperands,
    becomes: 'min(ge(a, b), ge(b, a))',
    evidence: 'measured',
  },
  ne: {
    computes: 'a != b ? 1 : 0',
    text: 'Inequality. The machine has no such comparison.',
    special: 'The rewritten form gives 0 for NaN, where 1 would be right; -0 equals +0.',
    slots: [],
    latency: 'unit',
    negation: bothOperands,
    becomes: 'max(lt(a, b), lt(b, a))',
    evidence: 'measured',
  },
  floor: {
    computes: 'the largest whole number that is not above a',
    text: 'Rounds down.',
    special: 'Infinities and NaN stay what they are.',
    slots: adders,
    occupies: sharedOpcode,
    latency: 'unit',
    negation: 'free on the operand',
    evidence: 'measured',
  },
  ceil: {
    computes: 'the smallest whole number that is not below a',
    text: 'Rounds up. The machine only rounds down.',
    special: 'Infinities and NaN stay what they are.',
    slots: [],
    latency: 'unit',
    negation: 'free on the operand',
    becomes: '-floor(-a); the outer negation is folded into its readers where they can negate',
    evidence: 'model',
  },
  sign: {
    computes: 'a > 0 ? 1 : a < 0 ? -1 : 0',
    text: 'Sign.',
    special: '0 for both zeros; NaN stays NaN (model).',
    slots: adders,
    occupies: sharedOpcode,
    latency: 'unit',
    negation: 'free on the operand',
    evidence: 'measured',
  },
  abs: {
    computes: '|a|',
    text: 'Absolute value.',
    special: 'Clears the sign of -0 and, as far as modelled, of NaN.',
    slots: [],
    latency: 'unit',
    negation: 'free on the operand, and without effect',
    becomes: 'max(a, -a)',
    evidence: 'measured',
  },
  neg: {
    computes: '-a',
    text: 'Negation. Most negations cost nothing, because the readers can negate: `add %x, -%a` says it directly. What is left (before a store, `select`, a special function or a branch) takes a unit.',
    special: 'Flips the sign bit, of 0 as well.',
    slots: ['ADD0', 'MUL1', 'ADD1', 'MUL0'],
    latency: 'unit',
    evidence: 'measured',
  },
  not: {
    computes: '1 - a',
    text: 'Logical negation of 0 or 1. It is a subtraction: of other numbers it is no truth value.',
    slots: adders,
    latency: 'unit',
    negation: 'free on the operand',
    becomes: 'add(1, -a); after a comparison the opposite comparison',
    evidence: 'measured',
  },
  select: {
    computes: 'c != 0 ? a : b',
    operands: ['c', 'a', 'b'],
    text: 'Chooses between two values that are both computed. The machine has no predication: short alternatives are selected, long ones branched over.',
    special: 'A NaN as condition counts as not 0 (model).',
    slots: ['MUL0'],
    occupies: 'takes both multipliers',
    latency: 'unit',
    restrictions: 'The condition cannot come from COMPLEX.',
    negation:
      'not free: the encoding seems to have a bit for the result, but no compiler sets it, so a negated select takes a unit of its own',
    evidence: 'measured',
  },
};

const special: Readonly<Record<string, OperationReference>> = {
  rcp: {
    computes: '1 / a',
    text: 'Reciprocal. A division a / b is mul(a, rcp(b)).',
    special: '1 / 0 is +inf for both zeros, 1 / inf is 0 (model: the correctly rounded value).',
    slots: [],
    occupies: 'MUL0 and COMPLEX in its first word, both multipliers in the second',
    latency: 'rcp',
    negation: noNegation,
    becomes: 'complex1(rcp_impl(a), complex2(a), a)',
    evidence: 'measured',
  },
  rsqrt: {
    computes: '1 / sqrt(a)',
    text: 'Reciprocal square root. A square root is mul(a, rsqrt(a)).',
    special: 'NaN below 0, +inf at 0, 0 at +inf (model: the correctly rounded value).',
    slots: [],
    occupies: 'MUL0 and COMPLEX in its first word, both multipliers in the second',
    latency: 'rcp',
    negation: noNegation,
    becomes: 'complex1(rsqrt_impl(a), complex2(a), a)',
    evidence: 'measured',
  },
  exp2: {
    computes: '2 ** a',
    text: 'Power of two. x ** y is exp2(mul(y, log2(x))).',
    special: '+inf from 128 on, 0 far below (model: the correctly rounded value).',
    slots: [],
    occupies: 'PASS in its first word, MUL0 and COMPLEX in the second, both multipliers in the third',
    latency: 'exp2',
    negation: noNegation,
    becomes: 'p = preexp2(a), then complex1(exp2_impl(p), complex2(p), p)',
    evidence: 'measured',
  },
  log2: {
    computes: 'log2(a)',
    text: 'Binary logarithm.',
    special: 'NaN below 0, -inf at 0 (model: the correctly rounded value).',
    slots: [],
    occupies: 'MUL0 and COMPLEX in its first word, both multipliers in the second, PASS in the fourth',
    latency: 'log2',
    negation: noNegation,
    becomes: 'postlog2(complex1(log2_impl(a), complex2(a), a))',
    evidence: 'measured',
  },
  exp: {
    computes: 'e ** a',
    text: 'Exponential function.',
    special:
      'The multiplication rounds once more than the function itself: for a large |a| the last bits differ.',
    slots: [],
    latency: 'exp2',
    negation: 'free on the operand',
    becomes: 'exp2(mul(a, 1.442695))',
    evidence: 'model',
  },
  log: {
    computes: 'ln(a)',
    text: 'Natural logarithm.',
    special: 'NaN below 0, -inf at 0. The multiplication rounds once more than the function itself.',
    slots: [],
    latency: 'unit',
    negation: 'free on the result',
    becomes: 'mul(log2(a), 0.6931472)',
    evidence: 'model',
  },
};

const pieces: Readonly<Record<string, OperationReference>> = {
  complex1: {
    computes: 'the approximation i of a function of x, refined with c = complex2(x)',
    operands: ['i', 'c', 'x'],
    text: 'Completes a special function. The three operands belong together: i is an `*_impl` of x, c is complex2 of the same x.',
    slots: ['MUL0'],
    occupies: 'takes both multipliers',
    latency: 'complex1',
    restrictions:
      'The approximation may come from COMPLEX, the other two operands may not. All readers sit in the word two later. After log2_impl only `postlog2` may read it, with no move between.',
    negation: noNegation,
    evidence: 'measured',
  },
  complex2: {
    computes: 'a helper value of x for complex1',
    operands: ['x'],
    text: 'Second ingredient of complex1, made in the word of the `*_impl`.',
    slots: ['MUL0'],
    latency: 'unit',
    restrictions: `The operand cannot come from COMPLEX. ${unfinished}`,
    negation: noNegation,
    evidence: 'measured',
  },
  rcp_impl: {
    computes: 'a first approximation of 1 / a',
    text: 'First ingredient of complex1.',
    slots: ['COMPLEX'],
    latency: 'complex',
    restrictions: unfinished,
    negation: noNegation,
    evidence: 'measured',
  },
  rsqrt_impl: {
    computes: 'a first approximation of 1 / sqrt(a)',
    text: 'First ingredient of complex1.',
    slots: ['COMPLEX'],
    latency: 'complex',
    restrictions: unfinished,
    negation: noNegation,
    evidence: 'measured',
  },
  exp2_impl: {
    computes: 'a first approximation of 2 ** a, of the result of preexp2',
    text: 'First ingredient of complex1; its argument is what `preexp2` made.',
    slots: ['COMPLEX'],
    latency: 'complex',
    restrictions: unfinished,
    negation: noNegation,
    evidence: 'measured',
  },
  log2_impl: {
    computes: 'a first approximation of log2(a)',
    text: 'First ingredient of complex1; the sequence ends with `postlog2`.',
    slots: ['COMPLEX'],
    latency: 'complex',
    restrictions: unfinished,
    negation: noNegation,
    evidence: 'measured',
  },
  preexp2: {
    computes: 'the argument of exp2 as the other pieces want it',
    text: 'Begins the sequence of exp2.',
    slots: ['PASS'],
    latency: 'unit',
    restrictions: unfinished,
    negation: noNegation,
    evidence: 'measured',
  },
  postlog2: {
    computes: 'log2 from the result of complex1',
    text: 'Ends the sequence of log2.',
    slots: ['PASS'],
    latency: 'unit',
    restrictions: 'Exactly two words behind its complex1, which nothing else may read.',
    negation: noNegation,
    evidence: 'measured',
  },
};

const branches: Readonly<Record<string, OperationReference>> = {
  branch_cond: {
    computes: 'if c != 0, go to the label',
    operands: ['c'],
    text: 'Conditional branch; otherwise execution goes on with the next instruction, which is a `branch` or begins the next block.',
    special: 'A NaN counts as not 0 (model).',
    slots: ['PASS'],
    restrictions:
      'Only at the end of a block. It sits in the last word of the block, with its condition in PASS of the same word.',
    negation: noNegation,
    evidence: 'measured',
  },
  branch: {
    computes: 'go to the label',
    text: 'Unconditional branch. The machine only knows conditional ones, so it branches on the constant 1, which costs PASS and the uniform port of the word.',
    slots: ['PASS'],
    restrictions: 'Only as the last instruction of a block.',
    evidence: 'source',
  },
};

/** By operation name. */
export const references: ReadonlyMap<string, OperationReference> = new Map(
  Object.entries({ ...loads, ...stores, ...arithmetic, ...special, ...pieces, ...branches }),
);
