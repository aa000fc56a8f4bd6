import assert from 'node:assert/strict';
import type { AllocatedFunction } from '../../server/src/ir/allocated.js';
import type { Function } from '../../server/src/ir/function.js';
import { interpretAllocated } from '../../server/src/ir/interpret.js';
import type { ProgramUnit } from '../../server/src/languages/ptx/semantics/program.js';
import { allocate } from '../../server/src/passes/allocate.js';
import { checkAllocation } from '../../server/src/passes/check-allocation.js';
import { machineSemantics } from '../../server/src/targets/nvidia/code/execute.js';
import { machineSource } from '../../server/src/targets/nvidia/code/source.js';
import { nvidia } from '../../server/src/targets/nvidia/index.js';
import { contentsOf } from './machine-code.js';
import { runKernel, type Result } from './ptx-run.js';

/** Kernels interpreted before and after compilation: the writes to memory must be the same. */

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
export function runCompiled(
  units: readonly ProgramUnit[],
  name: string,
  limit: number,
  steps: number,
): Result {
  return runKernel(units, name, {
    steps,
    runner: (f, thread, budget) => {
      if (limit < SMALLEST) {
        const allocated = underLimit(f, limit);
        assert.deepEqual(checkAllocation(allocated), [], `${name}, limit ${limit}`);
        return interpretAllocated(allocated, thread, { steps: budget.steps });
      }
      const { allocated, code } = nvidia.compile(f, { maxRegisters: limit });
      assert.deepEqual(checkAllocation(allocated), [], `${name}, limit ${limit}`);
      const meaning = machineSemantics(code, machineSource(f), thread);
      // steps are machine instructions here, of which there may be more
      return interpretAllocated(allocated, meaning, { steps: 4 * budget.steps + 1000 });
    },
  });
}

/** The program as compiled leaves the same memory; where nothing is optimised, by the same writes in the same order. */
export function sameWrites(source: Result, compiled: Result, limit: number, what: string): void {
  if (limit >= SMALLEST) {
    // a run that ends early leaves memory that depends on the order of what was done
    if (source.run.end !== 'left') return;
    assert.equal(compiled.run.end, 'left', `${what}: ${compiled.run.message}`);
    assert.deepEqual(contentsOf(compiled.memory), contentsOf(source.memory), what);
    return;
  }
  if (/never written/.test(source.run.message)) {
    // undefined from here on: the compiled program has something else in that place and may go on
    assert.deepEqual(compiled.memory.log.slice(0, source.memory.log.length), source.memory.log, what);
    return;
  }
  assert.equal(compiled.run.end, source.run.end, `${what}: ${compiled.run.message}`);
  assert.equal(compiled.run.steps, source.run.steps, what);
  assert.deepEqual(compiled.memory.log, source.memory.log, what);
}
