import type { DependenceGraph } from './dependences.js';

/**
 * The scalar back-end likes to reach a `halt` early: of the instructions behind each one it knows the `halt` that could
 * be issued first, and prefers what leads to the earliest (facts B.11; compute_exits). The times are as if nothing else
 * had to be issued, until the schedule says better.
 */
export interface Exits {
  /** By instruction: number of its exit's group; 0 is the group of those that lead to none. */
  readonly group: Int32Array;
  /** By group: the instruction that is its exit, -1 for group 0. */
  readonly exit: Int32Array;
  /** By instruction: clock at which it could be issued in the best case. */
  readonly unblocked: Int32Array;
}

/** No exits beyond so many in one block: each ready instruction is compared over the groups. */
const MOST_GROUPS = 64;

export function exitsOf(
  graph: DependenceGraph,
  isExit: (instruction: number) => boolean,
  issueClocks: (instruction: number) => number,
): Exits {
  const { count, start, targets, clocks } = graph;
  const unblocked = new Int32Array(count);
  for (let i = 0; i < count; i++)
    for (let edge = start[i]; edge < start[i + 1]; edge++)
      unblocked[targets[edge]] = Math.max(
        unblocked[targets[edge]],
        unblocked[i] + issueClocks(i) + clocks[edge],
      );
  const group = new Int32Array(count);
  const exit = [-1];
  const timeOf = (g: number): number => (g === 0 ? Infinity : unblocked[exit[g]]);
  for (let i = count - 1; i >= 0; i--) {
    if (isExit(i) && exit.length < MOST_GROUPS) group[i] = exit.push(i) - 1;
    for (let edge = start[i]; edge < start[i + 1]; edge++)
      if (timeOf(group[targets[edge]]) < timeOf(group[i])) group[i] = group[targets[edge]];
  }
  return { group, exit: Int32Array.from(exit), unblocked };
}
