import { InstructionFlag, OperandFlag, type Function } from '../../../ir/function.js';
import type { Cfg } from '../../../passes/cfg.js';
import type { ReachingDefinitions } from '../../../passes/reaching.js';
import { opcodeFact } from './opcodes.js';
import { BOTTOM, UNKNOWN } from './origin.js';
import type { Origins } from './origins.js';

/**
 * What stands in the warp's slot of `__nvptx_stacks` at each instruction that cares, over all paths: the caller's
 * pointer, one of this function's own, an address in `.local` (GCC's SIMD regions put the stack of each lane there),
 * or something else. A forward walk over the blocks; each can change a few times only.
 */
export const enum SlotContent {
  /** What stood there on entry, or the same stored back. */
  Caller = 1 << 0,
  /** A pointer below it. */
  Own = 1 << 1,
  Local = 1 << 2,
  Other = 1 << 3,
  /** Not a content: an allocation of run-time size since the last store, on some path. */
  Unpublished = 1 << 4,
  /** Not a content: the slot has been read, on some path. */
  Opened = 1 << 5,
}

export interface SlotFlow {
  /** By instruction, for loads and stores of the slot, calls and whatever leaves the function: what stands there before it; 0 for the others. */
  readonly before: Uint8Array;
  /** By instruction, for stores into the slot: what it puts there; 0 for the others. */
  readonly stored: Uint8Array;
  /** What a load of the slot gives, where it is not the caller's pointer on every path. */
  readonly loads: ReadonlyMap<number, number>;
}

/** `allocations` are instructions that take memory of a run-time size from the stack. */
export function slotFlowOf(
  f: Function,
  cfg: Cfg,
  reaching: ReachingDefinitions,
  origins: Origins,
  allocations: ReadonlySet<number>,
): SlotFlow {
  const { table } = origins;
  const before = new Uint8Array(f.instructionCount);
  const stored = new Uint8Array(f.instructionCount);
  const loads = new Map<number, number>();
  const values = new Map<number, number>();
  // what changes or asks for the state; a block without any is passed through at once
  const events: number[] = [];
  const firstEvent = new Int32Array(f.blockCount + 1);
  for (let b = 0; b < f.blockCount; b++) {
    firstEvent[b] = events.length;
    for (let i = f.blockStart[b]; i < f.blockStart[b + 1]; i++) {
      const isSlot = isStacksSlot(origins, i);
      if (isSlot && opcodeFact(f.opcodes, f.opcode[i]).isStore) {
        const value = storedValue(f, origins, i);
        values.set(i, value);
        stored[i] = contentOf(origins, value);
        events.push(i);
      } else if (isSlot || allocations.has(i) || isCallOrReturn(f, i)) events.push(i);
    }
  }
  firstEvent[f.blockCount] = events.length;

  const maskAt = new Uint8Array(f.blockCount);
  const valueAt = new Int32Array(f.blockCount).fill(BOTTOM);
  const caller = table.number({ kind: 'soft', offset: 0, allocation: -1, isCertain: true });
  const isQueued = new Uint8Array(f.blockCount);
  const queue: number[] = [];
  const flow = (to: number, mask: number, value: number): void => {
    const joined = table.join(valueAt[to], value);
    if ((maskAt[to] | mask) === maskAt[to] && joined === valueAt[to]) return;
    maskAt[to] |= mask;
    valueAt[to] = joined;
    if (isQueued[to] === 1) return;
    isQueued[to] = 1;
    queue.push(to);
  };
  if (f.blockCount > 0) flow(0, SlotContent.Caller, caller);
  for (let q = 0; q < queue.length; q++) {
    const b = queue[q];
    isQueued[b] = 0;
    let mask = maskAt[b];
    let value = valueAt[b];
    let guarded: GuardedStore | undefined;
    for (let e = firstEvent[b]; e < firstEvent[b + 1]; e++) {
      const i = events[e];
      const guard = isGuarded(f, i) ? guardOf(f, reaching, i) : undefined;
      before[i] |= guarded !== undefined && guard === guarded.guard ? guarded.mask : mask;
      if (stored[i] !== 0) {
        const fresh = Math.max(UNKNOWN, values.get(i) ?? UNKNOWN);
        const put = stored[i] | (mask & SlotContent.Opened);
        if (guard === undefined) guarded = undefined;
        else {
          const isSame = guard === guarded?.guard;
          const elseMask: number = isSame ? guarded!.elseMask : mask;
          const elseValue: number = isSame ? guarded!.elseValue : value;
          guarded = { guard, mask: put, value: fresh, elseMask, elseValue };
        }
        mask = guarded === undefined ? put : guarded.elseMask | put;
        value = guarded === undefined ? fresh : table.join(guarded.elseValue, fresh);
      } else if (allocations.has(i)) {
        mask |= SlotContent.Unpublished;
        guarded = undefined;
      } else if (isStacksSlot(origins, i)) {
        mask |= SlotContent.Opened;
        if (value !== caller) loads.set(i, value);
      }
    }
    const last = f.blockStart[b + 1] - 1;
    const only = cfg.successorStart[b + 1] - cfg.successorStart[b] === 1;
    const isJump = last >= 0 && (f.instructionFlags[last] & InstructionFlag.Branch) !== 0;
    const parts =
      guarded !== undefined &&
      last >= 0 &&
      isGuarded(f, last) &&
      guardOf(f, reaching, last) === guarded.guard &&
      !(only && isJump);
    for (let e = cfg.successorStart[b]; e < cfg.successorStart[b + 1]; e++)
      if (!parts || guarded === undefined) flow(cfg.successors[e], mask, value);
      // the fall-through comes first: there the guard did not hold
      else if (e === cfg.successorStart[b]) flow(cfg.successors[e], guarded.elseMask, guarded.elseValue);
      else flow(cfg.successors[e], guarded.mask, guarded.value);
  }
  return { before, stored, loads };
}

/** A store that happens under a guard: what stands in the slot where the guard holds, and where it does not. */
interface GuardedStore {
  readonly guard: string;
  readonly mask: number;
  readonly value: number;
  readonly elseMask: number;
  readonly elseValue: number;
}

/** Equal for two instructions that execute under the same condition. */
function guardOf(f: Function, reaching: ReachingDefinitions, i: number): string {
  const k = f.operandStart[i + 1] - 1;
  return `${reaching.nodeOfUse[k]} ${f.operandPayload?.[k] ?? 0}`;
}

const isCallOrReturn = (f: Function, i: number): boolean =>
  (f.instructionFlags[i] & ((InstructionFlag.Call as number) | (InstructionFlag.Return as number))) !== 0;

export const isGuarded = (f: Function, i: number): boolean =>
  f.operandStart[i + 1] > f.operandStart[i] &&
  (f.operandFlags[f.operandStart[i + 1] - 1] & OperandFlag.Guard) !== 0;

export function isStacksSlot({ table, ofAddress }: Origins, i: number): boolean {
  const origin = table.of(ofAddress[i]);
  return origin?.kind === 'slot' && origin.array !== 'uni';
}

/** The first value that a store writes. */
export function storedValue(f: Function, origins: Origins, i: number): number {
  for (let k = f.operandStart[i]; k < f.operandStart[i + 1]; k++)
    if ((f.operandFlags[k] & ((OperandFlag.Address as number) | OperandFlag.Guard)) === 0)
      return origins.ofOperand[k];
  return UNKNOWN;
}

function contentOf({ table }: Origins, value: number): SlotContent {
  const origin = table.of(value);
  if (origin?.kind === 'local') return SlotContent.Local;
  if (origin?.kind !== 'soft') return SlotContent.Other;
  if (origin.allocation >= 0) return SlotContent.Own;
  if (origin.offset === 0) return SlotContent.Caller;
  return origin.offset !== undefined && origin.offset < 0 ? SlotContent.Own : SlotContent.Other;
}
