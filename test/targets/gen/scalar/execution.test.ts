import assert from 'node:assert/strict';
import fc from 'fast-check';
import { checkAllocation, checkSchedule } from '../../../../server/src/targets/gen/check/index.js';
import { compare, executable } from '../../../../server/src/targets/gen/simulate/compare.js';
import {
  allocateWithPool,
  rewiden,
  scheduleAfter,
  scheduleBefore,
} from '../../../../server/src/targets/gen/scalar/index.js';
import type { Program } from '../../../../server/src/targets/gen/program.js';
import { runs } from '../../../support/fuzz.js';
import { listing, selection } from '../../../support/gen-programs.js';
import { randomSelection } from '../../../support/random-selection.js';

const options = { seeds: [1], steps: 1000 };

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

describe('programs of the scalar back-end do what their sources do', () => {
  for (const width of [8, 16] as const)
    it(`in SIMD${width}, with and without spills, before and behind the schedulers`, () => {
      let spills = 0;
      fc.assert(
        fc.property(
          randomSelection({ width, dwords: 16, statements: 5, depth: 2 }),
          fc.constantFrom(0, 8, 16),
          fc.constantFrom(36, 30),
          (program, reserved, registers) => {
            assert.equal(executable(program, options), undefined);
            assertSame(program, scheduleBefore(program), 'scheduled before allocation');
            const maxRegisters = reserved === 0 ? 128 : Math.floor((registers * width) / 16) + reserved + 6;
            const allocation = allocateWithPool(program, { reserved, maxRegisters });
            if (allocation.kind === 'refused') return;
            spills += allocation.spilled.length;
            assertSame(program, allocation.code, `pool of ${reserved}, ${maxRegisters} registers`);
            const messages = checkAllocation(program, allocation, { most: 3 }).map(({ message }) => message);
            assert.deepEqual(messages, [], text(allocation.code));
            const scheduled = scheduleAfter(allocation.code).program;
            assert.deepEqual(checkSchedule(allocation.code, scheduled, { most: 3 }), []);
            assertSame(program, scheduled, `scheduled, pool of ${reserved}`);
          },
        ),
        { numRuns: runs(15) },
      );
      assert.ok(spills > 0);
    });

  it('with what the dispatch hands over, which lies where the allocation says', () => {
    const { program } = selection(`dword a b c
      uniform word u
      bool p
      add c = a u:UW
      (+p) add c = b c
      untyped_write = a c 1`);
    const allocation = allocateWithPool(program, { reserved: 0 });
    assert.ok(allocation.kind === 'allocated');
    assertSame(program, allocation.code, 'handed over');
    const lost = compare(program, { ...allocation.code, handedOver: undefined }, options);
    assert.match(lost?.message ?? '', /is unknown/);
  });

  it('and a SIMD16 program read as SIMD8 is one that can be executed', () => {
    fc.assert(
      fc.property(randomSelection({ width: 16, dwords: 8, statements: 5, depth: 1 }), (program) => {
        const narrow = rewiden(program);
        assert.ok(narrow);
        assert.equal(executable(narrow, options), undefined);
      }),
      { numRuns: runs(3) },
    );
  });
});
