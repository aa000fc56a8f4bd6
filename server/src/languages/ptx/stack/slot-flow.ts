import { InstructionFlag, OperandFlag, type Function } from '../../../ir/function.js';
import type { Cfg } from '../../../passes/cfg.js';
import type { ReachingDefinitions } from '../../../passes/reaching.js';
import { opcodeFact } from './opcodes.js';
import { BOTTOM, UNKNOWN, type OriginTable } from './origin.js';
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
    let state: State = { whole: { mask: maskAt[b], value: valueAt[b] } };
    for (let e = firstEvent[b]; e < firstEvent[b + 1]; e++) {
      const i = events[e];
      const guard = isGuarded(f, i) ? guardOf(f, reaching, i) : undefined;
      const seen = seenUnder(state, guard);
      before[i] |= seen.mask;
      const isStore = stored[i] !== 0;
      const isAllocation = allocations.has(i);
      if (!isStore && !isAllocation) {
        if (!isStacksSlot(origins, i)) continue;
        if (seen.value !== caller) loads.set(i, seen.value);
      }
      const fresh = Math.max(UNKNOWN, values.get(i) ?? UNKNOWN);
      const after = ({ mask, value }: Content): Content =>
        isStore
          ? { mask: stored[i] | (mask & SlotContent.Opened), value: fresh }
          : { mask: mask | (isAllocation ? SlotContent.Unpublished : SlotContent.Opened), value };
      state = changed(state, guard, after, table);
    }
    const last = f.blockStart[b + 1] - 1;
    const only = cfg.successorStart[b + 1] - cfg.successorStart[b] === 1;
    const isJump = last >= 0 && (f.instructionFlags[last] & InstructionFlag.Branch) !== 0;
    const guard =
      last >= 0 && isGuarded(f, last) && !(only && isJump) ? guardOf(f, reaching, last) : undefined;
    for (let e = cfg.successorStart[b]; e < cfg.successorStart[b + 1]; e++) {
      // the fall-through comes first: there the guard did not hold
      const isTaken = e > cfg.successorStart[b];
      const { mask, value } = seenUnder(state, guard && { ...guard, isNegated: guard.isNegated === isTaken });
      flow(cfg.successors[e], mask, value);
    }
  }
  return { before, stored, loads };
}

/** Contents, and what a load gives. */
interface Content {
  readonly mask: number;
  readonly value: number;
}

/** What stands in the slot; after an event under a guard also where its predicate holds, and where it does not. */
interface State {
  readonly whole: Content;
  readonly parts?: { readonly predicate: number; readonly holds: Content; readonly fails: Content };
}

interface Guard {
  /** The definition of the predicate that is read. */
  readonly predicate: number;
  readonly isNegated: boolean;
}

function seenUnder({ whole, parts }: State, guard: Guard | undefined): Content {
  if (guard === undefined || parts?.predicate !== guard.predicate) return whole;
  return guard.isNegated ? parts.fails : parts.holds;
}

/** Parts of one predicate are kept at a time: code under several interleaved ones is not written by compilers. */
function changed(
  state: State,
  guard: Guard | undefined,
  after: (before: Content) => Content,
  table: OriginTable,
): State {
  const { whole, parts } = state;
  if (guard === undefined)
    return {
      whole: after(whole),
      ...(parts && { parts: { ...parts, holds: after(parts.holds), fails: after(parts.fails) } }),
    };
  const { predicate, isNegated } = guard;
  const known = parts?.predicate === predicate ? parts : { holds: whole, fails: whole };
  const holds = isNegated ? known.holds : after(known.holds);
  const fails = isNegated ? after(known.fails) : known.fails;
  return {
    whole: { mask: holds.mask | fails.mask, value: table.join(holds.value, fails.value) },
    parts: { predicate, holds, fails },
  };
}

function guardOf(f: Function, reaching: ReachingDefinitions, i: number): Guard {
  const k = f.operandStart[i + 1] - 1;
  return { predicate: reaching.nodeOfUse[k], isNegated: (f.operandPayload?.[k] ?? 0) !== 0 };
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
