import { bitsAt } from './elements.js';
import { hash, inputDword, mix } from './hash.js';
import type { State } from './state.js';

/**
 * What lies outside of the registers: surfaces of dwords, filled with inputs that the seed makes, the thread's
 * scratch space, which holds nothing at first, and the record of everything that the program lets the world see.
 */
export interface Memory {
  readonly seed: number;
  readonly surfaces: Map<number, Map<number, Cell>>;
  /** By dword of scratch; absent: never written. */
  readonly scratch: Map<number, Cell>;
  /** A hash of everything written so far by messages that are not understood, in order. */
  version: number;
  /** 1 where the version depends on something unknown. */
  versionUnknown: number;
  readonly outputs: Output[];
}

export interface Cell {
  readonly bits: number;
  readonly unknown: number;
}

/** One message that leaves the thread. Words of unknown or irrelevant value are not compared. */
export interface Output {
  /** Messages of one stream are seen in order: one opcode on one surface. */
  readonly stream: string;
  readonly origin: number;
  readonly words: Int32Array;
  readonly unknown: Uint8Array;
}

export const createMemory = (seed: number): Memory => ({
  seed,
  surfaces: new Map(),
  scratch: new Map(),
  version: hash(seed, 77),
  versionUnknown: 0,
  outputs: [],
});

const UNKNOWN: Cell = { bits: 0, unknown: 1 };

/** Dword at byte address `address` (cut to a multiple of 4) of a surface. */
export function readSurface(memory: Memory, surface: number, address: number): Cell {
  const index = (address >>> 2) | 0;
  return (
    memory.surfaces.get(surface)?.get(index) ?? {
      bits: inputDword(memory.seed, mix(surface, memory.version), index) | 0,
      unknown: memory.versionUnknown,
    }
  );
}

export function writeSurface(memory: Memory, surface: number, address: number, cell: Cell): void {
  let cells = memory.surfaces.get(surface);
  if (cells === undefined) memory.surfaces.set(surface, (cells = new Map<number, Cell>()));
  cells.set((address >>> 2) | 0, cell);
}

/** Copies four bytes of the register file to scratch, or back. `byte` is a byte offset, a multiple of 4. */
export function storeScratch(memory: Memory, state: State, at: number, byte: number): void {
  memory.scratch.set(byte >>> 2, cellAt(state, at));
}

export function loadScratch(memory: Memory, state: State, at: number, byte: number): void {
  putCell(state, at, memory.scratch.get(byte >>> 2) ?? UNKNOWN);
}

export function cellAt(state: State, at: number): Cell {
  const { unknown } = state;
  return {
    bits: bitsAt(state, at, 4),
    unknown: unknown[at] | unknown[at + 1] | unknown[at + 2] | unknown[at + 3],
  };
}

export function putCell(state: State, at: number, { bits, unknown }: Cell): void {
  state.view.setInt32(at, bits, true);
  state.unknown.fill(unknown, at, at + 4);
}

/** Changes everything that an unknown message may have written. */
export function disturb(memory: Memory, by: number, unknown: number): void {
  memory.version = mix(memory.version, by);
  memory.versionUnknown |= unknown;
  if (memory.surfaces.size > 0) memory.surfaces.clear();
}
