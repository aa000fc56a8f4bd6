import { familyBytes } from '../access.js';
import { GRF_BYTES, type Family, type Program, type Register } from '../program.js';

/**
 * Register families of Beignet's scalar back-end (facts A.6, from gen_reg_allocation.cpp, getRegAttrib): a register
 * holds one element for each lane, so its size follows the dispatch width; a byte lies in a word's slot; a uniform
 * register has one lane; `reg` is one whole GRF, whatever the width.
 */
export interface FamilyFacts {
  /** As in the register allocation dump. */
  readonly letter: string;
  /** Bytes of one lane in memory, which a slot in scratch is counted by; in the register file it may be more. */
  readonly memoryBytes: number;
}

export const families: Readonly<Record<Family, FamilyFacts>> = {
  bool: { letter: 'b', memoryBytes: 2 },
  byte: { letter: 'B', memoryBytes: 1 },
  word: { letter: 'W', memoryBytes: 2 },
  dword: { letter: 'D', memoryBytes: 4 },
  qword: { letter: 'Q', memoryBytes: 8 },
  oword: { letter: 'O', memoryBytes: 16 },
  hword: { letter: 'H', memoryBytes: 32 },
  reg: { letter: 'R', memoryBytes: 32 },
};

/** Bytes in the register file of a register of `family` in a program of `width` lanes. */
export function registerBytes(family: Family, isUniform: boolean, width: number): number {
  if (family === 'reg') return GRF_BYTES;
  return familyBytes[family] * (isUniform ? 1 : width);
}

/** What the free list aligns a register to: its own size, and at least 4 bytes (facts A.10). */
export const registerAlignment = (bytes: number): number => Math.max(4, bytes);

/**
 * The family of a register. The i965 dialect has none: there a register of one dword a lane counts as `dword`, and
 * all others as undefined, since two GRFs may be a 64-bit value or a vector of two.
 */
export function familyOf(program: Program, register: Register): Family | undefined {
  if (program.dialect === 'selection') return register.family;
  return register.bytes === 4 * program.width ? 'dword' : undefined;
}

/**
 * True for registers of which scratch messages can move every lane by itself: dwords and qwords with one element for
 * each lane (facts A.13). Smaller families, `reg` and uniform registers are never spilled.
 */
export function isSpillableSize(program: Program, register: Register): boolean {
  const family = familyOf(program, register);
  if (family !== 'dword' && family !== 'qword') return false;
  return !register.isUniform && register.bytes === registerBytes(family, false, program.width);
}

/** Bytes of a register's slot in scratch. */
export const slotBytes = (family: Family, width: number): number => families[family].memoryBytes * width;
