/**
 * `tcgen05`: the tensor cores of datacenter Blackwell. Accumulators (and A, if wanted) live in tensor memory, 128
 * lanes by 512 columns of 32 bits for each multiprocessor, allocated by column; one thread issues a product for the
 * whole block or for a pair of blocks. Shapes, operands and gates assembled with ptxas 13.0.88.
 */
import type { Form, Gate, InstructionEntry } from '../schema.js';
import { datacenterBlackwell } from './common.js';

const base: Gate = { isa: '8.6', only: datacenterBlackwell };
const group = '.(cta_group::1|cta_group::2)';
const powers = [1, 2, 4, 8, 16, 32, 64, 128];

/** `x1=2 x2=4 ...`: repetitions with the registers that they fill, 128 at the most. */
const repetitions = (registersEach: number, first = 1): string =>
  powers
    .filter((times) => times >= first && times * registersEach <= 128)
    .map((times) => `x${times}=${times * registersEach}`)
    .join(' ');

const dataShapes: readonly (readonly [shape: string, counts: string])[] = [
  ['16x64b', repetitions(1)],
  ['16x128b', repetitions(2)],
  ['16x256b', repetitions(4)],
  ['32x32b', repetitions(1)],
];

const loads: readonly Form[] = [
  ...dataShapes.map(([shape, num]) => ({
    modifiers: `.ld^.sync.aligned.${shape}.$num{.pack::16b}.b32`,
    operands: 'd:w v$num b32, [t:u32]',
    sets: { num },
    checks: 'bracedFragments',
    ...base,
    note: 'From tensor memory to registers; complete after `tcgen05.wait::ld`. Each warp of a warpgroup reaches a quarter of the lanes alone.',
  })),
  {
    modifiers: '.ld^.sync.aligned.16x32bx2.$num{.pack::16b}.b32',
    operands: 'd:w v$num b32, [t:u32], offset:i b32',
    sets: { num: repetitions(1) },
    checks: 'bracedFragments',
    ...base,
    note: 'Two halves of the lanes, the second one `offset` columns further.',
  },
  ...(
    [
      ['', 'u32 s32'],
      ['{.abs}{.NaN}', 'f32'],
    ] as const
  ).flatMap(([extra, types]) => [
    {
      modifiers: `.ld.red^.sync.aligned.32x32b.$num.(min|max)${extra}.$t`,
      operands: 'd:w v$num t, reduced:w t, [t:u32]',
      sets: { num: repetitions(1, 2), t: types },
      isa: '8.8',
      only: 'sm_103f sm_110f',
      note: 'Also reduces what each lane loads.',
    },
    {
      modifiers: `.ld.red^.sync.aligned.16x32bx2.$num.(min|max)${extra}.$t`,
      operands: 'd:w v$num t, reduced:w t, [t:u32], offset:i b32',
      sets: { num: repetitions(1, 2), t: types },
      isa: '8.8',
      only: 'sm_103f sm_110f',
      note: 'Also reduces what each lane loads.',
    },
  ]),
];

const stores: readonly Form[] = [
  ...dataShapes.map(([shape, num]) => ({
    modifiers: `.st^.sync.aligned.${shape}.$num{.unpack::16b}.b32`,
    operands: '[t:u32], b:r v$num b32',
    sets: { num },
    checks: 'bracedFragments',
    ...base,
    note: 'From registers to tensor memory; complete after `tcgen05.wait::st`.',
  })),
  {
    modifiers: '.st^.sync.aligned.16x32bx2.$num{.unpack::16b}.b32',
    operands: '[t:u32], offset:i b32, b:r v$num b32',
    sets: { num: repetitions(1) },
    checks: 'bracedFragments',
    ...base,
  },
];

const formats = '{.b8x16.(b6x16_p32|b4x16_p64)}';
const copies: readonly Form[] = [
  '.(128x256b|4x256b|128x128b)',
  '.64x128b.(warpx2::02_13|warpx2::01_23)',
  '.32x128b.warpx4',
].map((shape) => ({
  modifiers: `.cp^${group}${shape}${formats}`,
  operands: '[t], descriptor:r u64',
  ...base,
  note: 'From shared memory, by descriptor, to tensor memory: mostly for scale factors. In order with the products of the same thread.',
}));

const plainKinds = 'kind::f16 kind::tf32 kind::f8f6f4';
const integerTargets = 'sm_100a sm_110a';
const collectors = '{.(collector::a::fill|collector::a::use|collector::a::lastuse|collector::a::discard)}';
const lastCollectors = '{.(collector::a::lastuse|collector::a::discard)}';

const matrixA = ['a_descriptor:r u64', '[a:u32]'];
const metadata = (isSparse: boolean): string => (isSparse ? ', [metadata:u32]' : '');
const sparse = (isSparse: boolean): string => (isSparse ? '.sp' : '');

/** Lanes that are not written: a mask of 128 bits for one block, 256 for a pair. */
const disabled = [
  ['.cta_group::1', 'v4'],
  ['.cta_group::2', 'v8'],
] as const;

function plainProducts(isSparse: boolean, kinds: string, only: string): Form[] {
  return matrixA.flatMap((a) =>
    disabled.flatMap(([cta, lanes]) =>
      ['', `, disable_output_lane:${lanes} b32`].flatMap((mask) => {
        const operands = `[d:u32], ${a}, b_descriptor:r u64${metadata(isSparse)}, idesc:u32${mask}, enable_input_d:n pred`;
        const prefix = `.mma${sparse(isSparse)}^${cta}.$kind`;
        const collector = a.startsWith('[') ? [collectors, `.ashift${lastCollectors}`] : [collectors];
        return collector.flatMap((end): Form[] => [
          { modifiers: prefix + end, operands, sets: { kind: kinds }, isa: '8.6', only },
          ...(kinds === 'kind::i8'
            ? []
            : [
                {
                  modifiers: prefix + end,
                  operands: `${operands}, scale_input_d:i 0..15 u32`,
                  sets: { kind: 'kind::f16 kind::tf32' },
                  isa: '8.6',
                  only: 'sm_100f',
                  note: 'The old D is multiplied by 2 to the power of minus `scale_input_d`.',
                },
              ]),
        ]);
      }),
    ),
  );
}

/** Kinds with block scaling: the spelling by factor count is tied to one machine, that by block size is not. */
const scaledKinds: readonly (readonly [kind: string, size: string, gate: Gate])[] = [
  ['mxf8f6f4', '', { ...base, isa: '8.8' }],
  ['mxf8f6f4', '.block32', { ...base, isa: '8.8' }],
  ['mxf8f6f4', '.scale_vec::1X', { isa: '8.6', only: 'sm_100a sm_103a sm_110a' }],
  ['mxf4', '', { ...base, isa: '8.8' }],
  ['mxf4', '.block32', { ...base, isa: '8.8' }],
  ['mxf4', '.scale_vec::2X', { isa: '8.6', only: 'sm_100a sm_103a sm_110a' }],
  ['mxf4nvf4', '.(block16|block32)', { ...base, isa: '8.8' }],
  ['mxf4nvf4', '.(scale_vec::2X|scale_vec::4X)', { isa: '8.7', only: 'sm_100a sm_103a sm_110a' }],
];

/** Sparse FP4 is tied to its machine too. */
const scaledGate = (kind: string, gate: Gate, isSparse: boolean): Gate =>
  isSparse && kind !== 'mxf8f6f4' ? { ...gate, only: 'sm_100a sm_103a sm_110a' } : gate;

const scaledProducts = (isSparse: boolean): Form[] =>
  scaledKinds.flatMap(([kind, size, gate]) =>
    matrixA.map((a) => ({
      modifiers: `.mma${sparse(isSparse)}^${group}.kind::${kind}.block_scale${size}${collectors}`,
      operands: `[d:u32], ${a}, b_descriptor:r u64${metadata(isSparse)}, idesc:u32, [scale_a:u32], [scale_b:u32], enable_input_d:n pred`,
      ...scaledGate(kind, gate, isSparse),
      note: 'Blocks of A and B along k have scale factors, kept in tensor memory.',
    })),
  );

const bufferUses = ['fill', 'use', 'lastuse', 'discard'];
const weightCollectors = `{.(${[0, 1, 2, 3]
  .flatMap((buffer) => bufferUses.map((use) => `collector::b${buffer}::${use}`))
  .join('|')})}`;

const weightStationary = (isSparse: boolean): Form[] =>
  (
    [
      [plainKinds, datacenterBlackwell],
      ['kind::i8', integerTargets],
    ] as const
  ).flatMap(([kinds, only]) =>
    matrixA.map((a) => ({
      modifiers: `.mma.ws${sparse(isSparse)}^.cta_group::1.$kind${weightCollectors}`,
      operands: `[d:u32], ${a}, b_descriptor:r u64${metadata(isSparse)}, idesc:u32, enable_input_d:n pred, {zero_column_mask:b64}`,
      sets: { kind: kinds },
      isa: '8.6',
      only,
      note: 'Weight stationary: B stays in one of four collector buffers while A changes.',
    })),
  );

const management: readonly Form[] = [
  {
    modifiers: `.alloc^${group}.sync.aligned{.$ss}.b32`,
    operands: '[a:$ss], columns:u32',
    sets: { ss: 'shared::cta' },
    ...base,
    checks: 'tensorColumns',
    note: 'Takes 32 to 512 columns, a power of two, and writes their address to shared memory. Blocks until there are enough; one warp calls it.',
  },
  {
    modifiers: `.dealloc^${group}.sync.aligned.b32`,
    operands: 't:u32, columns:u32',
    ...base,
    checks: 'tensorColumns',
    note: 'Gives columns back. What a block allocates it must free before it ends.',
  },
  {
    modifiers: `.relinquish_alloc_permit^${group}.sync.aligned`,
    operands: '',
    ...base,
    note: 'The block promises to allocate no more, so that others on the multiprocessor may.',
  },
  { modifiers: '.(wait::ld|wait::st)^.sync.aligned', operands: '', ...base },
  {
    modifiers: '.(fence::before_thread_sync|fence::after_thread_sync)^',
    operands: '',
    ...base,
    note: 'Orders tensor operations of this thread with a synchronisation between threads that follows or precedes.',
  },
  {
    modifiers: `.commit^${group}.mbarrier::arrive::one{.shared::cluster}{.multicast::cluster}.b64`,
    operands: '[mbar:shared], mask:r u16 if .multicast::cluster',
    ...base,
    note: 'Makes the barrier arrive when all earlier tensor operations of this thread are complete: the way to learn that a product is done.',
  },
  {
    modifiers: `.shift^${group}.down`,
    operands: '[t]',
    isa: '8.6',
    only: 'sm_100a sm_103a sm_110a',
    note: 'Moves the rows of a matrix in tensor memory down by one.',
  },
];

export const tensorCoreEntries: readonly InstructionEntry[] = [
  {
    opcode: 'tcgen05',
    group: 'tensor memory',
    text: 'Fifth generation tensor cores. `alloc` and `dealloc` manage tensor memory; one thread issues `mma` (D in tensor memory, B and usually A in shared memory by descriptor, shape and types in `idesc`), `cp` and `commit`; `ld` and `st` move results to registers, a quarter of the lanes for each warp. Nothing is complete when the instruction is: products report through `commit` and a barrier, loads and stores through `wait`. `cta_group::2` works on a pair of blocks; all instructions of a kernel must agree on the group.',
    forms: [
      ...management,
      ...loads,
      ...stores,
      ...copies,
      ...[false, true].flatMap((isSparse) => [
        ...plainProducts(isSparse, plainKinds, datacenterBlackwell),
        ...plainProducts(isSparse, 'kind::i8', integerTargets),
        ...scaledProducts(isSparse),
        ...weightStationary(isSparse),
      ]),
    ],
  },
  {
    opcode: 'clusterlaunchcontrol',
    group: 'synchronisation',
    text: 'Work stealing between clusters: `try_cancel` asks to cancel a cluster of the grid that has not started and writes the answer, 16 bytes, to shared memory, reported to a barrier; `query_cancel` reads from the answer whether it worked and which block is first in the cancelled cluster, whose work the caller then does. Replaces a persistent grid with an atomic counter.',
    forms: [
      {
        modifiers:
          '.try_cancel^.async{.shared::cta}.mbarrier::complete_tx::bytes{.multicast::cluster::all}.b128',
        operands: '[a:shared], [mbar:shared]',
        isa: '8.6',
        sm: 100,
        gates: { '.multicast::cluster::all': { isa: '8.6', only: `${datacenterBlackwell} sm_120f` } },
      },
      {
        modifiers: '.query_cancel.is_canceled^.pred.b128',
        operands: 'd:w pred, response:r b128',
        isa: '8.6',
        sm: 100,
      },
      {
        modifiers: '.query_cancel.get_first_ctaid^.v4.b32.b128',
        operands: 'd:w _ v4 b32, response:r b128',
        isa: '8.6',
        sm: 100,
      },
      {
        modifiers: '.query_cancel.(get_first_ctaid::x|get_first_ctaid::y|get_first_ctaid::z)^.b32.b128',
        operands: 'd:w b32, response:r b128',
        isa: '8.6',
        sm: 100,
      },
    ],
  },
];
