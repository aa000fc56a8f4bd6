/**
 * A program while it is being lowered: the graphs of graph.ts, but any operand may be negated, because the sign of a
 * value costs nothing until a reader turns up that cannot negate. signs.ts ends that, and gives a `Program`.
 */
import type { Input, Leaf, Node, Register, StorePlace } from '../graph.js';
import { controlFlow, type Cfg } from '../../../passes/cfg.js';

/** A value and whether its reader wants it negated. */
export type Operand = Input;

export interface DraftStore {
  readonly to: StorePlace;
  readonly value: Operand;
  readonly instruction: number;
  readonly inserted?: 'crossesBlocks' | 'spill';
}

/** Where a block goes on. Blocks have no order yet that would make one the next: layout.ts chooses it. */
export type Exit =
  | { readonly kind: 'end' }
  /** `instruction` is the source's branch, or -1 where it only goes on. */
  | { readonly kind: 'jump'; readonly to: number; readonly instruction: number }
  | {
      readonly kind: 'choice';
      /** Goes to `yes` if it is not 0. */
      readonly condition: Operand;
      readonly yes: number;
      readonly no: number;
      readonly instruction: number;
      /** The source's branch to `no`, or -1. */
      readonly otherwise: number;
    };

export interface DraftBlock {
  readonly label: string;
  /** Each before its readers; dead ones may be among them. */
  readonly nodes: readonly number[];
  readonly stores: readonly DraftStore[];
  readonly exit: Exit;
  readonly sources: readonly number[];
}

/** A program whose blocks begin with the entry; the others are in no order that means anything. */
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
  /** Their names, as the source writes them. */
  readonly valueNames: readonly string[];
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
      return `u${4 * value.vector + value.component}${value.address === undefined ? '' : `+${value.address}`}`;
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

export const successorsOf = (exit: Exit): readonly number[] =>
  exit.kind === 'end' ? [] : exit.kind === 'jump' ? [exit.to] : [exit.yes, exit.no];

/** By block, each predecessor once. */
export function predecessorsOf(exits: readonly Exit[]): readonly (readonly number[])[] {
  const predecessors: number[][] = exits.map(() => []);
  exits.forEach((exit, b) => {
    for (const to of new Set(successorsOf(exit))) predecessors[to].push(b);
  });
  return predecessors;
}

/** Predecessors and reverse post-order. */
export function flowOf(exits: readonly Exit[]): Cfg {
  const successorStart = new Int32Array(exits.length + 1);
  const successors: number[] = [];
  exits.forEach((exit, b) => {
    successors.push(...successorsOf(exit));
    successorStart[b + 1] = successors.length;
  });
  return controlFlow({ blockCount: exits.length, successorStart, successors: Int32Array.from(successors) });
}

export const exitsOf = (draft: Draft): readonly Exit[] => draft.blocks.map(({ exit }) => exit);

/** Everywhere and always the same value. */
export const isFixed = (value: Operand): boolean =>
  value.kind === 'constant' ||
  value.kind === 'attribute' ||
  (value.kind === 'uniform' && value.address === undefined);

export const placeKey = (to: StorePlace): string =>
  to.kind === 'register' ? `r${to.register}` : `${to.kind} ${4 * to.vector + to.component}`;
