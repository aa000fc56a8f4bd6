/**
 * Barriers of blocks, clusters and grids, and the fences of the memory model. A proxy is a path to memory (ordinary
 * loads, the texture unit, the bulk copy engine): accesses through two of them are ordered by a proxy fence alone.
 */
import type { Form, InstructionEntry } from '../schema.js';

const cta = { '.cta': { isa: '7.8' } };

/** `bar` and `barrier` differ in the name of the aligned variant only. */
function blockBarrier(aligned: string, isa: string, sm: number): Form[] {
  const common = { isa, sm, gates: cta, checks: 'barrierThreads' };
  return [
    { modifiers: `{.cta}.sync${aligned}`, operands: 'a:0..15 u32, {b:u32}', ...common },
    {
      modifiers: `{.cta}.arrive${aligned}`,
      operands: 'a:0..15 u32, b:u32',
      ...common,
      note: 'Counts the warp as arrived and goes on: the producer side of a producer-consumer pair.',
    },
    {
      modifiers: `{.cta}.red.popc${aligned}.u32`,
      operands: 'd:w u32, a:0..15 u32, {b:u32}, c:n pred',
      ...common,
      note: 'All threads get the number of threads whose predicate is true.',
    },
    {
      modifiers: `{.cta}.red.(and|or)${aligned}.pred`,
      operands: 'd:w pred, a:0..15 u32, {b:u32}, c:n pred',
      ...common,
      note: 'All threads get the conjunction or disjunction of the predicates.',
    },
  ];
}

const blockText =
  'Barrier number `a` (0 to 15) of the block. `.sync` waits until `b` threads, a multiple of the warp size, or all threads of the block have arrived; memory accesses before it are then visible to all that took part. `.arrive` does not wait, `.red` also reduces a predicate. An idle barrier is reusable at once, so that one number serves a loop; mixing different counts on it does not work.';

export const barrierEntries: readonly InstructionEntry[] = [
  {
    opcode: 'bar',
    group: 'synchronisation',
    text: `${blockText} \`bar\` is \`barrier.aligned\`: all threads of a warp must execute it together. \`bar.warp.sync\` joins the lanes of a mask.`,
    forms: [
      ...blockBarrier('', '1.0', 10).map((form, index) =>
        index === 0 ? form : { ...form, isa: '2.0', sm: 20 },
      ),
      {
        modifiers: '.warp.sync',
        operands: 'membermask:u32',
        isa: '6.0',
        sm: 30,
        note: 'Waits for the lanes of the mask and makes their memory accesses visible to each other.',
      },
    ],
  },
  {
    opcode: 'barrier',
    group: 'synchronisation',
    text: `${blockText} Without \`.aligned\` threads of one warp may arrive apart, which costs a loop in hardware. \`barrier.cluster\` joins all threads of the cluster: \`.arrive\` announces (\`.release\` unless \`.relaxed\`), \`.wait\` waits (\`.acquire\`).`,
    forms: [
      ...blockBarrier('{.aligned}', '6.0', 30),
      {
        modifiers: '.cluster.arrive{.(release|relaxed)}{.aligned}',
        operands: '',
        isa: '7.8',
        sm: 90,
        gates: { '.release': { isa: '8.0' }, '.relaxed': { isa: '8.0' } },
      },
      {
        modifiers: '.cluster.wait{.acquire}{.aligned}',
        operands: '',
        isa: '7.8',
        sm: 90,
        gates: { '.acquire': { isa: '8.0' } },
      },
    ],
  },
  {
    opcode: 'membar',
    group: 'synchronisation',
    text: 'The older name of `fence.sc`: earlier memory accesses of the thread are seen before later ones, by the block (`.cta`), the GPU (`.gl`) or the system (`.sys`). It orders, it does not wait for other threads.',
    forms: [
      { modifiers: '.(cta|gl|sys)', operands: '', isa: '1.4', gates: { '.sys': { isa: '2.0', sm: 20 } } },
      {
        modifiers: '.proxy.alias',
        operands: '',
        isa: '7.5',
        sm: 60,
        note: 'Between accesses to the same memory through two virtual addresses.',
      },
    ],
  },
  {
    opcode: 'fence',
    group: 'synchronisation',
    text: 'Orders the memory accesses of the thread before and after it, for observers in the scope. `.acq_rel` (the default) makes release and acquire patterns out of plain accesses and is the cheap one; `.sc` also takes part in one total order and is several times as expensive. A wider scope costs more: `.cta` stays in the multiprocessor, `.gpu` waits for the L2, `.sys` for the bus.',
    forms: [
      {
        modifiers: '{.(sc|acq_rel)}.(cta|cluster|gpu|sys)',
        operands: '',
        isa: '6.0',
        sm: 70,
        gates: { '.cluster': { isa: '7.8', sm: 90 } },
      },
      {
        modifiers: '.(acquire|release).(cta|cluster|gpu|sys)',
        operands: '',
        isa: '6.0',
        sm: 70,
        gates: { '.cluster': { isa: '7.8', sm: 90 } },
        note: 'One direction alone.',
      },
      {
        modifiers: '.acquire.sync_restrict::shared::cluster.cluster',
        operands: '',
        isa: '8.6',
        sm: 90,
        note: 'Acquires through objects in shared memory of the cluster alone.',
      },
      {
        modifiers: '.release.sync_restrict::shared::cta.cluster',
        operands: '',
        isa: '8.6',
        sm: 90,
        note: 'Releases through objects in shared memory of the own block alone.',
      },
      {
        modifiers: '.mbarrier_init.release.cluster',
        operands: '',
        isa: '8.0',
        sm: 90,
        note: 'Makes earlier `mbarrier.init` visible to the cluster; lighter than a full fence.',
      },
      {
        modifiers: '.proxy.alias',
        operands: '',
        isa: '7.5',
        sm: 70,
        note: 'Between accesses to the same memory through two virtual addresses.',
      },
      {
        modifiers: '.proxy.async{.(global|shared::cta|shared::cluster)}',
        operands: '',
        isa: '8.0',
        sm: 90,
        note: 'Between ordinary accesses and those of the asynchronous proxy (bulk copies, `wgmma`, `tcgen05`), both ways. Needed after filling shared memory with `st` before a tensor core or a bulk store reads it.',
      },
      {
        modifiers: '.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster',
        operands: '',
        isa: '8.6',
        sm: 90,
      },
      {
        modifiers: '.proxy.async::generic.release.sync_restrict::shared::cta.cluster',
        operands: '',
        isa: '8.6',
        sm: 90,
      },
      {
        modifiers: '.proxy.tensormap::generic.release.(cta|cluster|gpu|sys)',
        operands: '',
        isa: '8.3',
        sm: 70,
        gates: { '.cluster': { isa: '7.8', sm: 90 } },
        note: 'After changing a tensor map through ordinary stores.',
      },
      {
        modifiers: '.proxy.tensormap::generic.acquire.(cta|cluster|gpu|sys)',
        operands: '[a], size:i 128..128 u32',
        isa: '8.3',
        sm: 70,
        gates: { '.cluster': { isa: '7.8', sm: 90 } },
        note: 'Before using the tensor map at `a`; the size is always 128 bytes.',
      },
    ],
  },
  {
    opcode: 'griddepcontrol',
    group: 'synchronisation',
    text: 'Programmatic dependent launch. `.launch_dependents` lets the next grid of the stream start once all blocks have called it or ended; `.wait` blocks until the grids before it are complete and their writes visible. Nothing that the previous grid writes may be read before `.wait`. Without a programmatic launch both do nothing.',
    forms: [{ modifiers: '.(launch_dependents|wait)', operands: '', isa: '7.8', sm: 90 }],
  },
];
