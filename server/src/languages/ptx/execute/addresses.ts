import { Unsupported } from '../semantics/faults.js';
import type { Place } from '../semantics/handler.js';
import { FIRST } from '../semantics/module.js';
import { hex } from './regions.js';

/**
 * Generic addresses of a grid. Global and constant memory are where they are; shared memory has a window for each
 * block, local and parameter memory one for each thread, so that an address that got into the wrong block or thread
 * is seen to be there. (On the hardware all threads share one window, and such an address silently means something
 * else.) Addresses of a space itself are small: taken for generic ones, they point at nothing.
 */
const SHARED = { start: 0x100_0000_0000n, bits: 24n };
const LOCAL = { start: 0x200_0000_0000n, bits: 28n };
const PARAM = { start: 0x300_0000_0000n, bits: 28n };
const ALL = 1n << 40n;
/** Threads of a grid: as many as have a window. */
export const MOST_THREADS = Number(ALL >> LOCAL.bits);
export const MOST_BLOCKS = MOST_THREADS;
/** Bytes of local memory of a thread: the size of its window. */
export const LOCAL_BYTES = Number(1n << LOCAL.bits);

export interface Owner {
  /** Number of the block in the grid. */
  readonly block: number;
  /** Number of the thread in the grid. */
  readonly thread: number;
}

export function genericAddress(owner: Owner, space: string, address: bigint): bigint {
  switch (space) {
    case 'shared':
      return SHARED.start + (BigInt(owner.block) << SHARED.bits) + address;
    case 'local':
      return LOCAL.start + (BigInt(owner.thread) << LOCAL.bits) + address;
    case 'param':
      return PARAM.start + (BigInt(owner.thread) << PARAM.bits) + address;
    default:
      return address;
  }
}

/** Where a generic address points; throws `Unsupported` for what belongs to another block or thread. */
export function placeOf(owner: Owner, address: bigint): Place {
  if (address < SHARED.start || address >= PARAM.start + ALL) {
    const isConstant = address >= FIRST.const && address < FIRST.const + (1n << 32n);
    return { space: isConstant ? 'const' : 'global', address };
  }
  if (address < LOCAL.start) return inWindow('shared', 'block', SHARED, owner.block, address);
  if (address < PARAM.start) return inWindow('local', 'thread', LOCAL, owner.thread, address);
  return inWindow('param', 'thread', PARAM, owner.thread, address);
}

function inWindow(
  space: string,
  what: string,
  window: { readonly start: bigint; readonly bits: bigint },
  own: number,
  address: bigint,
): Place {
  const from = address - window.start;
  const number = Number(from >> window.bits);
  if (number !== own)
    throw new Unsupported(
      `${hex(address)} is in the ${space} memory of ${what} ${number}, not of ${what} ${own}`,
    );
  return { space, address: from & ((1n << window.bits) - 1n) };
}
