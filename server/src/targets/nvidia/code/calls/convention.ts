import type { Bundles } from '../../../../passes/bundles.js';
import { byOpcode } from '../../../../ir/by-opcode.js';
import type { Function } from '../../../../ir/function.js';

/**
 * The calling convention of functions that are compiled by themselves (ptxas 13.0, sm_75 to sm_90 alike, read from
 * which registers hold values across a call of `vprintf`, `malloc`, a function that calls itself, and one through an
 * address): R16 to R31 keep their values, R20 and R21 except, which hold the address to return to; above, every other
 * four: R36 to R39, R44 to R47 and so on. Arguments and results begin at R4. So 14 values fit below 32 registers, and
 * further ones cost two registers each; 24 registers are used in any case.
 */
export const isSaved = (register: number): boolean => {
  if (register < 16) return false;
  if (register < 32) return register !== 20 && register !== 21;
  return (register & 4) !== 0;
};

/** Registers that a function uses which keeps `units` of them across such a call, R0 and the unused ones counted. */
export function registersKeeping(units: number): number {
  let register = 0;
  for (let left = units; left > 0; register++) if (isSaved(register)) left--;
  return Math.max(register, RETURN_ADDRESS_END);
}

/** R20 and R21 are used wherever somebody is called by the convention. */
const RETURN_ADDRESS_END = 22;

/** Opcodes of calls in machine code, by what they leave alone. */
export const callOpcodes = {
  /** A copy of the callee for this kernel, in registers that the kernel does not use. */
  own: 'call.rel',
  /** The same, and the callee calls by the convention. */
  ownReaching: 'call.rel.saved',
  convention: 'call.abs.saved',
} as const;

const keepsByConvention = byOpcode((text) => text.startsWith('call.') && text.endsWith('.saved'));

/** Whether what is kept across instruction `i` has to lie in registers that the convention saves. */
export const callsByConvention = (f: Function, i: number): boolean =>
  keepsByConvention(f.opcodes, f.opcode[i]);

/** By bundle: 1 where some value of it is kept across a call by the convention. `undefined`: there is no such call. */
export function keptAcrossCalls(f: Function, { start, from, to, width }: Bundles): Uint8Array | undefined {
  const calls: number[] = [];
  for (let i = 0; i < f.instructionCount; i++) if (callsByConvention(f, i)) calls.push(2 * i);
  if (calls.length === 0) return undefined;
  const kept = new Uint8Array(width.length);
  for (let b = 0; b < width.length; b++)
    for (let s = start[b]; s < start[b + 1] && kept[b] === 0; s++) {
      const next = calls[lowerBound(calls, from[s])];
      if (next !== undefined && next + 1 < to[s]) kept[b] = 1;
    }
  return kept;
}

/** Index of the first number that is at least `value`. */
function lowerBound(ascending: readonly number[], value: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ascending[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
