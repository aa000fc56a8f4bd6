import assert from 'node:assert/strict';
import fc from 'fast-check';
import { checkAllocation, checkSchedule } from '../../../../server/src/targets/gen/check/index.js';
import { compare, executable } from '../../../../server/src/targets/gen/simulate/compare.js';
import {
  allocateWithTemporaries,
  scheduleAfter,
  scheduleBefore,
  type TemporaryOptions,
} from '../../../../server/src/targets/gen/scalar/index.js';
import type { Program } from '../../../../server/src/targets/gen/program.js';
import { runs } from '../../../support/fuzz.js';
import { listing } from '../../../support/gen-programs.js';
import { randomSelection } from '../../../support/random-selection.js';

const options = { seeds: [1], steps: 1000 };

const ways: readonly TemporaryOptions[] = [{}, { keeps: true }, { keeps: true, recomputes: true }];

const text = (program: Program): string =>
  listing(program)
    .map((line, k) => `${k}: ${line}`)
    .join('\n');

function assertSame(source: Program, compiled: Program, what: string): void {
  const found = compare(source, compiled, options);
  if (found === undefined) return;
  assert.fail(
    `${what}: ${found.message} at ${found.instruction}\n${text(source)}\n-- compiled\n${text(compiled)}`,
  );
}

describe('selection programs with temporaries do what their sources do', () => {
  for (const width of [8, 16] as const)
    it(`in SIMD${width}, before and behind the scheduler`, () => {
      const spills = ways.map(() => 0);
      fc.assert(
        fc.property(
          randomSelection({ width, dwords: 16, statements: 5, depth: 2 }),
          fc.constantFrom(...ways),
          fc.constantFrom(42, 36, 32),
          fc.boolean(),
          (given, way, registers, isReordered) => {
            const program = isReordered ? scheduleBefore(given) : given;
            assert.equal(executable(program, options), undefined);
            const maxRegisters = Math.floor((registers * width) / 16) + 5;
            const allocation = allocateWithTemporaries(program, { ...way, maxRegisters });
            if (allocation.kind === 'refused') return;
            spills[ways.indexOf(way)] += allocation.spilled.length;
            const messages = checkAllocation(program, allocation, { most: 3 }).map(({ message }) => message);
            assert.deepEqual(messages, [], text(allocation.code));
            assertSame(program, allocation.code, `${maxRegisters} registers`);
            const scheduled = scheduleAfter(allocation.code).program;
            assert.deepEqual(checkSchedule(allocation.code, scheduled, { most: 3 }), []);
            assertSame(program, scheduled, `scheduled, ${maxRegisters} registers`);
          },
        ),
        { numRuns: runs(150) },
      );
      assert.ok(spills.every((count) => count > 0));
    });
});
