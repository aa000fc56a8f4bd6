/**
 * `cp`: copies that run beside the thread. Three mechanisms, by what tells of their completion: `cp.async` (Ampere;
 * 4 to 16 bytes a thread, groups), `cp.async.bulk` (Hopper; one thread moves a block of memory, barriers count bytes
 * or groups wait) and `cp.async.bulk.tensor` (the same through a tensor map, which knows shape, strides and swizzle).
 */
import type { Form, Gate, InstructionEntry } from '../schema.js';
import { cacheHintGate, datacenterBlackwell, gated } from './common.js';

const policy = 'policy:r u64 if .L2::cache_hint';
const multicast = 'mask:r u16 if .multicast::cluster';
const hinted = '{.multicast::cluster}{.L2::cache_hint}';
const bytes = '.mbarrier::complete_tx::bytes';
const bulk = { isa: '8.0', sm: 90 };

const elementwise: readonly Form[] = [
  ['ca', '4|8|16'],
  ['cg', '16..16'],
].flatMap(([cache, sizes]) =>
  ['{size_read:u32}', 'ignore:n pred'].map((source) => ({
    modifiers: `.async^.${cache}.(shared|shared::cta).global{.L2::cache_hint}{.(L2::64B|L2::128B|L2::256B)}`,
    operands: `[d:shared], [a:global], size:i ${sizes} u32, ${source}, ${policy}`,
    isa: source.startsWith('{') ? '7.0' : '7.5',
    sm: 80,
    gates: {
      ...cacheHintGate,
      '.L2::64B': { isa: '7.4' },
      '.L2::128B': { isa: '7.4' },
      '.L2::256B': { isa: '7.4' },
    },
    note:
      cache === 'ca'
        ? 'Copies 4, 8 or 16 bytes of global memory to shared memory past the registers, through the L1. Bytes beyond `size_read`, or all when `ignore` is true, become zero. The copy is complete for this thread after `cp.async.wait_group` or `wait_all`; other threads need a barrier on top.'
        : 'Copies 16 bytes of global memory to shared memory past the registers and past the L1: right for data that is read once.',
  })),
);

const groups: readonly Form[] = [
  {
    modifiers: '.async.(commit_group|wait_all)^',
    operands: '',
    isa: '7.0',
    sm: 80,
    note: '`commit_group` closes the group of copies issued since the last one; `wait_all` waits for every copy of the thread, committed or not.',
  },
  {
    modifiers: '.async.wait_group^',
    operands: 'n:i u32',
    isa: '7.0',
    sm: 80,
    note: 'Waits until at most the `n` newest groups of this thread are still under way. A software pipeline of k stages waits with k - 2 or k - 1.',
  },
  {
    modifiers: '.async.mbarrier.arrive^{.noinc}{.(shared|shared::cta)}.b64',
    operands: '[mbar:shared]',
    isa: '7.0',
    sm: 80,
    gates: { '.shared::cta': { isa: '7.8' } },
    note: 'Makes the barrier see an arrival when all earlier `cp.async` of the thread are complete. Without `.noinc` the pending count is raised first, so that the arrival is extra; with it the count must have been set for it.',
  },
  {
    modifiers: '.async.bulk.commit_group^',
    operands: '',
    ...bulk,
    note: 'Closes the bulk group of the thread: the bulk copies from shared to global memory since the last one.',
  },
  {
    modifiers: '.async.bulk.wait_group^{.read}',
    operands: 'n:i u32',
    ...bulk,
    note: 'Waits until at most the `n` newest bulk groups are under way. With `.read` only until their sources may be overwritten, which is all that a buffer needs.',
  },
];

const size = 'size:u32';
const bulkCopies: readonly Form[] = [
  {
    modifiers: `.async.bulk^.shared::cluster.global${bytes}${hinted}`,
    operands: `[d:shared], [a:global], ${size}, [mbar:shared], ${multicast}, ${policy}`,
    ...bulk,
    checks: 'bulkSize',
    note: 'Global to shared memory, issued by one thread. Addresses and size are multiples of 16 bytes. The barrier, in the same block as `d`, counts the bytes: announce them first with `mbarrier.expect_tx`. With `.multicast::cluster` every block whose bit is set in `mask` gets the data at the same offset.',
  },
  {
    modifiers: `.async.bulk^.shared::cta.global${bytes}{.L2::cache_hint}`,
    operands: `[d:shared], [a:global], ${size}, [mbar:shared], ${policy}`,
    isa: '8.6',
    sm: 90,
    checks: 'bulkSize',
    note: 'Global memory to shared memory of the own block.',
  },
  {
    modifiers: `.async.bulk^.shared::cluster.shared::cta${bytes}`,
    operands: `[d:shared], [a:shared], ${size}, [mbar:shared]`,
    ...bulk,
    checks: 'bulkSize',
    note: "From the own block's shared memory to that of another block of the cluster; the barrier lies there.",
  },
  {
    modifiers: '.async.bulk^.global.shared::cta.bulk_group{.L2::cache_hint}{.cp_mask}',
    operands: `[d:global], [a:shared], ${size}, ${policy}, byte_mask:r u16 if .cp_mask`,
    ...bulk,
    gates: { '.cp_mask': { isa: '8.6', sm: 100 } },
    checks: 'bulkSize',
    note: 'Shared to global memory. Needs `fence.proxy.async` after the stores that filled `a`, and completes by `cp.async.bulk.wait_group`. Each bit of the mask writes one byte of every 16.',
  },
  {
    modifiers: '.async.bulk.prefetch^.L2.global{.L2::cache_hint}',
    operands: `[a:global], ${size}, ${policy}`,
    ...bulk,
    checks: 'bulkSize',
    note: 'Brings a range of global memory to the L2.',
  },
];

/** Reductions of a bulk copy by destination: shared memory of the cluster, and global memory. */
const clusterReductions: readonly (readonly [operation: string, types: string])[] = [
  ['.(and|or|xor)', 'b32'],
  ['.add', 'u32 s32 u64'],
  ['.(inc|dec)', 'u32'],
  ['.(min|max)', 'u32 s32'],
];
const globalReductions: readonly (readonly [operation: string, types: string])[] = [
  ['.(and|or|xor)', 'b32 b64'],
  ['.add', 'u32 s32 u64 f32 f64'],
  ['.add.noftz', 'f16 bf16'],
  ['.(inc|dec)', 'u32'],
  ['.(min|max)', 'u32 s32 u64 s64 f16 bf16'],
];

const bulkReductions: readonly Form[] = [
  ...clusterReductions.map(([operation, types]) => ({
    modifiers: `.reduce.async.bulk^.shared::cluster.shared::cta${bytes}${operation}.$t`,
    operands: `[d:shared], [a:shared], ${size}, [mbar:shared]`,
    sets: { t: types },
    ...bulk,
    checks: 'bulkSize',
    note: "Combines an array of the own block's shared memory with one of another block, element by element, each atomically.",
  })),
  ...globalReductions.map(([operation, types]) => ({
    modifiers: `.reduce.async.bulk^.global.shared::cta.bulk_group{.L2::cache_hint}${operation}.$t`,
    operands: `[d:global], [a:shared], ${size}, ${policy}`,
    sets: { t: types },
    ...bulk,
    checks: 'bulkSize',
    note: 'Combines an array of shared memory with one of global memory, element by element, each atomically.',
  })),
];

const dimensions = '1d=1 2d=2 3d=3 4d=4 5d=5';
/** Spatial dimensions of an im2col access: all but channel and batch. */
const spatial = '3d=1 4d=2 5d=3';
const fourRows = 'v5 s32';

/** One way to read a tensor: its modifier, its dimensions, its coordinates, and the offsets that follow. */
interface TensorMode {
  readonly mode: string;
  readonly dimensions: string;
  readonly coordinates: string;
  readonly offsets: string;
  readonly gate: Gate;
  readonly note: string;
}

const tile: TensorMode = {
  mode: '{.tile}',
  dimensions,
  coordinates: 'c:v$dim s32',
  offsets: '',
  gate: {},
  note: 'A box of the tensor, at the coordinates `c` of its first element, innermost dimension first. Elements outside the tensor read as zero (or NaN, by the map) and are not written.',
};

/** Coordinates of im2col follow the dimension, its offsets its spatial part: a form each. */
const im2col = (mode: string, offsets: (spatial: number) => number, gate: Gate): TensorMode[] =>
  spatial.split(' ').map((row) => {
    const [dimension, count] = row.split('=');
    return {
      mode,
      dimensions: `${dimension}=${dimension[0]}`,
      coordinates: 'c:v$dim s32',
      offsets: `offsets:v${offsets(Number(count))} u16`,
      gate,
      note: 'The pixels that a convolution filter meets, as rows of a matrix; `offsets` shift the window within the filter.',
    };
  });

const blackwell: Gate = { isa: '8.6', only: datacenterBlackwell };

const loadModes: readonly TensorMode[] = [
  tile,
  ...im2col('.im2col', (count) => count, {}),
  ...im2col('.im2col::w::128', () => 2, blackwell),
];

const gather: TensorMode = {
  mode: '.tile::gather4',
  dimensions: '2d=2',
  coordinates: `c:${fourRows}`,
  offsets: '',
  gate: blackwell,
  note: 'Four rows of a matrix: `c` is the first column and the four row numbers.',
};

const withMode = (
  { mode, dimensions: set, coordinates, offsets, gate, note }: TensorMode,
  modifiers: (mode: string) => string,
  operands: (coordinates: string, offsets: string) => string,
  base: Gate,
): Form =>
  gated(
    {
      modifiers: modifiers(mode),
      operands: operands(coordinates, offsets === '' ? '' : `${offsets}, `),
      sets: { dim: set },
      ...base,
      ...gate,
      checks: 'bracedCoordinates',
      note,
    },
    { '.cta_group::1': blackwell, '.cta_group::2': blackwell },
  );

const pair = '{.(cta_group::1|cta_group::2)}';
/** Modes that shared memory of the own block has on every sm_100 and newer. */
const anyBlackwell: Gate = { isa: '8.6', sm: 100 };

const tensorLoads: readonly Form[] = [
  ...[...loadModes, gather, ...im2col('.im2col::w', () => 2, blackwell)].map((mode) =>
    withMode(
      mode,
      (name) =>
        `.async.bulk.tensor^.$dim.shared::cluster.global${name}${bytes}{.multicast::cluster}${pair}{.L2::cache_hint}`,
      (c, offsets) => `[d:shared], [map, ${c}], [mbar:shared], ${offsets}${multicast}, ${policy}`,
      bulk,
    ),
  ),
  ...[...loadModes, { ...gather, gate: anyBlackwell }, ...im2col('.im2col::w', () => 2, anyBlackwell)].map(
    (mode) =>
      withMode(
        mode,
        (name) => `.async.bulk.tensor^.$dim.shared::cta.global${name}${bytes}${pair}{.L2::cache_hint}`,
        (c, offsets) => `[d:shared], [map, ${c}], [mbar:shared], ${offsets}${policy}`,
        { isa: '8.6', sm: 90 },
      ),
  ),
];

const storeModes: readonly TensorMode[] = [
  tile,
  { ...tile, mode: '.im2col_no_offs', dimensions: '3d=3 4d=4 5d=5' },
];
const scatter: TensorMode = { ...gather, mode: '.tile::scatter4' };

const tensorStores: readonly Form[] = [...storeModes, scatter].map((mode) =>
  withMode(
    mode,
    (name) => `.async.bulk.tensor^.$dim.global.shared::cta${name}.bulk_group{.L2::cache_hint}`,
    (c) => `[map, ${c}], [a:shared], ${policy}`,
    bulk,
  ),
);

const tensorPrefetches: readonly Form[] = [
  ...loadModes,
  gather,
  ...im2col('.im2col::w', () => 2, blackwell),
].map((mode) =>
  withMode(
    mode,
    (name) => `.async.bulk.prefetch.tensor^.$dim.L2.global${name}{.L2::cache_hint}`,
    (c, offsets) => `[map, ${c}], ${offsets}${policy}`,
    bulk,
  ),
);

const tensorReductions: readonly Form[] = storeModes.map((mode) =>
  withMode(
    mode,
    (name) =>
      `.reduce.async.bulk.tensor^.$dim.global.shared::cta.(add|min|max|inc|dec|and|or|xor)${name}.bulk_group{.L2::cache_hint}`,
    (c) => `[map, ${c}], [a:shared], ${policy}`,
    bulk,
  ),
);

export const asyncCopyEntries: readonly InstructionEntry[] = [
  {
    opcode: 'cp',
    group: 'asynchronous copy',
    text: 'Asynchronous copies between global and shared memory. The thread goes on at once; the data may be used after the completion mechanism of the form has said so (groups for `cp.async`, a barrier or bulk groups for `cp.async.bulk`), never before. Bulk copies run in the asynchronous proxy: order them against ordinary loads and stores with `fence.proxy.async`. A bulk copy is issued by one thread (`elect.sync`), not by the warp.',
    forms: [
      ...elementwise,
      ...groups,
      ...bulkCopies,
      ...bulkReductions,
      ...tensorLoads,
      ...tensorStores,
      ...tensorPrefetches,
      ...tensorReductions,
    ],
  },
];
