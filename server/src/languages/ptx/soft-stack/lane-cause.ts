import { InstructionFlag, OperandFlag } from '../../../ir/function.js';
import { NoRegister } from '../../../ir/place.js';
import { calleeOperand, nameAt } from '../stack/calls.js';
import { guardLanes, Lanes } from '../stack/lane-kinds.js';
import { instructionOf } from '../stack/soft.js';
import { isApart } from './lanes.js';
import type { View } from './lane-views.js';

/**
 * Why a value is not the same in all lanes: the way back from its use to the first place that makes it so. In words that
 * follow "not the same in all lanes of a warp", or '' where the way is not found. Linear; asked once for a refusal.
 */
export function causeOf(view: View, instruction: number, operand: number): string {
  const { f, reaching, lanes } = view;
  const seen = new Set<number>();
  const queue: { readonly node: number; readonly user: number }[] = [];
  const ask = (k: number, user: number): void => {
    const node = f.operandPlace[k] < 0 ? -1 : reaching.nodeOfUse[k];
    if (node < 0 || seen.has(node)) return;
    seen.add(node);
    queue.push({ node, user });
  };
  ask(operand, instruction);
  let weak = '';
  for (const { node, user } of queue) {
    const definition = reaching.definition[node];
    const at = definition < 0 ? -1 : instructionOf(f, definition);
    for (let e = reaching.inputStart[node]; e < reaching.inputStart[node + 1]; e++) {
      const input = reaching.inputs[e];
      const from = reaching.definition[input];
      if (weak === '' && at < 0 && from >= 0 && isApart(view, view.values.blockOfNode[input]))
        weak = `'${opcodeAt(view, instructionOf(f, from))}' sets it where only some lanes come`;
      if (seen.has(input)) continue;
      seen.add(input);
      queue.push({ node: input, user });
    }
    if (at < 0) continue;
    const opcode = opcodeAt(view, at);
    if (weak === '' && guardLanes(f, at, reaching, lanes) !== Lanes.Equal)
      weak = `'${opcode}' sets it in some lanes only`;
    if (weak === '' && isApart(view, view.values.blockOfNode[node]) && !isApart(view, view.blockOf[user]))
      weak = `'${opcode}' sets it where only some lanes come`;
    const own = ownCause(view, at, definition);
    if (own !== undefined) return own;
    for (let k = f.operandStart[at]; k < f.operandStart[at + 1]; k++)
      if (
        (f.operandFlags[k] & OperandFlag.Use) !== 0 &&
        (f.operandFlags[k] & OperandFlag.Guard) === 0 &&
        reaching.nodeOfUse[k] >= 0 &&
        lanes[reaching.nodeOfUse[k]] !== (Lanes.Equal as number)
      )
        ask(k, at);
  }
  return weak;
}

const opcodeAt = ({ f }: View, i: number): string => f.opcodes.text(f.opcode[i]);

/** Of an instruction that makes a difference itself. */
function ownCause(view: View, i: number, definition: number): string | undefined {
  const { f, candidate, parameters } = view;
  const { bound } = candidate.unit;
  const opcode = opcodeAt(view, i);
  if (/^(?:atom|elect|match)\./.test(opcode)) return `it comes from '${opcode}'`;
  const nameOf = (k: number): string => nameAt(bound, f, k);
  if ((f.instructionFlags[i] & InstructionFlag.Call) !== 0) {
    const callee = calleeOperand(f, i);
    return `it comes from the call of ${callee < 0 ? 'another function' : f.operandPlace[callee] < 0 ? nameOf(callee) : f.registerNames[f.operandPlace[callee]]}`;
  }
  if ((f.instructionFlags[i] & InstructionFlag.Entry) !== 0) {
    const name = f.registerNames[f.operandPlace[definition]];
    const handed = parameters.get(name);
    if (handed !== undefined) return handedOver(name, handed.caller);
  }
  for (let k = f.operandStart[i]; k < f.operandStart[i + 1]; k++) {
    const place = f.operandPlace[k];
    if (place >= 0 || (f.operandFlags[k] & OperandFlag.Definition) !== 0) continue;
    const name = nameOf(k);
    if (
      (place === (NoRegister.SpecialConstant as number) && /^%(?:laneid|tid\.x|lanemask)/.test(name)) ||
      (place === (NoRegister.SpecialVolatile as number) && /^%(?:clock|globaltimer|pm)/.test(name))
    )
      return `it comes from ${name}`;
    const handed = parameters.get(name);
    if (handed !== undefined) return handedOver(name, handed.caller);
    const from = place === (NoRegister.Symbol as number) ? callWith(view, i, name) : undefined;
    if (from !== undefined) return `it comes from the call of ${from}`;
  }
  return undefined;
}

const handedOver = (parameter: string, caller: string): string =>
  `it comes with parameter ${parameter}, which the call in ${caller} fills with another value in each lane`;

/** The callee of the last call before an instruction that returns something in the parameter of this name. */
function callWith({ f, candidate }: View, before: number, name: string): string | undefined {
  for (const { instruction, callee } of candidate.frame.calls.toReversed()) {
    if (instruction >= before) continue;
    const end = calleeOperand(f, instruction);
    for (let k = f.operandStart[instruction]; k < end; k++)
      if (f.operandPlace[k] < 0 && nameAt(candidate.unit.bound, f, k) === name)
        return callee ?? 'another function';
  }
  return undefined;
}
