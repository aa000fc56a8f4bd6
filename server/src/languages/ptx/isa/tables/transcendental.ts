import type { InstructionEntry } from '../schema.js';

const f32 = 'd:w f32, a:f32';
const f64 = 'd:w f64, a:f64';

/** Roots, reciprocals and transcendental functions: the special function unit and the routines built on it. */
export const transcendental: readonly InstructionEntry[] = [
  {
    opcode: 'rcp',
    group: 'floating point',
    text: 'The reciprocal. `.approx.f32` is one instruction of the special function unit, not correctly rounded; `.rn` and its like are, by a subroutine. `.approx.ftz.f64` looks only at the upper 32 bits of its operand, leaves the lower half of the result zero, and serves as the start of a Newton iteration. 1/0 is infinity with the sign of the zero.',
    forms: [
      { modifiers: '.(approx|rn|rz|rm|rp){.ftz}.f32', operands: f32 },
      { modifiers: '.(rn|rz|rm|rp){.ftz}.f64', operands: f64 },
      { modifiers: '.approx.ftz.f64', operands: f64 },
    ],
  },
  {
    opcode: 'sqrt',
    group: 'floating point',
    text: 'The square root. `.approx.f32` uses the special function unit (a reciprocal root and a product), `.rn` and its like are correctly rounded. A negative operand gives NaN, -0 stays -0.',
    forms: [
      { modifiers: '.(approx|rn|rz|rm|rp){.ftz}.f32', operands: f32 },
      { modifiers: '.(rn|rz|rm|rp).f64', operands: f64 },
    ],
  },
  {
    opcode: 'rsqrt',
    group: 'floating point',
    text: 'One over the square root, approximate only: for f32 one instruction of the special function unit. A negative operand gives NaN, a zero gives infinity of its sign. `.approx.ftz.f64` looks only at the upper 32 bits.',
    forms: [
      { modifiers: '.approx{.ftz}.f32', operands: f32 },
      { modifiers: '.approx{.ftz}.f64', operands: f64, gates: { '.ftz': { isa: '4.0' } } },
    ],
  },
  {
    opcode: 'sin',
    group: 'floating point',
    text: 'The sine of an angle in radians, approximate. The operand is reduced to one turn by a product first, so the absolute error is small near zero and grows with the magnitude: library code reduces large arguments itself (with a table in .local memory, which tools mistake for spills). Infinity gives NaN.',
    forms: [{ modifiers: '.approx{.ftz}.f32', operands: f32 }],
  },
  {
    opcode: 'cos',
    group: 'floating point',
    text: 'The cosine of an angle in radians, approximate: the absolute error grows with the magnitude of the operand as for `sin`. Infinity gives NaN.',
    forms: [{ modifiers: '.approx{.ftz}.f32', operands: f32 }],
  },
  {
    opcode: 'lg2',
    group: 'floating point',
    text: 'The logarithm to base 2, approximate: one instruction of the special function unit (with scaling around it for subnormal numbers unless `.ftz` is given). Other bases take a product more. A negative operand gives NaN, zero gives minus infinity.',
    forms: [{ modifiers: '.approx{.ftz}.f32', operands: f32 }],
  },
  {
    opcode: 'ex2',
    group: 'floating point',
    text: '2 to the power of the operand, approximate: one instruction of the special function unit, with scaling around it unless `.ftz` is given. exp(x) is `ex2` of x * log2(e). The half-precision forms compute two results at a time on packed operands.',
    forms: [
      { modifiers: '.approx{.ftz}.f32', operands: f32 },
      { modifiers: '.approx.$t', operands: 'd:w t, a:t', sets: { t: 'f16 f16x2' }, isa: '7.0', sm: 75 },
      { modifiers: '.approx.ftz.$t', operands: 'd:w t, a:t', sets: { t: 'bf16 bf16x2' }, isa: '7.8', sm: 90 },
    ],
  },
  {
    opcode: 'tanh',
    group: 'floating point',
    text: 'The hyperbolic tangent, approximate: one instruction of the special function unit since Turing, less accurate than its neighbours: meant for activation functions. Infinity gives 1 of its sign.',
    forms: [
      { modifiers: '.approx.$t', operands: 'd:w t, a:t', sets: { t: 'f32 f16 f16x2' }, isa: '7.0', sm: 75 },
      { modifiers: '.approx.$t', operands: 'd:w t, a:t', sets: { t: 'bf16 bf16x2' }, isa: '7.8', sm: 90 },
    ],
  },
];
