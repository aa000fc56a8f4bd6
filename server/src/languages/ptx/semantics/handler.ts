import type { Argument, Decoded } from './decode.js';

/** A place in memory. */
export interface Place {
  readonly space: string;
  readonly address: bigint;
}

/**
 * What an instruction sees of the thread that executes it: registers, operands, memory. Whoever keeps registers and
 * memory provides it: `PtxThread` for one thread on any allocation, `execute/lane.ts` for a thread of a grid.
 * Methods throw `Poison` for values that were never written and `Unsupported` for what cannot be done.
 */
export interface Thread {
  /** A source operand's bits, cut to the type. */
  read(a: Argument, type: string): bigint;
  /** Writes the value's low bits; narrow values are extended to the register as the type says. */
  write(a: Argument, type: string, value: bigint): void;
  /** The carry flag of `.cc`. */
  readCarry(d: Decoded): bigint;
  writeCarry(d: Decoded, value: bigint): void;
  /** Space and address of a memory operand; without a state space in the opcode the address is generic. */
  locate(a: Argument, space: string | undefined): Place;
  load(at: Place, bytes: number): bigint;
  store(at: Place, bytes: number, value: bigint): void;
  /** The generic address of a place, and the place that a generic address means. */
  generic(space: string, address: bigint): bigint;
  resolve(address: bigint): Place;
}

/** Executes one decoded instruction whose guard holds; the next instruction follows. */
export type Handler = (t: Thread, d: Decoded) => void;

export const has = (d: Decoded, modifier: string): boolean => d.modifiers.includes(modifier);

/** The written one of several modifiers, or undefined. */
export const oneOf = (d: Decoded, ...modifiers: string[]): string | undefined =>
  d.modifiers.find((m) => modifiers.includes(m));

/** Operand n, which the form of the instruction demands. */
export const operand = (d: Decoded, n: number): Argument => d.operands.at(n) ?? { kind: 'sink' };

/** `setp` and others write `p|q` : q gets the complement. */
export function writePair(t: Thread, a: Argument, first: boolean, second: boolean): void {
  if (a.kind === 'pair') {
    t.write(a.first, 'pred', first ? 1n : 0n);
    t.write(a.second, 'pred', second ? 1n : 0n);
  } else t.write(a, 'pred', first ? 1n : 0n);
}
