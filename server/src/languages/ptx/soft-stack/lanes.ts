import { InstructionFlag, OperandFlag, type Function } from '../../../ir/function.js';
import type { Cfg } from '../../../passes/cfg.js';
import { dominatorsOf } from '../../../passes/dominators.js';
import { blocksOfInstructions } from '../../../passes/occurrences.js';
import type { ReachingDefinitions } from '../../../passes/reaching.js';
import { shift } from '../../../text/span.js';
import { flowOf } from '../stack/flow.js';
import { complement, guardLanes, Lanes, lanesOf, mentionsLanes, partialBlocks } from '../stack/lanes.js';
import { isData, Value } from './addresses.js';
import type { Candidate, Fault, Followed } from './candidates.js';

/**
 * Whether the lanes of a warp can share a frame. They can where all of them store the same, or one of them runs. They cannot
 * where a value that is another one in each lane is stored in the frame, or where only a part of them stores: each
 * lane had its own `.local` copy. What is not known to differ counts as equal.
 */
export function laneFault({ candidate, addresses }: Followed): Fault | undefined {
  const view = viewOf(candidate);
  if (view === undefined) return undefined;
  const f = candidate.frame.function;
  const isFrame = (k: number): boolean =>
    (addresses.value[k] & ((Value.Window as number) | Value.Generic)) !== 0;
  for (let i = 0; i < f.instructionCount; i++) {
    if ((f.instructionFlags[i] & InstructionFlag.WritesMemory) === 0 || isAlone(view, i)) continue;
    const from = f.operandStart[i];
    const to = f.operandStart[i + 1];
    let hasFrame = false;
    let different = -1;
    for (let k = from; k < to; k++) {
      const isAddress = (f.operandFlags[k] & OperandFlag.Address) !== 0;
      if (isFrame(k) && isAddress) hasFrame = true;
      if ((isAddress || isData(f, k)) && isDifferent(view, k)) different = k;
    }
    if (!hasFrame) continue;
    const span = shift({ start: f.spanStart[i], end: f.spanEnd[i] }, candidate.unit.start);
    const opcode = f.opcodes.text(f.opcode[i]);
    if (different >= 0)
      return {
        span,
        reason: `'${opcode}' keeps ${f.registerNames[f.operandPlace[different]]}, which is not the same in all lanes of a warp, in a frame that they would share; ${wayOut}`,
      };
    if (isPartial(view, i))
      return {
        span,
        reason: `'${opcode}' stores in the frame where only a part of the warp runs, and the lanes would share it; ${wayOut}`,
      };
  }
  return undefined;
}

/** Calls of functions that are to share the warp's stack, made by a part of the warp only. */
export function partialCalls(
  candidate: Candidate,
  moving: ReadonlySet<string>,
): { readonly callee: string; readonly fault: Fault }[] {
  const isMoving = (callee: string | undefined): callee is string =>
    callee !== undefined && moving.has(callee);
  if (!candidate.frame.calls.some(({ callee }) => isMoving(callee))) return [];
  const view = viewOf(candidate);
  if (view === undefined) return [];
  return candidate.frame.calls.flatMap(({ instruction, callee, span }) => {
    if (!isMoving(callee) || !isPartial(view, instruction)) return [];
    const reason = `${candidate.name} calls it here with a part of the warp only, and all lanes would share its frame; ${wayOut}`;
    return [{ callee, fault: { span: shift(span, candidate.unit.start), reason } }];
  });
}

const wayOut =
  'give each lane a stack (--per-lane), or say that one lane runs or all do the same (--uniform)';

/** What is known of the lanes of one function. */
interface View {
  readonly f: Function;
  readonly reaching: ReachingDefinitions;
  readonly lanes: Uint8Array;
  /** The branch that leads a part of the warp to a block, or -1; undefined where that costs too much. */
  readonly partial: Int32Array | undefined;
  /** Blocks in which one lane runs at most. */
  readonly alone: Uint8Array;
  readonly blockOf: Int32Array;
}

const known = new WeakMap<Function, View>();

/** Undefined where nothing in the function differs between lanes. */
function viewOf({ unit, frame }: Candidate): View | undefined {
  if (!mentionsLanes(unit.bound.parsed.text)) return undefined;
  const f = frame.function;
  let view = known.get(f);
  if (view !== undefined) return view;
  const { cfg, reaching, origins } = frame.flow ?? flowOf(unit.bound, f);
  const lanes = lanesOf(f, reaching, origins);
  view = {
    f,
    reaching,
    lanes,
    partial: partialBlocks(f, cfg, reaching, lanes),
    alone: aloneBlocks(f, cfg, reaching, lanes),
    blockOf: blocksOfInstructions(f),
  };
  known.set(f, view);
  return view;
}

/** Blocks behind an edge that one lane takes at most. */
function aloneBlocks(f: Function, cfg: Cfg, reaching: ReachingDefinitions, lanes: Uint8Array): Uint8Array {
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

const isAlone = ({ f, reaching, lanes, alone, blockOf }: View, i: number): boolean =>
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

const isDifferent = ({ f, reaching, lanes }: View, operand: number): boolean =>
  f.operandPlace[operand] >= 0 &&
  reaching.nodeOfUse[operand] >= 0 &&
  lanes[reaching.nodeOfUse[operand]] !== (Lanes.Equal as number);
