import type { Span } from '../../../text/span.js';
import type { Context } from './context.js';
import type { Entity } from './entities.js';

/**
 * Parameters have a direction: what a function receives is read, what it returns is written, and ptxas 13.0.88
 * refuses the opposite ("Illegal to write to function input parameter").
 */
export function checkParameterAccess(context: Context, parameter: Entity, opcode: string, span: Span): void {
  const isWrong =
    (parameter.flow === 'input' && /^st(?:\.|$)/.test(opcode)) ||
    (parameter.flow === 'output' && /^ld(?:\.|$)/.test(opcode));
  if (!isWrong) return;
  context.problems.push({
    code: 'isa/operand',
    severity: 'error',
    span: { start: span.start, end: span.end },
    message:
      parameter.flow === 'input'
        ? `'${parameter.name}' is what the function receives and cannot be written: load it, and keep the new value in a register`
        : `'${parameter.name}' is the return value and cannot be read back: keep the value in a register`,
  });
}
