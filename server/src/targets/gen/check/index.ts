import type { Violation } from '../../../passes/check-allocation.js';
import type { Allocated } from '../allocation.js';
import { typeSize, type Program } from '../program.js';
import { checkOrder } from './order.js';
import { checkPool } from './pool-rules.js';
import { proveAllocation } from './proof.js';

/**
 * Proves compiled Gen programs against what they were made from, with code that shares nothing with allocators and
 * schedulers. All return what they refute, none for a right program; `most` bounds the number of reports.
 */
export interface CheckOptions {
  readonly most?: number;
}

/** The allocated program, before post-allocation scheduling, against the program that was allocated. */
export function checkAllocation(
  source: Program,
  allocated: Allocated,
  { most = 100 }: CheckOptions = {},
): Violation[] {
  const form = checkForm(source, allocated, most);
  if (form.length > 0) return form;
  const pool = checkPool(allocated.code, most);
  return pool.length > 0 ? pool : proveAllocation(source, allocated, { most });
}

/** The program after post-allocation scheduling against the same before it. */
export const checkSchedule = (
  allocated: Program,
  scheduled: Program,
  { most = 100 }: CheckOptions = {},
): Violation[] => checkOrder(allocated, scheduled, most);

/** Registers that exist, and scratch that does not meet what the program itself keeps there. */
function checkForm(source: Program, { code, scratchBytes }: Allocated, most: number): Violation[] {
  const violations: Violation[] = [];
  const limit = code.platform.registers;
  code.instructions.forEach((instruction, at) => {
    const report = (message: string) => {
      if (violations.length < most)
        violations.push({ instruction: instruction.origin, code: at, message: `code ${at}: ${message}` });
    };
    for (const operand of [...instruction.destinations, ...instruction.sources]) {
      if (operand.file === 'virtual') report('has a virtual register');
      if (operand.file === 'grf' && (operand.grf < 0 || operand.grf >= limit))
        report(`g${operand.grf} does not exist`);
      if (operand.file === 'grf' && operand.offset % typeSize(operand.type) !== 0)
        report(`byte ${operand.offset} of g${operand.grf} is not aligned for ${operand.type}`);
    }
    for (const reference of [instruction.predicate?.flag, instruction.condition?.flag])
      if (reference?.kind === 'virtual') report('has a virtual flag');
    const { scratchOffset } = instruction.message;
    if (instruction.opcode.scratch === undefined || instruction.origin >= 0 || scratchOffset === undefined)
      return;
    if (scratchOffset < source.scratchBytes)
      report(
        `scratch byte ${scratchOffset} belongs to the program itself, which uses ${source.scratchBytes}`,
      );
    if (scratchOffset + 32 > source.scratchBytes + scratchBytes)
      report(
        `scratch byte ${scratchOffset} lies beyond the ${scratchBytes} bytes that the allocation says it uses`,
      );
  });
  return violations;
}
