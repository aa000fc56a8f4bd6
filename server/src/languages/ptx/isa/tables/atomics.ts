/**
 * Read-modify-write operations on memory: `atom` returns the old value, `red` does not, `red.async` works on the
 * shared memory of another block of the cluster and reports to a barrier there.
 */
import type { Form, InstructionEntry } from '../schema.js';
import { cacheHintGate, gated, orderGates, scopes } from './common.js';

const space = { ss: 'global shared shared::cta shared::cluster' };
const order = '{.(relaxed|acquire|release|acq_rel)}' + scopes;
const redOrder = '{.(relaxed|release)}' + scopes;
const gates = { ...orderGates, ...cacheHintGate };

/** Operation, types and gate of the scalar operations that `atom` and `red` share. */
interface Operation {
  readonly operation: string;
  readonly types: string;
  readonly isa: string;
  readonly sm: number;
}

const operations: readonly Operation[] = [
  { operation: '.add', types: 'u32 s32 u64', isa: '1.1', sm: 11 },
  { operation: '.add', types: 'f32', isa: '2.0', sm: 20 },
  { operation: '.add', types: 'f64', isa: '5.0', sm: 60 },
  { operation: '.(min|max)', types: 'u32 s32', isa: '1.1', sm: 11 },
  { operation: '.(min|max)', types: 'u64 s64', isa: '3.1', sm: 32 },
  { operation: '.(inc|dec)', types: 'u32', isa: '1.1', sm: 11 },
  { operation: '.(and|or|xor)', types: 'b32', isa: '1.1', sm: 11 },
  { operation: '.(and|or|xor)', types: 'b64', isa: '3.1', sm: 32 },
  { operation: '.add.noftz', types: 'f16x2', isa: '6.2', sm: 60 },
  { operation: '.add.noftz', types: 'f16', isa: '6.3', sm: 70 },
  { operation: '.add.noftz', types: 'bf16 bf16x2', isa: '7.8', sm: 90 },
];

/** A scalar form for any space, and one with a cache hint, which shared memory does not take. */
function scalar(
  prefix: string,
  destination: string,
  { operation, types, isa, sm }: Operation,
  sources = 'b:t',
): Form[] {
  const sets = { ...space, t: types };
  const forms: Form[] = [
    {
      modifiers: `${prefix}{.$ss}${operation}.$t`,
      operands: `${destination}[a:$ss], ${sources}`,
      sets,
      isa,
      sm,
    },
    {
      modifiers: `${prefix}{.global}.L2::cache_hint${operation}.$t`,
      operands: `${destination}[a:global], ${sources}, policy:r u64`,
      sets: { t: types },
      isa,
      sm,
    },
  ];
  return forms.map((form) => gated(form, gates));
}

/** Vectors of two, four or eight elements, at most 16 bytes, in global memory. */
function vectors(prefix: string, destination: string): Form[] {
  const rows: readonly (readonly [operation: string, lengths: string, types: string])[] = [
    ['.add', 'v2 v4', 'f32'],
    ['.(add|min|max).noftz', 'v2 v4 v8', 'f16 bf16'],
    ['.(add|min|max).noftz', 'v2 v4', 'f16x2 bf16x2'],
  ];
  return rows.map(([operation, lengths, types]) =>
    gated(
      {
        modifiers: `${prefix}{.global}{.L2::cache_hint}${operation}.$vec.$t`,
        operands: `${destination}[a:global], b:v$vec t loose, policy:r u64 if .L2::cache_hint`,
        sets: { vec: lengths, t: types },
        isa: '8.1',
        sm: 90,
        note: 'Each element is updated atomically; the vector as a whole is not.',
      },
      gates,
    ),
  );
}

const atom: InstructionEntry = {
  opcode: 'atom',
  group: 'atomics and reductions',
  text: 'Atomic read-modify-write. Reads the value at address `a`, stores the result of the operation with `b` (for `.cas`: stores `c` if the old value equals `b`), and returns the old value in `d`. Without an order it is `.relaxed`, without a scope `.gpu`; an access that is not atomic does not become safe beside it. `.inc` counts up to `b` and wraps to 0, `.dec` counts down and wraps to `b`. Where the old value is not used, `red` (or `_` as destination) spares the trip back from the L2, which is several hundred cycles. f32 additions flush subnormals in global memory; the sum depends on the order in which threads arrive.',
  forms: [
    ...operations.flatMap((operation) => scalar(order, 'd:w _ t, ', operation)),
    ...scalar(order, 'd:w _ t, ', { operation: '.exch', types: 'b32 b64', isa: '1.1', sm: 11 }),
    ...scalar(order, 'd:w _ t, ', { operation: '.exch', types: 'b128', isa: '8.3', sm: 90 }),
    ...[
      { types: 'b32 b64', isa: '1.1', sm: 11 },
      { types: 'b16', isa: '6.3', sm: 70 },
      { types: 'b128', isa: '8.3', sm: 90 },
    ].map(({ types, isa, sm }) =>
      gated(
        {
          modifiers: `${order}{.$ss}.cas.$t`,
          operands: 'd:w _ t, [a:$ss], b:t, c:t',
          sets: { ...space, t: types },
          isa,
          sm,
          note: 'Compare and swap: `b` is the expected value, `c` the new one. Success is `d == b`.',
        },
        gates,
      ),
    ),
    ...vectors(order, 'd:w _ __ loose v$vec t, '),
  ],
};

const asyncOperations: readonly (readonly [operation: string, types: string])[] = [
  ['.add', 'u32 s32 u64 s64'],
  ['.(min|max)', 'u32 s32'],
  ['.(inc|dec)', 'u32'],
  ['.(and|or|xor)', 'b32'],
];

const redAsync: readonly Form[] = asyncOperations.flatMap(([operation, types]) => [
  {
    modifiers: `.async^.relaxed.cluster{.shared::cluster}.mbarrier::complete_tx::bytes${operation}.$t`,
    operands: '[a:shared], b:t, [mbar:shared]',
    sets: { t: types },
    isa: '8.1',
    sm: 90,
    note: 'Asynchronous, in shared memory of any block of the cluster: done when the barrier `mbar`, in the same block as `a`, has counted the bytes.',
  },
  {
    modifiers: `.async^{.mmio}.(relaxed|release).(gpu|sys){.global}${operation}.$t`,
    operands: '[a:global], b:t',
    sets: { t: types },
    isa: '8.7',
    sm: 100,
    note: 'Asynchronous, in global memory; with `.release` earlier writes of the thread are visible before it. Nothing reports its completion.',
  },
]);

const red: InstructionEntry = {
  opcode: 'red',
  group: 'atomics and reductions',
  text: 'Atomic update of memory without a result: stores the result of the operation with `b` at `a`. Without an order it is `.relaxed`, without a scope `.gpu`. The thread does not wait for memory, which makes it much cheaper than `atom`; the warp still pays once for each distinct address that its lanes hit, and lanes that hit the same one are combined before they leave where the machine can.',
  forms: [
    ...operations.flatMap((operation) => scalar(redOrder, '', operation)),
    ...vectors(redOrder, ''),
    ...redAsync,
  ],
};

export const atomicEntries: readonly InstructionEntry[] = [atom, red];
