import { InstructionFlag, OperandFlag, type Function } from '../../../ir/function.js';
import { NoRegister } from '../../../ir/place.js';
import type { PtxBound } from '../bind/index.js';
import { calleeOperand, nameAt, textOf } from './calls.js';
import type { EscapeKind, FrameEscape, FrameFlow, FrameObject, SoftFrame } from './frame.js';
import { opcodeFact, Transfer } from './opcodes.js';
import { isAddress, type Address } from './origin.js';
import { isStacksSlot } from './slot-flow.js';
import { definitionOf } from './soft.js';
import { fromLowest, softAt } from './touches.js';

/**
 * Where addresses of the frame get out of sight: stored to memory, given to a callee, returned, or made generic with
 * `cvta.local`. Arguments and results go through `.param` variables: what is stored to one belongs to the next call
 * that names it, or to the caller where it is the function's own result.
 */
export function escapesOf(
  bound: PtxBound,
  f: Function,
  { origins }: FrameFlow,
  soft: SoftFrame | undefined,
  objects: readonly FrameObject[],
): FrameEscape[] {
  const { table, ofOperand, ofAddress } = origins;
  const results = new Set(bound.functions.at(0)?.item.returns.map(({ name }) => name?.text ?? ''));
  const escapes: FrameEscape[] = [];
  const firstSoft = objects.findIndex(({ space }) => space === 'soft');
  const softAreas = firstSoft < 0 ? [] : objects.slice(firstSoft);
  /** Addresses in `.param` variables that no call has named yet. */
  const waiting = new Map<string, { readonly instruction: number; readonly address: Address }[]>();

  const add = (kind: EscapeKind, instruction: number, address: Address, target: string): void => {
    const offset = fromLowest(address, soft);
    const isFixed = address.kind === 'soft' && address.allocation < 0 && offset !== undefined;
    escapes.push({
      kind,
      instruction,
      span: { start: f.spanStart[instruction], end: f.spanEnd[instruction] },
      space: address.kind,
      object: address.kind === 'local' ? address.object : isFixed ? softAt(softAreas, firstSoft, offset) : -1,
      offset,
      target,
      isCertain: address.isCertain,
    });
  };

  for (let i = 0; i < f.instructionCount; i++) {
    const fact = opcodeFact(f.opcodes, f.opcode[i]);
    const flags = f.instructionFlags[i];
    const isCall = (flags & InstructionFlag.Call) !== 0;
    const callee = isCall ? calleeOperand(f, i) : -1;
    const target = callee < 0 || f.operandPlace[callee] >= 0 ? '' : nameAt(bound, f, callee);
    const isReturn = fact.name === 'ret';
    const isWrite = (flags & InstructionFlag.WritesMemory) !== 0;
    if (fact.transfer === Transfer.ToGeneric) {
      const operand = definitionOf(f, i);
      const made = operand < 0 ? undefined : table.of(ofOperand[operand]);
      if (made?.kind === 'local') add('converted', i, made, '');
      continue;
    }
    if (!isCall && !isReturn && !isWrite) continue;
    if (isStacksSlot(origins, i)) continue;
    const parameter = fact.space === '.param' ? parameterOf(f, i) : '';
    const destination = isAddress(table.of(ofAddress[i])) ? 'frame' : fact.space.slice(1) || 'generic';
    for (let k = f.operandStart[i]; k < f.operandStart[i + 1]; k++) {
      const operandFlags = f.operandFlags[k];
      if ((operandFlags & ((OperandFlag.Definition as number) | OperandFlag.Guard)) !== 0) continue;
      if (isCall && k !== callee && f.operandPlace[k] === (NoRegister.Symbol as number)) {
        const name = textOf(f, k);
        for (const { instruction, address } of waiting.get(name) ?? [])
          add('passed', instruction, address, target);
        waiting.delete(name);
      }
      if ((operandFlags & OperandFlag.Address) !== 0) continue;
      const address = table.of(ofOperand[k]);
      if (!isAddress(address)) continue;
      if (isCall) add('passed', i, address, target);
      else if (isReturn) add('returned', i, address, '');
      else if (parameter === '') add('stored', i, address, destination);
      else if (results.has(parameter)) add('returned', i, address, '');
      else {
        const same = waiting.get(parameter);
        if (same === undefined) waiting.set(parameter, [{ instruction: i, address }]);
        else same.push({ instruction: i, address });
      }
    }
  }
  return escapes.sort((a, b) => a.instruction - b.instruction);
}

/** The `.param` variable that an instruction works on. */
function parameterOf(f: Function, i: number): string {
  for (let k = f.operandStart[i]; k < f.operandStart[i + 1]; k++)
    if (
      (f.operandFlags[k] & OperandFlag.Address) !== 0 &&
      f.operandPlace[k] === (NoRegister.Symbol as number)
    )
      return textOf(f, k);
  return '';
}
