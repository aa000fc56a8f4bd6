/**
 * The instructions of GEN IR (Beignet's ir/instruction.hxx) by which of their registers are results, in the order
 * that the dump writes them (ir/instruction.cpp, the `out` methods).
 */
export type IrShape =
  /** The first register is the result. */
  | 'first'
  /** The first group in braces holds the results. */
  | 'braces'
  /** Registers behind `coord u`, `coord v`, `coord w` are read, the others are results. */
  | 'coordinates'
  /** Nothing is written. */
  | 'none';

const shapes: Readonly<Record<IrShape, string>> = {
  first:
    'SIMD_SIZE SIMD_ID MOV COS SIN LOG EXP SQR RSQ RCP ABS RNDD RNDE RNDU RNDZ SIMD_ANY SIMD_ALL BSWAP POW MUL ADD ' +
    'ADDSAT SUB SUBSAT DIV REM SHL SHR ASR BSF BSB OR XOR AND SIMD_SHUFFLE SEL EQ NE LE LT GE GT ORD CVT SAT_CVT ' +
    'F16TO32 F32TO16 ATOMIC LOADI READ_ARF REGION VME IME INDIRECT_MOV GET_IMAGE_INFO MUL_HI I64_MUL_HI FBH FBL ' +
    'CBIT LZD HADD RHADD I64HADD I64RHADD UPSAMPLE_SHORT UPSAMPLE_INT UPSAMPLE_LONG I64MADSAT MAD LRP BFREV',
  braces: 'BITCAST LOAD BLOCKLOAD MBREAD',
  coordinates: 'SAMPLE',
  none:
    'STORE BLOCKSTORE TYPED_WRITE MBWRITE SYNC BRA RET IF ELSE ENDIF WHILE WAIT PRINTF CALC_TIMESTAMP ' +
    'STORE_PROFILING',
};

const table = new Map<string, IrShape>();
for (const [shape, names] of Object.entries(shapes) as [IrShape, string][])
  for (const name of names.split(' ')) table.set(name, shape);

/** How an instruction names its results; undefined: there is none of this name. */
export function irShape(opcode: string): IrShape | undefined {
  const known = table.get(opcode);
  if (known !== undefined) return known;
  // the dump glues what follows to these three
  if (opcode.startsWith('WORKGROUP_') || opcode.startsWith('SUBGROUP_')) return 'first';
  return opcode.startsWith('CALC_TIMESTAMP') ? 'none' : undefined;
}

export const irOpcodeNames = (): Iterable<string> => table.keys();
