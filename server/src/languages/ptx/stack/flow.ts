import type { Function } from '../../../ir/function.js';
import { controlFlow } from '../../../passes/cfg.js';
import { livenessOf } from '../../../passes/liveness.js';
import { reachingDefinitions } from '../../../passes/reaching.js';
import type { PtxBound } from '../bind/index.js';
import type { FrameFlow } from './frame.js';
import { nameAt } from './calls.js';
import { localResolver } from './local.js';
import { OriginTable } from './origin.js';
import { originsOf } from './origins.js';
import { slotFlowOf } from './slot-flow.js';
import { allocationsOf } from './soft.js';

/** Rounds until what loads of the slot give is settled; a function that reads its slot once needs one. */
const ROUNDS = 3;

/**
 * Origins and the content of the slot depend on each other where a function reads its slot after it has written it:
 * both are computed in turn until the loads give what was assumed of them.
 */
export function flowOf(
  bound: PtxBound,
  f: Function,
): FrameFlow & { readonly allocations: ReadonlySet<number> } {
  const cfg = controlFlow(f);
  const reaching = reachingDefinitions(f, cfg, livenessOf(f, cfg));
  const table = new OriginTable();
  const localObject = localResolver(bound, f);
  const nameOf = (operand: number): string => nameAt(bound, f, operand);
  const addressBytes = f.attributes['addressSize'] === 32 ? 4 : 8;
  let slotLoads: ReadonlyMap<number, number> = new Map();
  for (let round = 1; ; round++) {
    const origins = originsOf(f, reaching, { localObject, nameOf, slotLoads, addressBytes }, table);
    const allocations = allocationsOf(f, origins);
    const slot = slotFlowOf(f, cfg, reaching, origins, allocations);
    if (round === ROUNDS || sameLoads(slotLoads, slot.loads))
      return { cfg, reaching, origins, slot, allocations };
    slotLoads = slot.loads;
  }
}

const sameLoads = (a: ReadonlyMap<number, number>, b: ReadonlyMap<number, number>): boolean =>
  a.size === b.size && [...a].every(([load, value]) => b.get(load) === value);
