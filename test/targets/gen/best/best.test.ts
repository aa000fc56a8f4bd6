import assert from 'node:assert/strict';
import fc from 'fast-check';
import { genIr } from '../../../../server/src/languages/gen-ir/index.js';
import { bestOf } from '../../../../server/src/targets/gen/best/index.js';
import { decode } from '../../../../server/src/targets/gen/decode.js';
import type { Program } from '../../../../server/src/targets/gen/program.js';
import { compare, executable } from '../../../../server/src/targets/gen/simulate/compare.js';
import { runs } from '../../../support/fuzz.js';
import { alone } from '../../../languages/gen-ir/support.js';
import { randomText, type Shape } from './random-text.js';

const programOf = (text: string): Program => {
  const source = genIr.lower(genIr.bind(genIr.parse(text), alone));
  assert.ok(source);
  return decode(source);
};

const inputs = { seeds: [1, 2], steps: 5000 };

/** Scratch messages of the allocation, or undefined where there is none. */
function checkAllocation(program: Program, text: string): number | undefined {
  const { allocation, attempt } = bestOf(program);
  if (allocation.kind === 'refused') return undefined;
  for (const { sources, destinations } of allocation.code.instructions)
    for (const operand of [...sources, ...destinations]) {
      assert.notEqual(operand.file, 'virtual');
      if (operand.file === 'grf') assert.ok(operand.grf < 128);
    }
  const difference = compare(program, allocation.code, inputs);
  assert.equal(difference, undefined, `${JSON.stringify(difference)}\n${text}`);
  return attempt?.messages ?? 0;
}

describe('gen: allocation by the strategy best', () => {
  for (const [dialect, width, room] of [
    ['vec4', 8, 6],
    ['scalar', 8, 18],
    ['scalar', 16, 34],
  ] as const)
    it(`computes what the source does in ${dialect} SIMD${width}, with too few registers`, () => {
      let allocated = 0;
      let spilling = 0;
      fc.assert(
        fc.property(
          fc.nat(),
          fc.integer({ min: 8, max: 24 }),
          fc.integer({ min: 5, max: 60 }),
          (seed, registers, length) => {
            const shape: Shape = { seed, dialect, width, registers, length };
            const text = randomText(shape);
            const program = { ...programOf(text), registerLimit: 5 + room };
            assert.equal(executable(program, inputs), undefined, text);
            const messages = checkAllocation(program, text);
            if (messages === undefined) return;
            allocated++;
            if (messages > 0) spilling++;
          },
        ),
        { numRuns: runs(12) },
      );
      assert.ok(allocated > 6 && spilling > 2, `${allocated} allocated, ${spilling} with messages`);
    }).timeout(60_000);
});
