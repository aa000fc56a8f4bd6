import { fullOccupancyRegisters, machine, type Architecture } from '../architectures.js';
import { warpsByRegisters } from '../occupancy.js';

/**
 * How many registers ptxas lets itself use: as many as leave the occupancy what it must be anyhow. It begins with what
 * full occupancy leaves a thread (64 on sm_75, 32 on sm_80 and 90, 40 on sm_86, 89 and 120), and goes to the next step
 * of resident warps when the values do not fit (measured with k values live at once: 32, 40, 48, 56, 64, 72, 80, 96,
 * 128, 168 and 255 on sm_80, the same from 64 on on sm_75). Two registers of each step carry no name
 * (`machine.unnamedRegisters`). Ascending; the last is what the limit leaves.
 */
export function budgetsOf(architecture: Architecture, limit: number): number[] {
  const budgets: number[] = [];
  let registers = fullOccupancyRegisters(architecture);
  for (; registers < limit; registers += machine.registerGranularity)
    if (warpsByRegisters(registers) > warpsByRegisters(registers + machine.registerGranularity))
      budgets.push(registers - machine.unnamedRegisters);
  budgets.push(limit - machine.unnamedRegisters);
  return budgets;
}
