import type { VirtualRegister } from '../../../ir/place.js';
import { registersOf } from '../access.js';
import type { Allocation } from '../allocation.js';
import { liveVec4 } from '../live/vec4.js';
import { GRF_BYTES, type Program } from '../program.js';
import { allocate, type I965Options } from './allocate.js';
import { vec4Costs } from './costs.js';
import { InterferenceGraph, NEVER } from './graph.js';
import { Vec4Spiller } from './spiller-vec4.js';

/**
 * Register allocation of SIMD4x2 programs as i965's vec4 back-end does it (brw_vec4_reg_allocate.cpp). Payload
 * registers are never given to anything else. The reference computes liveness and the graph anew for each register
 * that it spills; here both follow the spill code.
 */
export function allocateVec4(program: Program, options: I965Options = {}): Allocation {
  const live = liveVec4(program);
  const spiller = new Vec4Spiller(program, live);
  let hazards = spiller.hazards.length;
  return allocate(
    program,
    live,
    vec4Costs(program),
    {
      order: 'hardware last',
      usedScratch: usedScratch(program),
      graph: () => graphOf(program, spiller),
      spill: (register, slot) => spiller.spill(register, slot / GRF_BYTES),
      updated(graph, spilled) {
        const known = hazards;
        hazards = spiller.hazards.length;
        if (spilled.length > 1) return graphOf(program, spiller);
        update(graph, spiller, spilled[0], known);
        return graph;
      },
      finish: () => spiller.finish(),
    },
    options,
  );
}

/** The graph of the program as the spiller has it. */
function graphOf(program: Program, spiller: Vec4Spiller): InterferenceGraph {
  const graph = new InterferenceGraph(
    program.registerLimit,
    Array.from({ length: program.firstFree }, (_, grf) => ({ grf, lastUse: NEVER })),
  );
  addNodes(graph, spiller);
  graph.connectAll();
  graph.connectPairs(spiller.hazards, 0, spiller.hazards.length);
  return graph;
}

function addNodes(graph: InterferenceGraph, { registers, ranges }: Vec4Spiller): void {
  for (let node = graph.count; node < registers.length; node++)
    graph.add(registersOf(registers[node]), ranges.start.at(node), ranges.end.at(node));
}

/** `hazards`: how many of them were there when the graph was right. */
function update(
  graph: InterferenceGraph,
  spiller: Vec4Spiller,
  spilled: VirtualRegister,
  hazards: number,
): void {
  const { ranges } = spiller;
  graph.isolate(spilled, false);
  graph.stretch(spilled, 0, 0);
  for (const node of ranges.takeMoved())
    if (node < graph.count) graph.stretch(node, ranges.start.at(node), ranges.end.at(node));
  const firstTemporary = graph.count;
  addNodes(graph, spiller);
  for (let node = firstTemporary; node < graph.count; node++) graph.connectOverlapping(node);
  graph.connectPairs(spiller.hazards, hazards, spiller.hazards.length);
}

/** Bytes of scratch that the program uses already, for arrays: what it says, or what its messages name. */
function usedScratch(program: Program): number {
  let bytes = program.scratchBytes;
  for (const { opcode, sources } of program.instructions) {
    if (opcode.scratch === undefined) continue;
    const index = sources.at(-1);
    if (index?.file === 'immediate') bytes = Math.max(bytes, ((index.low >> 1) + 1) * GRF_BYTES);
  }
  return Math.ceil(bytes / GRF_BYTES) * GRF_BYTES;
}
