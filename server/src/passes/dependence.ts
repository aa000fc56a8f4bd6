import { InstructionFlag, OperandFlag, type Function } from '../ir/function.js';

/**
 * The dependence graph of one block, for schedulers: which instruction must stay behind which, and why. Instruction
 * numbers are relative to the block's first instruction. Kinds as in Hennessy and Patterson: true (reads what was
 * written), anti (writes what was read), output (writes what was written); memory keeps loads and stores that may
 * alias in order (all of them, since `ir/` knows no addresses), control keeps branches, returns and barriers.
 *
 * Predicated and partial definitions keep the old value, so they stay behind the definition before them (output)
 * and a reader behind the last of them only: the others follow through the chain. The graph is linear in the
 * operands.
 */
export const enum DependenceKind {
  True = 0,
  Anti = 1,
  Output = 2,
  Memory = 3,
  Control = 4,
}

export interface DependenceGraph {
  readonly first: number;
  readonly count: number;
  /** Edges to the instructions behind n: numbers `start[n] .. start[n + 1]` of the arrays below, ascending in `to`. */
  readonly start: Int32Array;
  readonly to: Int32Array;
  readonly kind: Uint8Array;
  /** The virtual register, or -1 for memory and control. */
  readonly register: Int32Array;
  /** Edges that come in, for a ready list. */
  readonly incoming: Int32Array;
}

export function dependenceGraph(f: Function, block: number): DependenceGraph {
  const first = f.blockStart[block];
  const count = f.blockStart[block + 1] - first;
  const edges = new EdgeList();
  registerEdges(f, first, count, edges);
  orderEdges(f, first, count, edges);
  return edges.graph(first, count);
}

function registerEdges(f: Function, first: number, count: number, edges: EdgeList): void {
  const lastDefinition = new Map<number, number>();
  const readers = new Map<number, number[]>();
  for (let n = 0; n < count; n++) {
    const from = f.operandStart[first + n];
    const end = f.operandStart[first + n + 1];
    for (let o = from; o < end; o++) {
      const place = f.operandPlace[o];
      if (!isRegister(place) || (f.operandFlags[o] & OperandFlag.Use) === 0) continue;
      const definition = lastDefinition.get(place);
      if (definition !== undefined) edges.add(definition, n, DependenceKind.True, place);
      const list = readers.get(place);
      if (list === undefined) readers.set(place, [n]);
      else if (list[list.length - 1] !== n) list.push(n);
    }
    for (let o = from; o < end; o++) {
      const place = f.operandPlace[o];
      if (!isRegister(place) || (f.operandFlags[o] & OperandFlag.Definition) === 0) continue;
      const definition = lastDefinition.get(place);
      if (definition !== undefined && definition !== n)
        edges.add(definition, n, DependenceKind.Output, place);
      for (const reader of readers.get(place) ?? [])
        if (reader !== n) edges.add(reader, n, DependenceKind.Anti, place);
      readers.delete(place);
      lastDefinition.set(place, n);
    }
  }
}

/** Virtual registers, and physical ones by their first unit. */
const isRegister = (place: number): boolean => place >= -(1 << 20);

const FENCE = InstructionFlag.Branch | InstructionFlag.Return;
const ORDERED = InstructionFlag.Barrier | InstructionFlag.Call;

/**
 * Memory: a store (call, barrier, other side effect) behind every load since the last one and behind that one; a
 * load behind the last store. Branches and returns stay behind everything, and what follows one behind it.
 */
function orderEdges(f: Function, first: number, count: number, edges: EdgeList): void {
  let lastWrite = -1;
  let fence = -1;
  let loads: number[] = [];
  for (let n = 0; n < count; n++) {
    const flags = f.instructionFlags[first + n];
    if (fence >= 0) edges.add(fence, n, DependenceKind.Control, -1);
    if ((flags & FENCE) !== 0) {
      for (let before = Math.max(fence, 0); before < n; before++)
        if (before !== fence) edges.add(before, n, DependenceKind.Control, -1);
      fence = n;
      lastWrite = -1;
      loads = [];
      continue;
    }
    const writes = (flags & (InstructionFlag.WritesMemory | InstructionFlag.SideEffect | ORDERED)) !== 0;
    if (!writes && (flags & InstructionFlag.ReadsMemory) === 0) continue;
    const kind = (flags & ORDERED) !== 0 ? DependenceKind.Control : DependenceKind.Memory;
    if (lastWrite >= 0) edges.add(lastWrite, n, kind, -1);
    if (!writes) {
      loads.push(n);
      continue;
    }
    for (const load of loads) edges.add(load, n, kind, -1);
    loads = [];
    lastWrite = n;
  }
}

class EdgeList {
  private readonly from: number[] = [];
  private readonly to: number[] = [];
  private readonly kind: number[] = [];
  private readonly register: number[] = [];

  add(from: number, to: number, kind: DependenceKind, register: number): void {
    this.from.push(from);
    this.to.push(to);
    this.kind.push(kind);
    this.register.push(register);
  }

  /** Two counting sorts: by `to`, then by `from`, which keeps the order of `to`. */
  graph(first: number, count: number): DependenceGraph {
    const byTo = sortedBy(this.to, count, Int32Array.from(this.to.keys()));
    const order = sortedBy(this.from, count, byTo.order);
    const pick = (list: readonly number[]): number[] => Array.from(order.order, (e) => list[e]);
    return {
      first,
      count,
      start: order.start,
      to: Int32Array.from(pick(this.to)),
      kind: Uint8Array.from(pick(this.kind)),
      register: Int32Array.from(pick(this.register)),
      incoming: Int32Array.from({ length: count }, (_, n) => byTo.start[n + 1] - byTo.start[n]),
    };
  }
}

function sortedBy(
  keys: readonly number[],
  count: number,
  items: Int32Array,
): { readonly order: Int32Array; readonly start: Int32Array } {
  const start = new Int32Array(count + 1);
  for (const key of keys) start[key + 1]++;
  for (let n = 0; n < count; n++) start[n + 1] += start[n];
  const fill = start.slice(0, count);
  const order = new Int32Array(items.length);
  for (const item of items) order[fill[keys[item]]++] = item;
  return { order, start };
}
