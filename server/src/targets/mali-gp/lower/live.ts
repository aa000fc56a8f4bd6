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
  /** By block and register (`block * registers + register`): whether the value at the block's start is wanted. */
  readonly atStart: Uint8Array;
}

/** Pairs of blocks and registers, of which a program of 512 words has fewer: beyond, everything counts as live. */
export const MOST_PAIRS = 4_000_000;

export function liveOf(draft: Draft): Live {
  const { blocks } = draft;
  const registers = draft.registers.length;
  if (blocks.length * registers > MOST_PAIRS)
    return {
      nodes: new Uint8Array(draft.nodes.length).fill(1),
      stores: blocks.map((block) => new Uint8Array(block.stores.length).fill(1)),
      atStart: new Uint8Array(0),
    };
  const predecessors = predecessorsOf(exitsOf(draft));
  const nodes = new Uint8Array(draft.nodes.length);
  const stores = blocks.map((block) => new Uint8Array(block.stores.length));
  const atStart = new Uint8Array(blocks.length * registers);
  const storeOf = blocks.map(
    (block) =>
      new Map(
        block.stores.flatMap(({ to }, k) => (to.kind === 'register' ? [[to.register, k] as const] : [])),
      ),
  );

  const operands: Operand[] = [];
  const homes: number[] = [];
  const starts: number[] = [];
  const want = (b: number, operand: Operand): void => {
    if (operand.kind === 'register') wantAtStart(b, operand.register);
    if (operand.kind !== 'node' || nodes[operand.node] === 1) return;
    nodes[operand.node] = 1;
    operands.push(operand);
    homes.push(b);
  };
  const wantStore = (b: number, k: number): void => {
    if (stores[b][k] === 1) return;
    stores[b][k] = 1;
    want(b, blocks[b].stores[k].value);
  };
  const wantAtEnd = (b: number, register: number): void => {
    const store = storeOf[b].get(register);
    if (store !== undefined) wantStore(b, store);
    else wantAtStart(b, register);
  };
  const wantAtStart = (b: number, register: number): void => {
    const at = b * registers + register;
    if (atStart[at] === 1) return;
    atStart[at] = 1;
    starts.push(at);
  };

  const liveOut = draft.registers.flatMap(({ isLiveOut }, r) => (isLiveOut ? [r] : []));
  blocks.forEach((block, b) => {
    block.stores.forEach(({ to }, k) => {
      if (to.kind !== 'register') wantStore(b, k);
    });
    if (block.exit.kind === 'choice') want(b, block.exit.condition);
    if (block.exit.kind === 'end') for (const register of liveOut) wantAtEnd(b, register);
  });
  for (;;) {
    const operand = operands.pop();
    if (operand?.kind === 'node') {
      const b = homes.pop()!;
      for (const input of draft.nodes[operand.node].inputs) want(b, input);
      continue;
    }
    const at = starts.pop();
    if (at === undefined) return { nodes, stores, atStart };
    for (const predecessor of predecessors[Math.floor(at / registers)])
      wantAtEnd(predecessor, at % registers);
  }
}
