/**
 * The predefined read-only registers of PTX: type, whether they have components, whether they keep their value while
 * a thread runs, and the first version and architecture. Types, the 16-bit reads that old code relies on, and the
 * gates are ptxas 13.0.88's verdicts; meanings follow the special-register chapter of the PTX ISA manual.
 */

export interface SpecialRegister {
  /** With the percent sign: `%tid`. */
  readonly name: string;
  /** Of the register or, where it has components, of each. */
  readonly type: 'u32' | 'u64' | 'pred';
  /** Has `.x .y .z .w`, and can be read whole as `mov.v4.u32`. */
  readonly isVector: boolean;
  /** `mov.u16` and `cvt.u32.u16` may read the low half. */
  readonly isReadableAsU16: boolean;
  /** Every read in one thread gives the same value, so that it can be read again instead of being kept. */
  readonly isConstant: boolean;
  /** Threads of this group all read the same value. */
  readonly uniformIn: 'thread' | 'warp' | 'block' | 'cluster' | 'grid' | 'machine';
  readonly isa: string;
  readonly sm: number;
  /** Markdown. */
  readonly text: string;
}

type Row = readonly [
  name: string,
  type: SpecialRegister['type'],
  /** `v` components, `h` readable as u16, `~` changes while the thread runs */
  traits: string,
  uniformIn: SpecialRegister['uniformIn'],
  isa: string,
  sm: number,
  text: string,
];

const components = 'Components `.x`, `.y`, `.z`; `.w` reads 0.';

const rows: readonly Row[] = [
  [
    '%tid',
    'u32',
    'vh',
    'thread',
    '1.0',
    10,
    `Index of the thread in its block, each component below the same component of \`%ntid\`. ${components} A warp takes 32 threads in order of \`x + y * ntid.x + z * ntid.x * ntid.y\`.`,
  ],
  [
    '%ntid',
    'u32',
    'vh',
    'grid',
    '1.0',
    10,
    'Threads of a block in each dimension. Components `.x`, `.y`, `.z`; `.w` reads 1. With `.reqntid` ptxas knows the value and folds it.',
  ],
  [
    '%laneid',
    'u32',
    '',
    'thread',
    '1.3',
    10,
    'Lane of the thread in its warp, 0 to `WARP_SZ - 1`. It does not follow from `%tid.x` alone when a block has more than one dimension.',
  ],
  [
    '%warpid',
    'u32',
    '~',
    'warp',
    '1.3',
    10,
    'Warp slot of the thread in its block. Good for tracing only: a warp that is set aside and resumed may get another. Compute a stable warp number from `%tid`.',
  ],
  [
    '%nwarpid',
    'u32',
    '~',
    'block',
    '2.0',
    20,
    'Upper bound of `%warpid`: how many warp slots there are. Diagnostic; not the number of warps in the block.',
  ],
  [
    '%ctaid',
    'u32',
    'vh',
    'block',
    '1.0',
    10,
    `Index of the block in the grid, each component below the same component of \`%nctaid\`. ${components}`,
  ],
  [
    '%nctaid',
    'u32',
    'vh',
    'grid',
    '1.0',
    10,
    'Blocks of the grid in each dimension. Components `.x`, `.y`, `.z`; `.w` reads 1. `.x` may reach 2^31 - 1, so that a 16-bit read loses bits.',
  ],
  [
    '%smid',
    'u32',
    '~',
    'warp',
    '1.3',
    10,
    'The multiprocessor that runs the thread now, below `%nsmid`; numbers need not be contiguous. It may change when the block is preempted and resumed.',
  ],
  [
    '%nsmid',
    'u32',
    '~',
    'machine',
    '2.0',
    20,
    'Upper bound of `%smid`. It may exceed the number of multiprocessors, since their numbers may have gaps.',
  ],
  [
    '%gridid',
    'u64',
    'h',
    'grid',
    '1.0',
    10,
    'Number of the launch in its context, for debuggers and tracing. 64 bits since PTX ISA 3.0; a 32-bit read gives the low half.',
  ],
  [
    '%is_explicit_cluster',
    'pred',
    '',
    'grid',
    '7.8',
    90,
    'True when the launch gave a cluster shape. Without one every block is a cluster of its own and the other cluster registers describe that.',
  ],
  [
    '%clusterid',
    'u32',
    'v',
    'cluster',
    '7.8',
    90,
    `Index of the cluster in the grid, each component below that of \`%nclusterid\`. ${components}`,
  ],
  [
    '%nclusterid',
    'u32',
    'v',
    'grid',
    '7.8',
    90,
    'Clusters of the grid in each dimension. Components `.x`, `.y`, `.z`; `.w` reads 1.',
  ],
  [
    '%cluster_ctaid',
    'u32',
    'v',
    'block',
    '7.8',
    90,
    `Index of the block in its cluster, each component below that of \`%cluster_nctaid\`. ${components}`,
  ],
  [
    '%cluster_nctaid',
    'u32',
    'v',
    'grid',
    '7.8',
    90,
    'Blocks of a cluster in each dimension. Components `.x`, `.y`, `.z`; `.w` reads 1.',
  ],
  [
    '%cluster_ctarank',
    'u32',
    '',
    'block',
    '7.8',
    90,
    'Rank of the block in its cluster, below `%cluster_nctarank`: the number that `mapa` and multicast masks take.',
  ],
  [
    '%cluster_nctarank',
    'u32',
    '',
    'grid',
    '7.8',
    90,
    'Number of blocks in the cluster, all dimensions together. 8 is the portable limit.',
  ],
  ['%lanemask_eq', 'u32', '', 'thread', '2.0', 20, 'Mask with the bit of the own lane alone.'],
  ['%lanemask_le', 'u32', '', 'thread', '2.0', 20, 'Mask of the lanes up to the own one, itself included.'],
  [
    '%lanemask_lt',
    'u32',
    '',
    'thread',
    '2.0',
    20,
    'Mask of the lanes below the own one. `popc` of it and a ballot gives the rank of a lane among the active ones.',
  ],
  ['%lanemask_ge', 'u32', '', 'thread', '2.0', 20, 'Mask of the lanes from the own one up, itself included.'],
  ['%lanemask_gt', 'u32', '', 'thread', '2.0', 20, 'Mask of the lanes above the own one.'],
  [
    '%clock',
    'u32',
    '~',
    'thread',
    '1.0',
    10,
    'Cycle counter of the multiprocessor, low 32 bits, wrapping. Reads are kept in order with `volatile` memory accesses only; ptxas may move arithmetic across. Counters of two multiprocessors are not related.',
  ],
  [
    '%clock_hi',
    'u32',
    '~',
    'thread',
    '5.0',
    20,
    'High 32 bits of `%clock64`. Reading the halves apart can tear; prefer `%clock64`.',
  ],
  [
    '%clock64',
    'u64',
    '~',
    'thread',
    '2.0',
    20,
    'Cycle counter of the multiprocessor, 64 bits, wrapping. The difference of two reads includes the cost of the read itself.',
  ],
  [
    '%globaltimer',
    'u64',
    '~',
    'thread',
    '3.1',
    30,
    'Nanosecond clock of the GPU, common to its multiprocessors. Its resolution depends on the machine (about a microsecond by default) and is meant for tools.',
  ],
  ['%globaltimer_lo', 'u32', '~', 'thread', '3.1', 30, 'Low 32 bits of `%globaltimer`.'],
  ['%globaltimer_hi', 'u32', '~', 'thread', '3.1', 30, 'High 32 bits of `%globaltimer`.'],
  [
    '%reserved_smem_offset_begin',
    'u32',
    '',
    'grid',
    '7.6',
    80,
    'Start of the shared memory that the system keeps for itself, as an offset in the shared window.',
  ],
  [
    '%reserved_smem_offset_end',
    'u32',
    '',
    'grid',
    '7.6',
    80,
    'End of the shared memory that the system keeps for itself (1 KiB on sm_80 and newer in practice).',
  ],
  [
    '%reserved_smem_offset_cap',
    'u32',
    '',
    'grid',
    '7.6',
    80,
    'Size of the shared memory that the system keeps for itself.',
  ],
  [
    '%reserved_smem_offset_0',
    'u32',
    '',
    'grid',
    '7.6',
    80,
    'Offset in the reserved shared memory, meaning left to the system.',
  ],
  [
    '%reserved_smem_offset_1',
    'u32',
    '',
    'grid',
    '7.6',
    80,
    'Offset in the reserved shared memory, meaning left to the system.',
  ],
  [
    '%total_smem_size',
    'u32',
    '',
    'grid',
    '4.1',
    20,
    "Bytes of shared memory of a block, static and dynamic, rounded up to the machine's allocation unit, without the part reserved by the system.",
  ],
  [
    '%aggr_smem_size',
    'u32',
    '',
    'grid',
    '8.1',
    90,
    'Bytes of shared memory of a block including the part reserved by the system.',
  ],
  [
    '%dynamic_smem_size',
    'u32',
    '',
    'grid',
    '4.1',
    20,
    'Bytes of shared memory that the launch asked for: the size of the `.extern .shared` array.',
  ],
  [
    '%current_graph_exec',
    'u64',
    '',
    'grid',
    '8.0',
    50,
    'Identifier of the executable CUDA graph that the kernel is a node of, or 0 outside graphs. A graph that launches itself on the device needs it.',
  ],
  ...numbered('%pm', '', 8, (n): Row => [
    n,
    'u32',
    '~',
    'thread',
    Number(n.slice(3)) < 4 ? '1.3' : '3.0',
    Number(n.slice(3)) < 4 ? 10 : 20,
    'Performance counter, 32 bits, wrapping; what it counts is set up by the profiler through the driver.',
  ]),
  ...numbered('%pm', '_64', 8, (n): Row => [
    n,
    'u64',
    '~',
    'thread',
    '4.0',
    50,
    'Performance counter, 64 bits; what it counts is set up by the profiler through the driver.',
  ]),
  ...numbered('%envreg', '', 32, (n): Row => [
    n,
    'u32',
    '',
    'grid',
    '2.1',
    10,
    'Value set by the driver before the launch; its meaning belongs to the driver (OpenCL keeps work offsets and sizes here).',
  ]),
];

function numbered(prefix: string, suffix: string, count: number, row: (name: string) => Row): Row[] {
  return Array.from({ length: count }, (_, index) => row(`${prefix}${index}${suffix}`));
}

/** By name, with the percent sign and without component. */
export const specialRegisters: ReadonlyMap<string, SpecialRegister> = new Map(
  rows.map(([name, type, traits, uniformIn, isa, sm, text]) => [
    name,
    {
      name,
      type,
      isVector: traits.includes('v'),
      isReadableAsU16: traits.includes('h'),
      isConstant: !traits.includes('~'),
      uniformIn,
      isa,
      sm,
      text,
    },
  ]),
);

export interface PredefinedConstant {
  readonly name: string;
  readonly value: bigint;
  readonly text: string;
}

/** Names that stand for a number in constant expressions. */
export const predefinedConstants: ReadonlyMap<string, PredefinedConstant> = new Map([
  [
    'WARP_SZ',
    {
      name: 'WARP_SZ',
      value: 32n,
      text: 'Threads in a warp: 32 on every machine so far. A constant, not a register.',
    },
  ],
]);

const componentNames = new Set(['x', 'y', 'z', 'w', 'r', 'g', 'b', 'a']);

/** The register that `%tid.x`, `%tid` or `%laneid` reads; undefined for a name or component that does not exist. */
export function specialRegister(text: string): SpecialRegister | undefined {
  const dot = text.indexOf('.');
  if (dot < 0) return specialRegisters.get(text);
  const register = specialRegisters.get(text.slice(0, dot));
  return register?.isVector && componentNames.has(text.slice(dot + 1)) ? register : undefined;
}
