import { registersOf } from '../access.js';
import type { LiveRanges } from '../live/ranges.js';
import type { Program } from '../program.js';
import type { SpillCosts } from './costs.js';

/**
 * Registers to spill before any colouring, for programs in which far more is live than there are registers: spilling
 * one at a time, with a colouring for each, would take the square of their number. One sweep over the program keeps
 * what is live at `most` GRFs; what goes is what lives longest for its cost. Only an approximation of the reference's
 * order, which nobody can tell apart among thousands of spills.
 */
export function thin(program: Program, live: LiveRanges, costs: SpillCosts, most: number): number[] {
  const count = program.registers.length;
  const worth = new Float64Array(count);
  for (let r = 0; r < count; r++) if (costs[r] > 0) worth[r] = (live.end[r] - live.start[r]) / costs[r];
  const byWorth = Int32Array.from(worth.keys())
    .filter((r) => worth[r] > 0)
    .sort((a, b) => worth[b] - worth[a] || a - b);
  const rank = new Int32Array(count).fill(-1);
  byWorth.forEach((r, k) => (rank[r] = k));
  // ranks of what is live and may be spilled
  const open = new Int32Array((byWorth.length + 31) >>> 5);
  const starts = bucketed(live.start, program.instructions.length);
  const ends = bucketed(live.end, program.instructions.length);
  const isSpilled = new Uint8Array(count);
  const spilled: number[] = [];
  let grfs = 0;
  for (let i = 0; i < program.instructions.length; i++) {
    for (const r of ends(i)) {
      if (isSpilled[r] || live.start[r] === i) continue;
      grfs -= registersOf(program.registers[r]);
      if (rank[r] >= 0) open[rank[r] >>> 5] &= ~(1 << (rank[r] & 31));
    }
    for (const r of starts(i)) {
      if (live.end[r] === i) continue;
      grfs += registersOf(program.registers[r]);
      if (rank[r] >= 0) open[rank[r] >>> 5] |= 1 << (rank[r] & 31);
    }
    while (grfs > most) {
      const word = open.findIndex((bits) => bits !== 0);
      if (word < 0) break;
      const bit = 31 - Math.clz32(open[word] & -open[word]);
      open[word] &= ~(1 << bit);
      const r = byWorth[word * 32 + bit];
      isSpilled[r] = 1;
      spilled.push(r);
      grfs -= registersOf(program.registers[r]);
    }
  }
  return spilled;
}

/** By instruction: the registers whose number in the table it is. */
function bucketed(table: Int32Array, instructionCount: number): (i: number) => Int32Array {
  const start = new Int32Array(instructionCount + 1);
  for (const at of table) if (at >= 0) start[at + 1]++;
  for (let i = 0; i < instructionCount; i++) start[i + 1] += start[i];
  const fill = start.slice(0, -1);
  const registers = new Int32Array(start[instructionCount]);
  table.forEach((at, r) => {
    if (at >= 0) registers[fill[at]++] = r;
  });
  return (i) => registers.subarray(start[i], start[i + 1]);
}
