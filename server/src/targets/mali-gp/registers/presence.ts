import type { Program } from '../graph.js';
import type { BlockGraph } from './block-graph.js';
import { hasMember, membersOf, type RegisterLiveness } from './liveness.js';

/**
 * When a cross-block register occupies its place inside a block, along an order of its nodes. Gap g is the time
 * before the node at position g; the last gap, whose number is that of the nodes, is the block's end.
 */
export interface Presence {
  readonly register: number;
  /** Last gap in which the value from the block's start still has a reader before it, `ALWAYS`, or -1 for none. */
  readonly until: number;
  /** First gap in which the stored value is there, or one more than the last gap. */
  readonly from: number;
}

/** `Presence.until` of a register that is there all through a block, whatever its length. */
const ALWAYS = 0x7fff_ffff;

/** Of each register: that it is there all through a block. */
export const throughout = ({ registers }: Program): readonly Presence[] =>
  registers.map((_, register) => ({ register, until: ALWAYS, from: 0 }));

export const isThrough = ({ until }: Presence): boolean => until === ALWAYS;

/** Whether a place is never free: the old value is read up to the time when the new one is there, or longer. */
export const fillsBlock = ({ until, from }: Presence): boolean => from <= until;

/**
 * The registers that occupy a place somewhere in block `b`; `all` are those of `throughout`. Stores of a node come with it, or with the last node
 * that still reads what they overwrite; stores of leaves need no unit's result and are taken to come last.
 */
export function presencesIn(
  program: Program,
  b: number,
  liveness: RegisterLiveness,
  graph: BlockGraph,
  position: ArrayLike<number>,
  all: readonly Presence[],
): Presence[] {
  const { words, entry, exit, stored } = liveness;
  const block = program.blocks[b];
  const end = graph.ids.length;
  const lastRead = new Map<number, number>();
  const readUntil = (register: number, gap: number): void => {
    lastRead.set(register, Math.max(lastRead.get(register) ?? -1, gap));
  };
  for (const [register, readers] of graph.registerReaders)
    for (const k of readers) readUntil(register, position[k]);
  const placeOf = new Map<number, number>();
  graph.ids.forEach((id, k) => placeOf.set(id, k));
  const storedFrom = new Map<number, number>();
  for (const { to, value } of block.stores) {
    if (value.kind === 'register' && !value.stored) readUntil(value.register, end - 1);
    if (to.kind !== 'register') continue;
    let from = end;
    if (value.kind === 'node') {
      const k = placeOf.get(value.node)!;
      from = position[k] + 1;
      for (const reader of graph.held[k]) from = Math.max(from, position[reader] + 1);
    }
    storedFrom.set(to.register, from);
  }
  const condition = block.branch?.condition;
  if (condition?.kind === 'register' && !condition.stored) readUntil(condition.register, end);

  const presences: Presence[] = [];
  for (const register of membersOf(entry, words, b)) {
    const from = storedFrom.get(register);
    if (from === undefined && hasMember(exit, words, b, register)) presences.push(all[register]);
    else presences.push({ register, until: lastRead.get(register) ?? -1, from: from ?? end + 1 });
  }
  for (const [register, from] of storedFrom)
    if (!hasMember(entry, words, b, register)) presences.push({ register, until: -1, from });
  for (const register of membersOf(exit, words, b))
    if (!hasMember(entry, words, b, register) && !hasMember(stored, words, b, register))
      presences.push(all[register]);
  return presences;
}

/** By gap: how many places the registers of a block occupy. */
export function occupancyOf(presences: readonly Presence[], gaps: number): Int32Array {
  const change = new Int32Array(gaps + 1);
  for (const presence of presences) {
    change[0]++;
    if (fillsBlock(presence)) continue;
    const { until, from } = presence;
    change[until + 1]--;
    if (from < gaps) change[from]++;
  }
  const occupied = new Int32Array(gaps);
  for (let gap = 0, live = 0; gap < gaps; gap++) occupied[gap] = live += change[gap];
  return occupied;
}
