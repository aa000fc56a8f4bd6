/**
 * Pieces that many forms share: scopes and orders of the memory model, sub-spaces, cache hints, and when each came.
 * Gates are what ptxas 13.0.88 asks for ("requires PTX ISA .version ...", "requires .target ...").
 */
import type { Form, Gate } from '../schema.js';

/** By modifier, with its dot. */
export type Gates = Readonly<Record<string, Gate>>;

/** `.cluster` and the sub-spaces of shared memory came with clusters; a block may name its own from any machine. */
export const clusterGates: Gates = {
  '.cluster': { isa: '7.8', sm: 90 },
  '.shared::cta': { isa: '7.8' },
  '.shared::cluster': { isa: '7.8', sm: 90 },
};

/** Scopes came with Pascal, orders with the memory model of Volta. */
export const orderGates: Gates = {
  ...clusterGates,
  '.cta': { isa: '5.0', sm: 60 },
  '.gpu': { isa: '5.0', sm: 60 },
  '.sys': { isa: '5.0', sm: 60 },
  '.relaxed': { isa: '6.0', sm: 70 },
  '.acquire': { isa: '6.0', sm: 70 },
  '.release': { isa: '6.0', sm: 70 },
  '.acq_rel': { isa: '6.0', sm: 70 },
};

export const cacheHintGate: Gates = { '.L2::cache_hint': { isa: '7.4', sm: 80 } };

export const scopes = '{.(cta|cluster|gpu|sys)}';

/** Members of the sm_100 and sm_110 families: the machines with tensor memory. */
export const datacenterBlackwell = 'sm_100f sm_110f';

/** The form with those of `gates` whose modifier it has. */
export function gated(form: Form, gates: Gates): Form {
  const text = [form.modifiers, ...Object.values(form.sets ?? {})].join(' ');
  const words = new Set(text.match(/[\w:]+/g));
  const found = Object.entries(gates).filter(([modifier]) => words.has(modifier.slice(1)));
  return { ...form, gates: { ...form.gates, ...Object.fromEntries(found) } };
}
