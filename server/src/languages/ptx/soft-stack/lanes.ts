import { InstructionFlag, OperandFlag, type Function } from '../../../ir/function.js';
import type { Cfg } from '../../../passes/cfg.js';
import { dominatorsOf } from '../../../passes/dominators.js';
import type { ReachingDefinitions } from '../../../passes/reaching.js';
import { shift } from '../../../text/span.js';
import { complement, guardLanes, Lanes } from '../stack/lane-kinds.js';
import { isData, Value } from './addresses.js';
import type { Fault, Followed } from './candidates.js';
import { causeOf } from './lane-cause.js';
import type { View } from './lane-views.js';
import { isGenericAccess } from './rules.js';

/**
 * Whether the lanes of a warp can share a frame. They can where all of them store the same, or one of them runs. They cannot
 * where a value that is another one in each lane is stored in the frame, where only a part of them stores, where each
 * adds to it, or where one stores what the others read: each lane had its own `.local` copy. What is not known to
 * differ counts as equal.
 */
export function laneFault({ candidate, addresses }: Followed, view: View): Fault | undefined {
  const { f } = view;
  const isFrame = (k: number): boolean =>
    (addresses.value[k] & ((Value.Window as number) | Value.Generic)) !== 0;
  const fault = (i: number, reason: string): Fault => ({
    span: shift({ start: f.spanStart[i], end: f.spanEnd[i] }, candidate.unit.start),
    reason: `'${f.opcodes.text(f.opcode[i])}' ${reason}; ${wayOut}`,
  });
  let storedAlone = -1;
  let isRead = false;
  for (let i = 0; i < f.instructionCount; i++) {
    const flags = f.instructionFlags[i];
    if ((flags & (InstructionFlag.WritesMemory | InstructionFlag.ReadsMemory)) === 0) continue;
    let hasFrame = false;
    let different = -1;
    for (let k = f.operandStart[i]; k < f.operandStart[i + 1]; k++) {
      const isAddress = (f.operandFlags[k] & OperandFlag.Address) !== 0;
      if (isFrame(k) && (isAddress || (addresses.rules[i] === 'access' && f.operandPlace[k] < 0)))
        hasFrame = true;
      if ((isAddress || isData(f, k)) && isDifferent(view, i, k)) different = k;
    }
    if (!hasFrame) continue;
    const alone = isAlone(view, i);
    if ((flags & InstructionFlag.ReadsMemory) !== 0 && !alone) isRead = true;
    if ((flags & InstructionFlag.WritesMemory) === 0) continue;
    if (alone) {
      if (storedAlone < 0) storedAlone = i;
      continue;
    }
    if (different >= 0) {
      const cause = causeOf(view, i, different);
      return fault(
        i,
        `keeps ${f.registerNames[f.operandPlace[different]]}, which is not the same in all lanes of a warp${cause === '' ? '' : ` (${cause})`}, in a frame that they would share`,
      );
    }
    if (isPartial(view, i))
      return fault(i, 'stores in the frame where only a part of the warp runs, and the lanes would share it');
    if ((flags & InstructionFlag.ReadsMemory) !== 0)
      return fault(i, 'changes the frame once for each lane, and they would share it');
  }
  if (storedAlone >= 0 && isRead)
    return fault(
      storedAlone,
      'stores in the frame in one lane, and others, which would share it, read the frame too',
    );
  return undefined;
}

/**
 * Functions that store, themselves or through others, what is not the same in all lanes at a generic address that is: by
 * name, with the words for it. A frame whose address they get would hold the value of one lane.
 */
export function storersOf(views: ReadonlyMap<string, View>): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const callers = new Map<string, Set<string>>();
  for (const [name, view] of views) {
    const words = sharedStore(view);
    if (words !== undefined) found.set(name, words);
    for (const call of view.candidate.frame.calls)
      for (const callee of view.targets(call)) {
        const known = callers.get(callee);
        if (known === undefined) callers.set(callee, new Set([name]));
        else known.add(name);
      }
  }
  for (const [name, words] of found)
    for (const caller of callers.get(name) ?? []) if (!found.has(caller)) found.set(caller, words);
  return found;
}

function sharedStore(view: View): string | undefined {
  const { f, candidate } = view;
  const own = new Set(candidate.frame.touches.map(({ instruction }) => instruction));
  for (let i = 0; i < f.instructionCount; i++) {
    const opcode = f.opcodes.text(f.opcode[i]);
    if ((f.instructionFlags[i] & InstructionFlag.WritesMemory) === 0 || own.has(i)) continue;
    if (!/^(?:st|atom|red)\./.test(opcode) || !isGenericAccess(opcode) || isAlone(view, i)) continue;
    let different = -1;
    let isShared = true;
    for (let k = f.operandStart[i]; k < f.operandStart[i + 1]; k++) {
      if (!isDifferent(view, i, k)) continue;
      if ((f.operandFlags[k] & OperandFlag.Address) !== 0) isShared = false;
      else if (isData(f, k)) different = k;
    }
    if (isShared && different >= 0)
      return `${candidate.name} stores ${f.registerNames[f.operandPlace[different]]} with '${opcode}' at an address that is the same in all lanes of a warp, and the value is not`;
  }
  return undefined;
}

/** The first call that hands the frame's address to one of them. */
export function handedFault(
  { candidate }: Followed,
  view: View,
  storers: ReadonlyMap<string, string>,
): Fault | undefined {
  for (const { kind, instruction, target, span } of candidate.frame.escapes) {
    if (kind !== 'passed') continue;
    const call = candidate.frame.calls.find((c) => c.instruction >= instruction);
    const names = target !== '' ? [target] : call === undefined ? [] : view.targets(call);
    const words = names.map((name) => storers.get(name)).find((w) => w !== undefined);
    if (words !== undefined)
      return {
        span: shift(span, candidate.unit.start),
        reason: `the frame's address is handed over here, and ${words}; ${wayOut}`,
      };
  }
  return undefined;
}

/** Calls of functions that are to share the warp's stack, made by a part of the warp only. */
export function partialCalls(
  view: View,
  moving: ReadonlySet<string>,
): { readonly callee: string; readonly fault: Fault }[] {
  const { candidate } = view;
  return candidate.frame.calls.flatMap((call) => {
    const { instruction, span } = call;
    if (!isPartial(view, instruction)) return [];
    const reason = `${candidate.name} calls it here with a part of the warp only, and all lanes would share its frame; ${wayOut}`;
    const fault = { span: shift(span, candidate.unit.start), reason };
    return view.targets(call).flatMap((callee) => (moving.has(callee) ? [{ callee, fault }] : []));
  });
}

const wayOut =
  'give each lane a stack (--per-lane), or say that one lane runs or all do the same (--uniform)';

/** Blocks behind an edge that one lane takes at most. */
export function aloneBlocks(
  f: Function,
  cfg: Cfg,
  reaching: ReachingDefinitions,
  lanes: Uint8Array,
): Uint8Array {
  const alone = new Uint8Array(f.blockCount);
  for (let b = 0; b < f.blockCount; b++) {
    const last = f.blockStart[b + 1] - 1;
    if (
      last < f.blockStart[b] ||
      (f.instructionFlags[last] & (InstructionFlag.Branch | InstructionFlag.Return)) === 0
    )
      continue;
    const taken = guardLanes(f, last, reaching, lanes);
    const isReturn = (f.instructionFlags[last] & InstructionFlag.Return) !== 0;
    for (let e = cfg.successorStart[b]; e < cfg.successorStart[b + 1]; e++) {
      const to = cfg.successors[e];
      const falls = isReturn || e === cfg.successorStart[b];
      const onEdge = falls ? complement(taken) : taken;
      if (onEdge === Lanes.One && cfg.predecessorStart[to + 1] - cfg.predecessorStart[to] === 1)
        alone[to] = 1;
    }
  }
  const { immediate } = dominatorsOf(cfg);
  for (const b of cfg.order) if (immediate[b] >= 0 && alone[immediate[b]] === 1) alone[b] = 1;
  return alone;
}

export const isAlone = ({ f, reaching, lanes, alone, blockOf }: View, i: number): boolean =>
  alone[blockOf[i]] === 1 || guardLanes(f, i, reaching, lanes) === Lanes.One;

function isPartial(view: View, i: number): boolean {
  const { f, reaching, lanes, partial, blockOf } = view;
  if (isAlone(view, i)) return false;
  const guard = guardLanes(f, i, reaching, lanes);
  return (
    guard === Lanes.Different ||
    guard === Lanes.AllButOne ||
    (partial !== undefined && partial[blockOf[i]] >= 0)
  );
}

/** Lanes have parted on the way to the block. */
export const isApart = ({ values: { apart } }: View, block: number): boolean =>
  apart !== undefined && block >= 0 && apart[block] >= 0;

/** A value that differs, or that lanes which had parted bring along. */
function isDifferent(view: View, i: number, operand: number): boolean {
  const { f, reaching, lanes, values, blockOf } = view;
  const node = f.operandPlace[operand] < 0 ? -1 : reaching.nodeOfUse[operand];
  if (node < 0) return false;
  if (lanes[node] !== (Lanes.Equal as number)) return true;
  return isApart(view, values.blockOfNode[node]) && !isApart(view, blockOf[i]);
}
