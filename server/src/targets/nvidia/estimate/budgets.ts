import type { Function } from '../../../ir/function.js';
import { machine, type Architecture } from '../architectures.js';
import type { Launchable } from '../limits.js';
import { warpsByRegisters } from '../occupancy.js';

/**
 * How many registers ptxas lets itself use: as many as leave the occupancy what it must be anyhow. It begins with what
 * full occupancy leaves a thread (64 on sm_75, 32 on sm_80 and 90, 40 on sm_86, 89 and 120), and goes to the next step
 * of occupancy when the values do not fit (measured with k values live at once: 32, 40, 48, 56, 64, 72, 80, 96, 128,
 * 168 and 255 on sm_80, the same from 64 on on sm_75). Occupancy is that of blocks of four warps; where `.maxntid` or
 * `.reqntid` stands without `.minnctapersm`, that of such blocks (measured: 256 threads have 128 instead of 96 on all
 * architectures, 64 threads on sm_86 begin with 64 because 16 blocks are all that an SM holds).
 *
 * Two registers of each step carry no name (`machine.unnamedRegisters`) and are left out here. Ascending; the last is
 * what the limit leaves.
 */
export function budgetsOf(f: Function, { architecture, limit, minBlocks }: Launchable): number[] {
  const { requiredThreads, maxThreads } = f.attributes;
  const threads = minBlocks === undefined ? (requiredThreads ?? maxThreads) : undefined;
  const warps =
    typeof threads === 'number' ? Math.ceil(threads / machine.threadsPerWarp) : machine.subPartitions;
  const budgets: number[] = [];
  const step = machine.registerGranularity;
  let blocks = blocksOf(architecture, step, warps);
  for (let registers = step; registers < limit && blocks > 0; registers += step) {
    const next = blocksOf(architecture, registers + step, warps);
    if (next < blocks) budgets.push(registers - machine.unnamedRegisters);
    blocks = next;
  }
  budgets.push(limit - machine.unnamedRegisters);
  return budgets;
}

/** Blocks of so many warps that an SM holds at once, at so many registers a thread. */
const blocksOf = (architecture: Architecture, registers: number, warps: number): number =>
  Math.min(
    architecture.maxBlocks,
    Math.floor(architecture.maxWarps / warps),
    Math.floor(warpsByRegisters(registers) / warps),
  );
