import { InstructionFlag, type Function } from '../ir/function.js';
import { ascending, IntList } from '../ir/int-list.js';
import type { LiveRanges } from './live-ranges.js';

/**
 * Coalescing: the two registers of a copy whose live ranges do not overlap share one place, so that the copy costs
 * nothing (Chaitin's coalescing on live ranges with holes, as regalloc2 merges bundles). Copies in deep loops come
 * first. A bundle is a set of registers that are never live at once.
 */
export interface Bundles {
  /** Bundle of each register, or -1 for those left out. */
  readonly bundleOf: Int32Array;
  /** Live range of each bundle: its segments are `[from[k], to[k])` for k in `start[b] .. start[b + 1]`, ascending. */
  readonly start: Int32Array;
  readonly from: Int32Array;
  readonly to: Int32Array;
  readonly registerClass: Uint8Array;
  readonly width: Uint16Array;
}

/** Merging is linear in the segments of both: above this many a copy stays, so that a long chain is not quadratic. */
const MOST_SEGMENTS = 256;

interface Segments {
  readonly from: readonly number[];
  readonly to: readonly number[];
}

export function bundlesOf(
  f: Function,
  ranges: LiveRanges,
  takesPart: (register: number) => boolean,
  depthOf: (instruction: number) => number,
): Bundles {
  const parent = ascending(f.registerCount);
  const find = (register: number): number => {
    let root = register;
    while (parent[root] !== root) root = parent[root];
    while (parent[register] !== root) [register, parent[register]] = [parent[register], root];
    return root;
  };
  const merged = new Map<number, Segments>();
  const segments = (root: number): Segments => merged.get(root) ?? segmentsOf(ranges, root);

  for (const copy of copiesByDepth(f, depthOf)) {
    const to = f.operandPlace[f.operandStart[copy]];
    const from = f.operandPlace[f.operandStart[copy] + 1];
    if (to < 0 || from < 0 || !takesPart(to) || !takesPart(from)) continue;
    if (f.registerClass[to] !== f.registerClass[from] || f.registerWidth[to] !== f.registerWidth[from])
      continue;
    const a = find(to);
    const b = find(from);
    if (a === b) continue;
    const union = disjointUnion(segments(a), segments(b));
    if (union === undefined) continue;
    parent[b] = a;
    merged.delete(b);
    merged.set(a, union);
  }
  return flatten(f, ranges, takesPart, find, merged);
}

function copiesByDepth(f: Function, depthOf: (instruction: number) => number): number[] {
  const copies: number[] = [];
  for (let i = 0; i < f.instructionCount; i++) {
    if ((f.instructionFlags[i] & InstructionFlag.Copy) === 0) continue;
    if (f.operandStart[i + 1] - f.operandStart[i] >= 2) copies.push(i);
  }
  return copies.sort((x, y) => depthOf(y) - depthOf(x) || x - y);
}

const segmentsOf = (ranges: LiveRanges, register: number): Segments => ({
  from: Array.from(
    ranges.segmentFrom.subarray(ranges.registerStart[register], ranges.registerStart[register + 1]),
  ),
  to: Array.from(
    ranges.segmentTo.subarray(ranges.registerStart[register], ranges.registerStart[register + 1]),
  ),
});

/** Both lists in order, or undefined when they overlap or are too long. */
function disjointUnion(a: Segments, b: Segments): Segments | undefined {
  if (a.from.length + b.from.length > MOST_SEGMENTS) return undefined;
  const from: number[] = [];
  const to: number[] = [];
  let i = 0;
  let j = 0;
  while (i < a.from.length || j < b.from.length) {
    const takeA = j === b.from.length || (i < a.from.length && a.from[i] < b.from[j]);
    const begin = takeA ? a.from[i] : b.from[j];
    const end = takeA ? a.to[i++] : b.to[j++];
    if (to.length > 0 && to[to.length - 1] > begin) return undefined;
    from.push(begin);
    to.push(end);
  }
  return { from, to };
}

function flatten(
  f: Function,
  ranges: LiveRanges,
  takesPart: (register: number) => boolean,
  find: (register: number) => number,
  merged: ReadonlyMap<number, Segments>,
): Bundles {
  const bundleOf = new Int32Array(f.registerCount).fill(-1);
  const roots: number[] = [];
  const numberOf = new Int32Array(f.registerCount).fill(-1);
  for (let r = 0; r < f.registerCount; r++) {
    if (!takesPart(r)) continue;
    const root = find(r);
    if (numberOf[root] < 0) {
      numberOf[root] = roots.length;
      roots.push(root);
    }
    bundleOf[r] = numberOf[root];
  }
  const start = new Int32Array(roots.length + 1);
  const from = new IntList(ranges.segmentFrom.length);
  const to = new IntList(ranges.segmentFrom.length);
  roots.forEach((root, b) => {
    const union = merged.get(root);
    if (union) {
      for (let k = 0; k < union.from.length; k++) {
        from.push(union.from[k]);
        to.push(union.to[k]);
      }
    } else {
      for (let k = ranges.registerStart[root]; k < ranges.registerStart[root + 1]; k++) {
        from.push(ranges.segmentFrom[k]);
        to.push(ranges.segmentTo[k]);
      }
    }
    start[b + 1] = from.length;
  });
  return {
    bundleOf,
    start,
    from: from.view(),
    to: to.view(),
    registerClass: Uint8Array.from(roots, (root) => f.registerClass[root]),
    width: Uint16Array.from(roots, (root) => f.registerWidth[root]),
  };
}
