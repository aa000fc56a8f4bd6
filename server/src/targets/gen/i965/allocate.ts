import { virtual, type VirtualRegister } from '../../../ir/place.js';
import { registersOf } from '../access.js';
import type { Allocation, SpilledRegister } from '../allocation.js';
import type { LiveRanges } from '../live/ranges.js';
import { GRF_BYTES, type Program } from '../program.js';
import { chooseSpills, type AdjacencyOrder } from './choose.js';
import { colour, type Colouring } from './colour.js';
import type { SpillCosts } from './costs.js';
import type { InterferenceGraph } from './graph.js';
import { placed } from './place.js';
import { thin } from './thin.js';

export interface I965Options {
  /** False: refuse rather than spill. Default true. */
  readonly maySpill?: boolean;
  /**
   * Steps (edges looked at while colouring) as long as one register is spilled at a time. Beyond it twice as many as
   * the time before: programs of thousands of spills, where one more or less is no longer the question.
   */
  readonly exactSteps?: number;
}

const EXACT_STEPS = 30_000_000;

/** Edges times GRFs too many, beyond which the worst is spilled before anything is coloured. */
const MOST_WORK = 100_000_000;

/** GRFs that the operands of one instruction need for themselves when they are spilled. */
const ROOM = 4;

/** Instructions of the input in front of which a register is reloaded, and behind which it is stored. */
export interface SpillSites {
  readonly stores: readonly number[];
  readonly reloads: readonly number[];
}

/** Two registers, by number. */
export type Pair = readonly [number, number];

/** What the two back-ends do each in their own way. Nodes of graphs are numbered as registers, temporaries behind. */
export interface BackEnd {
  readonly order: AdjacencyOrder;
  /** Bytes of scratch that the program uses already. */
  readonly usedScratch: number;
  /** The graph when these have been spilled. */
  graph(spilled: readonly VirtualRegister[]): InterferenceGraph;
  /** Puts spill code for a register into the program. `slot` is a byte offset. */
  spill(register: VirtualRegister, slot: number): SpillSites;
  /** The graph after these have been spilled; may be the same, changed. */
  updated(graph: InterferenceGraph, spilled: readonly VirtualRegister[]): InterferenceGraph;
  /** The program with its spill code, and by instruction the register whose value it moves, or -1. */
  finish(): { readonly program: Program; readonly carries: Int32Array };
}

/** Colour; when that fails spill the one register that is worth most, everywhere, and colour anew. */
export function allocate(
  program: Program,
  live: LiveRanges,
  costs: SpillCosts,
  backEnd: BackEnd,
  options: I965Options,
): Allocation {
  const spilled: SpilledRegister[] = [];
  let slot = backEnd.usedScratch;
  const spill = (registers: readonly VirtualRegister[]): void => {
    for (const register of registers) {
      spilled.push({
        register,
        bytes: program.registers[register].bytes,
        scratchOffset: slot,
        cost: costs[register],
        how: 'stored',
        peak: peakOf(live, register),
        ...backEnd.spill(register, slot),
      });
      costs[register] = 0;
      slot += registersOf(program.registers[register]) * GRF_BYTES;
    }
  };
  const early = options.maySpill === false ? [] : tooMany(program, live, costs);
  spill(early);
  let graph = backEnd.graph(early);
  let steps = 0;
  for (let batch = 1; ;) {
    const colouring = colour(graph);
    if (colouring.isComplete) {
      const scratchBytes = slot - backEnd.usedScratch;
      return finished(program, backEnd, colouring.place, spilled, scratchBytes);
    }
    if (options.maySpill === false)
      return refused(program, live, graph, colouring, 'REGISTER_ALLOCATION_FAIL');
    steps += colouring.steps;
    if (steps > (options.exactSteps ?? EXACT_STEPS)) batch *= 2;
    const chosen = chooseSpills(graph, colouring, costs, backEnd.order, batch).map(virtual);
    if (chosen.length === 0) return refused(program, live, graph, colouring, 'NO_REGISTER_TO_SPILL');
    spill(chosen);
    graph = backEnd.updated(graph, chosen);
  }
}

/** What to spill before anything is coloured: nothing but in programs of great size. */
function tooMany(program: Program, live: LiveRanges, costs: SpillCosts): VirtualRegister[] {
  const free = program.registerLimit - program.firstFree;
  const most = live.pressure.reduce((a, b) => Math.max(a, b), 0);
  let edges = 0;
  for (const start of live.start) if (start >= 0) edges += live.pressure[start];
  if (edges * (most - free) <= MOST_WORK) return [];
  return thin(program, live, costs, Math.max(0, free - ROOM)).map(virtual);
}

function finished(
  program: Program,
  backEnd: BackEnd,
  place: Int32Array,
  spilled: readonly SpilledRegister[],
  scratchBytes: number,
): Allocation {
  const { program: code, carries } = backEnd.finish();
  const everywhere = place.map((grf) => grf * GRF_BYTES);
  const address = everywhere.slice(0, program.registers.length);
  for (const { register } of spilled) address[register] = -1;
  return {
    kind: 'allocated',
    code: { ...placed(code, everywhere), registers: program.registers },
    address,
    spilled,
    scratchBytes,
    carries,
  };
}

/** Which register found no place, and what was left beside it. */
function refused(
  program: Program,
  live: LiveRanges,
  graph: InterferenceGraph,
  { stuck }: Colouring,
  reason: string,
): Allocation {
  const why =
    reason === 'NO_REGISTER_TO_SPILL'
      ? 'none of the registers that are left can be spilled'
      : 'spilling is not allowed';
  const node = stuck?.node ?? -1;
  const register = node >= 0 && node < program.registers.length ? virtual(node) : undefined;
  const name = register === undefined ? 'a register of spill code' : program.registers[register].name;
  const size = node < 0 ? 1 : graph.size.at(node);
  const needed = size === 1 ? '1 GRF' : `${size} GRFs in a row`;
  return {
    kind: 'refused',
    reason,
    detail: `${name} needs ${needed}, and of ${graph.registers}, ${program.firstFree} of payload among them, what is live with it leaves ${stuck?.free ?? 0}; ${why}`,
    instruction: register === undefined ? highest(live.pressure) : peakOf(live, register),
  };
}

/** The instruction where most GRFs are live, -1 in an empty program. */
const highest = (pressure: Int32Array): number =>
  pressure.reduce((most, grfs, i) => (most < 0 || grfs > pressure[most] ? i : most), -1);

/** The instruction in the register's range where most GRFs are live. */
function peakOf(live: LiveRanges, register: number): number {
  let peak = live.start[register];
  for (let i = peak; i <= live.end[register]; i++) if (live.pressure[i] > live.pressure[peak]) peak = i;
  return peak;
}
