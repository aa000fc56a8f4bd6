/**
 * Fragments: the part of a matrix that one lane of a warp holds, as registers in braces. Which registers a format
 * wants (packed halves in `.f16x2` or `.b32`, everything narrower packed in 32 bits) is ptxas 13.0.88's verdict.
 */
const registerTypes: Readonly<Record<string, string>> = {
  f16: 'f16x2',
  bf16: 'bf16x2',
  tf32: 'tf32',
  f32: 'f32',
  f64: 'f64',
  s32: 'u32',
};

/** The pattern of a fragment of `count` registers that holds elements of type `element`. */
export const fragment = (element: string, count: number | string): string =>
  `v${count} ${registerTypes[element] ?? 'b32'}`;
