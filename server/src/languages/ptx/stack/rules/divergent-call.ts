import type { PtxBound } from '../../bind/index.js';
import { flowOf } from '../flow.js';
import { frameOf, type FrameFlow } from '../frame.js';
import { guardLanes, isPart } from '../lane-kinds.js';
import { lanesOf, mentionsLanes } from '../lanes.js';
import { partialBlocks } from '../parts.js';
import { SlotContent } from '../slot-flow.js';
import { blockOf } from '../../../../ir/function.js';
import type { Problem } from '../../../../text/problem.js';
import type { ModuleRule, StackModule } from './module.js';
import { opcodeSpan, spanOf } from './subject.js';
import { isSystemCall } from './unpublished.js';

/**
 * A soft stack belongs to the warp: all lanes have the same pointer. A call that only some of them make puts their frame
 * where the others put theirs when they call something else, or overwrites data that is theirs too. One lane alone is
 * harmless, and so is a SIMD region, where each lane has a stack of its own.
 */
export const divergentCall: ModuleRule = (module, add) => {
  if (module.sharedUsers.size === 0) return;
  module.units.forEach((unit, n) => {
    if (unit === undefined || unit.calls.length === 0) return;
    for (const call of partialCalls(unit.bound)) {
      const problem = problemOf(module, unit.name, call);
      if (problem !== undefined) add(n, problem);
    }
  });
};

interface PartialCall {
  readonly callee: string | undefined;
  readonly span: Problem['span'];
  /** The branch, or the call itself where its guard decides. */
  readonly because: Problem['span'];
  readonly problems: Map<boolean, Problem>;
}

function problemOf(module: StackModule, caller: string, call: PartialCall): Problem | undefined {
  const { callee } = call;
  if (isSystemCall(callee)) return undefined;
  const isOwn = callee !== undefined && module.byName.has(callee);
  if (isOwn && !module.sharedUsers.has(callee)) return undefined;
  // one problem object for each answer, so that an unchanged problem stays the same object
  let problem = call.problems.get(isOwn);
  if (problem !== undefined) return problem;
  problem = {
    code: 'stack/divergent-call',
    severity: isOwn ? 'warning' : 'information',
    span: call.span,
    message: `only a part of the warp calls ${callee === undefined ? 'here' : `'${callee}'`}${isOwn ? ', which uses the stack that all of its lanes share' : ', and all lanes share one stack'}; let all lanes call, or one alone`,
    related: [{ span: call.because, message: `lanes of '${caller}' part here` }],
  };
  call.problems.set(isOwn, problem);
  return problem;
}

const known = new WeakMap<PtxBound, readonly PartialCall[]>();

function partialCalls(bound: PtxBound): readonly PartialCall[] {
  let calls = known.get(bound);
  if (calls === undefined) known.set(bound, (calls = find(bound)));
  return calls;
}

function find(bound: PtxBound): readonly PartialCall[] {
  if (!mentionsLanes(bound.parsed.text)) return [];
  const frame = frameOf(bound);
  if (frame === undefined) return [];
  const { function: f } = frame;
  const flow: FrameFlow = frame.flow ?? flowOf(bound, f);
  const lanes = lanesOf(f, flow.reaching, flow.origins);
  const partial = partialBlocks(f, flow.cfg, flow.reaching, lanes);
  if (partial === undefined) return [];
  const found: PartialCall[] = [];
  for (const { instruction: i, callee } of frame.calls) {
    const content =
      flow.slot.before[i] & ((SlotContent.Caller as number) | SlotContent.Own | SlotContent.Other);
    const isInRegion = content === 0 && (flow.slot.before[i] & SlotContent.Local) !== 0;
    const isGuardPart = isPart(guardLanes(f, i, flow.reaching, lanes));
    const branch = partial[blockOf(f, i)];
    if (isInRegion || (branch < 0 && !isGuardPart)) continue;
    found.push({
      callee,
      span: opcodeSpan({ bound, frame, flow }, i),
      because: spanOf(f, branch >= 0 ? branch : i),
      problems: new Map(),
    });
  }
  return found;
}
