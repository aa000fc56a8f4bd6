/**
 * What of a draft decides something: from the stored varyings and the conditions back through values and registers.
 * A register is followed only along the paths on which it is read, so that a store whose register is always
 * overwritten first is dead, and so is a counter that only counts itself.
 */
import { exitsOf, predecessorsOf, type Draft, type Operand } from './draft.js';

export interface Live {
  /** By node. */
  readonly nodes: Uint8Array;
  /** By block, by its store. */
  readonly stores: readonly Uint8Array[];
  /** By block: registers whose value at its start is wanted. */
  readonly registersIn: readonly ReadonlySet<number>[];
}

export function liveOf(draft: Draft): Live {
  const { blocks } = draft;
  const predecessors = predecessorsOf(exitsOf(draft));
  const nodes = new Uint8Array(draft.nodes.length);
  const stores = blocks.map((block) => new Uint8Array(block.stores.length));
  const registersIn: Set<number>[] = blocks.map(() => new Set());
  const storeOf = blocks.map(
    (block) =>
      new Map(
        block.stores.flatMap(({ to }, k) => (to.kind === 'register' ? [[to.register, k] as const] : [])),
      ),
  );

  const pending: [block: number, operand: Operand][] = [];
  const wantStore = (b: number, k: number): void => {
    if (stores[b][k] === 1) return;
    stores[b][k] = 1;
    pending.push([b, blocks[b].stores[k].value]);
  };
  const wantAtEnd = (b: number, register: number): void => {
    const store = storeOf[b].get(register);
    if (store !== undefined) wantStore(b, store);
    else wantAtStart(b, register);
  };
  const starts: [block: number, register: number][] = [];
  const wantAtStart = (b: number, register: number): void => {
    if (registersIn[b].has(register)) return;
    registersIn[b].add(register);
    starts.push([b, register]);
  };

  const liveOut = draft.registers.flatMap(({ isLiveOut }, r) => (isLiveOut ? [r] : []));
  blocks.forEach((block, b) => {
    block.stores.forEach(({ to }, k) => {
      if (to.kind !== 'register') wantStore(b, k);
    });
    if (block.exit.kind === 'choice') pending.push([b, block.exit.condition]);
    if (block.exit.kind === 'end') for (const register of liveOut) wantAtEnd(b, register);
  });
  for (;;) {
    const next = pending.pop();
    if (next !== undefined) {
      const [b, operand] = next;
      if (operand.kind === 'register') wantAtStart(b, operand.register);
      if (operand.kind !== 'node' || nodes[operand.node] === 1) continue;
      nodes[operand.node] = 1;
      for (const input of draft.nodes[operand.node].inputs) pending.push([b, input]);
      continue;
    }
    const start = starts.pop();
    if (start === undefined) return { nodes, stores, registersIn };
    for (const predecessor of predecessors[start[0]]) wantAtEnd(predecessor, start[1]);
  }
}
