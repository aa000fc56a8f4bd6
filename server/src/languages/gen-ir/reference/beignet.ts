import { selectionName } from '../beignet/opcodes.js';
import { operations } from './operations.js';
import { operationsOf, type OperationReference } from './row.js';

/**
 * Operations of Beignet's selection IR that i965 does not have (gen_insn_selection.hxx and its users), and those of
 * GEN IR (ir/instruction.hxx).
 */
const selectionOperations = operationsOf([
  [
    'control flow',
    `
LABEL | | a label |
JMPI | | all lanes go to a label | Plain Beignet does not print which.
BRC | | lanes go to one of two places |
BRD | | lanes go to another place |
EOT | | the thread ends |
NOP | | nothing |
WAIT | | waits for a notification |
`,
    '',
  ],
  [
    'macro',
    `
CMP | a b | a flag: whether a passes the test against b | The test stands behind a dot: .l .le .g .ge .eq .neq.
SEL_CMP | a b | the smaller or the larger of the two | Plain Beignet does not print the test.
SEL_INT64 | a b | a where the flag holds, else b, of 64 bits |
MATH | a b | a function of the math box | Which one stands behind a dot.
RSR | a n | a rotated down |
RSL | a n | a rotated up |
READ_ARF | a | a register of the architecture |
LOAD_INT64_IMM | a | a 64-bit constant | Two moves on Gen7.
BSWAP | a | the bytes of a in reverse order | Has a temporary.
SIMD_SHUFFLE | a n | lane n of a |
UPSAMPLE_LONG | a b | two dwords as a 64-bit number |
I64AND | a b | a and b, of 64 bits |
I64OR | a b | a or b, of 64 bits |
I64XOR | a b | a exclusive or b, of 64 bits |
I64ADD | a b | a + b, of 64 bits | Several instructions with a carry; has a temporary and changes the accumulator.
I64SUB | a b | a − b, of 64 bits | Several instructions with a borrow; has a temporary and changes the accumulator.
I64SATADD | a b | a + b, of 64 bits, saturated |
I64SATSUB | a b | a − b, of 64 bits, saturated |
I64MUL | a b | a × b, of 64 bits | Six temporaries on Gen7.
I64DIV | a b | a ÷ b, of 64 bits | About a dozen temporaries.
I64REM | a b | the remainder of 64 bits | About a dozen temporaries.
I64_MUL_HI | a b | the upper 64 bits of a × b |
I64MADSAT | a b c | a × b + c, of 64 bits, saturated |
I64HADD | a b | (a + b) ÷ 2, of 64 bits |
I64RHADD | a b | (a + b + 1) ÷ 2, of 64 bits |
I64SHL | a n | a moved up, of 64 bits |
I64SHR | a n | a moved down, of 64 bits |
I64ASR | a n | a moved down with its sign, of 64 bits |
I64CMP | a b | a flag: a comparison of 64 bits | Its results are three temporaries.
MUL_HI | a b | the upper 32 bits of a × b | Changes the accumulator.
HADD | a b | (a + b) ÷ 2 | Changes the accumulator.
RHADD | a b | (a + b + 1) ÷ 2 | Changes the accumulator.
CONVI64_TO_I | a | the lower half of a 64-bit number |
CONVI_TO_I64 | a | a with 64 bits | Has a temporary.
CONVI64_TO_F | a | a 64-bit number as a float |
CONVF_TO_I64 | a | a float as a 64-bit number |
F64DIV | a b | a ÷ b, of doubles | About ten temporaries.
INDIRECT_MOVE | a n | an element of a register array |
PACK_BYTE | a b | bytes of several registers in one |
UNPACK_BYTE | a | the bytes of a, one register each |
PACK_LONG | a | a 64-bit number as the machine stores it |
UNPACK_LONG | a | a 64-bit number as the registers hold it |
SUBGROUP_OP | a b | a reduction or scan over the lanes |
`,
  ],
  [
    'message',
    `
UNTYPED_READ | address surface | dwords, one address a lane | One register a component. Addresses and results must be contiguous.
UNTYPED_READA64 | address | dwords at 64-bit addresses |
READ64 | address surface | 64-bit numbers |
READ64A64 | address | 64-bit numbers at 64-bit addresses |
BYTE_GATHER | address surface | a byte, word or dword a lane |
BYTE_GATHERA64 | address | a byte, word or dword a lane |
DWORD_GATHER | address surface | a dword a lane, of constants |
OBREAD | header surface | 16-byte pieces at a byte address |
MBREAD | header surface | a block of an image |
SAMPLE | coordinates | a texel | As many results and sources as the image has.
VME | header | motion estimation |
IME | header | motion estimation |
ATOMIC | address surface data | the old value of memory |
ATOMICA64 | address data | the old value of memory |
UNTYPED_WRITE | address data surface | writes dwords, one address a lane |
UNTYPED_WRITEA64 | address data | writes dwords |
WRITE64 | address data surface | writes 64-bit numbers |
WRITE64A64 | address data | writes 64-bit numbers |
BYTE_SCATTER | address data surface | writes a byte, word or dword a lane |
BYTE_SCATTERA64 | address data | writes a byte, word or dword a lane |
TYPED_WRITE | header coordinates data | writes a texel |
OBWRITE | header data | writes 16-byte pieces | At multiples of 16.
MBWRITE | header data | writes a block of an image |
FENCE | | waits until memory is written |
BARRIER | payload | waits for the other threads of the group |
CALC_TIMESTAMP | | reads the clock |
STORE_PROFILING | | writes the clocks |
PRINTF | data | writes to the buffer of printf |
WORKGROUP_OP | data | a reduction or scan over the group |
SPILL_REG | value | stores a register to scratch | Built in the reserved pool, which it destroys.
UNSPILL_REG | | loads a register from scratch | Into the pool, for the next instruction alone.
`,
  ],
]);

export const irOperations = operationsOf([
  [
    'arithmetic',
    `
MOV | a | a |
ADD | a b | a + b |
ADDSAT | a b | a + b, saturated |
SUB | a b | a − b |
SUBSAT | a b | a − b, saturated |
MUL | a b | a × b |
MUL_HI | a b | the upper half of a × b |
I64_MUL_HI | a b | the upper half of a × b, of 64 bits |
MAD | a b c | a × b + c | The machine's \`mad\` has the summand first: Beignet turns them round.
I64MADSAT | a b c | a × b + c, saturated |
LRP | t a b | a mix of a and b by t |
DIV | a b | a ÷ b |
REM | a b | the remainder of a ÷ b |
HADD | a b | (a + b) ÷ 2 |
RHADD | a b | (a + b + 1) ÷ 2 |
I64HADD | a b | (a + b) ÷ 2, of 64 bits |
I64RHADD | a b | (a + b + 1) ÷ 2, of 64 bits |
ABS | a | ¦a¦ |
RNDD | a | a rounded down |
RNDE | a | a rounded to the nearest |
RNDU | a | a rounded up |
RNDZ | a | a rounded towards zero |
COS | a | cosine |
SIN | a | sine |
LOG | a | logarithm to base 2 |
EXP | a | 2 to the a |
SQR | a | √a |
RSQ | a | 1 ÷ √a |
RCP | a | 1 ÷ a |
POW | a b | a to the b |
`,
  ],
  [
    'logic',
    `
AND | a b | a and b |
OR | a b | a or b |
XOR | a b | a exclusive or b |
SHL | a n | a moved up |
SHR | a n | a moved down |
ASR | a n | a moved down with its sign |
BSF | a | place of the lowest 1 |
BSB | a | place of the highest 1 |
FBH | a | place of the highest bit that differs from the sign |
FBL | a | place of the lowest 1 |
CBIT | a | how many bits are 1 |
LZD | a | zeros above the highest 1 |
BFREV | a | the bits in reverse order |
BSWAP | a | the bytes in reverse order |
SEL | condition a b | a where the condition holds, else b | The condition is a bool register.
EQ | a b | whether a = b | The result is a bool register.
NE | a b | whether a ≠ b |
LE | a b | whether a ≤ b |
LT | a b | whether a < b |
GE | a b | whether a ≥ b |
GT | a b | whether a > b |
ORD | a b | whether neither is NaN |
SIMD_ANY | a | whether a holds in any lane |
SIMD_ALL | a | whether a holds in all lanes |
SIMD_SIZE | | lanes of the dispatch |
SIMD_ID | | number of the lane |
SIMD_SHUFFLE | a n | lane n of a |
`,
  ],
  [
    'conversion',
    `
CVT | a | a in another type | \`CVT.to.from\`
SAT_CVT | a | a in another type, saturated |
F16TO32 | a | a half as a float |
F32TO16 | a | a float as a half |
BITCAST | a | the bits of a in registers of another type | Both sides are in braces.
LOADI | number | a constant |
UPSAMPLE_SHORT | a b | two bytes as a word |
UPSAMPLE_INT | a b | two words as a dword |
UPSAMPLE_LONG | a b | two dwords as a qword |
READ_ARF | | a register of the architecture |
REGION | a | a strided part of a register |
INDIRECT_MOV | a n | an element of a register array |
`,
  ],
  [
    'memory',
    `
LOAD | address | memory at the address | The results are in braces, one a component.
BLOCKLOAD | address | memory for the whole thread |
SAMPLE | coordinates | a texel |
ATOMIC | address a b | the old value of memory |
GET_IMAGE_INFO | info | width, height or format of an image |
MBREAD | x y | a block of an image |
VME | | motion estimation |
IME | | motion estimation |
`,
  ],
  [
    'memory',
    `
STORE | address data | writes memory | The data are in braces, one a component.
BLOCKSTORE | address data | writes memory for the whole thread |
TYPED_WRITE | coordinates data | writes a texel |
MBWRITE | x y data | writes a block of an image |
SYNC | | a barrier or fence | What for stands behind dots.
WAIT | | waits for a notification |
PRINTF | | writes to the buffer of printf |
CALC_TIMESTAMP | | reads the clock |
STORE_PROFILING | | writes the clocks |
`,
    '',
  ],
  [
    'control flow',
    `
LABEL | | begins a block |
BRA | | goes to a label, where the predicate holds |
RET | | the kernel ends |
IF | | enters where the predicate holds |
ELSE | | exchanges the lanes |
ENDIF | | the lanes meet again |
WHILE | | goes back where the predicate holds |
`,
    '',
  ],
]);

/** A selection opcode as the dump prints it; the suffix of MATH names the function. */
export function selectionReference(opcode: string, suffix = ''): OperationReference | undefined {
  const own = suffix === '' ? selectionOperations().get(opcode) : undefined;
  if (own !== undefined) return own;
  const shared = operations().get(selectionName(opcode, suffix)) ?? selectionOperations().get(opcode);
  return shared === undefined
    ? undefined
    : { ...shared, name: suffix === '' || opcode !== 'MATH' ? opcode : `MATH.${suffix}` };
}
