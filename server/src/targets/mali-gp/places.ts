/** Names of registers and locations, as the source writes them. */
import type { Leaf } from './graph.js';

export const componentNames = ['x', 'y', 'z', 'w'] as const;

/** `$3.x` of a place `4 * vector + component`; what has none (-1) is in no register. */
export const registerName = (place: number): string =>
  place < 0 ? 'no register' : `$${place >> 2}.${componentNames[place & 3]}`;

const spaces = { attribute: 'a', uniform: 'u', varying: 'v', temporary: 't' } as const;

export const locationName = (space: keyof typeof spaces, vector: number, component: number): string =>
  `${spaces[space]}${vector}.${componentNames[component]}`;

/** Equal for leaves that stand for the same thing wherever they are read. */
export function leafKey(leaf: Leaf): string {
  switch (leaf.kind) {
    case 'constant':
      return constantKey(leaf.value);
    case 'register':
      return `r${leaf.register}`;
    default:
      return locationName(leaf.kind, leaf.vector, leaf.component);
  }
}

/** Tells 0 from -0. */
export const constantKey = (value: number): string => `c${Object.is(value, -0) ? '-0' : value}`;
