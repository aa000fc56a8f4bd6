import type { Block, Input, Leaf, Node, Program, Value } from '../graph.js';

/** What was done so that a value or register needs no place of its own for all its life, and why. */
export interface Relief {
  /** A cross-block register (number in the program before allocation), or the value of a node. */
  readonly subject:
    | { readonly kind: 'register'; readonly register: number }
    | { readonly kind: 'value'; readonly node: number };
  /** `reloaded` from where it came, `recomputed` where it is read, or kept in temporary memory. */
  readonly remedy: 'reloaded' | 'recomputed' | 'spilled';
  /** Estimated executions of the added operations, stores and reloads, divided by what it frees. */
  readonly cost: number;
  readonly reason: string;
  /** Bytes of temporary memory. */
  readonly bytes: number;
  /** Source instruction at whose pressure it had to go, or -1. */
  readonly peakInstruction: number;
  /** Source instructions after which it is stored, and before which it is reloaded or recomputed. */
  readonly stores: readonly number[];
  readonly reloads: readonly number[];
}

/** A temporary of one scalar. */
export const SCALAR_BYTES = 4;

/** A copy of a node whose inputs `change` may exchange; the node itself where it changes none. */
export function withInputs(node: Node, change: (input: Input) => Value): Node {
  let changed = false;
  const inputs = node.inputs.map((input): Input => {
    const value = change(input);
    if (value === input) return input;
    changed = true;
    return { ...value, negate: input.negate };
  });
  return changed ? { ...node, inputs } : node;
}

/** A block without the nodes that nothing in it reads, stores or branches on. */
export function withoutDeadNodes(program: Pick<Program, 'nodes'>, block: Block): Block {
  const alive = new Set<number>();
  const keep = (value: Value | undefined): void => {
    if (value?.kind === 'node') alive.add(value.node);
  };
  for (const store of block.stores) keep(store.value);
  keep(block.branch?.condition);
  for (let k = block.nodes.length - 1; k >= 0; k--) {
    if (!alive.has(block.nodes[k])) continue;
    for (const input of program.nodes[block.nodes[k]].inputs) keep(input);
  }
  return alive.size === block.nodes.length
    ? block
    : { ...block, nodes: block.nodes.filter((id) => alive.has(id)) };
}

/** Leaves that can be read anywhere in the program, as nothing ever writes them and no address register chooses them. */
export const isUnchanging = (value: Value): value is Leaf & { kind: 'constant' | 'uniform' | 'attribute' } =>
  isReadOnly(value) && !('address' in value && value.address !== undefined);

/** Leaves that are the same all through a block. */
export const isReadOnly = (value: Value): boolean =>
  value.kind === 'constant' || value.kind === 'uniform' || value.kind === 'attribute';

/** Whether two unchanging leaves are one. */
export function isSameLeaf(a: Value, b: Value): boolean {
  if (a.kind === 'constant') return b.kind === 'constant' && Object.is(a.value, b.value);
  if (a.kind === 'uniform' || a.kind === 'attribute')
    return b.kind === a.kind && a.vector === b.vector && a.component === b.component;
  return false;
}
