/**
 * Coalescing: a register that is stored straight from another one, with which it does not interfere, becomes one with
 * it, and the store goes. Conservative after Briggs, Cooper and Torczon: only where the union still has fewer
 * neighbours than there are components, so that no place is lost by it. Fixed registers and those that a fragment
 * takes over or hands on keep their own.
 */
import { REGISTER_COMPONENTS, type Block, type Program, type Value } from '../graph.js';
import type { Copy, Interference } from './interference.js';
import { withInputs } from './relief.js';

export interface Coalescing {
  readonly program: Program;
  /** By register: the one that it has become part of, or itself. */
  readonly alias: Int32Array;
  /** Stores that it saves. */
  readonly removed: number;
}

export function coalesce(program: Program, copies: readonly Copy[], interference: Interference): Coalescing {
  const { registers } = program;
  const alias = Int32Array.from({ length: registers.length }, (_, r) => r);
  const find = (r: number): number => {
    while (alias[r] !== r) r = alias[r] = alias[alias[r]];
    return r;
  };
  const neighbours = interference.neighbours.map((set) => new Set(set));
  const isBound = (r: number): boolean =>
    registers[r].fixed >= 0 || registers[r].isLiveIn || registers[r].isLiveOut;
  let merged = false;
  for (const copy of copies) {
    const [a, b] = [find(copy.from), find(copy.to)];
    if (a === b || isBound(a) || isBound(b) || neighbours[a].has(b)) continue;
    const union = new Set([...neighbours[a], ...neighbours[b]]);
    if (union.size >= REGISTER_COMPONENTS) continue;
    alias[b] = a;
    neighbours[a] = union;
    for (const other of neighbours[b]) {
      neighbours[other].delete(b);
      neighbours[other].add(a);
    }
    merged = true;
  }
  for (let r = 0; r < alias.length; r++) alias[r] = find(r);
  if (!merged) return { program, alias, removed: 0 };
  return rename(program, alias);
}

function rename(program: Program, alias: Int32Array): Coalescing {
  const nodes = program.nodes.slice();
  let removed = 0;
  const blocks = program.blocks.map((block): Block => {
    const vanished = new Set<number>();
    for (const { to, value } of block.stores)
      if (to.kind === 'register' && isNoStore(to.register, value, alias)) vanished.add(to.register);
    removed += vanished.size;
    const change = <V extends Value>(value: V): V => {
      if (value.kind !== 'register') return value;
      const register = alias[value.register];
      const stored = value.stored && !vanished.has(value.register);
      return register === value.register && stored === value.stored ? value : { ...value, register, stored };
    };
    for (const id of block.nodes) nodes[id] = withInputs(nodes[id], change);
    const { branch } = block;
    return {
      ...block,
      stores: block.stores
        .filter(({ to }) => to.kind !== 'register' || !vanished.has(to.register))
        .map((store) => ({
          ...store,
          to: store.to.kind === 'register' ? { ...store.to, register: alias[store.to.register] } : store.to,
          value: change(store.value),
        })),
      ...(branch?.condition && { branch: { ...branch, condition: change(branch.condition) } }),
    };
  });
  return { program: { ...program, blocks, nodes }, alias, removed };
}

const isNoStore = (to: number, value: Value, alias: Int32Array): boolean =>
  value.kind === 'register' && !value.stored && alias[value.register] === alias[to];
