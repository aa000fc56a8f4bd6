import type { Run } from '../../server/src/ir/interpret.js';
import type { Memory } from '../../server/src/ir/memory.js';
import { ptx } from '../../server/src/languages/ptx/index.js';
import { launch, type Runner } from '../../server/src/languages/ptx/semantics/launch.js';
import { PtxProgram, type ProgramUnit } from '../../server/src/languages/ptx/semantics/program.js';
import type { PtxUnit } from '../../server/src/languages/ptx/tree.js';
import type { Target } from '../../server/src/targets/target.js';
import { snapshotOf } from './snapshot.js';

const noTarget = { id: 'none', name: 'none', options: [] } as unknown as Target;

/** Units of a PTX text with their functions, as the interpreter wants them. */
export function unitsOf(text: string): ProgramUnit[] {
  return snapshotOf(text, ptx, noTarget).units.map((u) => ({
    parsed: u.parsed as PtxUnit,
    function: u.function,
  }));
}

/** Contents of untouched global memory: any fixed function of the address; small integers, so that loops end. */
export const filling = (address: bigint): number =>
  address % 4n === 0n ? Number((address / 4n) % 7n) + 1 : address % 4n === 3n ? 0 : 0;

export const BUFFER = 0x7f00_0000_0000n;
/** Pointers to buffers far apart for 64-bit parameters, small numbers for the others. */
export const inputsOf = (bytes: readonly number[]): bigint[] =>
  bytes.map((size, k) => (size === 8 ? BUFFER + BigInt(k) * 0x1_0000_0000n : BigInt(5 + k)));

export interface Result {
  readonly run: Run;
  readonly memory: Memory;
}

export function runKernel(
  units: readonly ProgramUnit[],
  name: string,
  options: {
    readonly steps?: number;
    readonly inputs?: readonly bigint[];
    readonly special?: Readonly<Record<string, bigint>>;
    readonly runner?: Runner;
  } = {},
): Result {
  const program = new PtxProgram(units, { filling, special: options.special ?? {} });
  const sizes = program.function(name)?.inputs.map((input) => input.bytes) ?? [];
  const run = launch(program, name, options.inputs ?? inputsOf(sizes), options.steps ?? 3000, options.runner);
  return { run, memory: program.memory };
}

const HEAD = '.version 8.0\n.target sm_90\n.address_size 64\n';

/**
 * Runs a body that leaves values in registers and stores them: `results` are `type register` pairs, stored one
 * after the other at the kernel's only parameter. Returns the stored patterns.
 */
export function evaluate(body: string, ...results: string[]): bigint[] {
  const stores = results.map((result, k) => {
    const [type, register] = result.split(' ');
    return `st.global.${type} [%out+${16 * k}], ${register};`;
  });
  const text = `${HEAD}.visible .entry k(.param .u64 p) {
    .reg .u64 %out; .reg .pred %p<10>; .reg .b16 %h<20>; .reg .b32 %r<30>; .reg .b64 %rd<20>;
    .reg .f32 %f<20>; .reg .f64 %fd<20>;
    ld.param.u64 %out, [p];
    ${body}
    ${stores.join('\n')}
    ret; }`;
  const { run, memory } = runKernel(unitsOf(text), 'k');
  if (run.end !== 'left') throw new Error(`${run.end} at ${run.instruction}: ${run.message}`);
  return memory.log.map((write) => write.value);
}
