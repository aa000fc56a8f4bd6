import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Function } from '../../server/src/ir/function.js';
import { controlFlow } from '../../server/src/passes/cfg.js';
import { isLiveAt, liveRangesOf } from '../../server/src/passes/live-ranges.js';
import { blockSets, isLiveAtEntry, isLiveAtExit, livenessOf } from '../../server/src/passes/liveness.js';
import { liveAfter, pressureOf } from '../../server/src/passes/pressure.js';
import { bruteLiveness, pointGraph } from '../support/brute-liveness.js';
import { buildFunction } from '../support/build-function.js';
import { runs } from '../support/fuzz.js';
import { randomFunction } from '../support/random-function.js';

const analyse = (f: Function) => {
  const liveness = livenessOf(f, controlFlow(f));
  const ranges = liveRangesOf(f, liveness);
  return { liveness, ranges, pressure: pressureOf(f, liveness, ranges) };
};

function segments(f: Function, name: string): string {
  const { ranges } = analyse(f);
  const r = f.registerNames.indexOf(name);
  const words: string[] = [];
  for (let k = ranges.registerStart[r]; k < ranges.registerStart[r + 1]; k++)
    words.push(`${ranges.segmentFrom[k]}-${ranges.segmentTo[k]}`);
  return words.join(' ');
}

function agreesWithPaths(f: Function): void {
  const { liveness, ranges, pressure } = analyse(f);
  const graph = pointGraph(f);
  const points = 2 * f.instructionCount;
  const live = Array.from({ length: f.registerCount }, (_, r) => bruteLiveness(f, graph, r));
  for (let r = 0; r < f.registerCount; r++) {
    for (let point = 0; point < points; point++)
      assert.equal(isLiveAt(ranges, r, point), live[r].live.has(point), `${f.registerNames[r]} at ${point}`);
    for (let b = 0; b < f.blockCount; b++) {
      assert.equal(isLiveAtEntry(liveness, r, b), live[r].live.has(points + b), `${r} at entry of ${b}`);
      if (f.blockStart[b] < f.blockStart[b + 1])
        assert.equal(
          isLiveAtExit(liveness, r, b),
          live[r].after.has(f.blockStart[b + 1] - 1),
          `${r} leaving ${b}`,
        );
    }
    for (let k = ranges.registerStart[r]; k < ranges.registerStart[r + 1]; k++) {
      assert.ok(ranges.segmentFrom[k] < ranges.segmentTo[k]);
      if (k > ranges.registerStart[r]) assert.ok(ranges.segmentTo[k - 1] < ranges.segmentFrom[k]);
    }
  }
  for (let i = 0; i < f.instructionCount; i++) {
    const after = live.flatMap((l, r) => (l.after.has(i) ? [r] : []));
    assert.deepEqual(liveAfter(f, liveness, ranges, i), after);
    for (let c = 0; c < f.classes.length; c++) {
      const units = (has: (r: number) => boolean): number =>
        live.reduce((n, _, r) => (f.registerClass[r] === c && has(r) ? n + f.registerWidth[r] : n), 0);
      assert.equal(
        pressure.after[c][i],
        units((r) => live[r].after.has(i)),
      );
      const reading = units((r) => live[r].live.has(2 * i));
      const writing = units((r) => live[r].live.has(2 * i + 1));
      assert.equal(pressure.during[c][i], Math.max(reading, writing));
    }
  }
}

describe('liveness', () => {
  it('equals the definition by paths on random functions', () => {
    fc.assert(fc.property(randomFunction(), agreesWithPaths), { numRuns: runs(400) });
  });

  it('equals it for more registers than one group of words holds', () => {
    const many = randomFunction({ maxRegisters: 80, maxBlocks: 12, maxInstructions: 8 });
    fc.assert(fc.property(many, agreesWithPaths), { numRuns: runs(25) });
  });

  it('lists by block say the same as the runs', () => {
    fc.assert(
      fc.property(randomFunction({ maxBlocks: 12 }), (f) => {
        const { liveness } = analyse(f);
        const sets = blockSets(liveness.entry, f.blockCount);
        for (let b = 0; b < f.blockCount; b++) {
          const expected = [...f.registerNames.keys()].filter((r) => isLiveAtEntry(liveness, r, b));
          assert.deepEqual([...sets.registers.subarray(sets.start[b], sets.start[b + 1])], expected);
        }
      }),
      { numRuns: runs(60) },
    );
  });

  const table: readonly {
    readonly why: string;
    readonly text: string;
    readonly live: Record<string, string>;
  }[] = [
    {
      why: 'a use ends a range before the write of its own instruction',
      text: `regs a b
        a = op
        b = op a
        store b`,
      live: { a: '1-3', b: '3-5' },
    },
    {
      why: 'a result that nobody reads occupies its write point',
      text: `regs a
        a = op
        a = op
        store a`,
      live: { a: '1-2 3-5' },
    },
    {
      why: 'complementary predicated writes are not live from the entry',
      text: `regs a p:p
        p = op
        @p a = op
        @p a = op
        store a`,
      live: { a: '3-7', p: '1-5' },
    },
    {
      why: 'a predicated write keeps the old value alive',
      text: `regs a p:p
        a = op
        p = op
        @p a = op
        store a`,
      live: { a: '1-7', p: '3-5' },
    },
    {
      why: 'writing one half keeps the other',
      text: `regs d:2
        d.lo = op
        d.hi = op
        store d
        d = op
        store d`,
      live: { d: '1-5 7-9' },
    },
    {
      why: 'a use that no definition reaches is in no range',
      text: `regs a
        store a
        a = op
        store a`,
      live: { a: '3-5' },
    },
    {
      why: 'round a loop: live through, carried, and local',
      text: `regs n i t p:p
        n = op
        i = op
        LOOP:
        t = load i
        i = op i t
        p = op i n
        branch p
        -> END LOOP
        END:
        store i`,
      live: { n: '1-12', i: '3-13', t: '5-7', p: '9-11' },
    },
    {
      why: 'live through an empty block, dead on the other side of a branch',
      text: `regs a b
        a = op
        b = op
        branch b
        -> EMPTY OTHER
        OTHER:
        store b
        ->
        EMPTY:
        -> LAST
        LAST:
        store a`,
      live: { a: '1-6 8-9', b: '3-7' },
    },
  ];
  for (const { why, text, live } of table) {
    it(why, () => {
      const f = buildFunction(text);
      for (const [name, expected] of Object.entries(live)) assert.equal(segments(f, name), expected, name);
      agreesWithPaths(f);
    });
  }

  it('counts units while an instruction reads and while it writes', () => {
    const f = buildFunction(`regs a b d:2 e:2
      a = op
      b = op
      d = op a b      # 2 live where it reads, 2 where it writes
      e = op d a      # 3 live where it reads (a again), 2 where it writes
      store e`);
    const { pressure } = analyse(f);
    assert.deepEqual([...pressure.after[0]], [1, 2, 3, 2, 0]);
    assert.deepEqual([...pressure.during[0]], [1, 2, 3, 3, 2]);
    assert.deepEqual(pressure.peak, [3, 0]);
    assert.deepEqual(pressure.peakAt, [2, 0]);
  });

  it('has answers for a function without instructions', () => {
    const f = buildFunction('regs a');
    assert.deepEqual(analyse(f).pressure.peakAt, [-1, -1]);
  });
});
