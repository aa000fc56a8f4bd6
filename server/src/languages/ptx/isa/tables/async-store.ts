/**
 * Stores and hints beside ordinary memory access: asynchronous and bulk stores to shared memory, operations on
 * multicast addresses, tensor maps, cluster addresses, and advice to the L2 cache.
 */
import type { Form, InstructionEntry } from '../schema.js';
import { clusterGates, gated } from './common.js';

/** Forms of `st`. */
export const asyncStoreForms: readonly Form[] = [
  ...[
    ['v2 v4', 'b32 u32 s32 f32'],
    ['v2', 'b64 u64 s64 f64'],
  ].map(([vec, t]) => ({
    modifiers: '.async^{.weak}{.shared::cluster}.mbarrier::complete_tx::bytes{.$vec}.$t',
    operands: '[a:shared], b:v$vec t, [mbar:shared]',
    sets: { vec, t },
    isa: '8.1',
    sm: 90,
    note: 'Stores to shared memory of a block of the cluster without waiting; the barrier `mbar`, in the same block, counts the bytes.',
  })),
  {
    modifiers: '.async^{.mmio}.release.(gpu|sys){.global}.$t',
    operands: '[a:global], b:t',
    sets: { t: 'b8 u8 s8 b16 u16 s16 b32 u32 s32 f32 b64 u64 s64 f64' },
    isa: '8.7',
    sm: 100,
    note: 'Stores to global memory without waiting; earlier writes of the thread are visible before it.',
  },
  {
    modifiers: '.bulk^{.weak}{.(shared::cta)}',
    operands: '[a:shared], size:u64, value:i 0..0 u64',
    checks: 'bulkFillSize',
    isa: '8.6',
    sm: 100,
    note: 'Fills a range of shared memory with zero. The size is a multiple of 8 bytes.',
  },
];

/** Forms of `prefetch`. */
export const tensormapPrefetchForms: readonly Form[] = [
  {
    modifiers: '{.$ss}.tensormap',
    operands: '[a:$ss]',
    sets: { ss: 'const param' },
    isa: '8.0',
    sm: 90,
    note: 'Brings a tensor map into the descriptor cache, before the first copy that uses it.',
  },
];

const blackwellMaps = 'sm_100f sm_110f sm_120f';
const replaceTargets = `sm_90a ${blackwellMaps}`;
const mapSpace = '{.$ss}.b1024';
const mapSets = { ss: 'global shared::cta' };

const replace = (
  fields: string,
  type: string,
  operands: string,
  note: string,
  only = replaceTargets,
  isa = '8.3',
): Form => ({
  modifiers: `.replace.tile^.(${fields})${mapSpace}.${type}`,
  operands: `[map:$ss], ${operands}`,
  sets: mapSets,
  isa,
  only,
  note,
});

const tensormap: InstructionEntry = {
  opcode: 'tensormap',
  group: 'asynchronous copy',
  text: 'Changes one field of a tensor map (128 bytes, aligned to 64) in place, so that a kernel can address tensors that the host did not know. Usual order: copy the map to shared memory, replace fields there, publish it with `tensormap.cp_fenceproxy`, and acquire it with `fence.proxy.tensormap::generic` before the copies that use it.',
  forms: [
    replace('global_address', 'b64', 'value:b64', 'Address of the tensor, aligned to 16 bytes.'),
    replace('rank', 'b32', 'value:b32', 'Number of dimensions minus one.'),
    replace(
      'box_dim|global_dim|element_stride',
      'b32',
      'dimension:i 0..4 u32, value:b32',
      'Extent of the box, extent of the tensor, or traversal stride in one dimension.',
    ),
    replace(
      'global_stride',
      'b64',
      'dimension:i 0..4 u32, value:b64',
      'Distance in bytes from one dimension on.',
    ),
    replace(
      'elemtype',
      'b32',
      'value:i 0..12 u32',
      '0 u8, 1 u16, 2 u32, 3 s32, 4 u64, 5 s64, 6 f16, 7 f32, 8 f32 flushed, 9 f64, 10 bf16, 11 tf32, 12 tf32 flushed.',
    ),
    replace(
      'elemtype',
      'b32',
      'value:i 13..15 u32',
      '13 and 14 packed 4-bit elements, 15 packed 6-bit elements.',
      blackwellMaps,
      '8.6',
    ),
    replace('interleave_layout', 'b32', 'value:i 0..2 u32', '0 none, 1 16 bytes, 2 32 bytes.'),
    replace('swizzle_mode', 'b32', 'value:i 0..3 u32', '0 none, 1 32 bytes, 2 64 bytes, 3 128 bytes.'),
    replace('swizzle_mode', 'b32', 'value:i 4..4 u32', '4 96 bytes.', 'sm_103a', '8.6'),
    replace('fill_mode', 'b32', 'value:i 0..1 u32', 'What elements outside read as: 0 zero, 1 NaN.'),
    replace(
      'swizzle_atomicity',
      'b32',
      'value:i 0..3 u32',
      'Unit of the swizzle: 0 16 bytes, 1 32, 2 32 with halves exchanged, 3 64.',
      blackwellMaps,
      '8.6',
    ),
    gated(
      {
        modifiers:
          '.cp_fenceproxy^.global.shared::cta.tensormap::generic.release.(cta|cluster|gpu|sys).sync.aligned',
        operands: '[d:global], [a:shared], size:i 128..128 u32',
        isa: '8.3',
        sm: 70,
        note: 'Copies a changed map from shared to global memory and releases it to the tensor map proxy. The whole warp takes part.',
      },
      { '.cluster': clusterGates['.cluster'] },
    ),
  ],
};

/** An order needs its scope, and `.weak` has none. */
const orders = (names: string): string[] => ['{.weak}', `.(${names}).(cta|cluster|gpu|sys)`];
const narrowFloats = { isa: '8.6', only: 'sm_100f sm_110f sm_120a sm_121a' };

interface MultimemRow {
  readonly operation: string;
  readonly vector?: string;
  readonly types: string;
  readonly isa?: string;
  readonly only?: string;
}

const multimemReductions: readonly MultimemRow[] = [
  { operation: '.(min|max)', types: 's32 u32 s64 u64' },
  { operation: '.add', types: 's32 u32 u64 f32 f64' },
  { operation: '.(and|or|xor)', types: 'b32 b64' },
  { operation: '.add', vector: 'v2 v4', types: 'f32' },
];

const multimemLoadReductions: readonly MultimemRow[] = [
  ...multimemReductions,
  { operation: '.(min|max)', types: 'f16x2 bf16x2' },
  { operation: '.add{.acc::f32}', types: 'f16x2 bf16x2' },
  { operation: '.(min|max)', vector: 'v2 v4 v8', types: 'f16 bf16' },
  { operation: '.add{.acc::f32}', vector: 'v2 v4 v8', types: 'f16 bf16' },
  { operation: '.(min|max)', vector: 'v2 v4', types: 'f16x2 bf16x2' },
  { operation: '.add{.acc::f32}', vector: 'v2 v4', types: 'f16x2 bf16x2' },
  { operation: '.(min|max)', types: 'e4m3x4 e5m2x4', ...narrowFloats },
  { operation: '.add{.acc::f16}', types: 'e4m3x4 e5m2x4', ...narrowFloats },
  { operation: '.(min|max)', vector: 'v2 v4', types: 'e4m3x4 e5m2x4', ...narrowFloats },
  { operation: '.add{.acc::f16}', vector: 'v2 v4', types: 'e4m3x4 e5m2x4', ...narrowFloats },
];

const multimemUpdates: readonly MultimemRow[] = [
  ...multimemReductions,
  { operation: '.add{.acc::f32}', types: 'f16x2 bf16x2' },
  { operation: '.(min|max)', vector: 'v2 v4 v8', types: 'f16 bf16' },
  { operation: '.add{.acc::f32}', vector: 'v2 v4 v8', types: 'f16 bf16' },
  { operation: '.(min|max)', vector: 'v2 v4', types: 'f16x2 bf16x2' },
  { operation: '.add{.acc::f32}', vector: 'v2 v4', types: 'f16x2 bf16x2' },
];

const multimemStores: readonly MultimemRow[] = [
  { operation: '', types: 'b32 u32 s32 b64 u64 s64 f32 f64 f16x2 bf16x2' },
  { operation: '', vector: 'v2 v4 v8', types: 'f16 bf16' },
  { operation: '', vector: 'v2 v4', types: 'f16x2 bf16x2 f32' },
  { operation: '', types: 'e4m3x4 e5m2x4', ...narrowFloats },
  { operation: '', vector: 'v2 v4', types: 'e4m3x4 e5m2x4', ...narrowFloats },
];

const multimemForm = (name: string, order: string, operands: string, row: MultimemRow, note: string): Form =>
  gated(
    {
      modifiers: `.${name}^${order}{.global}${row.operation}${row.vector === undefined ? '' : '.$vec'}.$t`,
      operands: operands.replaceAll('VECTOR', row.vector === undefined ? '' : 'v$vec'),
      sets: { t: row.types, ...(row.vector !== undefined && { vec: row.vector }) },
      isa: row.isa ?? '8.1',
      sm: 90,
      ...(row.only !== undefined && { only: row.only }),
      note,
    },
    { '.acc::f32': { isa: '8.2' } },
  );

const multimem: InstructionEntry = {
  opcode: 'multimem',
  group: 'atomics and reductions',
  text: 'Access to a multicast address, behind which lie the memories of several GPUs joined by NVLink and NVSwitch. `ld_reduce` reads all of them and returns the reduced value (the switch adds), `st` writes all, `red` updates all. One copy in flight replaces one for each GPU. Any other instruction on such an address is undefined.',
  forms: [
    ...multimemLoadReductions.flatMap((row) =>
      orders('relaxed|acquire').map((order) =>
        multimemForm(
          'ld_reduce',
          order,
          'd:w VECTOR t, [a:global]',
          row,
          'Reads and reduces; `.acc` adds in higher precision than the type.',
        ),
      ),
    ),
    ...multimemStores.flatMap((row) =>
      orders('relaxed|release').map((order) =>
        multimemForm('st', order, '[a:global], b:VECTOR t', row, 'Stores to every memory.'),
      ),
    ),
    ...multimemUpdates.map((row) =>
      multimemForm(
        'red',
        '{.(relaxed|release).(cta|cluster|gpu|sys)}',
        '[a:global], b:VECTOR t',
        row,
        'Updates every memory atomically.',
      ),
    ),
  ],
};

const clusterAddress = { isa: '7.8', sm: 90 };

const addresses: readonly InstructionEntry[] = [
  {
    opcode: 'mapa',
    group: 'data movement',
    text: 'Translates an address of own shared memory to the same variable in the block with rank `b` of the cluster (`%cluster_ctarank`). With `.shared::cluster` addresses are offsets in the shared window, else generic addresses.',
    forms: [
      {
        modifiers: '{.shared::cluster}.$t',
        operands: 'd:w t, a:y t, b:u32',
        sets: { t: 'u32 u64' },
        ...clusterAddress,
      },
    ],
  },
  {
    opcode: 'getctarank',
    group: 'data movement',
    text: 'The rank of the block of the cluster in whose shared memory the address lies. With `.shared::cluster` the address is an offset in the shared window, else a generic address.',
    forms: [
      {
        modifiers: '{.shared::cluster}.$t',
        operands: 'd:w u32, a:y t',
        sets: { t: 'u32 u64' },
        ...clusterAddress,
      },
    ],
  },
];

const priorities = '.(L2::evict_last|L2::evict_normal|L2::evict_first|L2::evict_unchanged)';

const cacheAdvice: readonly InstructionEntry[] = [
  {
    opcode: 'createpolicy',
    group: 'data movement',
    text: 'Makes a cache policy: a 64-bit word for the `.L2::cache_hint` operand of loads, stores and copies. `.fractional` gives a fraction of the accesses the primary priority, the others the secondary one; `.range` gives the bytes near an address the primary, those after them the secondary. `evict_last` keeps data that is used again, `evict_first` lets streams pass.',
    forms: [
      {
        modifiers: `.fractional^${priorities}{.(L2::evict_first|L2::evict_unchanged)}.b64`,
        operands: 'd:w u64, {fraction:f32}',
        isa: '7.4',
        sm: 80,
      },
      {
        modifiers: `.range^{.global}${priorities}{.(L2::evict_first|L2::evict_unchanged)}.b64`,
        operands: 'd:w u64, [a:global], primary_size:u32, total_size:u32',
        isa: '7.4',
        sm: 80,
      },
      {
        modifiers: '.cvt.L2^.b64',
        operands: 'd:w u64, a:u64',
        isa: '7.4',
        sm: 80,
        note: 'From the access property that the CUDA runtime hands out.',
      },
    ],
  },
  {
    opcode: 'applypriority',
    group: 'data movement',
    text: 'Gives a range of 128 bytes in the L2 the normal eviction priority again, after it was kept with `evict_last`.',
    forms: [
      {
        modifiers: '{.global}.L2::evict_normal',
        operands: '[a:global], size:i 128..128 u32',
        isa: '7.4',
        sm: 80,
      },
    ],
  },
  {
    opcode: 'discard',
    group: 'data movement',
    text: 'Throws away 128 bytes in the L2 without writing them back: what was stored there is undefined afterwards. Saves the traffic of scratch data that nobody reads again. The address is aligned to 128.',
    forms: [{ modifiers: '{.global}.L2', operands: '[a:global], size:i 128..128 u32', isa: '7.4', sm: 80 }],
  },
];

export const asyncStoreEntries: readonly InstructionEntry[] = [
  tensormap,
  multimem,
  ...addresses,
  ...cacheAdvice,
];
