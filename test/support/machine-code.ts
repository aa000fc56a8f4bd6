import assert from 'node:assert/strict';
import type { Memory } from '../../server/src/ir/memory.js';
import type { ProgramUnit } from '../../server/src/languages/ptx/semantics/program.js';
import type { MachineCode } from '../../server/src/targets/nvidia/code/code.js';
import { contextOf } from '../../server/src/targets/nvidia/code/context.js';
import { execute } from '../../server/src/targets/nvidia/code/execute.js';
import { optimised } from '../../server/src/targets/nvidia/code/pipeline.js';
import { machineSource } from '../../server/src/targets/nvidia/code/source.js';
import { launchableOf } from '../../server/src/targets/nvidia/limits.js';
import type { TargetOptions } from '../../server/src/targets/target.js';
import { runKernel, unitsOf, type Result } from './ptx-run.js';

/** PTX kernels interpreted as they are and as the machine code that each pass makes of them. */

export interface Stage {
  /** Name of the pass's function; 'source' for the code before all passes. */
  readonly pass: string;
  readonly code: MachineCode;
}

/** The machine code of a kernel after each pass; the last one is what is allocated. */
export function stagesOf(units: readonly ProgramUnit[], name: string, options: TargetOptions = {}): Stage[] {
  const functions = units.flatMap(({ function: f }) => f ?? []);
  const written = functions.find((f) => f.name === name);
  if (written === undefined) throw new Error(`there is no function ${name}`);
  const source = machineSource(written);
  const callee = (called: string) => functions.find((f) => f.name === called);
  const context = contextOf(launchableOf(source, options), options, callee);
  const stages: Stage[] = [];
  optimised(source, context, (code, pass) => stages.push({ pass, code }));
  return stages;
}

/** Runs machine code in place of the source of a kernel. */
export const runCode = (
  units: readonly ProgramUnit[],
  name: string,
  code: MachineCode,
  steps: number,
): Result =>
  runKernel(units, name, {
    steps,
    runner: (f, thread, budget) => execute(code, machineSource(f), thread, { steps: budget.steps }),
  });

/**
 * Asserts that a kernel, as each pass leaves it, ends with the same global and shared memory as its source. Steps are
 * counted in instructions of the program that runs.
 */
export function sameMeaning(
  input: string | readonly ProgramUnit[],
  name = 'k',
  options: TargetOptions & { readonly steps?: number } = {},
): void {
  const units = typeof input === 'string' ? unitsOf(input) : input;
  const steps = options.steps ?? 20_000;
  const source = runKernel(units, name, { steps });
  // a run that ends early leaves memory that depends on the order of what was done
  if (source.run.end !== 'left') return;
  const expected = contentsOf(source.memory);
  for (const { pass, code } of stagesOf(units, name, options)) {
    const { run, memory } = runCode(units, name, code, 4 * steps + 1000);
    assert.equal(run.end, 'left', `after ${pass}: ${run.message || run.end}`);
    assert.deepEqual(contentsOf(memory), expected, `memory after ${pass}`);
  }
}

/** What was written to global and shared memory, byte by byte, sorted; not in which order. */
export function contentsOf(memory: Memory): string[] {
  const bytes = new Map<string, number>();
  for (const { space, address, bytes: count, value } of memory.log) {
    if (space !== 'global' && space !== 'shared') continue;
    for (let k = 0n; k < BigInt(count); k++)
      bytes.set(`${space} 0x${(address + k).toString(16)}`, Number((value >> (8n * k)) & 0xffn));
  }
  return [...bytes].map(([place, byte]) => `${place}: ${byte}`).sort();
}
