import type { InstructionEntry } from '../schema.js';

/** `.cc` on 64-bit types. */
const carry64 = { '.cc': { isa: '4.3' } };
const t16 = 'u16 u32 u64 s16 s32 s64';

/** Integer arithmetic that has no floating-point namesake, and multi-word carry chains. */
export const integerArithmetic: readonly InstructionEntry[] = [
  {
    opcode: 'addc',
    group: 'integer arithmetic',
    text: 'Adds two integers and the carry flag, the middle of a multi-word sum: `add.cc` starts the chain, `addc.cc` carries on, `addc` without `.cc` ends it. The flag lives outside the register file and nothing saves it: keep the chain together, with no branch, call or label between its links. Signed and unsigned give the same bits.',
    forms: [
      {
        modifiers: '{.cc}.$t',
        operands: 'd:w t, a:t, b:t',
        sets: { t: 'u32 s32' },
      },
      { modifiers: '{.cc}.$t', operands: 'd:w t, a:t, b:t', sets: { t: 'u64 s64' }, gates: carry64 },
      { modifiers: '.$t', operands: 'd:w t, a:t, b:t', sets: { t: 'u16 s16' } },
    ],
  },
  {
    opcode: 'subc',
    group: 'integer arithmetic',
    text: 'Subtracts the second integer and the borrow from the first, the middle of a multi-word difference that `sub.cc` started. The borrow is kept in the carry flag, which nothing saves across calls or branches.',
    forms: [
      {
        modifiers: '{.cc}.$t',
        operands: 'd:w t, a:t, b:t',
        sets: { t: 'u32 s32' },
      },
      { modifiers: '{.cc}.$t', operands: 'd:w t, a:t, b:t', sets: { t: 'u64 s64' }, gates: carry64 },
      { modifiers: '.$t', operands: 'd:w t, a:t, b:t', sets: { t: 'u16 s16' } },
    ],
  },
  {
    opcode: 'mul24',
    group: 'integer arithmetic',
    text: 'Multiplies the low 24 bits of two 32-bit integers and gives the low 32 bits (`.lo`) or bits 16 to 47 (`.hi`) of the 48-bit product. A relic: present machines have no 24-bit multiplier and emulate it, so `mul.lo` is never slower.',
    forms: [{ modifiers: '.(lo|hi)^.$t', operands: 'd:w t, a:t, b:t', sets: { t: 'u32 s32' } }],
  },
  {
    opcode: 'mad24',
    group: 'integer arithmetic',
    text: 'A 24-bit product as of `mul24`, plus a 32-bit integer. `.hi.sat` clamps the signed sum. Emulated on present machines; prefer `mad.lo`.',
    forms: [
      { modifiers: '.(lo|hi)^.$t', operands: 'd:w t, a:t, b:t, c:t', sets: { t: 'u32 s32' } },
      { modifiers: '.hi^.sat.s32', operands: 'd:w s32, a:s32, b:s32, c:s32' },
    ],
  },
  {
    opcode: 'madc',
    group: 'integer arithmetic',
    text: 'Multiplies, takes the low or high half of the product, adds the third operand and the carry flag: the inner step of multi-word multiplication, chained with `mad.lo.cc` and `mad.hi.cc`. Without `.cc` it ends the chain.',
    forms: [
      {
        modifiers: '.(lo|hi)^{.cc}.$t',
        operands: 'd:w t, a:t, b:t, c:t',
        sets: { t: 'u32 s32' },
        isa: '3.0',
      },
      {
        modifiers: '.(lo|hi)^{.cc}.$t',
        operands: 'd:w t, a:t, b:t, c:t',
        sets: { t: 'u64 s64' },
        isa: '3.0',
        gates: carry64,
      },
      { modifiers: '.(lo|hi)^.$t', operands: 'd:w t, a:t, b:t, c:t', sets: { t: 'u16 s16' }, isa: '3.0' },
      { modifiers: '.hi^.sat.s32', operands: 'd:w s32, a:s32, b:s32, c:s32', isa: '3.0' },
    ],
  },
  {
    opcode: 'sad',
    group: 'integer arithmetic',
    text: 'Sum of absolute difference: `d = c + |a - b|`. The difference is taken without overflow in the type, the sum wraps. One machine instruction for 32 bits or less.',
    forms: [{ modifiers: '.$t', operands: 'd:w t, a:t, b:t, c:t', sets: { t: t16 } }],
  },
  {
    opcode: 'rem',
    group: 'integer arithmetic',
    text: 'Remainder of the integer division. The machine has no divider: this becomes a routine of about 20 instructions (32 bits) or a call (64 bits) unless the divisor is a constant. For negative operands the result follows truncating division; a divisor of zero gives an unspecified, machine-dependent value and no trap.',
    forms: [{ modifiers: '.$t', operands: 'd:w t, a:t, b:t', sets: { t: t16 } }],
  },
  {
    opcode: 'popc',
    group: 'integer arithmetic',
    text: 'Counts the bits that are 1. The result is always a 32-bit register, for `.b64` too.',
    forms: [{ modifiers: '.$t', operands: 'd:w u32, a:t', sets: { t: 'b32 b64' }, isa: '2.0', sm: 20 }],
  },
  {
    opcode: 'clz',
    group: 'integer arithmetic',
    text: 'Counts the zero bits above the highest 1: 32 or 64 for zero. The result is a 32-bit register.',
    forms: [{ modifiers: '.$t', operands: 'd:w u32, a:t', sets: { t: 'b32 b64' }, isa: '2.0', sm: 20 }],
  },
  {
    opcode: 'bfind',
    group: 'integer arithmetic',
    text: 'Position of the most significant non-sign bit, 0xFFFFFFFF when there is none: for unsigned types the highest 1, for negative signed numbers the highest 0. `.shiftamt` gives instead how far to shift left to bring that bit to the top. The result is a 32-bit register.',
    forms: [
      {
        modifiers: '{.shiftamt}.$t',
        operands: 'd:w u32, a:t',
        sets: { t: 'u32 u64 s32 s64' },
        isa: '2.0',
        sm: 20,
      },
    ],
  },
  {
    opcode: 'fns',
    group: 'integer arithmetic',
    text: 'Finds the n-th set bit of a mask: from bit `base` upwards for a positive `offset`, downwards for a negative one; offset 0 asks whether `base` itself is set. Answers 0xFFFFFFFF when there is none. A long software sequence on every present machine.',
    forms: [{ modifiers: '.b32', operands: 'd:w b32, mask:b32, base:b32, offset:s32', isa: '6.0', sm: 30 }],
  },
  {
    opcode: 'brev',
    group: 'integer arithmetic',
    text: 'Reverses the order of the bits: bit 0 of the source becomes the top bit of the result.',
    forms: [{ modifiers: '.$t', operands: 'd:w t, a:t', sets: { t: 'b32 b64' }, isa: '2.0', sm: 20 }],
  },
  {
    opcode: 'bfe',
    group: 'integer arithmetic',
    text: 'Extracts the bit field of `len` bits that starts at bit `pos`; both are taken modulo 256. Unsigned types fill above with zeros, signed ones with the top bit of the field. A length of zero gives 0; bits beyond the register read as zeros (unsigned) or as the sign bit (signed).',
    forms: [
      {
        modifiers: '.$t',
        operands: 'd:w t, a:t, pos:u32 0..255, len:u32 0..255',
        sets: { t: 'u32 u64 s32 s64' },
        isa: '2.0',
        sm: 20,
      },
    ],
  },
  {
    opcode: 'bfi',
    group: 'integer arithmetic',
    text: 'Inserts the low `len` bits of `a` into `b` at bit `pos`; both numbers are taken modulo 256. A length of zero, or a position at or beyond the width, leaves `b` as it is.',
    forms: [
      {
        modifiers: '.$t',
        operands: 'f:w t, a:t, b:t, pos:u32 0..255, len:u32 0..255',
        sets: { t: 'b32 b64' },
        isa: '2.0',
        sm: 20,
      },
    ],
  },
  {
    opcode: 'szext',
    group: 'integer arithmetic',
    text: 'Keeps the low `b` bits of `a` and extends from there to the full register, with the sign for `.s32` and zeros for `.u32`. `.wrap` takes the width modulo 32, `.clamp` treats everything above 32 as 32; width 0 gives 0.',
    forms: [
      {
        modifiers: '.(clamp|wrap).$t',
        operands: 'd:w t, a:t, b:u32',
        sets: { t: 'u32 s32' },
        isa: '7.6',
        sm: 70,
      },
    ],
  },
  {
    opcode: 'bmsk',
    group: 'integer arithmetic',
    text: 'Makes a mask of `b` ones that starts at bit `a`. `.wrap` takes both modulo 32, `.clamp` limits them to 32.',
    forms: [{ modifiers: '.(clamp|wrap).b32', operands: 'd:w b32, a:u32, b:u32', isa: '7.6', sm: 70 }],
  },
  {
    opcode: 'dp4a',
    group: 'integer arithmetic',
    text: 'Dot product of four bytes and four bytes, added to a 32-bit integer. The first type says how the bytes of `a` are read, the second those of `b`; the accumulator is unsigned only when both are. The sum wraps. One instruction at the rate of an integer multiply-add.',
    forms: [
      {
        modifiers: '.$at.$bt',
        operands: 'd:w u32, a:u32, b:u32, c:u32',
        sets: { at: 'u32 s32', bt: 'u32 s32' },
        isa: '5.0',
        sm: 61,
      },
    ],
  },
  {
    opcode: 'dp2a',
    group: 'integer arithmetic',
    text: 'Dot product of two 16-bit halves of `a` and two bytes of `b` (its low pair with `.lo`, its high pair with `.hi`), added to a 32-bit integer. The types say how `a` and `b` are read.',
    forms: [
      {
        modifiers: '.(lo|hi).$at.$bt',
        operands: 'd:w u32, a:u32, b:u32, c:u32',
        sets: { at: 'u32 s32', bt: 'u32 s32' },
        isa: '5.0',
        sm: 61,
      },
    ],
  },
];
