import { virtual } from '../../../ir/place.js';
import type { Allocation, SpilledRegister } from '../allocation.js';
import { registersOf } from '../access.js';
import { liveVec4 } from '../live/vec4.js';
import type { LiveRanges } from '../live/ranges.js';
import { GRF_BYTES, type Program } from '../program.js';
import { chooseSpills } from './choose.js';
import { colour, type Colouring } from './colour.js';
import { vec4Costs } from './costs.js';
import { InterferenceGraph } from './graph.js';
import { placed } from './place.js';
import { Vec4Spiller } from './spiller-vec4.js';

/**
 * Register allocation of SIMD4x2 programs as i965's vec4 back-end does it (brw_vec4_reg_allocate.cpp): colour; when it
 * fails spill the one register that is worth most, everywhere, and colour anew. Payload registers are never given to
 * anything else.
 */
export interface Vec4Options {
  /** False: refuse rather than spill. Default true. */
  readonly maySpill?: boolean;
  /**
   * Steps (edges looked at while colouring) as long as one register is spilled at a time. Beyond it twice as many as in
   * the round before: programs of thousands of spills, where one more or less is no longer the question.
   */
  readonly exactSteps?: number;
}

const EXACT_STEPS = 12_000_000;

export function allocateVec4(program: Program, options: Vec4Options = {}): Allocation {
  const live = liveVec4(program);
  const costs = vec4Costs(program);
  const spiller = new Vec4Spiller(program, live);
  const firstSlot = usedSlots(program);
  const spilled: SpilledRegister[] = [];
  let slot = firstSlot;
  let graph = graphOf(program, spiller);
  let steps = 0;
  for (let batch = 1; ;) {
    const colouring = colour(graph);
    if (colouring.isComplete)
      return finish(program, spiller, colouring, spilled, (slot - firstSlot) * GRF_BYTES);
    if (options.maySpill === false) return refused(program, live, 'REGISTER_ALLOCATION_FAIL');
    steps += colouring.steps;
    if (steps > (options.exactSteps ?? EXACT_STEPS)) batch *= 2;
    const chosen = chooseSpills(graph, colouring, costs, 'hardware last', batch);
    if (chosen.length === 0) return refused(program, live, 'NO_REGISTER_TO_SPILL');
    for (const node of chosen) {
      const register = virtual(node);
      const sites = spiller.spill(register, slot);
      spilled.push({
        register,
        bytes: program.registers[node].bytes,
        scratchOffset: slot * GRF_BYTES,
        cost: costs[node],
        how: 'stored',
        peak: peakOf(live, node),
        ...sites,
      });
      costs[node] = 0;
      slot += registersOf(program.registers[node]);
      if (batch === 1) updateGraph(graph, spiller, node);
    }
    if (batch > 1) graph = graphOf(program, spiller);
  }
}

const NEVER = 0x7fff_ffff;

/** The graph of the program as the spiller has it, with nodes numbered as its registers. */
function graphOf(program: Program, spiller: Vec4Spiller): InterferenceGraph {
  const graph = new InterferenceGraph(
    program.registerLimit,
    Array.from({ length: program.firstFree }, (_, grf) => ({ grf, lastUse: NEVER })),
  );
  addNodes(graph, spiller);
  graph.connectAll();
  connectHazards(graph, spiller);
  return graph;
}

function addNodes(graph: InterferenceGraph, { registers, ranges }: Vec4Spiller): void {
  for (let node = graph.count; node < registers.length; node++)
    graph.add(registersOf(registers[node]), ranges.start.at(node), ranges.end.at(node));
}

function connectHazards(graph: InterferenceGraph, { hazards }: Vec4Spiller): void {
  for (const [a, b] of hazards.splice(0)) graph.connectOnce(a, b);
}

/** The graph after one more register has been spilled. */
function updateGraph(graph: InterferenceGraph, spiller: Vec4Spiller, spilled: number): void {
  const { ranges } = spiller;
  graph.isolate(spilled, 0);
  for (const node of ranges.takeMoved())
    if (node < graph.count) graph.stretch(node, ranges.start.at(node), ranges.end.at(node));
  const firstTemporary = graph.count;
  addNodes(graph, spiller);
  for (let node = firstTemporary; node < graph.count; node++) graph.connectOverlapping(node);
  connectHazards(graph, spiller);
}

function finish(
  program: Program,
  spiller: Vec4Spiller,
  { place }: Colouring,
  spilled: readonly SpilledRegister[],
  scratchBytes: number,
): Allocation {
  const { program: code, carries } = spiller.finish();
  const address = place.map((grf) => grf * GRF_BYTES);
  const own = address.slice(0, program.registers.length);
  for (const { register } of spilled) own[register] = -1;
  return {
    kind: 'allocated',
    code: { ...placed(code, address), registers: program.registers },
    address: own,
    spilled,
    scratchBytes,
    carries,
  };
}

function refused(program: Program, live: LiveRanges, reason: string): Allocation {
  const instruction = live.pressure.reduce((most, grfs, i) => (grfs > live.pressure[most] ? i : most), 0);
  const free = program.registerLimit - program.firstFree;
  const why =
    reason === 'NO_REGISTER_TO_SPILL'
      ? 'and none of the registers that are left can be spilled'
      : 'and spilling is not allowed';
  return {
    kind: 'refused',
    reason,
    detail: `${live.pressure[instruction]} GRFs are live at once where ${free} of ${program.registerLimit} are free behind the payload, ${why}`,
    instruction: program.instructions.length === 0 ? -1 : instruction,
  };
}

/** The instruction in the register's range where most GRFs are live. */
function peakOf(live: LiveRanges, register: number): number {
  let peak = live.start[register];
  for (let i = peak; i <= live.end[register]; i++) if (live.pressure[i] > live.pressure[peak]) peak = i;
  return peak;
}

/** Scratch slots of 32 bytes that the program uses already, for arrays: what it says, or what its messages name. */
function usedSlots(program: Program): number {
  let slots = Math.ceil(program.scratchBytes / GRF_BYTES);
  for (const { opcode, sources } of program.instructions) {
    if (opcode.scratch === undefined) continue;
    const index = sources.at(-1);
    if (index?.file === 'immediate') slots = Math.max(slots, (index.low >> 1) + 1);
  }
  return slots;
}
