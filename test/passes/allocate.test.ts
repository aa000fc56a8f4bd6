import assert from 'node:assert/strict';
import fc from 'fast-check';
import { CodeKind } from '../../server/src/ir/allocated.js';
import { InstructionFlag, OperandFlag, type Function } from '../../server/src/ir/function.js';
import { blockSets } from '../../server/src/passes/liveness.js';
import { pressureOf } from '../../server/src/passes/pressure.js';
import { Removal } from '../../server/src/passes/spill-choice.js';
import { allocateAt, assertCorrect, SHAPES } from '../support/allocation.js';
import { runs } from '../support/fuzz.js';
import { randomFunction } from '../support/random-function.js';

describe('register allocation', () => {
  for (const [n, shape] of SHAPES.entries())
    it(`is correct at every limit, shape ${n}`, () => {
      fc.assert(
        fc.property(
          randomFunction(shape),
          fc.integer({ min: 1, max: 40 }),
          fc.integer({ min: 1, max: 7 }),
          (f, general, predicates) => assertCorrect(f, general, predicates),
        ),
        { numRuns: runs(150) },
      );
    });

  it('keeps out of reserved units, with wide registers around them', () => {
    fc.assert(
      fc.property(randomFunction(SHAPES[3]), fc.integer({ min: 4, max: 30 }), (f, general) =>
        assertCorrect(f, general, 7, [[1], []]),
      ),
      { numRuns: runs(150) },
    );
  });

  it('keeps what an instruction needs beside its operands free of what lives across it', () => {
    fc.assert(
      fc.property(randomFunction(SHAPES[3]), fc.integer({ min: 1, max: 6 }), (f, needed) => {
        const temporaries = new Uint8Array(f.instructionCount).fill(needed);
        const { during } = allocateAt(f, 24, 200, undefined, [temporaries]);
        for (const units of during[0]) assert.ok(units + needed <= 24);
      }),
      { numRuns: runs(100) },
    );
  });

  it('gives tied operands one place', () => {
    fc.assert(
      fc.property(randomFunction(SHAPES[3]), fc.integer({ min: 6, max: 30 }), (f, general) =>
        assertCorrect(tied(f), general, 7),
      ),
      { numRuns: runs(150) },
    );
  });

  it('spills nothing when what is live fits', () => {
    fc.assert(
      fc.property(
        randomFunction({ maxBlocks: 15, maxInstructions: 8, maxRegisters: 25, wide: false }),
        (f) => {
          const roomy = allocateAt(f, 200, 200);
          const { liveness, ranges } = roomy.folded;
          const peak = [...pressureOf(f, liveness, ranges).peak];
          // an empty block has no instruction at which its live registers would be counted
          const { start, registers } = blockSets(liveness.entry, f.blockCount);
          for (let b = 0; b < f.blockCount; b++) {
            const live = [0, 0];
            for (let k = start[b]; k < start[b + 1]; k++) live[f.registerClass[registers[k]]]++;
            live.forEach((units, c) => (peak[c] = Math.max(peak[c], units)));
          }
          const exact = allocateAt(f, Math.max(1, peak[0]), Math.max(1, peak[1]));
          assert.ok(!exact.removal.includes(Removal.Spilled));
        },
      ),
      { numRuns: runs(200) },
    );
  });

  it('spills less, on average, with more registers', () => {
    const totals = new Map<number, number>();
    const functions = fc.sample(randomFunction({ maxBlocks: 10, maxInstructions: 10, maxRegisters: 40 }), {
      numRuns: 60,
      seed: 7,
    });
    for (const limit of [12, 18, 27, 40]) {
      let spilled = 0;
      for (const f of functions)
        for (const r of allocateAt(f, limit).removal) if (r === Removal.Spilled) spilled++;
      totals.set(limit, spilled);
    }
    const counts = [...totals.values()];
    assert.ok(counts[0] > 0);
    for (let k = 1; k < counts.length; k++) assert.ok(counts[k] <= counts[k - 1], counts.join(' '));
  });

  it('is the same every time', () => {
    fc.assert(
      fc.property(randomFunction(SHAPES[3]), fc.integer({ min: 4, max: 30 }), (f, limit) => {
        const once = allocateAt(f, limit);
        const again = allocateAt(f, limit);
        assert.deepEqual(once.allocated.operandPlace, again.allocated.operandPlace);
        assert.deepEqual(once.removed, again.removed);
      }),
      { numRuns: runs(50) },
    );
  });

  it('names a store and a reload for every operation on a slot', () => {
    fc.assert(
      fc.property(randomFunction(SHAPES[3]), (f) => {
        const { allocated, stores, reloads, copies } = allocateAt(f, 10, 3);
        let operations = 0;
        for (const kind of allocated.kind)
          if (kind === CodeKind.Store || kind === CodeKind.Reload || kind === CodeKind.Copy) operations++;
        assert.equal(operations, stores.length / 2 + reloads.length / 2 + copies);
      }),
      { numRuns: runs(100) },
    );
  });
});

/** Ties, in each instruction where that can be, a result that is not read to a like operand that is only read. */
function tied(f: Function): Function {
  const operandTied = f.operandTied.slice();
  for (let i = 0; i < f.instructionCount; i++) {
    const operands = Array.from(
      { length: f.operandStart[i + 1] - f.operandStart[i] },
      (_, k) => f.operandStart[i] + k,
    );
    const mentions = (o: number): number =>
      operands.filter((other) => f.operandPlace[other] === f.operandPlace[o]).length;
    const result = operands.find((o) => f.operandFlags[o] === OperandFlag.Definition && mentions(o) === 1);
    const value = operands.find((o) => f.operandFlags[o] === OperandFlag.Use && mentions(o) === 1);
    if (result === undefined || value === undefined || (f.instructionFlags[i] & InstructionFlag.Copy) !== 0)
      continue;
    const [r, v] = [f.operandPlace[result], f.operandPlace[value]];
    if (
      r < 0 ||
      v < 0 ||
      f.registerClass[r] !== f.registerClass[v] ||
      f.registerWidth[r] !== f.registerWidth[v]
    )
      continue;
    if (f.operandWidth[result] === f.registerWidth[r]) operandTied[result] = value;
  }
  return { ...f, operandTied };
}
