import assert from 'node:assert/strict';
import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { AllocatedFunction } from '../../../../server/src/ir/allocated.js';
import type { Function } from '../../../../server/src/ir/function.js';
import { interpretAllocated } from '../../../../server/src/ir/interpret.js';
import type { ProgramUnit } from '../../../../server/src/languages/ptx/semantics/program.js';
import { allocate } from '../../../../server/src/passes/allocate.js';
import { checkAllocation } from '../../../../server/src/passes/check-allocation.js';
import { nvidia } from '../../../../server/src/targets/nvidia/index.js';
import { corpusOrSkip, filesOf } from '../../../support/corpus.js';
import { runs } from '../../../support/fuzz.js';
import { runKernel, unitsOf, type Result } from '../../../support/ptx-run.js';
import { randomKernel } from '../../../support/random-ptx.js';

/** The machine takes no limit below this one; the allocator does. */
const SMALLEST = 24;
const underLimit = (f: Function, limit: number): AllocatedFunction =>
  allocate(f, {
    limits: [limit, 3],
    carriers: [-1, 0],
    recomputeCycles: () => 1,
    spillCycles: 30,
    reserved: [[], []],
  }).allocated;

/** Compiles and interprets one kernel under a limit, as the source was interpreted. */
function runCompiled(units: readonly ProgramUnit[], name: string, limit: number, steps: number): Result {
  return runKernel(units, name, {
    steps,
    runner: (f, thread, budget) => {
      const allocated =
        limit < SMALLEST ? underLimit(f, limit) : nvidia.compile(f, { maxRegisters: limit }).allocated;
      assert.deepEqual(checkAllocation(allocated), [], `${name}, limit ${limit}`);
      return interpretAllocated(allocated, thread, { steps: budget.steps });
    },
  });
}

function sameWrites(source: Result, compiled: Result, what: string): void {
  if (/never written/.test(source.run.message)) {
    // undefined from here on: the compiled program has something else in that place and may go on
    assert.deepEqual(compiled.memory.log.slice(0, source.memory.log.length), source.memory.log, what);
    return;
  }
  assert.equal(compiled.run.end, source.run.end, `${what}: ${compiled.run.message}`);
  assert.equal(compiled.run.steps, source.run.steps, what);
  assert.deepEqual(compiled.memory.log, source.memory.log, what);
}

const LIMITS = [16, 24, 32, 64];

describe('compiled PTX does what its source does', () => {
  it('random kernels, at several register limits', function () {
    this.timeout(60_000);
    fc.assert(
      fc.property(randomKernel, (text) => {
        const units = unitsOf(text);
        const source = runKernel(units, 'k', { steps: 20_000 });
        assert.equal(source.run.end, 'left', source.run.message);
        for (const limit of LIMITS)
          sameWrites(source, runCompiled(units, 'k', limit, 20_000), `limit ${limit}`);
      }),
      { numRuns: runs(15) },
    );
  });

  it('reference kernels, as far as they can be interpreted', function () {
    this.timeout(120_000);
    const folder = corpusOrSkip(this, 'ptx');
    const seen = new Set<string>();
    // the largest take their time: with SPILLWAY_FUZZ_RUNS all
    const largest = runs(1) > 1 ? Infinity : 250;
    let executed = 0;
    const refused = new Map<string, number>();
    for (const path of ['generated', 'dev'].flatMap((name) => filesOf(join(folder, name), '.ptx'))) {
      const family = basename(path).replace(/\.\d+\w*\.ptx$/, '');
      if (seen.has(family)) continue;
      seen.add(family);
      const text = readFileSync(path, 'latin1');
      if (text.length > 100 * largest) continue;
      const units = unitsOf(text);
      for (const { function: f } of units) {
        if (f?.isEntry !== true || f.instructionCount > largest) continue;
        const source = runKernel(units, f.name, { steps: 300 });
        if (source.run.end === 'stopped') {
          const why = source.run.message.replace(/0x[0-9a-f]+|\d+/g, 'N');
          refused.set(why, (refused.get(why) ?? 0) + 1);
          if (!/^cannot execute|never written/.test(source.run.message)) assert.fail(source.run.message);
        }
        executed++;
        for (const limit of [16, 32])
          sameWrites(
            source,
            runCompiled(units, f.name, limit, 300),
            `${basename(path)} ${f.name} limit ${limit}`,
          );
      }
    }
    if (process.env.SPILLWAY_FUZZ_RUNS !== undefined) console.log(executed, refused);
    assert.ok(executed > 60, `${executed} kernels`);
  });
});
