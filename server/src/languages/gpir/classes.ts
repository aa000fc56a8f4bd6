import { OpcodeTable, type RegisterClass } from '../../ir/function.js';

/** The register classes of gpir, and the opcodes of all lowered programs. */

export const enum ClassNumber {
  /** `%x`: one result, which lives in the bypass network. */
  Value = 0,
  /** `@x` and `$3.x`: what outlives a block. */
  Register = 1,
}

export const gpirClasses: readonly RegisterClass[] = [
  { name: 'value', unit: 'value', isCountedByUnit: true },
  { name: 'register', unit: 'register component', isCountedByUnit: true },
];

export const gpirOpcodes = new OpcodeTable();
