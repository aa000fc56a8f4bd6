import { OperandFlag, type Function } from '../../server/src/ir/function.js';

/**
 * Liveness straight from its definition, by paths, for small functions. Every instruction is two points, a read
 * and a write; the points of the whole function are a graph; a register is live at a point when a definition lies
 * on some path to it and a use on some path from it that no killing write interrupts.
 */
export interface PointGraph {
  readonly next: readonly (readonly number[])[];
  readonly previous: readonly (readonly number[])[];
}

/** Points 2i and 2i + 1 for instruction i, then one point for each block's entry (blocks may be empty). */
export function pointGraph(f: Function): PointGraph {
  const points = 2 * f.instructionCount;
  const next: number[][] = Array.from({ length: points + f.blockCount }, () => []);
  for (let b = 0; b < f.blockCount; b++) {
    let last = points + b;
    for (let i = f.blockStart[b]; i < f.blockStart[b + 1]; i++) {
      next[last].push(2 * i);
      next[2 * i].push(2 * i + 1);
      last = 2 * i + 1;
    }
    for (let e = f.successorStart[b]; e < f.successorStart[b + 1]; e++)
      next[last].push(points + f.successors[e]);
  }
  const previous: number[][] = next.map(() => []);
  next.forEach((targets, from) => targets.forEach((to) => previous[to].push(from)));
  return { next, previous };
}

function operandsOf(f: Function, instruction: number, register: number): number[] {
  const found: number[] = [];
  for (let o = f.operandStart[instruction]; o < f.operandStart[instruction + 1]; o++)
    if (f.operandPlace[o] === register) found.push(o);
  return found;
}

const flag = (f: Function, o: number, bit: OperandFlag): boolean => (f.operandFlags[o] & bit) !== 0;

const whole = (f: Function, o: number): boolean =>
  flag(f, o, OperandFlag.Definition) &&
  !flag(f, o, OperandFlag.Predicated) &&
  !flag(f, o, OperandFlag.Partial) &&
  f.operandWidth[o] >= f.registerWidth[f.operandPlace[o]];

export interface BruteLiveness {
  /** Points at which the register is live; a definition's own write point counts. */
  readonly live: ReadonlySet<number>;
  /** Instructions after which the register is live (unread definitions do not count). */
  readonly after: ReadonlySet<number>;
}

export function bruteLiveness(f: Function, graph: PointGraph, register: number): BruteLiveness {
  const reads = new Set<number>();
  const writes = new Set<number>();
  const killing = new Set<number>();
  for (let i = 0; i < f.instructionCount; i++) {
    for (const o of operandsOf(f, i, register)) {
      if (flag(f, o, OperandFlag.Use)) reads.add(2 * i);
      if (flag(f, o, OperandFlag.Definition)) writes.add(2 * i + 1);
      if (whole(f, o)) killing.add(2 * i + 1);
    }
  }
  const assigned = spread(writes, graph.next, () => false);
  // a point's own killing write happens before what follows it, so a walk back stops in front of it
  const wanted = spread(reads, graph.previous, (point) => killing.has(point));
  const live = new Set<number>();
  const after = new Set<number>();
  for (let point = 0; point < graph.next.length; point++) {
    const isWanted =
      point < 2 * f.instructionCount && point % 2 === 1 ? wantedBehind(point) : wanted.has(point);
    if ((assigned.has(point) && isWanted) || writes.has(point)) live.add(point);
    if (point < 2 * f.instructionCount && point % 2 === 1 && assigned.has(point) && isWanted)
      after.add((point - 1) / 2);
  }
  return { live, after };

  function wantedBehind(point: number): boolean {
    return graph.next[point].some((to) => wanted.has(to));
  }
}

function spread(
  seeds: ReadonlySet<number>,
  edges: readonly (readonly number[])[],
  stops: (point: number) => boolean,
): Set<number> {
  const reached = new Set(seeds);
  const pending = [...seeds];
  while (pending.length > 0) {
    for (const to of edges[pending.pop()!]) {
      if (reached.has(to) || stops(to)) continue;
      reached.add(to);
      pending.push(to);
    }
  }
  return reached;
}
