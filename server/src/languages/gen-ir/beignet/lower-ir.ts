import { InstructionFlag, OperandFlag } from '../../../ir/function.js';
import { NoRegister } from '../../../ir/place.js';
import { addOperand, addRegister, definition, registerOf, type Emitter } from './emit.js';
import { headText } from './head.js';
import { irOperation, type IrSource } from './ir-operations.js';
import { flagsOf } from './opcodes.js';
import type { Register } from './registers.js';
import type { IrLine } from './tree.js';
import { immediateText, isImmediate } from './values.js';

/** One instruction of GEN IR as an instruction of `ir/`. What only touches uniform registers executes in one lane. */
export function lowerIr(e: Emitter, line: IrLine, target: number | undefined): void {
  const operation = irOperation(line);
  const { condition, guard, results, sources } = operation;
  const isUniform = results.length > 0 && results.every(({ number }) => registerOf(e, number).isUniform);
  const text = headText({
    name: operation.name,
    width: isUniform ? 1 : e.registers.width,
    condition: condition === undefined ? undefined : `${condition.test}.v`,
    predicate: guard === undefined ? undefined : `${line.isInverse ? '-' : '+'}v`,
    target,
  });
  const isConstant = operation.name === 'mov' && sources.every((s) => 'immediate' in s);
  const flags = flagsOf(line.opcode.text) | (isConstant ? InstructionFlag.Constant : 0);
  e.builder.instruction(text, flags, line.start, line.end);
  for (const r of results) {
    const place = registerOf(e, r.number);
    addRegister(
      e,
      r.number,
      definition(false, false),
      `v${strideOf(place, operation.resultType, false)}:${operation.resultType}`,
      r,
    );
  }
  if (condition !== undefined)
    addOperand(e, NoRegister.Sink, OperandFlag.Definition, `null:${operation.resultType}`, {
      start: line.opcode.start,
      end: line.opcode.start,
    });
  for (const source of sources) addSource(e, source);
  if (guard !== undefined) addRegister(e, guard.number, OperandFlag.Use | OperandFlag.Guard, 'v:UW', guard);
  if (condition !== undefined)
    addRegister(e, condition.flag.number, definition(false, false), 'v:UW', condition.flag);
}

function addSource(e: Emitter, source: IrSource): void {
  if ('immediate' in source) {
    const digits = source.type === 'W' && source.immediate === 'true' ? '1' : source.immediate;
    const text = immediateText(isImmediate(digits) ? digits : '0', source.type);
    addOperand(e, NoRegister.Immediate, OperandFlag.Use, text, source);
    return;
  }
  const { register, type, negate = false, absolute = false } = source;
  const bar = absolute ? '|' : '';
  const stride = strideOf(registerOf(e, register.number), type, true);
  addRegister(
    e,
    register.number,
    OperandFlag.Use,
    `${negate ? '-' : ''}${bar}v${bar}${stride}:${type}`,
    register,
  );
}

/** A uniform register is read by all lanes; a byte lies in a word's place. */
function strideOf(r: Register, type: string, isSource: boolean): string {
  if (r.isUniform) return isSource ? '<0>' : '';
  return type === 'B' || type === 'UB' ? '<2>' : '';
}
