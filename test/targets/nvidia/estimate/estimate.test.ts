import assert from 'node:assert/strict';
import { contextOf } from '../../../../server/src/targets/nvidia/code/context.js';
import { machineSource } from '../../../../server/src/targets/nvidia/code/source.js';
import { machineCodeOf } from '../../../../server/src/targets/nvidia/code/writer.js';
import { budgetsOf } from '../../../../server/src/targets/nvidia/estimate/budgets.js';
import { estimateOf } from '../../../../server/src/targets/nvidia/estimate/estimate.js';
import { rangeOf } from '../../../../server/src/targets/nvidia/estimate/range.js';
import { launchableOf } from '../../../../server/src/targets/nvidia/limits.js';
import { unitsOf } from '../../../support/ptx-run.js';

/** What ptxas 13.0 printed for the same text, whose order it keeps: all accesses are volatile. */
const expected: readonly (readonly [
  arch: string,
  make: (n: number) => string,
  counts: readonly [number, number][],
])[] = [
  [
    'sm_75',
    (n) => taken(4, n),
    [
      [1, 16],
      [2, 18],
      [3, 20],
      [4, 22],
      [6, 26],
      [8, 26],
    ],
  ],
  [
    'sm_80',
    (n) => taken(4, n),
    [
      [1, 16],
      [2, 18],
      [3, 20],
      [4, 22],
      [6, 26],
      [8, 26],
    ],
  ],
  [
    'sm_75',
    (h) => taken(h, 10),
    [
      [1, 20],
      [4, 26],
      [8, 34],
      [16, 50],
      [24, 64],
      [35, 64],
      [60, 72],
      [100, 128],
    ],
  ],
  [
    'sm_80',
    (h) => taken(h, 10),
    [
      [1, 20],
      [8, 32],
      [16, 32],
      [26, 32],
      [27, 40],
      [35, 48],
      [60, 72],
      [100, 128],
    ],
  ],
  [
    'sm_89',
    (h) => taken(h, 10),
    [
      [8, 34],
      [16, 40],
      [34, 40],
      [35, 48],
      [60, 72],
      [100, 128],
    ],
  ],
  [
    'sm_75',
    quads,
    [
      [1, 10],
      [3, 18],
      [6, 30],
      [8, 30],
    ],
  ],
  [
    'sm_90',
    quads,
    [
      [1, 10],
      [3, 18],
      [6, 30],
      [8, 30],
    ],
  ],
];

const head = [
  '.version 8.0',
  '.target sm_75',
  '.address_size 64',
  '.visible .entry k() {',
  '.reg .b32 %r<400>;',
  '.reg .b64 %rd<4>;',
  'mov.u32 %r399, %tid.x;',
  'mul.wide.u32 %rd1, %r399, 4;',
];

const numbers = (count: number): number[] => Array.from({ length: count }, (_, k) => k);

/** `held` values live all the time, and beside them `passing` ones that are loaded and stored one after the other. */
function taken(held: number, passing: number): string {
  return [
    ...head,
    ...numbers(held).map((k) => `ld.volatile.global.u32 %r${k}, [%rd1+${4 * k}];`),
    ...numbers(passing).flatMap((k) => [
      `ld.volatile.global.u32 %r${200 + k}, [%rd1+${4096 + 4 * k}];`,
      `st.volatile.global.u32 [%rd1+${8192 + 4 * k}], %r${200 + k};`,
    ]),
    ...numbers(held).map((k) => `st.volatile.global.u32 [%rd1+${16384 + 4 * k}], %r${k};`),
    'ret;',
    '}',
  ].join('\n');
}

function quads(count: number): string {
  return [
    ...head,
    ...numbers(count).flatMap((k) => {
      const vector = `{${numbers(4)
        .map((part) => `%r${4 * k + part}`)
        .join(', ')}}`;
      return [
        `ld.volatile.global.v4.u32 ${vector}, [%rd1+${16 * k}];`,
        `st.volatile.global.v4.u32 [%rd1+${8192 + 16 * k}], ${vector};`,
      ];
    }),
    'ret;',
    '}',
  ].join('\n');
}

/** Of the text as it stands, without the passes that change it. */
function estimateAsWritten(text: string, arch: string, without = ''): number {
  const [unit] = unitsOf(text).filter((u) => u.function?.name === 'k');
  const source = machineSource(unit.function!);
  const options = { arch, without };
  return estimateOf(machineCodeOf(source), contextOf(launchableOf(source, options), options)).registers;
}

describe('nvidia register estimate', () => {
  it('prints what ptxas prints for code whose order is fixed', () => {
    for (const [arch, make, counts] of expected)
      for (const [n, registers] of counts)
        assert.equal(
          estimateAsWritten(make(n), arch),
          registers,
          `${arch}, ${make === quads ? 'quads' : 'held'} ${n}`,
        );
  });

  // ptxas 13.0 prints 12, 20 and 28 (it drops the last address): each load's result takes the pair that its address dies in.
  it("puts a load's result where its address was", () => {
    const walk = (n: number): string =>
      [
        ...head.slice(0, 3),
        '.visible .entry k(.param .u64 p) {',
        '.reg .b32 %r<9>; .reg .b64 %rd<99>; .reg .f64 %fd<99>;',
        'mov.u32 %r1, %ctaid.x; ld.param.u64 %rd1, [p];',
        ...numbers(n).flatMap((k) => [
          `mad.wide.s32 %rd${k + 2}, %r1, 8, %rd${k + 1};`,
          `ld.global.f64 %fd${k + 1}, [%rd${k + 1}];`,
        ]),
        'mov.f64 %fd0, 0d0000000000000000;',
        ...numbers(n).map((k) => `fma.rn.f64 %fd0, %fd${n - k}, %fd${n - k}, %fd0;`),
        `st.global.f64 [%rd${n + 1}], %fd0; ret; }`,
      ].join('\n');
    // beside the n results: the sum, the address of the store, the step; R1 and the two without a name
    for (const n of [4, 8, 12]) assert.ok(estimateAsWritten(walk(n), 'sm_75') <= 2 * n + 2 + 2 + 1 + 3 + 1);
  });

  it('takes no more than is live when nothing is loose', () => {
    // 8 held, one passing, the address pair, R1 and the two without a name; the pair cannot use R0
    assert.equal(estimateAsWritten(taken(8, 10), 'sm_80', 'looseAllocation'), 14);
  });

  it('gives a range around the figure and within the limit', () => {
    for (let registers = 4; registers <= 255; registers++) {
      const { low, high } = rangeOf(registers, 0, 255);
      assert.ok(low > 0 && low <= registers && registers <= high && high <= 255, `${registers}`);
    }
    assert.deepEqual(rangeOf(32, 30, 32), { low: 30, high: 32 });
  });

  it('knows the steps of occupancy', () => {
    const steps = (arch: string, bounds = '', maxRegisters?: number): number[] => {
      const [unit] = unitsOf(taken(1, 1).replace('k() {', `k() ${bounds} {`)).filter((u) => u.function);
      const source = machineSource(unit.function!);
      const options = { arch, ...(maxRegisters !== undefined && { maxRegisters }) };
      return budgetsOf(source, launchableOf(source, options)).map((budget) => budget + 2);
    };
    assert.deepEqual(steps('sm_80'), [32, 40, 48, 56, 64, 72, 80, 96, 128, 168, 255]);
    assert.deepEqual(steps('sm_75'), [64, 72, 80, 96, 128, 168, 255]);
    assert.deepEqual(steps('sm_86', '', 64), [40, 48, 56, 64]);
    assert.deepEqual(steps('sm_80', '', 24), [24]);
    // with 90 values live: 128 where two blocks of 256 threads fit as well as at 96, 96 with blocks of 128 threads
    assert.deepEqual(steps('sm_80', '.maxntid 256'), [32, 40, 48, 64, 80, 128, 255]);
    assert.deepEqual(steps('sm_80', '.maxntid 128'), [32, 40, 48, 56, 64, 72, 80, 96, 128, 168, 255]);
    assert.deepEqual(steps('sm_75', '.maxntid 384'), [80, 168]);
    assert.equal(steps('sm_86', '.maxntid 64')[0], 64);
    assert.deepEqual(steps('sm_80', '.maxntid 1024'), [32, 64]);
    // an SM of sm_75 holds 1 024 threads, so that six blocks of 256 are too many and the directive is ignored
    assert.equal(steps('sm_75', '.maxntid 256 .minnctapersm 6').at(-1), 255);
    assert.equal(steps('sm_80', '.maxntid 256 .minnctapersm 6').at(-1), 40);
  });
});
