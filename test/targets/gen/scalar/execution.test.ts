import assert from 'node:assert/strict';
import fc from 'fast-check';
import { compare, executable } from '../../../../server/src/targets/gen/simulate/compare.js';
import {
  allocateWithPool,
  rewiden,
  scheduleAfter,
  scheduleBefore,
} from '../../../../server/src/targets/gen/scalar/index.js';
import type { Program } from '../../../../server/src/targets/gen/program.js';
import { runs } from '../../../support/fuzz.js';
import { listing } from '../../../support/gen-programs.js';
import { randomSelection } from '../../../support/random-selection.js';

const options = { seeds: [1, 2], steps: 2000 };

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
          randomSelection({ width, dwords: 18, statements: 6, depth: 2 }),
          fc.constantFrom(44, 36, 30),
          (program, registers) => {
            assert.equal(executable(program, options), undefined);
            assertSame(program, scheduleBefore(program), 'scheduled before allocation');
            for (const reserved of [0, 8, 16]) {
              const maxRegisters = reserved === 0 ? 128 : Math.floor((registers * width) / 16) + reserved + 6;
              const allocation = allocateWithPool(program, { reserved, maxRegisters });
              if (allocation.kind === 'refused') continue;
              spills += allocation.spilled.length;
              assertSame(program, allocation.code, `pool of ${reserved}, ${maxRegisters} registers`);
              assertSame(program, scheduleAfter(allocation.code).program, `scheduled, pool of ${reserved}`);
            }
          },
        ),
        { numRuns: runs(12) },
      );
      assert.ok(spills > 0);
    });

  it('and a SIMD16 program read as SIMD8 is one that can be executed', () => {
    fc.assert(
      fc.property(randomSelection({ width: 16, dwords: 8, statements: 5, depth: 1 }), (program) => {
        const narrow = rewiden(program);
        assert.ok(narrow);
        assert.equal(executable(narrow, options), undefined);
      }),
      { numRuns: runs(6) },
    );
  });
});
