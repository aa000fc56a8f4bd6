import type { Cfg } from './cfg.js';
import { componentsOf, type Components } from './components.js';
import { dominates, type Dominators } from './dominators.js';

/**
 * Entries of loops that have several, and the edges that close loops of both kinds. A loop is a set of blocks that all
 * reach each other; its entries are the blocks that control comes to from outside. An edge closes a loop where it leads
 * from inside to an entry: in a natural loop to the header, which dominates it (loops.ts); in an irreducible one to any
 * of its entries. Without these edges the blocks of a loop fall apart into the loops inside it, which are found in the
 * same way (the nesting of Steensgaard, as Ramalingam describes it: "Identifying loops in almost linear time", TOPLAS
 * 1999). O(edges) for each level, and so few of them are looked for that it is linear.
 */
export interface LoopEntries {
  /** For an entry of an irreducible loop how many entries that has, else 0. */
  readonly entries: Uint16Array;
  /** Whether the edge closes a loop, natural or not. Without such edges no reachable cycle is left. */
  closes(from: number, to: number): boolean;
}

/** Deeper nests of irreducible loops are closed by the edges against the reverse post-order. */
const MOST_LEVELS = 8;

export function loopEntriesOf(cfg: Cfg, dominators: Dominators): LoopEntries {
  const { blockCount, order, orderOf, predecessorStart, predecessors } = cfg;
  const entries = new Uint16Array(blockCount);
  const levels: Components[] = [];
  /** The level at which a block is an entry, or -1: the edges to it are gone from then on. */
  const levelOf = new Int32Array(blockCount).fill(-1);
  const isNatural = (from: number, to: number): boolean => dominates(dominators, to, from);
  const closes = (from: number, to: number): boolean => {
    if (orderOf[from] < 0) return false;
    if (isNatural(from, to)) return true;
    if (levelOf[to] < 0) return false;
    const { of } = levels[levelOf[to]];
    return of[from] === of[to] && (levelOf[to] < MOST_LEVELS || orderOf[to] <= orderOf[from]);
  };
  if (!hasIrreducible(cfg, isNatural)) return { entries, closes };
  for (let level = 0; level <= MOST_LEVELS; level++) {
    const parts = componentsOf(cfg, (from, to) => orderOf[from] < 0 || closes(from, to));
    const { of, size } = parts;
    const found: number[] = [];
    for (const block of order) {
      if (size[of[block]] < 2) continue;
      let isEntry = block === order[0];
      for (let e = predecessorStart[block]; e < predecessorStart[block + 1] && !isEntry; e++) {
        const from = predecessors[e];
        if (orderOf[from] < 0 || isNatural(from, block)) continue;
        isEntry =
          level < MOST_LEVELS
            ? of[from] !== of[block]
            : of[from] === of[block] && orderOf[block] <= orderOf[from];
      }
      if (isEntry) found.push(block);
    }
    if (found.length === 0) break;
    levels.push(parts);
    const count = new Map<number, number>();
    for (const block of found) count.set(of[block], (count.get(of[block]) ?? 0) + 1);
    for (const block of found) {
      levelOf[block] = level;
      entries[block] = Math.min(0xffff, count.get(of[block])!);
    }
  }
  return { entries, closes };
}

/** Whether some edge against the reverse post-order closes no natural loop. */
function hasIrreducible(
  { order, orderOf, successorStart, successors }: Cfg,
  isNatural: (from: number, to: number) => boolean,
): boolean {
  return order.some((block) => {
    for (let e = successorStart[block]; e < successorStart[block + 1]; e++)
      if (orderOf[successors[e]] <= orderOf[block] && !isNatural(block, successors[e])) return true;
    return false;
  });
}
