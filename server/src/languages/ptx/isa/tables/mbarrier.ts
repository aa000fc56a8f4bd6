/**
 * `mbarrier`: a barrier that is an object of 8 bytes in shared memory. It counts arrivals and, since Hopper, bytes
 * that asynchronous copies deliver; when both counts reach zero the phase completes and the next begins. Waiting is
 * polling: `test_wait` and `try_wait` return a predicate.
 */
import type { Form, Gate, InstructionEntry } from '../schema.js';
import { gated, type Gates } from './common.js';

const own = '{.(shared|shared::cta)}';
const cluster = '{.(shared|shared::cta|shared::cluster)}';
const release = '{.(release|relaxed).(cta|cluster)}';
const acquire = '{.(acquire|relaxed).(cta|cluster)}';

const gates: Gates = {
  '.shared::cta': { isa: '7.8' },
  '.shared::cluster': { isa: '8.0', sm: 90 },
  '.cta': { isa: '8.0' },
  '.cluster': { isa: '8.0', sm: 90 },
  '.relaxed': { isa: '8.6', sm: 90 },
  '.parity': { isa: '7.1' },
};

const form = (modifiers: string, operands: string, base: Gate, note?: string): Form =>
  gated({ modifiers, operands, ...base, ...(note !== undefined && { note }) }, gates);

const ampere: Gate = { isa: '7.0', sm: 80 };
const hopper: Gate = { isa: '7.8', sm: 90 };
const transactions: Gate = { isa: '8.0', sm: 90 };

const arrivals = (name: string, what: string): Form[] =>
  [
    form(`.${name}^${release}${own}.b64`, 'state:w u64, [a:shared]', ampere, what),
    form(`.${name}^${release}${own}.b64`, 'state:w _ u64, [a:shared]', { isa: '7.8', sm: 80 }, what),
    form(`.${name}^${release}${own}.b64`, 'state:w _ u64, [a:shared], count:u32', hopper, what),
    form(
      `.${name}^${release}.shared::cluster.b64`,
      'state:w _ u64, [a:shared], {count:u32}',
      transactions,
      `${what} In another block of the cluster there is no state to return: the destination is \`_\`.`,
    ),
    form(
      `.${name}.noComplete^${release}${own}.b64`,
      'state:w u64, [a:shared], count:u32',
      ampere,
      `${what} The arrival must not complete the phase, or the behaviour is undefined.`,
    ),
    form(
      `.${name}.expect_tx^${release}${own}.b64`,
      'state:w _ u64, [a:shared], bytes:u32',
      transactions,
      `${what} First expects \`bytes\` more bytes: the usual call of the thread that starts bulk copies.`,
    ),
    form(
      `.${name}.expect_tx^${release}.shared::cluster.b64`,
      'state:w _ u64, [a:shared], bytes:u32',
      transactions,
      `${what} First expects \`bytes\` more bytes, at a barrier of another block.`,
    ),
  ].map((entry) =>
    entry.modifiers.includes('shared::cluster') ? { ...entry, checks: 'sinkDestination' } : entry,
  );

export const mbarrierEntries: readonly InstructionEntry[] = [
  {
    opcode: 'mbarrier',
    group: 'synchronisation',
    text: 'Barrier object in shared memory, 8 bytes aligned to 8. `init` sets how many arrivals complete a phase. `arrive` (release) counts one or more; `expect_tx` adds bytes to wait for, `complete_tx` and the asynchronous copies subtract them. `test_wait` asks, `try_wait` may sleep for a while, whether the phase is complete (acquire): the one that `state` names, or the one with the given parity, which is what a loop over buffers keeps. Both must stand in a loop. A barrier is initialised by one thread, and made visible to the others and to the asynchronous proxy before use (`fence.mbarrier_init`, then a block or cluster barrier).',
    forms: [
      form(`.init^${own}.b64`, '[a:shared], count:u32', ampere, 'The count is 1 to 2^20 - 1.'),
      form(
        `.inval^${own}.b64`,
        '[a:shared]',
        ampere,
        'Ends the life of the object: needed before its memory is used for anything else.',
      ),
      ...['expect_tx', 'complete_tx'].map((name) =>
        gated(
          {
            modifiers: `.${name}^{.relaxed.(cta|cluster)}${cluster}.b64`,
            operands: '[a:shared], bytes:u32',
            ...transactions,
            note:
              name === 'expect_tx'
                ? 'Adds to the bytes that the phase waits for, without arriving.'
                : 'Subtracts bytes as a copy would, without copying: to balance an expected copy that is left out.',
          },
          { '.shared::cluster': { isa: '8.0' }, '.cluster': { isa: '8.0' } },
        ),
      ),
      ...arrivals('arrive', 'Counts an arrival and returns the state of the phase.'),
      ...arrivals(
        'arrive_drop',
        'Counts an arrival and leaves the barrier: later phases expect one arrival less.',
      ),
      form(`.test_wait^${acquire}${own}.b64`, 'p:w pred, [a:shared], state:u64', ampere),
      form(`.test_wait.parity^${acquire}${own}.b64`, 'p:w pred, [a:shared], parity:u32', ampere),
      form(`.try_wait^${acquire}${own}.b64`, 'p:w pred, [a:shared], state:u64, {nanoseconds:u32}', hopper),
      form(
        `.try_wait.parity^${acquire}${own}.b64`,
        'p:w pred, [a:shared], parity:u32, {nanoseconds:u32}',
        hopper,
        'The hint bounds how long the thread may sleep.',
      ),
      form('.pending_count^.b64', 'd:w u32, state:u64', ampere, 'The arrivals that a state still lacks.'),
    ],
  },
];
