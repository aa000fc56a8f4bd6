import { blockOf } from '../../../../ir/function.js';
import { componentsOf } from '../../../../passes/components.js';
import type { Problem } from '../../../../text/problem.js';
import type { DynamicAllocation } from '../frame.js';
import { opcodeFact } from '../opcodes.js';
import { SlotContent } from '../slot-flow.js';
import { definitionOf } from '../soft.js';
import { isSystemCall } from './unpublished.js';
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
 * Memory of run-time size, as `alloca` and arrays of variable length take it. On a soft stack the lowered pointer must
 * be published again before the next call. In a loop the pointer must be saved before and put back behind each turn
 * (`stacksave` and `stackrestore` in PTX itself), or the stack grows with every turn.
 */
export const dynamicAllocation: FunctionRule = (subject) => {
  const { frame } = subject;
  return frame.dynamic.length === 0 ? [] : [...unpublishedCalls(subject), ...growing(subject)];
};

function unpublishedCalls(subject: Subject): Problem[] {
  const { frame, flow } = subject;
  const { function: f, soft } = frame;
  const problems: Problem[] = [];
  if (soft === undefined) return problems;
  for (const { instruction: i, callee } of frame.calls) {
    const before = flow.slot.before[i];
    // where nothing was ever published, the rule about that says enough
    if ((before & SlotContent.Unpublished) === 0 || soft.publishes.length === 0 || isSystemCall(callee))
      continue;
    const allocation = frame.dynamic.findLast(
      ({ instruction, space }) => space === 'soft' && instruction < i,
    );
    problems.push({
      code: 'stack/dynamic',
      severity: 'error',
      span: opcodeSpan(subject, i),
      message: `the stack pointer was lowered and not stored into the slot again: ${callee === undefined ? 'the callee' : `'${callee}'`} puts its frame where the memory that was taken lies`,
      ...(allocation !== undefined && {
        related: [{ span: spanOf(f, allocation.instruction), message: 'memory is taken here' }],
        ...fixFor(subject, allocation),
      }),
    });
    if (problems.length === REPORT_LIMIT) break;
  }
  return problems;
}

function fixFor(subject: Subject, { instruction }: DynamicAllocation): Pick<Problem, 'fixes'> {
  const { soft, function: f } = subject.frame;
  const operand = definitionOf(f, instruction);
  if (soft?.slot === undefined || operand < 0 || !isAvailable(subject, soft.slot, instruction)) return {};
  const name = f.registerNames[f.operandPlace[operand]];
  const store = `st.shared${addressType(f)} [${soft.slot.name}], ${name};`;
  return {
    fixes: [
      { title: `Publish ${name} again`, edits: [insertAfter(subject, instruction, store)], preferred: true },
    ],
  };
}

function growing(subject: Subject): Problem[] {
  const { frame, flow } = subject;
  const { function: f } = frame;
  const { of, size } = componentsOf(flow.cfg);
  const restoring = new Set<number>();
  for (let i = 0; i < f.instructionCount; i++)
    if (opcodeFact(f.opcodes, f.opcode[i]).name === 'stackrestore') restoring.add(of[blockOf(f, i)]);
  const problems: Problem[] = [];
  for (const { instruction: i, space } of frame.dynamic) {
    const b = blockOf(f, i);
    const isLoop = size[of[b]] > 1 || loopsToItself(subject, b);
    if (!isLoop) continue;
    const grows = space === 'local' ? !restoring.has(of[b]) : readsOwnResult(subject, i);
    if (!grows) continue;
    problems.push({
      code: 'stack/dynamic',
      severity: 'warning',
      span: opcodeSpan(subject, i),
      message:
        space === 'local'
          ? 'every turn of the loop takes more memory, and gives none back; call stacksave before and stackrestore behind it'
          : 'every turn of the loop lowers the stack pointer further; save it before, and at the end of the turn put it back and store it into the slot',
    });
    if (problems.length === REPORT_LIMIT) break;
  }
  return problems;
}

function loopsToItself({ flow: { cfg } }: Subject, b: number): boolean {
  for (let e = cfg.successorStart[b]; e < cfg.successorStart[b + 1]; e++)
    if (cfg.successors[e] === b) return true;
  return false;
}

/** The pointer that the adjustment starts from may come from itself, or from a later one: round the loop. */
function readsOwnResult({ frame: { function: f }, flow: { origins } }: Subject, i: number): boolean {
  const from = origins.table.of(origins.ofOperand[f.operandStart[i] + 1]);
  return from?.kind === 'soft' && from.allocation >= i;
}
