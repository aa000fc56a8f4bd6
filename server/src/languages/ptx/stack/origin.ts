import type { Origin } from './frame.js';

/**
 * The lattice of what is known of a value: nothing yet, one `Origin`, or unknown. Where two paths meet, an address of
 * the frame stays one and loses its certainty, so that it can still be followed to where it escapes; equal kinds lose
 * what differs. No value can go up more than a few steps, so that a walk around loops ends.
 */
export const BOTTOM = -2;
export const UNKNOWN = -1;

/** Origins by number: equal ones have equal numbers. */
export class OriginTable {
  readonly origins: Origin[] = [];
  private readonly numbers = new Map<string, number>();

  number(origin: Origin): number {
    const key = keyOf(origin);
    const known = this.numbers.get(key);
    if (known !== undefined) return known;
    this.origins.push(origin);
    this.numbers.set(key, this.origins.length - 1);
    return this.origins.length - 1;
  }

  of(number: number): Origin | undefined {
    return number < 0 ? undefined : this.origins[number];
  }

  constant(value: number | bigint | undefined): number {
    const exact = value === undefined ? NaN : Number(value);
    return Number.isSafeInteger(exact) ? this.number({ kind: 'constant', value: exact }) : UNKNOWN;
  }

  /** What is known where both may arrive. */
  join(a: number, b: number): number {
    if (a === b || b === BOTTOM) return a;
    if (a === BOTTOM) return b;
    const one = this.of(a);
    const other = this.of(b);
    if (isAddress(one) && isAddress(other)) return this.number(joinAddresses(one, other));
    if (isAddress(one)) return this.uncertain(one);
    if (isAddress(other)) return this.uncertain(other);
    if (one?.kind === 'slot' && other?.kind === 'slot' && one.array === other.array)
      return this.number({ ...one, index: undefined, scale: 0, offset: 0 });
    return UNKNOWN;
  }

  uncertain(address: Address): number {
    return this.number(address.isCertain ? { ...address, isCertain: false } : address);
  }
}

export type Address = Extract<Origin, { kind: 'soft' | 'local' }>;

export const isAddress = (origin: Origin | undefined): origin is Address =>
  origin !== undefined && (origin.kind === 'soft' || origin.kind === 'local');

function keyOf(origin: Origin): string {
  switch (origin.kind) {
    case 'constant':
      return `c${origin.value}`;
    case 'index':
      return `i${origin.register} ${origin.scale} ${origin.offset}`;
    case 'slot':
      return `a${origin.array} ${origin.index} ${origin.scale} ${origin.offset} ${origin.isGeneric}`;
    case 'soft':
      return `s${origin.offset} ${origin.allocation} ${origin.isCertain}`;
    case 'local':
      return `l${origin.object} ${origin.offset} ${origin.isGeneric} ${origin.isCertain}`;
  }
}

function joinAddresses(a: Address, b: Address): Address {
  const isCertain = a.isCertain && b.isCertain;
  if (a.kind === 'soft' && b.kind === 'soft')
    return {
      kind: 'soft',
      offset: a.offset === b.offset ? a.offset : undefined,
      allocation: Math.max(a.allocation, b.allocation),
      isCertain,
    };
  if (a.kind === 'local' && b.kind === 'local')
    return {
      kind: 'local',
      object: a.object === b.object ? a.object : -1,
      offset: a.object === b.object && a.offset === b.offset ? a.offset : undefined,
      isGeneric: a.isGeneric || b.isGeneric,
      isCertain,
    };
  const soft = a.kind === 'soft' ? a : b;
  return { ...(soft as Extract<Origin, { kind: 'soft' }>), isCertain: false };
}

/** `a + b`. `isDown` where an unknown `b` is subtracted from a stack pointer by instruction `at`: it makes room. */
export function sum(table: OriginTable, a: number, b: number): number {
  if (a === BOTTOM || b === BOTTOM) return BOTTOM;
  const one = table.of(a);
  const other = table.of(b);
  if (isAddress(one) && isAddress(other)) return UNKNOWN;
  if (isAddress(one)) return moved(table, one, other);
  if (isAddress(other)) return moved(table, other, one);
  if (one?.kind === 'slot' && other?.kind !== 'slot') return slotAt(table, one, other);
  if (other?.kind === 'slot' && one?.kind !== 'slot') return slotAt(table, other, one);
  if (one?.kind === 'constant' && other?.kind === 'constant') return table.constant(one.value + other.value);
  if (one?.kind === 'index' && other?.kind === 'constant')
    return table.number({ ...one, offset: one.offset + other.value });
  if (other?.kind === 'index' && one?.kind === 'constant')
    return table.number({ ...other, offset: other.offset + one.value });
  return UNKNOWN;
}

const moved = (table: OriginTable, address: Address, by: Origin | undefined): number =>
  table.number({
    ...address,
    offset: address.offset === undefined || by?.kind !== 'constant' ? undefined : address.offset + by.value,
  });

function slotAt(table: OriginTable, slot: Extract<Origin, { kind: 'slot' }>, by: Origin | undefined): number {
  if (by?.kind === 'constant') return table.number({ ...slot, offset: slot.offset + by.value });
  if (by?.kind === 'index' && slot.index === '')
    return table.number({ ...slot, index: by.register, scale: by.scale, offset: slot.offset + by.offset });
  return table.number({ ...slot, index: undefined, scale: 0, offset: 0 });
}

export function negated(table: OriginTable, a: number): number {
  const origin = table.of(a);
  return origin?.kind === 'constant' ? table.constant(-origin.value) : a === BOTTOM ? BOTTOM : UNKNOWN;
}

export function product(table: OriginTable, a: number, b: number): number {
  if (a === BOTTOM || b === BOTTOM) return BOTTOM;
  const one = table.of(a);
  const other = table.of(b);
  if (one?.kind === 'constant' && other?.kind === 'constant') return table.constant(one.value * other.value);
  if (one?.kind === 'index' && other?.kind === 'constant') return scaled(table, one, other.value);
  if (other?.kind === 'index' && one?.kind === 'constant') return scaled(table, other, one.value);
  return UNKNOWN;
}

const scaled = (table: OriginTable, index: Extract<Origin, { kind: 'index' }>, by: number): number =>
  table.number({ ...index, scale: index.scale * by, offset: index.offset * by });

/** A mask of lower bits alone asks how an address is aligned; what is left is none. */
const LOWEST_ADDRESS_BIT = 4096;

/** `a & mask`: a mask that clears low bits alone rounds an address down. */
export function masked(table: OriginTable, a: number, b: number): number {
  if (a === BOTTOM || b === BOTTOM) return BOTTOM;
  const one = table.of(a);
  const other = table.of(b);
  const address = isAddress(one) ? one : isAddress(other) ? other : undefined;
  if (address === undefined) return UNKNOWN;
  const mask = address === one ? other : one;
  if (mask?.kind === 'constant' && mask.value >= 0 && mask.value < LOWEST_ADDRESS_BIT) return UNKNOWN;
  const alignment = alignmentOfMask(mask);
  const { offset } = address;
  if (alignment === 0 || offset === undefined) return table.number({ ...address, offset: undefined });
  return table.number({ ...address, offset: Math.floor(offset / alignment) * alignment });
}

/** 32 for the mask -32; 0 for one that does more than clear low bits. */
export function alignmentOfMask(mask: Origin | undefined): number {
  if (mask?.kind !== 'constant' || mask.value >= 0) return 0;
  const size = -mask.value;
  return Number.isInteger(Math.log2(size)) ? size : 0;
}

/** `a | b`, as compilers write the addition of bits that are clear. */
export function united(table: OriginTable, a: number, b: number): number {
  if (a === BOTTOM || b === BOTTOM) return BOTTOM;
  return isAddress(table.of(a)) || isAddress(table.of(b)) ? sum(table, a, b) : UNKNOWN;
}
