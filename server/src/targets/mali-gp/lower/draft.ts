/**
 * A program while it is being lowered: the graphs of graph.ts, but any operand may be negated, because the sign of a
 * value costs nothing until a reader turns up that cannot negate. signs.ts ends that, and gives a `Program`.
 */
import type { Input, Leaf, Node, Register, StorePlace } from '../graph.js';
import type { Op } from '../operations.js';

/** A value and whether its reader wants it negated. */
export type Operand = Input;

export interface DraftStore {
  readonly to: StorePlace;
  readonly value: Operand;
  readonly instruction: number;
  readonly inserted?: 'crossesBlocks' | 'spill';
}

export interface DraftBranch {
  readonly condition?: Operand;
  readonly target: number;
  readonly instruction: number;
}

export interface DraftBlock {
  readonly label: string;
  /** Each before its readers; dead ones may be among them. */
  readonly nodes: readonly number[];
  readonly stores: readonly DraftStore[];
  readonly branch?: DraftBranch;
  readonly sources: readonly number[];
}

export interface Draft {
  readonly name: string;
  readonly blocks: readonly DraftBlock[];
  readonly nodes: readonly Node[];
  readonly registers: readonly Register[];
  readonly uniforms: number;
  /** By virtual register of the source: 1 where its value decides something, so that only folding makes it vanish. */
  readonly isNeeded: Uint8Array;
  /** By virtual register of the source: what it is now, or undefined where nothing is known of it. */
  readonly values: readonly (Operand | undefined)[];
}

/** 0 has no sign: it never decides (see arithmetic.ts). */
export const negated = (operand: Operand): Operand =>
  operand.kind === 'constant' && operand.value === 0 ? operand : { ...operand, negate: !operand.negate };

export const positive = (operand: Operand): Operand =>
  operand.negate ? { ...operand, negate: false } : operand;

export const nodeOperand = (node: number, negate = false): Operand => ({ kind: 'node', node, negate });

export const leafOperand = (leaf: Leaf, negate = false): Operand => ({ ...leaf, negate });

/** A number as operand: the sign goes to the operand, so that 2 and -2 are one constant. */
export const constantOperand = (value: number): Operand => {
  const negate = value < 0;
  return { kind: 'constant', value: Math.abs(value), negate };
};

/** The number that an operand stands for, its sign included, or undefined. */
export const constantOf = (operand: Operand): number | undefined =>
  operand.kind === 'constant' ? (operand.negate ? -operand.value : operand.value) : undefined;

/** Equal for operands that are the same value with the same sign, within one block. */
export function operandKey(operand: Operand): string {
  return (operand.negate ? '-' : '+') + valueKey(operand);
}

export function valueKey(value: Operand | Leaf): string {
  switch (value.kind) {
    case 'node':
      return `n${value.node}`;
    case 'constant':
      return `c${value.value}`;
    case 'uniform':
      return `u${4 * value.vector + value.component}`;
    case 'attribute':
      return `a${4 * value.vector + value.component}`;
    case 'register':
      return `${value.stored ? 's' : 'r'}${value.register}`;
    case 'temporary':
      return `${value.stored ? 'w' : 't'}${4 * value.vector + value.component}`;
  }
}

export const sameOperand = (a: Operand, b: Operand): boolean => a.negate === b.negate && sameValue(a, b);

export function sameValue(a: Operand, b: Operand): boolean {
  if (a.kind === 'node') return b.kind === 'node' && a.node === b.node;
  return a.kind === b.kind && valueKey(a) === valueKey(b);
}

export const isNode = (draft: Pick<Draft, 'nodes'>, operand: Operand, op: Op): Node | undefined =>
  operand.kind === 'node' && draft.nodes[operand.node].op === op ? draft.nodes[operand.node] : undefined;
