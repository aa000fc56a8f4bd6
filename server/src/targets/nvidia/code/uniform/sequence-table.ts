/**
 * What opcodes of PTX need beyond their operands and results while they run, in 32-bit registers.
 *
 * Measured with ptxas 13.0 for sm_75 and sm_80, which agree to one register: 40 values that differ between lanes are
 * kept alive across the instruction (its sources die in it), and `.maxnreg` is lowered until the kernel spills; the
 * figure is what that takes beyond the same kernel with a `mov` there. Slow paths in subroutines are included: they
 * have no frame and save nothing, their registers are allotted together with the caller's.
 */
export interface Sequence {
  readonly temporaries: number;
  /** With a constant as last source: ptxas does not turn such divisions into products, but what it knows of the divisor needs no register. */
  readonly withConstant: number;
}

export const NO_SEQUENCE: Sequence = { temporaries: 0, withConstant: 0 };

const needs = (temporaries: number, withConstant = temporaries): Sequence => ({ temporaries, withConstant });

/** By first word and type; a suffix says what else must be among the words. The first that fits counts. */
const table: Readonly<Record<string, readonly (readonly [words: string, Sequence])[]>> = {
  div: [
    ['s32', needs(4, 2)],
    ['u32', needs(3, 1)],
    ['s64', needs(8, 6)],
    ['u64', needs(6)],
    ['s16', needs(2)],
    ['u16', needs(1, 2)],
    ['f32 approx', needs(0)],
    ['f32 full', needs(0)],
    ['f32 rn ftz', needs(3)],
    ['f32', needs(6)],
    ['f64 rn', needs(11, 10)],
    ['f64', needs(10)],
  ],
  rem: [
    ['s32', needs(4, 2)],
    ['u32', needs(3, 1)],
    ['s64', needs(8, 6)],
    ['u64', needs(6)],
    ['s16', needs(3, 2)],
    ['u16', needs(2)],
  ],
  rcp: [
    ['f32 approx ftz', needs(0)],
    ['f32 approx', needs(1)],
    ['f32 rn ftz', needs(2)],
    ['f32 rn', needs(4)],
    ['f32', needs(3)],
    ['f64 approx', needs(0)],
    ['f64 rn', needs(6)],
    ['f64', needs(10)],
  ],
  sqrt: [
    ['f32 approx', needs(0)],
    ['f32', needs(3)],
    ['f64 rn', needs(12)],
    ['f64', needs(9)],
  ],
  rsqrt: [
    ['f64 approx ftz', needs(0)],
    ['f64', needs(6)],
  ],
};

/** What the opcode needs; any text is accepted. */
export function sequenceOf(opcode: string): Sequence {
  const words = opcode.split('.');
  const root = words[0];
  if (!Object.hasOwn(table, root)) return NO_SEQUENCE;
  for (const [pattern, sequence] of table[root])
    if (pattern.split(' ').every((word) => words.includes(word))) return sequence;
  return NO_SEQUENCE;
}
