/**
 * About how many words a block will take: the longest of its chains, its multipliers, its adders, its stores. Only
 * to compare two forms of the same code; what is proven stands in bound.ts.
 */
import { Op, operations, patterns, Place } from '../operations.js';
import type { Draft, DraftBlock } from './draft.js';

/** Words from the first word of an operation to the first in which its result can be read. */
function latencyOf(op: Op): number {
  const pattern = patterns[op];
  if (pattern === undefined) return 1;
  return pattern.result + (op === Op.Log2 ? 1 : 2);
}

/** Slots of multipliers and adders. A special function takes `complex2` and both halves of `complex1`. */
export function slotsOf(op: Op): readonly [multipliers: number, adders: number] {
  switch (operations[op].place) {
    case Place.Multiplier:
      return [1, 0];
    case Place.BothMultipliers:
      return [2, 0];
    case Place.Sequence:
      return [3, 0];
    default:
      return [0, 1];
  }
}

/** A register that is stored must lie two words before the end, and be read three words after the store. */
const WORDS_AFTER_STORE = 2;

/** An address register is set at least this many words before the block's end, its own counted. */
const WORDS_FROM_ADDRESS = 4;

/**
 * Words that a block's start and end cost beyond the estimate of its operations: what the next one needs first has to
 * come through a register or a port, and the last words of a chain have little beside them.
 */
export const BOUNDARY = 2;

export const estimatedProgram = (draft: Draft): number =>
  draft.blocks.reduce((total, block) => total + estimatedWords(draft, block) + BOUNDARY, 0);

export function estimatedWords({ nodes }: Draft, block: DraftBlock): number {
  const readyWord = new Map<number, number>();
  let multipliers = 0;
  let adders = 0;
  const readyAt = (operand: { readonly kind: string; readonly node?: number }): number =>
    operand.node === undefined ? 0 : (readyWord.get(operand.node) ?? 0);
  for (const id of block.nodes) {
    const { op, inputs } = nodes[id];
    const [ofMultipliers, ofAdders] = slotsOf(op);
    multipliers += ofMultipliers;
    adders += ofAdders;
    readyWord.set(id, Math.max(...inputs.map(readyAt)) + latencyOf(op));
  }
  let path = 0;
  for (const { to, value } of block.stores) {
    const ready = readyAt(value);
    if (to.kind === 'address') path = Math.max(path, ready + WORDS_FROM_ADDRESS);
    else path = Math.max(path, Math.max(ready, 1) + (to.kind === 'register' ? WORDS_AFTER_STORE : 0));
  }
  if (block.exit.kind === 'choice') path = Math.max(path, readyAt(block.exit.condition) + 1);
  if (block.exit.kind === 'jump' && block.exit.instruction >= 0) path = Math.max(path, 1);
  return Math.max(
    path,
    Math.ceil(multipliers / 2),
    Math.ceil(adders / 2),
    Math.ceil(block.stores.length / 4),
  );
}
