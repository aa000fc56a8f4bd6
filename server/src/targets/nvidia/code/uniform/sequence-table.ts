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
  /**
   * The sequence branches, to a slow path in a subroutine or round a loop, and so ends a block: ptxas moves no
   * instruction across it (probes and disassembled kernels).
   */
  readonly branches: boolean;
}

const NO_SEQUENCE: Sequence = { temporaries: 0, withConstant: 0, branches: false };

const needs = (temporaries: number, withConstant = temporaries): Sequence => ({
  temporaries,
  withConstant,
  branches: false,
});

/** A sequence that branches. */
const branching = (temporaries: number, withConstant = temporaries): Sequence => ({
  temporaries,
  withConstant,
  branches: true,
});

/** By first word and type; a suffix says what else must be among the words. The first that fits counts. */
const table: Readonly<Record<string, readonly (readonly [words: string, Sequence])[]>> = {
  abs: [['s64', needs(2)]],
  // what the memory cannot do is a loop around compare-and-swap
  atom: [
    ['cas b16', branching(7)],
    ['add f16', branching(6)],
    ['add bf16', branching(6)],
    ['shared add f32', branching(2)],
    ['shared add f16x2', branching(2)],
    ['shared add bf16x2', branching(2)],
    ['shared exch', needs(0)],
    ['shared cas', needs(0)],
    ['shared f64', branching(4)],
    ['shared u64', branching(4)],
    ['shared s64', branching(4)],
    ['shared b64', branching(4)],
    ['global', needs(0)],
    ['shared', needs(0)],
    // a generic address is asked at run time whether it is shared memory
    ['add f64', branching(3)],
    ['add f32', branching(1)],
  ],
  bfe: [
    ['u64', needs(1)],
    ['s64', needs(2)],
  ],
  bfi: [['b64', needs(2)]],
  bfind: [
    ['u64', needs(1)],
    ['s64', needs(1)],
  ],
  brev: [['b64', needs(2)]],
  div: [
    ['s32', needs(4, 2)],
    ['u32', needs(3, 1)],
    ['s64', branching(8, 6)],
    ['u64', branching(6)],
    ['s16', branching(2)],
    ['u16', branching(1, 2)],
    ['f32 approx', needs(0)],
    ['f32 full', needs(0)],
    ['f32 rn ftz', branching(3)],
    ['f32', branching(6)],
    ['f64 rn', branching(11, 10)],
    ['f64', branching(10)],
  ],
  fns: [['b32', needs(1)]],
  max: [['f64', needs(1)]],
  min: [['f64', needs(1)]],
  mul: [
    ['hi s64', needs(4)],
    ['hi u64', needs(4)],
    ['lo s64', needs(2)],
    ['lo u64', needs(2)],
  ],
  red: [
    ['add f16', branching(6)],
    ['add bf16', branching(6)],
    ['shared add f32', branching(2)],
    ['shared f64', branching(4)],
    ['shared u64', branching(4)],
    ['shared s64', branching(4)],
    ['shared b64', branching(4)],
    ['global', needs(0)],
    ['shared', needs(0)],
    ['add f32', branching(1)],
    ['add f64', branching(3)],
  ],
  rem: [
    ['s32', needs(4, 2)],
    ['u32', needs(3, 1)],
    ['s64', branching(8, 6)],
    ['u64', branching(6)],
    ['s16', branching(3, 2)],
    ['u16', branching(2)],
  ],
  rcp: [
    ['f32 approx ftz', needs(0)],
    ['f32 approx', needs(1)],
    ['f32 rn ftz', branching(2)],
    ['f32 rn', branching(4)],
    ['f32', branching(3)],
    ['f64 approx', needs(0)],
    ['f64 rn', branching(6)],
    ['f64', branching(10)],
  ],
  sad: [
    ['u64', needs(1)],
    ['s64', needs(1)],
  ],
  sqrt: [
    ['f32 approx', needs(0)],
    ['f32', branching(3)],
    ['f64 rn', branching(12)],
    ['f64', branching(9)],
  ],
  rsqrt: [
    ['f64 approx ftz', needs(0)],
    ['f64', branching(6)],
  ],
  testp: [['', needs(1)]],
  vadd2: [['', needs(2)]],
  vadd4: [['', needs(1)]],
  vavrg2: [['', needs(2)]],
  vavrg4: [['', needs(2)]],
  vmax2: [['', needs(2)]],
  vmax4: [['', needs(2)]],
  vmin2: [['', needs(2)]],
  vmin4: [['', needs(2)]],
  vset4: [['', needs(1)]],
  vsub2: [['', needs(2)]],
  vsub4: [['', needs(1)]],
};

/** What the opcode needs; any text is accepted. */
export function sequenceOf(opcode: string): Sequence {
  const words = opcode.split('.').map((word) => word.replace(/::.*/, ''));
  const root = words[0];
  if (!Object.hasOwn(table, root)) return NO_SEQUENCE;
  for (const [pattern, sequence] of table[root])
    if (pattern === '' || pattern.split(' ').every((word) => words.includes(word))) return sequence;
  return NO_SEQUENCE;
}
