import type { UnitFrame } from '../languages/frames.js';
import { componentsOf } from '../passes/components.js';
import type { Snapshot, Unit } from '../workspace/snapshot.js';

/**
 * How much stack a function needs with everything that it calls: its own frame and the deepest path below it. The call
 * graph of a document is put together from the frames of its units, which are kept with them; its strongly connected
 * components come in topological order (Tarjan), so that one walk from the leaves upwards is enough.
 *
 * A cycle has no bound. It is reported with its functions, and counts once, as if each of them ran once. What calls
 * through a register without a list of callees, or what another file defines, is not known, and said to be so.
 */
export interface StackTotal {
  /** Bytes of the function itself. */
  readonly own: number;
  /** Bytes with the deepest known path of callees. */
  readonly total: number;
  /** The functions of the deepest path, this one first. */
  readonly path: readonly string[];
  /** The functions of a cycle that this one is in or reaches, in text order; empty without one. */
  readonly recursion: readonly string[];
  /** Functions that are called somewhere below and that this document does not define, sorted. */
  readonly unknown: readonly string[];
  /** Somewhere below a call goes through a register, and nothing says where to. */
  readonly hasIndirectCalls: boolean;
  /** Somewhere below memory of run-time size is taken. */
  readonly isDynamic: boolean;
}

/** Nothing may take more than the sum says. */
export const isBounded = ({ recursion, unknown, hasIndirectCalls, isDynamic }: StackTotal): boolean =>
  recursion.length === 0 && unknown.length === 0 && !hasIndirectCalls && !isDynamic;

/** Names of unknown callees that are carried up the graph. */
const NAME_LIMIT = 8;

const known = new WeakMap<Snapshot, ReadonlyMap<string, StackTotal>>();

/** By function name. Linear in the document's units and calls. */
export function stackTotals(s: Snapshot): ReadonlyMap<string, StackTotal> {
  let totals = known.get(s);
  if (totals === undefined) known.set(s, (totals = totalsOf(framesOf(s).map(({ frame }) => frame))));
  return totals;
}

export interface PlacedFrame {
  readonly unit: Unit;
  readonly frame: UnitFrame;
}

/** The frames of a document in text order; none where the language knows of no frames. */
export function framesOf(s: Snapshot): PlacedFrame[] {
  const { language } = s;
  if (language.frame === undefined) return [];
  const frames: PlacedFrame[] = [];
  for (const unit of s.units) {
    const frame = language.frame(unit.bound);
    if (frame !== undefined) frames.push({ unit, frame });
  }
  return frames;
}

export function totalsOf(frames: readonly UnitFrame[]): ReadonlyMap<string, StackTotal> {
  const numberOf = new Map<string, number>();
  for (const [n, { name }] of frames.entries()) if (!numberOf.has(name)) numberOf.set(name, n);
  const successorStart = new Int32Array(frames.length + 1);
  const callees: number[] = [];
  const below: Below[] = [];
  for (const [n, frame] of frames.entries()) {
    below.push(ownOf(frame, numberOf, callees));
    successorStart[n + 1] = callees.length;
  }
  const graph = { blockCount: frames.length, successorStart, successors: Int32Array.from(callees) };
  const { of, size } = componentsOf(graph);
  const members = membersOf(of, size.length);
  const isCycle = (component: number): boolean =>
    size[component] > 1 || callsItself(graph, members[component][0]);

  const totals: (StackTotal | undefined)[] = new Array<undefined>(frames.length).fill(undefined);
  for (let component = size.length - 1; component >= 0; component--) {
    const cycle = isCycle(component);
    const own = members[component].reduce((sum, n) => sum + frames[n].bytes, 0);
    let deepest: StackTotal | undefined;
    const joined = joinedBelow(members[component].map((n) => below[n]));
    let recursion = cycle ? members[component].slice(0, PATH_LIMIT).map((n) => frames[n].name) : none;
    for (const n of members[component])
      for (let e = successorStart[n]; e < successorStart[n + 1]; e++) {
        const total = totals[callees[e]];
        if (of[callees[e]] === component || total === undefined) continue;
        if (deepest === undefined || total.total > deepest.total) deepest = total;
        for (const name of total.unknown) addName(joined.unknown, name);
        joined.hasIndirectCalls ||= total.hasIndirectCalls;
        joined.isDynamic ||= total.isDynamic;
        if (recursion.length === 0) recursion = total.recursion;
      }
    const unknown = [...joined.unknown].sort();
    for (const n of members[component])
      totals[n] = {
        own: frames[n].bytes,
        total: own + (deepest?.total ?? 0),
        path: [frames[n].name, ...(deepest?.path ?? [])].slice(0, PATH_LIMIT),
        recursion,
        unknown,
        hasIndirectCalls: joined.hasIndirectCalls,
        isDynamic: joined.isDynamic,
      };
  }
  const byName = new Map<string, StackTotal>();
  for (const [n, frame] of frames.entries()) {
    const total = totals[n];
    if (total !== undefined && !byName.has(frame.name)) byName.set(frame.name, total);
  }
  return byName;
}

const none: readonly string[] = [];

/** Longer paths, and cycles of more functions, are shown by their beginning. */
const PATH_LIMIT = 16;

interface Below {
  readonly unknown: Set<string>;
  hasIndirectCalls: boolean;
  isDynamic: boolean;
}

/** What a function brings itself; its callees that are known are added to `callees`, each once. */
function ownOf(frame: UnitFrame, numberOf: ReadonlyMap<string, number>, callees: number[]): Below {
  const own: Below = { unknown: new Set(), hasIndirectCalls: false, isDynamic: frame.isDynamic };
  const seen = new Set<string>();
  for (const { callee, candidates } of frame.calls) {
    if (callee === undefined && candidates.length === 0) own.hasIndirectCalls = true;
    for (const name of callee === undefined ? candidates : [callee]) {
      if (seen.has(name)) continue;
      seen.add(name);
      const number = numberOf.get(name);
      if (number === undefined) addName(own.unknown, name);
      else callees.push(number);
    }
  }
  return own;
}

const addName = (names: Set<string>, name: string): void => {
  if (names.size < NAME_LIMIT) names.add(name);
};

function joinedBelow(all: readonly Below[]): Below {
  const joined: Below = { unknown: new Set(), hasIndirectCalls: false, isDynamic: false };
  for (const one of all) {
    for (const name of one.unknown) addName(joined.unknown, name);
    joined.hasIndirectCalls ||= one.hasIndirectCalls;
    joined.isDynamic ||= one.isDynamic;
  }
  return joined;
}

function membersOf(of: Int32Array, count: number): number[][] {
  const members: number[][] = Array.from({ length: count }, () => []);
  for (let n = 0; n < of.length; n++) members[of[n]].push(n);
  return members;
}

function callsItself(
  { successorStart, successors }: { readonly successorStart: Int32Array; readonly successors: Int32Array },
  n: number,
): boolean {
  for (let e = successorStart[n]; e < successorStart[n + 1]; e++) if (successors[e] === n) return true;
  return false;
}
