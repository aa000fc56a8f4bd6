import type { Problem, RelatedPlace } from '../../../../text/problem.js';
import { blockOf } from '../../../../ir/function.js';
import { opcodeFact } from '../opcodes.js';
import { SlotContent } from '../slot-flow.js';
import {
  addressType,
  guardText,
  insertBefore,
  isAvailable,
  opcodeSpan,
  REPORT_LIMIT,
  spanOf,
  type FunctionRule,
  type Subject,
} from './subject.js';

/**
 * A function that has stored its own pointer into the slot must store the caller's back before it returns: else the
 * caller's next call, and everything behind it, loses as much of the stack as the frame had. Kernels return to nobody.
 */
export const notRestored: FunctionRule = (subject) => {
  const { frame, flow } = subject;
  const { function: f } = frame;
  const problems: Problem[] = [];
  if (f.isEntry || frame.soft === undefined) return problems;
  for (let i = 0; i < f.instructionCount && problems.length < REPORT_LIMIT; i++) {
    const before = flow.slot.before[i];
    if ((before & ((SlotContent.Own as number) | SlotContent.Local)) === 0) continue;
    if (opcodeFact(f.opcodes, f.opcode[i]).name !== 'ret') continue;
    const isSometimes = (before & ((SlotContent.Caller as number) | SlotContent.Other)) !== 0;
    const isLocal = (before & SlotContent.Own) === 0;
    const what = isLocal
      ? 'an address in .local still stands in the slot of the stack pointer: the SIMD region is not left'
      : "the caller's stack pointer has not been put back into its slot";
    const { route, places } = wayTo(subject, i);
    problems.push({
      code: 'stack/not-restored',
      severity: 'error',
      span: opcodeSpan(subject, i),
      message: `'${f.name}' returns here${isSometimes ? ' on some path' : ''}${route}, and ${what}`,
      related: places,
      ...fixFor(subject, i),
    });
  }
  return problems;
};

/** The last store of an own pointer on a path to the instruction, and the labels on the way. */
function wayTo(
  { frame: { function: f }, flow: { cfg, slot } }: Subject,
  ret: number,
): { readonly route: string; readonly places: readonly RelatedPlace[] } {
  const isOwn = (i: number): boolean =>
    (slot.stored[i] & ((SlotContent.Own as number) | SlotContent.Local)) !== 0;
  /** Of a block, from an instruction upwards: the store that decides, or -1. */
  const storeBefore = (end: number, start: number): number => {
    for (let i = end - 1; i >= start; i--) if (slot.stored[i] !== 0) return i;
    return -1;
  };
  const home = blockOf(f, ret);
  const next = new Map<number, number>();
  const queue = [home];
  const seen = new Set(queue);
  for (const b of queue) {
    const store = storeBefore(b === home && !next.has(b) ? ret : f.blockStart[b + 1], f.blockStart[b]);
    if (store >= 0) {
      if (!isOwn(store)) continue;
      const labels: string[] = [];
      for (let at = next.get(b); at !== undefined; at = at === home ? undefined : next.get(at))
        if (f.blockNames[at] !== '') labels.push(f.blockNames[at]);
      const shown = labels.length > 4 ? [...labels.slice(0, 2), '...', labels[labels.length - 1]] : labels;
      return {
        route: shown.length === 0 ? '' : ` (over ${shown.join(', ')})`,
        places: [{ span: spanOf(f, store), message: 'this pointer still stands in the slot' }],
      };
    }
    for (let e = cfg.predecessorStart[b]; e < cfg.predecessorStart[b + 1]; e++) {
      const from = cfg.predecessors[e];
      if (seen.has(from)) continue;
      seen.add(from);
      next.set(from, b);
      queue.push(from);
    }
  }
  return { route: '', places: [] };
}

function fixFor(subject: Subject, ret: number): Pick<Problem, 'fixes'> {
  const edit = restoreBefore(subject, ret);
  if (edit === undefined) return {};
  return { fixes: [{ title: "Put the caller's stack pointer back", edits: [edit], preferred: true }] };
}

/** The edit that restores the slot before a return; undefined where no register is known to hold what it takes. */
export function restoreBefore(subject: Subject, ret: number): ReturnType<typeof insertBefore> | undefined {
  const { soft, function: f } = subject.frame;
  if (soft?.slot === undefined || soft.saved === undefined) return undefined;
  if (!isAvailable(subject, soft.slot, ret) || !isAvailable(subject, soft.saved, ret)) return undefined;
  const store = `st.shared${addressType(f)} [${soft.slot.name}], ${soft.saved.name};`;
  return insertBefore(subject, ret, guardText(subject, ret) + store);
}
