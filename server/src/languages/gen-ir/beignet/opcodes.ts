import { InstructionFlag } from '../../../ir/function.js';

/** Selection opcodes as the lowered function has them: i965's names where both mean the same instruction. */

const mathNames: Readonly<Record<string, string>> = {
  inv: 'rcp',
  log: 'log2',
  exp: 'exp2',
  sqrt: 'sqrt',
  rsq: 'rsq',
  sin: 'sin',
  cos: 'cos',
  fdiv: 'fdiv',
  pow: 'pow',
  intdivmod: 'int_divmod',
  intdiv: 'int_quot',
  intmod: 'int_rem',
};

/** Tests of comparisons, in the words of plain Beignet and of its forks. */
const conditions: Readonly<Record<string, string>> = {
  le: 'le',
  l: 'l',
  lt: 'l',
  ge: 'ge',
  g: 'g',
  gt: 'g',
  eq: 'z',
  e: 'z',
  z: 'z',
  neq: 'nz',
  ne: 'nz',
  nz: 'nz',
  r: 'r',
  o: 'o',
  u: 'u',
};

export const conditionNames: readonly string[] = ['le', 'l', 'ge', 'g', 'eq', 'neq'];
export const mathSuffixes: readonly string[] = Object.keys(mathNames);

const own = <T>(table: Readonly<Record<string, T>>, key: string): T | undefined =>
  Object.hasOwn(table, key) ? table[key] : undefined;

/** `MATH` has its name from the suffix. */
export const selectionName = (opcode: string, suffix: string): string =>
  opcode === 'MATH' ? (own(mathNames, suffix) ?? 'math') : opcode.toLowerCase();

/** The test that a suffix names, or undefined. */
export const conditionOf = (opcode: string, suffix: string): string | undefined =>
  opcode === 'MATH' ? undefined : own(conditions, suffix);

const reads =
  'UNTYPED_READ UNTYPED_READA64 READ64 READ64A64 BYTE_GATHER BYTE_GATHERA64 SAMPLE VME IME DWORD_GATHER OBREAD MBREAD ' +
  'UNSPILL_REG LOAD BLOCKLOAD';
const writes =
  'UNTYPED_WRITE UNTYPED_WRITEA64 WRITE64 WRITE64A64 BYTE_SCATTER BYTE_SCATTERA64 TYPED_WRITE OBWRITE MBWRITE ' +
  'SPILL_REG STORE BLOCKSTORE';
const both = 'ATOMIC ATOMICA64 CALC_TIMESTAMP STORE_PROFILING PRINTF WORKGROUP_OP';
const barriers = 'BARRIER FENCE WAIT SYNC';

const flags = new Map<string, number>();
const add = (names: string, bits: number): void => {
  for (const name of names.split(' ')) flags.set(name, bits);
};
add(reads, InstructionFlag.ReadsMemory);
add(writes, InstructionFlag.WritesMemory | InstructionFlag.SideEffect);
add(both, InstructionFlag.ReadsMemory | InstructionFlag.WritesMemory | InstructionFlag.SideEffect);
add(barriers, InstructionFlag.Barrier | InstructionFlag.SideEffect);
add('IF ELSE ENDIF WHILE JMPI BRC BRD BRA', InstructionFlag.Branch | InstructionFlag.SideEffect);
add('EOT RET', InstructionFlag.Return | InstructionFlag.SideEffect);

/** `InstructionFlag`s of an opcode of the selection or of GEN IR. */
export const flagsOf = (opcode: string): number => flags.get(opcode) ?? 0;

const known = new Set(
  [
    'LABEL JMPI BRD BRC IF ELSE ENDIF WHILE EOT NOP WAIT MOV NOT LZD RNDZ RNDE RNDD RNDU FRC F16TO32 F32TO16 FBH FBL',
    'CBIT BFREV LOAD_INT64_IMM CONVI64_TO_I READ_ARF BSWAP CONVI_TO_I64 SEL SEL_INT64 AND OR XOR I64AND I64OR I64XOR',
    'SHR SHL RSR RSL ASR ADD MUL MACH UPSAMPLE_LONG SIMD_SHUFFLE I64ADD I64SUB MUL_HI HADD RHADD CMP SEL_CMP I64CMP',
    'MAD LRP MATH I64SHL I64SHR I64ASR I64SATADD I64SATSUB I64MUL I64DIV I64REM I64_MUL_HI I64HADD I64RHADD I64MADSAT',
    'CONVI64_TO_F CONVF_TO_I64 F64DIV INDIRECT_MOVE UNTYPED_READ UNTYPED_READA64 READ64 READ64A64 BYTE_GATHER',
    'BYTE_GATHERA64 DWORD_GATHER OBREAD MBREAD SAMPLE VME IME UNTYPED_WRITE UNTYPED_WRITEA64 WRITE64 WRITE64A64',
    'BYTE_SCATTER BYTE_SCATTERA64 TYPED_WRITE OBWRITE MBWRITE ATOMIC ATOMICA64 PACK_BYTE UNPACK_BYTE PACK_LONG',
    'UNPACK_LONG SPILL_REG UNSPILL_REG BARRIER FENCE CALC_TIMESTAMP STORE_PROFILING PRINTF WORKGROUP_OP SUBGROUP_OP',
  ]
    .join(' ')
    .split(' '),
);

export const isSelectionOpcode = (opcode: string): boolean => known.has(opcode);
export const selectionOpcodeNames = (): Iterable<string> => known;
