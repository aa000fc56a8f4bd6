import type { InstructionEntry } from '../schema.js';

const bits = 'pred b16 b32 b64';

const bitwise = (opcode: string, what: string): InstructionEntry => ({
  opcode,
  group: 'logic and shift',
  text: `${what} Takes only \`.bN\` and \`.pred\` types, not \`.uN\` or \`.sN\` (registers of those types are fine as operands). Predicate operands may be negated with \`!\`. ptxas merges chains of bitwise operations into \`lop3\`, so three inputs cost as much as two.`,
  forms: [{ modifiers: '.$t', operands: 'd:w t, a:t, b:t', sets: { t: bits } }],
});

/** Bitwise logic, shifts and permutation of bytes. */
export const logic: readonly InstructionEntry[] = [
  bitwise('and', 'Bitwise and.'),
  bitwise('or', 'Bitwise or.'),
  bitwise('xor', 'Bitwise exclusive or.'),
  {
    opcode: 'not',
    group: 'logic and shift',
    text: 'Inverts every bit, or a predicate. ptxas folds it into the consumer where that is a bitwise operation.',
    forms: [{ modifiers: '.$t', operands: 'd:w t, a:t', sets: { t: bits } }],
  },
  {
    opcode: 'cnot',
    group: 'logic and shift',
    text: 'Logical not as in C: 1 when the operand is zero, else 0.',
    forms: [{ modifiers: '.$t', operands: 'd:w t, a:t', sets: { t: 'b16 b32 b64' } }],
  },
  {
    opcode: 'lop3',
    group: 'logic and shift',
    text: 'Any bitwise function of three operands, given by its truth table: bit `4 a + 2 b + c` of the constant is the result for those input bits. Compute the constant by applying the function to 0xF0, 0xCC and 0xAA; `a & b | c` is 0xEA. Only the low eight bits count. With `.and` or `.or` a predicate says whether the result is not zero, combined with `q`.',
    forms: [
      {
        modifiers: '.b32',
        operands: 'd:w _ b32, a:b32, b:b32, c:b32, table:i b32',
        isa: '4.3',
        sm: 50,
      },
      {
        modifiers: '.(and|or).b32',
        operands: 'd|p:w _ b32, a:b32, b:b32, c:b32, table:i b32, q:pred',
        isa: '8.2',
        sm: 70,
      },
    ],
  },
  {
    opcode: 'shl',
    group: 'logic and shift',
    text: 'Shifts left. The amount is an unsigned 32-bit number whatever the type, and is clamped to the width, not taken modulo it: shifting by 32 or more gives 0.',
    forms: [{ modifiers: '.$t', operands: 'd:w t, a:t, b:u32', sets: { t: 'b16 b32 b64' } }],
  },
  {
    opcode: 'shr',
    group: 'logic and shift',
    text: 'Shifts right, filling with zeros for `.uN` and `.bN` and with the sign for `.sN`. The amount is an unsigned 32-bit number, clamped to the width: shifting far gives 0 or the sign.',
    forms: [
      {
        modifiers: '.$t',
        operands: 'd:w t, a:t, b:u32',
        sets: { t: 'b16 b32 b64 u16 u32 u64 s16 s32 s64' },
      },
    ],
  },
  {
    opcode: 'shf',
    group: 'logic and shift',
    text: 'Funnel shift: shifts the 64-bit value with low half `a` and high half `b`, and gives the upper half (`.l`) or the lower half (`.r`). `.wrap` takes the amount modulo 32, `.clamp` limits it to 32. With both halves the same register it rotates; two of them shift a 64-bit value.',
    forms: [
      { modifiers: '.(l|r)^.(wrap|clamp).b32', operands: 'd:w b32, a:b32, b:b32, c:u32', isa: '3.1', sm: 32 },
    ],
  },
  {
    opcode: 'prmt',
    group: 'logic and shift',
    text: 'Picks four of the eight bytes of `a` (0 to 3) and `b` (4 to 7). Without a mode each nibble of `c` selects one byte by its low three bits, and its top bit asks for the sign of that byte, replicated, instead. Modes use the low two bits of `c`: `.f4e` and `.b4e` shift forwards or backwards by bytes, `.rc8` and `.rc16` replicate a byte or half, `.ecl` and `.ecr` clamp to an edge.',
    forms: [{ modifiers: '.b32{.(f4e|b4e|rc8|ecl|ecr|rc16)}', operands: 'd:w b32, a:b32, b:b32, c:b32' }],
  },
];
