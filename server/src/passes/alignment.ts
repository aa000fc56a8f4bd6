/**
 * Wide registers begin at a multiple of their width rounded up to a power of two: a 64-bit register is an even
 * pair, a 128-bit register a quad. Powers of two placed widest first fill a file without waste.
 */
export function alignmentOf(width: number): number {
  let alignment = 1;
  while (alignment < width) alignment *= 2;
  return alignment;
}
