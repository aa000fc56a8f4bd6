import type { Function } from '../../ir/function.js';
import type { Allocation } from '../../passes/allocate.js';
import { Removal } from '../../passes/spill-choice.js';
import { count } from '../../text/words.js';
import type { Spill } from '../target.js';
import { toldAs } from './as-compiled.js';
import { GENERAL, type MachineCode } from './code/code.js';

/** Spills of the machine code, told as spills of the source's registers. */

/** Of a 32-bit register. */
export const BYTES_PER_UNIT = 4;

/**
 * Copies of one source register are one spill; temporaries of the machine's own have no name and are left out, and so
 * are predicates, which are kept in bits of a general register.
 */
export function spillsOf(
  source: Function,
  code: MachineCode,
  allocation: Allocation,
  spillCycles: number,
): Spill[] {
  const { f, registerOrigin } = code;
  const told = toldAs(code);
  const stores = sitesOf(allocation.stores, told);
  const reloads = sitesOf(allocation.reloads, told);
  const spills = new Map<number, Spill>();
  for (const decision of allocation.removed) {
    const { register: machineRegister } = decision;
    const register = registerOrigin[machineRegister];
    if (decision.kind !== Removal.Spilled || f.registerClass[machineRegister] !== GENERAL) continue;
    if (register < 0 || register >= source.registerCount) continue;
    const executions = Math.round(decision.cost / spillCycles);
    const known = spills.get(register);
    spills.set(register, {
      register,
      cost: decision.rating / spillCycles + (known?.cost ?? 0),
      reason: known?.reason ?? reasonOf(f, allocation, decision, executions),
      bytes: f.registerWidth[machineRegister] * BYTES_PER_UNIT,
      peakInstruction: known?.peakInstruction ?? told[decision.instruction],
      stores: merged(known?.stores, stores.get(machineRegister)),
      reloads: merged(known?.reloads, reloads.get(machineRegister)),
    });
  }
  return [...spills.values()];
}

function sitesOf(pairs: Int32Array, told: Int32Array): ReadonlyMap<number, readonly number[]> {
  const sites = new Map<number, number[]>();
  for (let k = 0; k < pairs.length; k += 2) {
    const at = told[pairs[k + 1]];
    const known = sites.get(pairs[k]);
    if (known) known.push(at);
    else sites.set(pairs[k], [at]);
  }
  for (const list of sites.values()) list.sort((a, b) => a - b);
  return sites;
}

function merged(a: readonly number[] = [], b: readonly number[] = []): readonly number[] {
  if (a.length === 0) return b;
  return [...a, ...b].sort((x, y) => x - y);
}

function reasonOf(
  f: Function,
  { limits }: Allocation,
  { register, covers, runnerUp, rating, runnerUpRating }: Allocation['removed'][number],
  executions: number,
): string {
  const { name } = f.classes[f.registerClass[register]];
  const limit = limits[f.registerClass[register]];
  if (covers === 0)
    return `gaps between wide registers left no aligned place for it under the limit of ${limit}`;
  const width = f.registerWidth[register];
  const frees =
    `frees ${count(width, `${name} register`)} along ${count(Math.max(1, covers >> 1), 'instruction')} ` +
    `where more than ${limit} are live, for ${count(executions, 'store or reload', 'stores and reloads')} (loops counted tenfold)`;
  if (runnerUp < 0) return `${frees}; nothing else could go there`;
  const ratio = rating > 0 ? runnerUpRating / rating : Infinity;
  if (!Number.isFinite(ratio)) return frees;
  const times = ratio.toFixed(1);
  const cost = times === '1.0' ? 'as much' : `${times} times as much`;
  return `${frees}; the next best, ${f.registerNames[runnerUp]}, costs ${cost} for what it frees`;
}
