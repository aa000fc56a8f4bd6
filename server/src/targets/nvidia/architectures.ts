/**
 * What one streaming multiprocessor (SM) of each architecture offers to resident blocks.
 *
 * Sources, by row:
 * - `traits`: NVIDIA's libcu++ `cuda::arch_traits` (github.com/NVIDIA/cccl, libcudacxx/include/cuda/__device/
 *   arch_traits.h), which agrees with the table "Technical Specifications per Compute Capability" of the CUDA
 *   programming guide.
 * - Allocation units (256 registers a warp, four sub-partitions, shared memory rounded to 128 bytes, 256 on 7.5):
 *   `cuda_occupancy.h` of the CUDA toolkit.
 * - Predicate registers P0 to P6 and uniform registers UR0 to UR62: "CUDA Binary Utilities", instruction set
 *   reference.
 */
export type Family =
  'turing' | 'ampere' | 'ampere-graphics' | 'ada' | 'hopper' | 'blackwell' | 'blackwell-graphics';

export interface Architecture {
  /** As in `.target`, without a feature suffix: `sm_90`. */
  readonly name: string;
  /** Ten times the compute capability: 90. */
  readonly capability: number;
  readonly family: Family;
  readonly maxWarps: number;
  readonly maxThreads: number;
  readonly maxBlocks: number;
  /** Bytes of shared memory of an SM. */
  readonly sharedBytes: number;
  /** Bytes that the driver takes from shared memory for each resident block. */
  readonly sharedReserved: number;
  /** Bytes of shared memory are handed out in multiples of this. */
  readonly sharedGranularity: number;
  readonly source: string;
}

/** Equal on every architecture from sm_75 to sm_121 (the same two sources). */
export const machine = {
  threadsPerWarp: 32,
  maxThreadsPerBlock: 1024,
  registersPerSm: 65536,
  registersPerBlock: 65536,
  maxRegistersPerThread: 255,
  /** An SM has four schedulers, each with a quarter of the registers; a warp stays with one of them. */
  subPartitions: 4,
  /** Registers of a warp are handed out in multiples of 256, which is 8 a thread. */
  registerGranularity: 8,
  predicates: 7,
  /** UR0 to UR62 of sm_75 and newer ("CUDA Binary Utilities"). */
  uniformRegisters: 63,
  /** R1 points to the stack in every function, used or not ("CUDA Binary Utilities"; every disassembly begins by loading it). */
  stackPointer: 1,
  /** What ptxas counts beyond the highest register that its code names (measured, ptxas 13.0: always two, from sm_75 on). */
  unnamedRegisters: 2,
  /** What ptxas gives at least where a register limit is set (measured, ptxas 13.0: `--maxrregcount` below is raised to it). */
  minimumLimit: 24,
  /** What ptxas reports at least for a function with a real call: the calling convention's fixed registers (measured, ptxas 13.0). */
  callFloor: 24,
} as const;

const KB = 1024;
const TRAITS = 'libcu++ cuda::arch_traits; CUDA programming guide, compute capabilities';

const row = (
  capability: number,
  family: Family,
  maxWarps: number,
  maxBlocks: number,
  sharedKilobytes: number,
): Architecture => ({
  name: `sm_${capability}`,
  capability,
  family,
  maxWarps,
  maxThreads: maxWarps * machine.threadsPerWarp,
  maxBlocks,
  sharedBytes: sharedKilobytes * KB,
  sharedReserved: capability >= 80 ? KB : 0,
  sharedGranularity: capability >= 80 ? 128 : 256,
  source: TRAITS,
});

export const architectures: readonly Architecture[] = [
  row(75, 'turing', 32, 16, 64),
  row(80, 'ampere', 64, 32, 164),
  row(86, 'ampere-graphics', 48, 16, 100),
  row(87, 'ampere-graphics', 48, 16, 164),
  row(88, 'ampere-graphics', 48, 16, 100),
  row(89, 'ada', 48, 24, 100),
  row(90, 'hopper', 64, 32, 228),
  row(100, 'blackwell', 64, 32, 228),
  row(103, 'blackwell', 64, 32, 228),
  row(110, 'blackwell', 48, 24, 228),
  row(120, 'blackwell-graphics', 48, 24, 100),
  row(121, 'blackwell-graphics', 48, 24, 100),
];

/**
 * The architecture that a name such as `sm_90a` means. Older ones than the first run as the first (the oldest that
 * CUDA 13 compiles for), unknown ones as the nearest older; undefined where the text is no architecture at all.
 */
export function architectureOf(name: string): Architecture | undefined {
  const match = /^(?:sm|compute)_(\d{2,3})[af]?$/.exec(name);
  if (!match) return undefined;
  const capability = Number(match[1]);
  let found = architectures[0];
  for (const candidate of architectures) if (candidate.capability <= capability) found = candidate;
  return found;
}

/**
 * Names of an architecture: `sm_90`, and with the suffixes that ptxas 13.0 takes for it, which open features of that one
 * (`a`) or of its family (`f`). The limits of an SM are the same under each.
 */
export const namesOf = ({ name, capability }: Architecture): readonly string[] => [
  name,
  ...(capability >= 90 ? [`${name}a`] : []),
  ...(capability >= 100 ? [`${name}f`] : []),
];

/** Bytes of shared memory that one block may ask for. */
export const sharedPerBlock = (a: Architecture): number => a.sharedBytes - a.sharedReserved;

/** The most registers a thread may have for all warps of an SM to be resident: 64, 40 or 32. */
export function fullOccupancyRegisters(a: Architecture): number {
  const exact = machine.registersPerSm / (a.maxWarps * machine.threadsPerWarp);
  return Math.floor(exact / machine.registerGranularity) * machine.registerGranularity;
}
