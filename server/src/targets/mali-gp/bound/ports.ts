/**
 * Which operands of an operation take a read port, and which vectors they ask for. A word reads one vector through the
 * uniform port (a uniform, a temporary, or up to four constants), and two through the register ports, of which at most
 * one is an attribute.
 */
import type { Leaf, Value } from '../graph.js';
import { Op } from '../operations.js';

/** Whether an operand costs no port: 1 as a factor, 0 as an adder's second operand. */
export function isIdentity(op: Op, input: Value): boolean {
  if (input.kind !== 'constant') return false;
  const magnitude = Math.abs(input.value);
  if (op === Op.Mul) return magnitude === 1;
  return magnitude === 0 && (op === Op.Add || op === Op.Min || op === Op.Max || op === Op.Ge || op === Op.Lt);
}

/** What names the vector that a port has to hold for this leaf; all constants of a word are one vector. */
export function portVector(leaf: Leaf, places: ArrayLike<number>): string {
  if (leaf.kind === 'constant') return 'constants';
  if (leaf.kind === 'register') return `register ${places[leaf.register] >> 2}`;
  const address = leaf.kind === 'uniform' && leaf.address !== undefined ? ` + addr${leaf.address}` : '';
  return `${leaf.kind} ${leaf.vector}${address}`;
}

export const isOnUniformPort = (op: Op, input: Value): boolean =>
  (input.kind === 'constant' && !isIdentity(op, input)) ||
  input.kind === 'uniform' ||
  input.kind === 'temporary';

/** The vectors that an operation reads, by port. */
export function portVectors(
  op: Op,
  inputs: readonly Value[],
  places: ArrayLike<number>,
): { uniform: Set<string>; attribute: Set<string>; register: Set<string> } {
  const vectors = { uniform: new Set<string>(), attribute: new Set<string>(), register: new Set<string>() };
  for (const input of inputs) {
    if (input.kind === 'node' || isIdentity(op, input)) continue;
    const port = input.kind === 'attribute' || input.kind === 'register' ? input.kind : 'uniform';
    vectors[port].add(portVector(input, places));
  }
  return vectors;
}

/** Words that lie before an operation only because a word's ports cannot hold all vectors that it reads. */
export function portHead(op: Op, inputs: readonly Value[], places: ArrayLike<number>): number {
  if (inputs.every((input) => input.kind === 'node')) return 0;
  const { uniform, attribute, register } = portVectors(op, inputs, places);
  return Math.max(
    0,
    uniform.size - 1,
    attribute.size - 1,
    Math.ceil((attribute.size + register.size) / 2) - 1,
  );
}
