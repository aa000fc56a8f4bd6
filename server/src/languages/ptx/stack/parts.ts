import { InstructionFlag, OperandFlag, type Function } from '../../../ir/function.js';
import type { Cfg } from '../../../passes/cfg.js';
import { postDominators } from '../../../passes/post-dominators.js';
import type { ReachingDefinitions } from '../../../passes/reaching.js';
import { complement, guardLanes, isPart, Lanes } from './lane-kinds.js';

/** Which lanes take a branch: its guard says so, or the number of the target of `brx.idx`. */
function branchLanes(f: Function, i: number, reaching: ReachingDefinitions, lanes: Uint8Array): Lanes {
  const guard = guardLanes(f, i, reaching, lanes);
  if (guard !== Lanes.Equal) return guard;
  for (let k = f.operandStart[i]; k < f.operandStart[i + 1]; k++) {
    const node = f.operandPlace[k] < 0 ? -1 : reaching.nodeOfUse[k];
    if (node >= 0 && (f.operandFlags[k] & OperandFlag.Guard) === 0 && lanes[node] !== (Lanes.Equal as number))
      return Lanes.Different;
  }
  return Lanes.Equal;
}

/**
 * For each block the branch that only a part of the warp takes towards it (its last instruction), or -1: the blocks that
 * depend on the branch for their control (Ferrante, Ottenstein, Warren, TOPLAS 1987), those that depend on them included.
 * Undefined where the graph would cost too much.
 */
export function partialBlocks(
  f: Function,
  cfg: Cfg,
  reaching: ReachingDefinitions,
  lanes: Uint8Array,
  divides: (lanes: Lanes) => boolean = isPart,
): Int32Array | undefined {
  const branchOf = new Int32Array(f.blockCount).fill(-1);
  const parent = postDominators(f);
  const queue: number[] = [];
  let budget = 64 * f.blockCount + 1000;
  /** Marks what executes only because `from` goes to `to`. */
  const mark = (from: number, to: number, branch: number): void => {
    for (let b = to; b >= 0 && b !== parent[from] && budget-- > 0; b = parent[b]) {
      if (branchOf[b] >= 0) continue;
      branchOf[b] = branch;
      queue.push(b);
    }
  };
  for (let b = 0; b < f.blockCount; b++) {
    const last = f.blockStart[b + 1] - 1;
    if (last < f.blockStart[b] || (f.instructionFlags[last] & InstructionFlag.Branch) === 0) continue;
    const taken = branchLanes(f, last, reaching, lanes);
    if (taken === Lanes.Equal || cfg.successorStart[b + 1] - cfg.successorStart[b] < 2) continue;
    for (let e = cfg.successorStart[b]; e < cfg.successorStart[b + 1]; e++)
      // the fall-through comes first
      if (divides(e === cfg.successorStart[b] ? complement(taken) : taken)) mark(b, cfg.successors[e], last);
  }
  for (const b of queue)
    for (let e = cfg.successorStart[b]; e < cfg.successorStart[b + 1]; e++)
      mark(b, cfg.successors[e], branchOf[b]);
  return budget > 0 ? branchOf : undefined;
}
