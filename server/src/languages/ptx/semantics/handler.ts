import type { Argument, Decoded } from './decode.js';
import type { PtxThread } from './thread.js';

/** Executes one decoded instruction whose guard holds. Returns where to go, or nothing for the next instruction. */
export type Handler = (t: PtxThread, d: Decoded) => number | void;

export const has = (d: Decoded, modifier: string): boolean => d.modifiers.includes(modifier);

/** The written one of several modifiers, or undefined. */
export const oneOf = (d: Decoded, ...modifiers: string[]): string | undefined =>
  d.modifiers.find((m) => modifiers.includes(m));

/** Operand n, which the form of the instruction demands. */
export const operand = (d: Decoded, n: number): Argument => d.operands.at(n) ?? { kind: 'sink' };

/** `setp` and others write `p|q` : q gets the complement. */
export function writePair(t: PtxThread, a: Argument, first: boolean, second: boolean): void {
  if (a.kind === 'pair') {
    t.write(a.first, 'pred', first ? 1n : 0n);
    t.write(a.second, 'pred', second ? 1n : 0n);
  } else t.write(a, 'pred', first ? 1n : 0n);
}
