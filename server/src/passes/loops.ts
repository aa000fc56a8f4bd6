import { ascending } from '../ir/int-list.js';
import type { Cfg } from './cfg.js';
import { componentsOf } from './components.js';
import { dominates, type Dominators } from './dominators.js';

/**
 * Natural loops: an edge to a block that dominates its source closes a loop, whose body is what reaches the source
 * without passing the header (Aho, Sethi, Ullman). Loops with one header are one loop. What still has a cycle
 * when those edges are taken away is irreducible: entered at several blocks, no header. Such a region counts as
 * one more level of nesting, since its blocks do repeat.
 */
export interface Loops {
  /** Loops around each block, irreducible regions included. */
  readonly depth: Uint16Array;
  /** Header of the innermost natural loop around each block (of itself, for a header), or -1. */
  readonly header: Int32Array;
  /** For each header: the header of the next loop outside, or -1. */
  readonly outer: Int32Array;
  /** 1 for blocks in an irreducible region. */
  readonly irreducible: Uint8Array;
}

export function loopsOf(cfg: Cfg, dominators: Dominators): Loops {
  const { header, outer } = naturalLoops(cfg, dominators);
  const irreducible = irreducibleBlocks(cfg, dominators);
  const headerDepth = new Uint16Array(cfg.blockCount);
  const depth = new Uint16Array(cfg.blockCount);
  for (const block of cfg.order) {
    if (header[block] === block)
      headerDepth[block] = Math.min(0xffff, 1 + (outer[block] >= 0 ? headerDepth[outer[block]] : 0));
  }
  for (const block of cfg.order) {
    const natural = header[block] >= 0 ? headerDepth[header[block]] : 0;
    depth[block] = Math.min(0xffff, natural + irreducible[block]);
  }
  return { depth, header, outer, irreducible };
}

/**
 * Inner loops first (headers in post-order); a body that was already found is stepped over as a whole by
 * following the outermost known header, with path compression.
 */
function naturalLoops(cfg: Cfg, dominators: Dominators): Pick<Loops, 'header' | 'outer'> {
  const { blockCount, predecessorStart, predecessors, order, orderOf } = cfg;
  const header = new Int32Array(blockCount).fill(-1);
  const outer = new Int32Array(blockCount).fill(-1);
  const outermost = ascending(blockCount);
  const find = (block: number): number => {
    let root = block;
    while (outermost[root] !== root) root = outermost[root];
    while (outermost[block] !== root) [block, outermost[block]] = [outermost[block], root];
    return root;
  };
  const pending: number[] = [];
  for (let k = order.length - 1; k >= 0; k--) {
    const head = order[k];
    let closes = false;
    for (let e = predecessorStart[head]; e < predecessorStart[head + 1]; e++) {
      if (!dominates(dominators, head, predecessors[e])) continue;
      closes = true;
      pending.push(predecessors[e]);
    }
    if (!closes) continue;
    header[head] = head;
    while (pending.length > 0) {
      const block = find(pending.pop()!);
      if (block === head) continue;
      outermost[block] = head;
      if (header[block] === block) outer[block] = head;
      else header[block] = head;
      for (let e = predecessorStart[block]; e < predecessorStart[block + 1]; e++)
        if (orderOf[predecessors[e]] >= 0) pending.push(predecessors[e]);
    }
  }
  return { header, outer };
}

/** What still has a cycle without the edges that close natural loops. */
function irreducibleBlocks(cfg: Cfg, dominators: Dominators): Uint8Array {
  const { blockCount, successorStart, successors, order, orderOf } = cfg;
  const irreducible = new Uint8Array(blockCount);
  const suspicious = order.some((block) => {
    for (let e = successorStart[block]; e < successorStart[block + 1]; e++)
      if (orderOf[successors[e]] <= orderOf[block] && !dominates(dominators, successors[e], block))
        return true;
    return false;
  });
  if (!suspicious) return irreducible;
  const { of, size } = componentsOf(cfg, (from, to) => dominates(dominators, to, from));
  for (const block of order) irreducible[block] = Number(size[of[block]] > 1);
  return irreducible;
}
