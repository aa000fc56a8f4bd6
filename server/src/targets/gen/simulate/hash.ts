/**
 * Uninterpreted functions and random inputs: 32-bit hashes that stand for what a message returns when only its
 * payload is known, and for the values that a program finds in its payload registers, constants and memory.
 */
export function mix(state: number, value: number): number {
  let h = Math.imul(state ^ value, 0x9e37_79b1);
  h = Math.imul(h ^ (h >>> 15), 0x85eb_ca6b);
  return h ^ (h >>> 13);
}

/** A signed 32-bit hash of numbers, which count as integers. */
export function hash(...values: readonly number[]): number {
  let h = 0x2545_f491;
  for (const value of values) h = mix(h, value | 0);
  return mix(h, 0x27d4_eb2f);
}

/** A hash of a text. */
export function hashText(text: string): number {
  let h = 0x1b87_3593;
  for (let k = 0; k < text.length; k++) h = mix(h, text.charCodeAt(k));
  return h;
}

const scratch = new DataView(new ArrayBuffer(4));

/** The bits of a float between -4 and 4 that a hash chooses, never 0. */
export function lively(h: number): number {
  scratch.setFloat32(0, ((h >> 8) + 0.5) / 2 ** 21);
  return scratch.getUint32(0);
}

/** Dword `index` of input `kind`: mostly floats of moderate size, some small integers, some arbitrary bits. */
export function inputDword(seed: number, kind: number, index: number): number {
  const h = hash(seed, kind, index);
  const choice = h & 15;
  if (choice < 10) return lively(mix(h, 1));
  if (choice < 14) return (mix(h, 2) >>> 4) % 97;
  return mix(h, 3) >>> 0;
}
