import type { Form, InstructionEntry } from '../schema.js';

/**
 * Arithmetic that integers and floating-point numbers share by name. Which modifiers go with which type, and the
 * gates, are verdicts of ptxas 13.0 on every combination.
 */
const integers = 'u16 u32 u64 s16 s32 s64';
const rounding = '{.(rn|rz|rm|rp)}';
const two = 'd:w t, a:t, b:t';
const three = 'd:w t, a:t, b:t, c:t';
const floats = 'f32 f64';

/** add, sub and mul on floating-point types have the same forms. */
const floatingForms: readonly Form[] = [
  { modifiers: `${rounding}{.ftz}{.sat}.f32`, operands: 'd:w f32, a:f32, b:f32' },
  { modifiers: `${rounding}.f64`, operands: 'd:w f64, a:f64, b:f64' },
  { modifiers: '{.rn}{.ftz}{.sat}.$t', operands: two, sets: { t: 'f16 f16x2' }, isa: '4.2', sm: 53 },
  { modifiers: '{.rn}.$t', operands: two, sets: { t: 'bf16 bf16x2' }, isa: '7.8', sm: 90 },
  {
    modifiers: `${rounding}{.ftz}.f32x2`,
    operands: 'd:w f32x2, a:f32x2, b:f32x2',
    isa: '8.6',
    sm: 100,
    note: 'Two f32 operations on the halves of 64-bit registers, at twice the rate of two single ones.',
  },
];

/** Sums whose second operand is half precision. */
const mixedSum: Form = {
  modifiers: `${rounding}{.sat}.f32.$t`,
  operands: 'd:w f32, a:t, b:f32',
  sets: { t: 'f16 bf16' },
  isa: '8.6',
  sm: 100,
  note: 'The half-precision operand is widened exactly before the sum in f32.',
};

const integerSums = (name: 'add' | 'sub'): readonly Form[] => [
  { modifiers: '.$t', operands: two, sets: { t: integers } },
  { modifiers: '.sat.s32', operands: 'd:w s32, a:s32, b:s32', note: 'Clamps to the range of s32.' },
  {
    modifiers: '.cc.$t',
    operands: two,
    sets: { t: 'u32 s32' },
    note: `Also writes the carry flag, for ${name}c.`,
  },
  { modifiers: '.cc.$t', operands: two, sets: { t: 'u64 s64' }, isa: '4.3' },
];

const extrema = (name: 'min' | 'max'): InstructionEntry => ({
  opcode: name,
  group: 'floating point',
  text: `The ${name === 'min' ? 'smaller' : 'larger'} of the operands. Of floating-point operands a NaN is ignored when the other is a number, and with \`.NaN\` any NaN makes the result the canonical NaN; -0 counts as smaller than +0. \`.xorsign.abs\` compares magnitudes and gives the result the product of the signs, one step of sorting network tricks. \`.relu\` (integers) clamps a negative result to 0. \`.ftz\` flushes subnormal inputs and results. The three-operand form of sm_100 saves an instruction in reductions.`,
  forms: [
    { modifiers: '.$t', operands: two, sets: { t: integers } },
    { modifiers: '.$t', operands: two, sets: { t: 'u16x2 s16x2' }, isa: '8.0', sm: 90 },
    { modifiers: '.relu.$t', operands: two, sets: { t: 's32 s16x2' }, isa: '8.0', sm: 90 },
    {
      modifiers: '{.ftz}{.NaN}{.xorsign.abs}.f32',
      operands: 'd:w f32, a:f32, b:f32',
      gates: { '.NaN': { isa: '7.0', sm: 80 }, '.xorsign': { isa: '7.2', sm: 86 } },
    },
    { modifiers: '{.ftz}{.NaN}.f32', operands: 'd:w f32, a:f32, b:f32, c:f32', isa: '8.8', sm: 100 },
    { modifiers: '.f64', operands: 'd:w f64, a:f64, b:f64' },
    {
      modifiers: '{.ftz}{.NaN}{.xorsign.abs}.$t',
      operands: two,
      sets: { t: 'f16 f16x2' },
      isa: '7.0',
      sm: 80,
      gates: { '.xorsign': { isa: '7.2', sm: 86 } },
    },
    {
      modifiers: '{.NaN}{.xorsign.abs}.$t',
      operands: two,
      sets: { t: 'bf16 bf16x2' },
      isa: '7.0',
      sm: 80,
      gates: { '.xorsign': { isa: '7.2', sm: 86 } },
    },
  ],
});

export const arithmetic: readonly InstructionEntry[] = [
  {
    opcode: 'add',
    group: 'integer arithmetic',
    text: 'The sum. Integers wrap around, signed and unsigned alike; `.sat` clamps signed 32-bit sums, `.cc` starts a multi-word sum. Floating-point sums round to nearest even unless another rounding is written, and an explicit `.rn` also forbids ptxas to contract the sum with a product to `fma`. `.ftz` flushes subnormal inputs and results to zero of the same sign, `.sat` clamps the result to [0, 1] and turns NaN into 0.',
    forms: [
      ...integerSums('add'),
      { modifiers: '.$t', operands: two, sets: { t: 'u16x2 s16x2' }, isa: '8.0', sm: 90 },
      ...floatingForms,
      mixedSum,
    ],
  },
  {
    opcode: 'sub',
    group: 'integer arithmetic',
    text: 'The difference, first operand minus second. Integers wrap around; `.sat` clamps signed 32-bit differences, `.cc` writes the borrow for `subc`. Rounding, `.ftz` and `.sat` of floating-point types are as for `add`.',
    forms: [...integerSums('sub'), ...floatingForms, mixedSum],
  },
  {
    opcode: 'mul',
    group: 'integer arithmetic',
    text: 'The product. Integers need `.lo` or `.hi` (which half of the double-width product is kept; `.lo` is the same for signed and unsigned) or `.wide` (the whole product, in a register of twice the width: the usual way to scale a 32-bit index to a 64-bit address). 64-bit products take several 32-bit multiplications. Floating-point types take rounding, `.ftz` and `.sat` as `add` does; without a rounding modifier ptxas may contract product and sum to `fma`.',
    forms: [
      { modifiers: '.(lo|hi)^.$t', operands: two, sets: { t: integers } },
      { modifiers: '.wide^.$t', operands: 'd:w wide(t), a:t, b:t', sets: { t: 'u16 u32 s16 s32' } },
      ...floatingForms,
    ],
  },
  {
    opcode: 'mad',
    group: 'integer arithmetic',
    text: 'Multiplies and adds. For integers `.lo`, `.hi` or `.wide` says which part of the product is added to the third operand; `.wide` has a double-width addend and result. `.cc` writes the carry of the sum (continue with `madc`), `.hi.sat` clamps a signed 32-bit result. For floating-point types it is `fma`, with a single rounding, and needs a rounding modifier.',
    forms: [
      { modifiers: '.(lo|hi)^.$t', operands: three, sets: { t: integers } },
      {
        modifiers: '.wide^.$t',
        operands: 'd:w wide(t), a:t, b:t, c:wide(t)',
        sets: { t: 'u16 u32 s16 s32' },
      },
      { modifiers: '.(lo|hi)^.cc.$t', operands: three, sets: { t: 'u32 s32' }, isa: '3.0' },
      { modifiers: '.(lo|hi)^.cc.$t', operands: three, sets: { t: 'u64 s64' }, isa: '4.3' },
      { modifiers: '.hi^.sat.s32', operands: 'd:w s32, a:s32, b:s32, c:s32' },
      { modifiers: '.(rn|rz|rm|rp){.ftz}{.sat}.f32', operands: 'd:w f32, a:f32, b:f32, c:f32' },
      { modifiers: '.(rn|rz|rm|rp).f64', operands: 'd:w f64, a:f64, b:f64, c:f64' },
    ],
  },
  {
    opcode: 'fma',
    group: 'floating point',
    text: 'Fused multiply and add: `a * b + c` with one rounding, as IEEE 754 defines it. The rounding modifier is compulsory. `.ftz` flushes subnormal inputs and results, `.sat` clamps to [0, 1] with NaN becoming 0, `.relu` clamps negative results to 0 and makes NaN canonical, `.oob` treats the special NaN that marks out-of-bounds elements as making the result 0.',
    forms: [
      { modifiers: '.(rn|rz|rm|rp){.ftz}{.sat}.f32', operands: 'd:w f32, a:f32, b:f32, c:f32' },
      { modifiers: '.(rn|rz|rm|rp).f64', operands: 'd:w f64, a:f64, b:f64, c:f64' },
      { modifiers: '.rn{.ftz}{.sat}.$t', operands: three, sets: { t: 'f16 f16x2' }, isa: '4.2', sm: 53 },
      { modifiers: '.rn{.ftz}.relu.$t', operands: three, sets: { t: 'f16 f16x2' }, isa: '7.0', sm: 80 },
      { modifiers: '.rn{.(sat|relu)}.oob.$t', operands: three, sets: { t: 'f16 f16x2' }, isa: '8.1', sm: 90 },
      {
        modifiers: '.(rn|rz|rm|rp){.relu}{.oob}.$t',
        operands: three,
        sets: { t: 'bf16 bf16x2' },
        isa: '7.0',
        sm: 80,
        gates: { '.oob': { isa: '8.1', sm: 90 } },
      },
      {
        modifiers: '.(rn|rz|rm|rp){.ftz}.f32x2',
        operands: 'd:w f32x2, a:f32x2, b:f32x2, c:f32x2',
        isa: '8.6',
        sm: 100,
      },
      {
        modifiers: '.(rn|rz|rm|rp){.sat}.f32.$t',
        operands: 'd:w f32, a:t, b:t, c:f32',
        sets: { t: 'f16 bf16' },
        isa: '8.6',
        sm: 100,
        note: 'Half-precision factors, sum in f32.',
      },
    ],
  },
  {
    opcode: 'div',
    group: 'floating point',
    text: 'The quotient. There is no divider: integer division is a routine of some 20 instructions (a call for 64 bits) that ptxas replaces by multiplications when the divisor is a constant; its result for a divisor of zero is unspecified. For f32, `.approx` is a reciprocal and a product (within 2 ulp, wrong for divisors above 2^126), `.full` also scales to the full range, and `.rn` and its like are correctly rounded by a subroutine. f64 needs a rounding modifier.',
    forms: [
      { modifiers: '.$t', operands: two, sets: { t: integers } },
      { modifiers: '.(rn|rz|rm|rp|approx|full){.ftz}.f32', operands: 'd:w f32, a:f32, b:f32' },
      { modifiers: '.(rn|rz|rm|rp).f64', operands: 'd:w f64, a:f64, b:f64' },
    ],
  },
  {
    opcode: 'abs',
    group: 'integer arithmetic',
    text: 'The absolute value. The most negative integer stays as it is. On floating-point types only the sign bit is cleared, NaN included, and ptxas folds this into the consumer as an operand modifier; `.ftz` also flushes subnormal numbers.',
    forms: [{ modifiers: '.$t', operands: 'd:w t, a:t', sets: { t: 's16 s32 s64' } }, ...signForms('6.5')],
  },
  {
    opcode: 'neg',
    group: 'integer arithmetic',
    text: 'The negative. The most negative integer stays as it is. On floating-point types the sign bit is inverted, NaN included, and ptxas folds this into the consumer as an operand modifier; `.ftz` also flushes subnormal numbers.',
    forms: [{ modifiers: '.$t', operands: 'd:w t, a:t', sets: { t: 's16 s32 s64' } }, ...signForms('6.0')],
  },
  extrema('min'),
  extrema('max'),
  {
    opcode: 'testp',
    group: 'floating point',
    text: 'Asks for the class of a floating-point number: `.finite` (neither infinity nor NaN), `.infinite`, `.number` (no NaN), `.notanumber`, `.normal` (neither zero, subnormal, infinity nor NaN) or `.subnormal`.',
    forms: [
      {
        modifiers: '.(finite|infinite|number|notanumber|normal|subnormal).$t',
        operands: 'p:w pred, a:t',
        sets: { t: floats },
      },
    ],
  },
  {
    opcode: 'copysign',
    group: 'floating point',
    text: 'The second operand with the sign of the first: note the order, which is the reverse of the C function. Works on the bits, so NaN and zero are treated like any other value.',
    forms: [{ modifiers: '.$t', operands: two, sets: { t: floats } }],
  },
];

/** abs and neg of floating-point types; `half` is the version that brought f16. */
function signForms(half: string): readonly Form[] {
  return [
    { modifiers: '{.ftz}.f32', operands: 'd:w f32, a:f32' },
    { modifiers: '.f64', operands: 'd:w f64, a:f64' },
    { modifiers: '{.ftz}.$t', operands: 'd:w t, a:t', sets: { t: 'f16 f16x2' }, isa: half, sm: 53 },
    { modifiers: '.$t', operands: 'd:w t, a:t', sets: { t: 'bf16 bf16x2' }, isa: '7.0', sm: 80 },
  ];
}
