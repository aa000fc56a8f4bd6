/**
 * Scratch space a thread gets for so many bytes: a power of two from 1 KiB on, as the hardware's per-thread scratch
 * size field counts (brw_compiler's rounding; facts B.5). 0 for none.
 */
export const scratchSize = (bytes: number): number =>
  bytes === 0 ? 0 : Math.max(1024, 2 ** Math.ceil(Math.log2(bytes)));
