import { NoRegister } from '../../../../ir/place.js';
import type { Problem } from '../../../../text/problem.js';
import { nameAt } from '../calls.js';
import type { FrameTouch } from '../frame.js';
import { opcodeFact, Transfer } from '../opcodes.js';
import { operandSpan, REPORT_LIMIT, spanOf, type FunctionRule, type Subject } from './subject.js';

/**
 * Sizes and places that break the alignment of others. A callee takes the pointer that it finds for a multiple of 8 (16
 * in GCC since 2016), so that a frame of another size misaligns every frame below it; and the machine faults on an access
 * that is not aligned to its own size.
 */
const STACK_ALIGNMENT = 8;

export const alignment: FunctionRule = (subject) => {
  const size = sizeProblem(subject);
  if (size !== undefined) return [size];
  const problems: Problem[] = [];
  for (const touch of subject.frame.touches) {
    const problem = accessProblem(subject, touch);
    if (problem !== undefined) problems.push(problem);
    if (problems.length === REPORT_LIMIT) break;
  }
  return problems;
};

function sizeProblem({ bound, frame, flow }: Subject): Problem | undefined {
  const { soft, function: f } = frame;
  if (soft === undefined || soft.bytes % STACK_ALIGNMENT === 0) return undefined;
  const i = soft.stack === undefined ? -1 : lastStep(frame);
  if (i < 0) return undefined;
  const rounded = Math.ceil(soft.bytes / STACK_ALIGNMENT) * STACK_ALIGNMENT;
  const isSubtraction = opcodeFact(f.opcodes, f.opcode[i]).transfer === Transfer.Subtract;
  const k = f.operandStart[i] + 2;
  const value =
    isSubtraction && k < f.operandStart[i + 1] ? flow.origins.table.of(flow.origins.ofOperand[k]) : undefined;
  const canReplace =
    value?.kind === 'constant' &&
    f.operandPlace[k] === (NoRegister.Immediate as number) &&
    nameAt(bound, f, k) !== '';
  return {
    code: 'stack/alignment',
    severity: 'warning',
    span: spanOf(f, i),
    message: `the soft stack frame has ${soft.bytes} bytes; the stack pointer of callees must be a multiple of ${STACK_ALIGNMENT}: make it ${rounded}, or ${Math.ceil(soft.bytes / 16) * 16} as GCC does`,
    ...(canReplace && {
      fixes: [
        {
          title: `Round the frame up to ${rounded} bytes`,
          edits: [{ span: operandSpan(f, k), newText: `${value.value + rounded - soft.bytes}` }],
          preferred: true,
        },
      ],
    }),
  };
}

/** The instruction that makes the lowest pointer. */
function lastStep({ soft, function: f }: Subject['frame']): number {
  const steps = (soft?.prologue ?? []).filter((i) => {
    const { transfer } = opcodeFact(f.opcodes, f.opcode[i]);
    return transfer === Transfer.Subtract || transfer === Transfer.Add;
  });
  const first = soft?.loads.at(0) ?? -1;
  return steps.findLast((i) => i > first && i >= 0) ?? -1;
}

function accessProblem({ frame }: Subject, touch: FrameTouch): Problem | undefined {
  const { bytes, offset, object } = touch;
  if (offset === undefined || object < 0 || bytes < 2 || !Number.isInteger(Math.log2(bytes)))
    return undefined;
  const place = frame.objects[object];
  const guaranteed =
    touch.space === 'local' ? place.alignment : Math.max(STACK_ALIGNMENT, frame.soft?.alignment ?? 1);
  if (offset % Math.min(bytes, guaranteed) !== 0)
    return {
      code: 'stack/alignment',
      severity: 'error',
      span: touch.span,
      message: `the access to '${place.name}' is ${bytes} bytes wide at offset ${offset}, which is no multiple of ${Math.min(bytes, guaranteed)}: the machine faults on it`,
      ...declaredAt(place.span, place.name),
    };
  if (bytes <= guaranteed || touch.space === 'soft') return undefined;
  return {
    code: 'stack/alignment',
    severity: 'warning',
    span: touch.span,
    message: `'${place.name}' is aligned to ${place.alignment} only, and accessed ${bytes} bytes at a time; declare it .align ${bytes}`,
    ...declaredAt(place.span, place.name),
  };
}

const declaredAt = (
  span: { readonly start: number; readonly end: number } | undefined,
  name: string,
): Pick<Problem, 'related'> =>
  span === undefined
    ? {}
    : { related: [{ span: { start: span.start, end: span.end }, message: `'${name}' is declared here` }] };
