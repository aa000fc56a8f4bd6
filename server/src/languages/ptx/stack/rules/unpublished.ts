import { blockOf } from '../../../../ir/function.js';
import type { Fix, FixEdit, Problem } from '../../../../text/problem.js';
import type { Frame, FrameFlow } from '../frame.js';
import { opcodeFact } from '../opcodes.js';
import { SlotContent } from '../slot-flow.js';
import { restoreBefore } from './not-restored.js';
import {
  addressType,
  insertAfter,
  isAvailable,
  opcodeSpan,
  REPORT_LIMIT,
  spanOf,
  type FunctionRule,
  type Subject,
} from './subject.js';

/**
 * A function that calls others while its soft frame is in use must publish its stack pointer first: a callee takes
 * its own frame from below what stands in the slot, which is this function's frame otherwise. A leaf need not.
 */
export const unpublished: FunctionRule = (subject) => {
  const { frame, flow } = subject;
  const { function: f, soft } = frame;
  const problems: Problem[] = [];
  if (soft === undefined || (soft.bytes === 0 && frame.dynamic.length === 0)) return problems;
  const inUse = usesAfter(frame, flow);
  for (const { instruction: i, callee } of frame.calls) {
    const before = flow.slot.before[i];
    if ((before & SlotContent.Caller) === 0 || (before & SlotContent.Opened) === 0) continue;
    if (isSystemCall(callee) || !inUse(i)) continue;
    const isSometimes = (before & ((SlotContent.Own as number) | SlotContent.Local)) !== 0;
    problems.push({
      code: 'stack/unpublished',
      severity: 'error',
      span: opcodeSpan(subject, i),
      message: `${callee === undefined ? 'the callee' : `'${callee}'`} may use the stack from the caller's pointer on, where the frame of '${f.name}' lies${isSometimes ? ', on some path' : ''}: store ${soft.stack === undefined ? 'the stack pointer' : soft.stack.name} into the slot before the call`,
      ...(soft.stack !== undefined && {
        related: [{ span: spanOf(f, soft.stack.instruction), message: 'the frame is made here' }],
      }),
      ...(problems.length === 0 && fixFor(subject)),
    });
    if (problems.length === REPORT_LIMIT) break;
  }
  return problems;
};

/** Functions that the driver provides; they keep nothing on a soft stack (CUDA C++ Programming Guide, system calls). */
const systemCalls = new Set(['vprintf', 'malloc', 'free', '__assertfail']);

export const isSystemCall = (callee: string | undefined): boolean =>
  callee !== undefined && systemCalls.has(callee);

/** Whether the soft frame is still touched, or given to the call, at or behind a call. */
function usesAfter(frame: Frame, { cfg }: FrameFlow): (call: number) => boolean {
  const { function: f } = frame;
  const uses = [
    ...frame.touches.filter(({ space }) => space === 'soft').map(({ instruction }) => instruction),
    ...frame.escapes.filter(({ space }) => space === 'soft').map(({ instruction }) => instruction),
  ].sort((a, b) => a - b);
  const reaches = new Uint8Array(f.blockCount);
  const last = new Int32Array(f.blockCount).fill(-1);
  const queue: number[] = [];
  for (const i of uses) {
    const b = blockOf(f, i);
    last[b] = i;
    if (reaches[b] === 1) continue;
    reaches[b] = 1;
    queue.push(b);
  }
  for (const b of queue)
    for (let e = cfg.predecessorStart[b]; e < cfg.predecessorStart[b + 1]; e++) {
      const from = cfg.predecessors[e];
      if (reaches[from] === 1) continue;
      reaches[from] = 1;
      queue.push(from);
    }
  const passes = new Set(passingCalls(frame));
  return (call) => {
    const b = blockOf(f, call);
    if (passes.has(call) || last[b] > call) return true;
    for (let e = cfg.successorStart[b]; e < cfg.successorStart[b + 1]; e++)
      if (reaches[cfg.successors[e]] === 1) return true;
    return false;
  };
}

/** Calls that are given an address of the soft frame: the first one behind the instruction that passes it. */
function* passingCalls({ escapes, calls }: Frame): Generator<number> {
  let at = 0;
  for (const { kind, space, instruction } of escapes) {
    if (kind !== 'passed' || space !== 'soft') continue;
    while (at < calls.length && calls[at].instruction < instruction) at++;
    if (at < calls.length) yield calls[at].instruction;
  }
}

/** Publishes behind the prologue and restores before every return, so that nothing is left half done. */
function fixFor(subject: Subject): { readonly fixes?: readonly Fix[] } {
  const { soft, function: f, dynamic } = subject.frame;
  if (soft?.slot === undefined || soft.stack === undefined || dynamic.length > 0) return {};
  if (soft.publishes.length > 0 || !isAvailable(subject, soft.slot, soft.stack.instruction)) return {};
  const store = `st.shared${addressType(f)} [${soft.slot.name}], ${soft.stack.name};`;
  const edits: FixEdit[] = [insertAfter(subject, soft.stack.instruction, store)];
  for (let i = 0; i < f.instructionCount; i++) {
    if (f.isEntry || opcodeFact(f.opcodes, f.opcode[i]).name !== 'ret') continue;
    const edit = restoreBefore(subject, i);
    if (edit === undefined) return {};
    edits.push(edit);
  }
  return {
    fixes: [{ title: `Publish ${soft.stack.name}, and restore before every return`, edits, preferred: true }],
  };
}
