import type { Program } from '../graph.js';
import { blockGraph, type BlockGraph } from './block-graph.js';
import { flowOf, type Flow } from './flow.js';
import { registerLiveness, type RegisterLiveness } from './liveness.js';
import { orderBlock, type BlockOrder } from './order.js';
import { presencesIn, throughout, type Presence } from './presence.js';

/** What the passes over registers ask of a block: its graph, its order, and the registers along that order. */
export interface SurveyedBlock {
  readonly graph: BlockGraph;
  readonly order: BlockOrder;
  /** By place in `graph.ids`: position in the order. */
  readonly position: Int32Array;
  readonly presences: readonly Presence[];
}

export interface Survey {
  readonly program: Program;
  readonly flow: Flow;
  readonly liveness: RegisterLiveness;
  readonly blocks: readonly SurveyedBlock[];
}

/** Linear in the program but for the sorting of each block's nodes. Blocks that `earlier` knows are not ordered again. */
export function surveyOf(
  program: Program,
  earlier?: Survey,
  flow = earlier?.flow ?? flowOf(program),
): Survey {
  const liveness = registerLiveness(program, flow);
  const all = throughout(program);
  const blocks = program.blocks.map((block, b): SurveyedBlock => {
    const known = earlier?.program.blocks[b] === block && isSame(earlier.program, program, block.nodes);
    const { graph, order, position } = known ? earlier.blocks[b] : ordered(program, b);
    return { graph, order, position, presences: presencesIn(program, b, liveness, graph, position, all) };
  });
  return { program, flow, liveness, blocks };
}

const isSame = (a: Program, b: Program, nodes: readonly number[]): boolean =>
  a.nodes === b.nodes || nodes.every((id) => a.nodes[id] === b.nodes[id]);

function ordered(program: Program, b: number): Omit<SurveyedBlock, 'presences'> {
  const graph = blockGraph(program, program.blocks[b]);
  const order = orderBlock(program, graph);
  const position = new Int32Array(graph.ids.length);
  order.order.forEach((k, p) => (position[k] = p));
  return { graph, order, position };
}
