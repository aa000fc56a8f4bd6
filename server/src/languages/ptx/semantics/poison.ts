import type { Argument, Decoded } from './decode.js';

/** Values that were never written: an operation hands them on, but they must not get into these. */
const STRICT = new Set(['st', 'red', 'atom', 'bra', 'brx', 'call', 'ld', 'ldu', 'alloca', 'stackrestore']);

export const isStrict = (d: Decoded): boolean => STRICT.has(d.mnemonic);

/** Calls `spoil` with each operand that the instruction would have written. */
export function spoilResults(d: Decoded, spoil: (operand: number) => void): void {
  const visit = (a: Argument): void => {
    if (a.kind === 'register') spoil(a.operand);
    else if (a.kind === 'vector') a.elements.forEach(visit);
    else if (a.kind === 'pair') {
      visit(a.first);
      visit(a.second);
    }
  };
  if (d.operands.length > 0) visit(d.operands[0]);
  if (d.carry >= 0) spoil(d.carry);
}
