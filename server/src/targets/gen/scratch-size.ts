import type { Program } from './program.js';

/**
 * Scratch space that a thread is given for the bytes that it uses. i965 takes a power of two, 1 KiB at least (facts
 * B.10); Beignet's rule depends on the generation (A.13: multiples of 1 KiB on Gen7, powers of two from 2 KiB on
 * Gen7.5, from 1 KiB on Gen8).
 */
export function scratchSize(
  { dialect, platform }: Pick<Program, 'dialect' | 'platform'>,
  bytes: number,
): number {
  if (bytes <= 0) return 0;
  if (dialect !== 'selection') return Math.max(1024, powerOfTwo(bytes));
  if (platform.generation < 7.5) return 1024 * Math.ceil(bytes / 1024);
  return Math.max(platform.generation < 8 ? 2048 : 1024, powerOfTwo(bytes));
}

const powerOfTwo = (bytes: number): number => 2 ** Math.ceil(Math.log2(bytes));
