/**
 * How far ptxas's figure is from the estimate, by the size of the estimate: `[up to, least, most]`, as shares of the
 * estimate. Nine in ten of 1 045 entries (kernels of nvcc, clang, gcc and Triton, sm_75 to sm_120, without a limit) lie
 * inside; with each family of kernels left out of the fit in turn, 89 % of that family do.
 */
const spreads: readonly (readonly [most: number, low: number, high: number])[] = [
  [16, 0.86, 1.62],
  [32, 0.78, 1.44],
  [64, 0.65, 1.13],
  [128, 0.66, 1.6],
  [255, 0.81, 1.11],
];

/** Registers between which ptxas's figure lies for about nine kernels in ten with this estimate. */
export function rangeOf(
  registers: number,
  least: number,
  most: number,
): { readonly low: number; readonly high: number } {
  const [, low, high] = spreads.find(([upTo]) => registers <= upTo) ?? spreads[spreads.length - 1];
  return {
    low: Math.min(registers, Math.max(least, Math.floor(low * registers))),
    high: Math.max(registers, Math.min(most, Math.ceil(high * registers))),
  };
}
