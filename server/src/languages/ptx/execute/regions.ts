import { Unsupported } from '../semantics/faults.js';

/**
 * Memory with exact bounds: every access must lie inside one region (a variable, a buffer, a block of the heap) that
 * is alive. Between regions is nothing, so that a program which runs over an end is stopped there.
 */
export interface Region {
  readonly name: string;
  /** Address of the first byte, in the space of the memory. */
  readonly start: number;
  readonly bytes: Uint8Array;
  readonly view: DataView;
  readonly isReadOnly: boolean;
  /** Freed, or part of a frame that has returned. */
  isDead: boolean;
}

export function makeRegion(name: string, start: number, bytes: Uint8Array, isReadOnly = false): Region {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return { name, start, bytes, view, isReadOnly, isDead: false };
}

/** What memory holds that nobody wrote: not zero, so that nobody relies on it. */
export const GARBAGE = 0xa5;

export const hex = (address: number | bigint): string => `0x${address.toString(16)}`;

const plural = (bytes: number): string => `${bytes} byte${bytes === 1 ? '' : 's'}`;

export class Regions {
  /** By start, ascending. */
  private readonly regions: Region[] = [];
  private last: Region | undefined;

  /** `space` names the memory in messages. */
  constructor(readonly space: string) {}

  add(region: Region): void {
    this.regions.splice(this.above(region.start), 0, region);
  }

  /** The region that holds all of the access, aligned to its size; throws `Unsupported` otherwise. */
  find(address: number, bytes: number): Region {
    const { last } = this;
    const region = last !== undefined && holds(last, address, bytes) ? last : this.search(address, bytes);
    if (address % bytes !== 0) this.refuse(address, bytes, `not aligned to ${bytes}`);
    this.last = region;
    return region;
  }

  /** The region around an address, alive or not. */
  at(address: number): Region | undefined {
    const below = this.regions.at(this.above(address) - 1);
    return below !== undefined && holds(below, address, 1) ? below : undefined;
  }

  private search(address: number, bytes: number): Region {
    const index = this.above(address);
    const below = index === 0 ? undefined : this.regions[index - 1];
    if (below !== undefined && holds(below, address, bytes)) {
      if (below.isDead) this.refuse(address, bytes, `${below.name} is no longer there`);
      return below;
    }
    if (below === undefined) return this.refuse(address, bytes, 'below everything that is declared');
    const { name, start, bytes: held } = below;
    const past = address + bytes - start - held.length;
    return this.refuse(
      address,
      bytes,
      `ends ${plural(past)} behind ${name} (${hex(start)}, ${plural(held.length)})`,
    );
  }

  private refuse(address: number, bytes: number, why: string): never {
    throw new Unsupported(`${plural(bytes)} at ${this.space} address ${hex(address)}: ${why}`);
  }

  /** Index of the first region that starts behind the address. */
  private above(address: number): number {
    let low = 0;
    let high = this.regions.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.regions[middle].start <= address) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

const holds = (r: Region, address: number, bytes: number): boolean =>
  address >= r.start && address + bytes <= r.start + r.bytes.length;

/** Little-endian. */
export function readBytes(view: DataView, at: number, bytes: number): bigint {
  switch (bytes) {
    case 1:
      return BigInt(view.getUint8(at));
    case 2:
      return BigInt(view.getUint16(at, true));
    case 4:
      return BigInt(view.getUint32(at, true));
    case 8:
      return view.getBigUint64(at, true);
    default: {
      let value = 0n;
      for (let k = bytes - 1; k >= 0; k--) value = (value << 8n) | BigInt(view.getUint8(at + k));
      return value;
    }
  }
}

export function writeBytes(view: DataView, at: number, bytes: number, value: bigint): void {
  switch (bytes) {
    case 1:
      view.setUint8(at, Number(value & 0xffn));
      return;
    case 2:
      view.setUint16(at, Number(value & 0xffffn), true);
      return;
    case 4:
      view.setUint32(at, Number(value & 0xffff_ffffn), true);
      return;
    case 8:
      view.setBigUint64(at, BigInt.asUintN(64, value), true);
      return;
    default:
      for (let k = 0; k < bytes; k++) view.setUint8(at + k, Number((value >> BigInt(8 * k)) & 0xffn));
  }
}
