import type { Span } from '../../../text/span.js';
import { TokenKind, type PtxUnit } from '../tree.js';

/** The registers of a soft stack, by what they hold. Each function gets names that it does not use for anything else. */
export interface StackRegisters {
  /** Warp, or thread, of the block: the index of its slot. */
  readonly owner: string;
  /** Two numbers that the index of a thread is computed from. */
  readonly extent: string;
  readonly position: string;
  /** Addresses of all slots, and of the own one. */
  readonly slots: string;
  readonly slot: string;
  /** The caller's stack pointer. */
  readonly previous: string;
  /** The frame's lowest address. */
  readonly frame: string;
  /** The stack pointer of now, where it is not the frame: below it lies nothing. */
  readonly pointer: string;
  /** Bytes of an allocation, rounded; of each stack, where stacks are set up. */
  readonly bytes: string;
  /** Where stacks are set up: owners in a block, the block's number, the owner's in the grid from 1 on, all memory, the stack's upper end. */
  readonly owners: string;
  readonly block: string;
  readonly number: string;
  readonly area: string;
  readonly top: string;
}

const names: StackRegisters = {
  owner: '%stack_warp',
  extent: '%stack_extent',
  position: '%stack_position',
  slots: '%stack_slots',
  slot: '%stack_slot',
  previous: '%stack_previous',
  frame: '%stack_frame',
  pointer: '%stack_pointer',
  bytes: '%stack_bytes',
  owners: '%stack_warps',
  block: '%stack_block',
  number: '%stack_number',
  area: '%stack_area',
  top: '%stack_top',
};

/** `taken`: the names of the function that they are for. */
export function stackRegisters(taken: ReadonlySet<string>, isPerThread: boolean): StackRegisters {
  const chosen = isPerThread ? { ...names, owner: '%stack_thread', owners: '%stack_threads' } : names;
  const fresh = (name: string): string => freshName(name, taken);
  return {
    owner: fresh(chosen.owner),
    extent: fresh(chosen.extent),
    position: fresh(chosen.position),
    slots: fresh(chosen.slots),
    slot: fresh(chosen.slot),
    previous: fresh(chosen.previous),
    frame: fresh(chosen.frame),
    pointer: fresh(chosen.pointer),
    bytes: fresh(chosen.bytes),
    owners: fresh(chosen.owners),
    block: fresh(chosen.block),
    number: fresh(chosen.number),
    area: fresh(chosen.area),
    top: fresh(chosen.top),
  };
}

/** `name` with as many `_` as it takes; no range `%r<10>` has a register that ends so. */
export function freshName(name: string, taken: ReadonlySet<string>): string {
  let found = name;
  while (taken.has(found)) found += '_';
  return found;
}

/** Every identifier of a unit, or of what begins in `within`. */
export function wordsOf({ tokens, text }: PtxUnit, within?: Span): Set<string> {
  const words = new Set<string>();
  const isIn = (at: number): boolean => within === undefined || (at >= within.start && at < within.end);
  for (let t = 0; t < tokens.count; t++)
    if (tokens.kind[t] === TokenKind.Identifier && isIn(tokens.start[t]))
      words.add(text.slice(tokens.start[t], tokens.end[t]));
  return words;
}
