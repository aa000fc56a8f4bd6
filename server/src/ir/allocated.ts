import type { Function } from './function.js';

/** What an instruction of an allocated program does. */
export const enum CodeKind {
  /** The source instruction, its operands in the places given (one place a source operand, in the same order). */
  Original = 0,
  /** Writes a register to its spill slot. Operands: the physical register read. */
  Store = 1,
  /** Reads a register from its spill slot. Operands: the physical register written. */
  Reload = 2,
  /** Operands: the physical register written, the physical register read. */
  Copy = 3,
  /** A `Constant` source instruction executed (again) for one use. Operands as for Original. */
  Recompute = 4,
  /**
   * A source instruction that costs nothing in the compiled program: a copy whose two registers share a place,
   * a constant that is recomputed at its uses, a dead instruction. No operands. The checker still follows what
   * it means; the listing shows it as folded.
   */
  Elided = 5,
}

/** Which kind of elision stands behind `CodeKind.Elided`; in `AllocatedFunction.elision`. */
export const enum Elision {
  None = 0,
  Copy = 1,
  Recomputed = 2,
  Dead = 3,
}

/**
 * A source function after register allocation: every operand that was virtual has a physical register, and spill
 * code stands among the instructions. Stored flat, like `Function`. The first `source.blockCount` blocks are the
 * source's own; further ones split edges.
 */
export interface AllocatedFunction {
  readonly source: Function;
  readonly blockCount: number;
  readonly blockStart: Int32Array;
  readonly successorStart: Int32Array;
  readonly successors: Int32Array;
  readonly count: number;
  readonly kind: Uint8Array;
  readonly elision: Uint8Array;
  /** The source instruction executed, or, for spill code and copies, the one for whose sake it stands here. */
  readonly instruction: Int32Array;
  /** The virtual register whose value is stored, reloaded, copied or recomputed; -1 for Original. */
  readonly register: Int32Array;
  /** First unit of the spill slot, in units of the register's class; -1 where none is touched. */
  readonly slot: Int32Array;
  readonly operandStart: Int32Array;
  /** First unit of the whole register, for operands that touch a part of it too: the source's `operandOffset` counts from here. */
  readonly operandPlace: Int32Array;
  /** Units used of each register class: the highest unit used, plus one. */
  readonly unitsUsed: Int32Array;
  /** Units of spill slots of each register class. */
  readonly slotUnits: Int32Array;
}
