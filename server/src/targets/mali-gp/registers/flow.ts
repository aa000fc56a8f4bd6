import { controlFlow, type Cfg } from '../../../passes/cfg.js';
import { dominatorsOf } from '../../../passes/dominators.js';
import { loopsOf } from '../../../passes/loops.js';
import type { Block, Program, Value } from '../graph.js';

/**
 * Control flow of a program between lowering and scheduling, and how often each block is estimated to run: ten times
 * for each loop around it, the customary guess where nothing is known of the iterations.
 */
export interface Flow {
  readonly cfg: Cfg;
  /** Loops around each block. */
  readonly depth: Uint16Array;
  /** Estimated executions of each block. */
  readonly weight: Float64Array;
}

const ITERATIONS = 10;
/** Deeper loops weigh no more, so that sums stay exact. */
const DEEPEST = 6;

export function flowOf(program: Program): Flow {
  const blockCount = program.blocks.length;
  const successorStart = new Int32Array(blockCount + 1);
  const successors: number[] = [];
  program.blocks.forEach((block, b) => {
    for (const to of successorsOf(block, b, blockCount)) successors.push(to);
    successorStart[b + 1] = successors.length;
  });
  const cfg = controlFlow({ blockCount, successorStart, successors: Int32Array.from(successors) });
  const { depth } = loopsOf(cfg, dominatorsOf(cfg));
  const weight = Float64Array.from(depth, (d) => ITERATIONS ** Math.min(d, DEEPEST));
  return { cfg, depth, weight };
}

/** Blocks that may run after block `b`; none where the program ends. */
export function successorsOf({ branch }: Block, b: number, blockCount: number): number[] {
  const next = b + 1 < blockCount && (branch === undefined || branch.condition !== undefined) ? [b + 1] : [];
  if (branch !== undefined && branch.target < blockCount && branch.target !== next[0])
    next.push(branch.target);
  return next;
}

/** Whether the program may end with block `b`. */
export const mayEnd = ({ branch }: Block, b: number, blockCount: number): boolean =>
  (b + 1 >= blockCount && (branch === undefined || branch.condition !== undefined)) ||
  (branch !== undefined && branch.target >= blockCount);

/**
 * Everything that a block reads, with the place of the reader in `block.nodes`, or -1 for a store or the branch. A
 * node that reads a value twice is told twice.
 */
export function forEachRead(
  program: Program,
  block: Block,
  visit: (value: Value, position: number) => void,
): void {
  block.nodes.forEach((id, position) => {
    for (const input of program.nodes[id].inputs) visit(input, position);
  });
  for (const store of block.stores) visit(store.value, -1);
  if (block.branch?.condition) visit(block.branch.condition, -1);
}
