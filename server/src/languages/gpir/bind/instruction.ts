import { InstructionFlag, OperandFlag } from '../../../ir/function.js';
import { locationPayload, NEGATED, Space } from '../../../ir/payload.js';
import { NoRegister, type Place } from '../../../ir/place.js';
import { Role } from '../../symbols.js';
import { ClassNumber } from '../classes.js';
import { operations, type Operation } from '../isa/operations.js';
import type { Instruction, Name, NumberedName, Operand } from '../tree.js';
import { addOperand } from './code.js';
import {
  labelOf,
  newRegister,
  physicalOf,
  placedLabel,
  registerOf,
  report,
  shown,
  valueOf,
  vectorName,
  vectorOf,
  type Context,
} from './context.js';
import { record, type Entity } from './entities.js';
import { checkLocation, checkPhysical } from './limits.js';
import { areSwapped, checkForm, checkOperandCount, checkResult } from './operand-checks.js';
import { unknownOperation } from './unknown-operation.js';

/**
 * One instruction: its names, whether it is one of the machine's, and its place in the code. An instruction with a
 * fault is left out of the code; its names count all the same, so that one mistake gives one problem.
 */
export function bindInstruction(context: Context, node: Instruction): void {
  const operation = operations.get(node.opcode.text);
  const isSound = isComplete(context, node, operation);
  const { code } = context;
  const number = isSound ? code.nodes.length : -1;
  if (isSound) {
    code.nodes.push(node);
    code.flags.push(flagsOf(operation!, node));
    code.operandStart.push(code.place.length);
  }
  if (node.result !== undefined) define(context, node, node.result, number);
  for (let k = 0; k < node.operands.length; k++)
    bindOperand(
      context,
      node.operands[k],
      operation?.operands[k] === 'label',
      isStoreTo(operation, k),
      number,
    );
}

const isStoreTo = (operation: Operation | undefined, k: number): boolean =>
  k === 0 && operation?.category === 'store';

/** Whether the instruction can be lowered; says why not. */
function isComplete(context: Context, node: Instruction, operation: Operation | undefined): boolean {
  if (operation === undefined) {
    if (node.opcode.text !== '') unknownOperation(context, node);
    return false;
  }
  if (node.isFaulty) return false;
  if (!checkResult(context, node, operation)) return false;
  if (!checkOperandCount(context, node, operation)) return false;
  if (areSwapped(context, node, operation)) return false;
  let isSound = true;
  for (let k = 0; k < node.operands.length; k++) {
    const operand = node.operands[k];
    if (!checkForm(context, node, operand, operation.operands[k])) isSound = false;
    else if (operand.kind === 'word') isSound = context.defined.has(operand.name.text) && isSound;
    else if (operand.kind === 'location') isSound = checkLocation(context, operand) && isSound;
    else if (operand.kind === 'physical') isSound = checkPhysical(context, operand) && isSound;
  }
  return isSound;
}

function flagsOf(operation: Operation, node: Instruction): number {
  switch (operation.category) {
    case 'branch':
      return InstructionFlag.Branch;
    case 'constant':
      return InstructionFlag.Constant;
    case 'load':
      if (operation.operands[0] === 'temporary') return InstructionFlag.ReadsMemory;
      return operation.operands[0] === 'register' ? 0 : InstructionFlag.Constant;
    case 'store':
      return storeFlags(operation) | (readsTemporary(node) ? InstructionFlag.ReadsMemory : 0);
    default:
      return readsTemporary(node) ? InstructionFlag.ReadsMemory : 0;
  }
}

/** A register is no memory: who reads it is known. */
const storeFlags = (operation: Operation): number =>
  operation.operands[0] === 'register' ? 0 : InstructionFlag.SideEffect | InstructionFlag.WritesMemory;

const readsTemporary = (node: Instruction): boolean =>
  node.operands.some(
    (o, k) => o.kind === 'location' && o.space === Space.Temporary && !isDestination(node, k),
  );

const isDestination = (node: Instruction, k: number): boolean => k === 0 && node.opcode.text === 'st_tmp';

function define(context: Context, node: Instruction, result: NumberedName, number: number): void {
  const e = valueOf(context, result);
  const isFirst = e.declaration === undefined;
  record(
    context.table,
    e,
    result.start,
    result.end,
    isFirst ? Role.Declaration | Role.Definition | Role.Write : Role.Write,
    number,
  );
  let { place } = e;
  if (isFirst) {
    e.declaration = result;
    e.extent = node;
    if (number >= 0) e.definition = node;
  } else {
    report(context, 'name/duplicate', 'error', result, `'${shown(result.text)}' is defined twice`, {
      related: [{ span: e.declaration!, message: 'the first definition' }],
    });
    // a value has one definition: whoever reads the name means the first one
    if (number >= 0) place = newRegister(context.code, result.text, ClassNumber.Value);
  }
  e.writes++;
  if (number >= 0) addOperand(context.code, place!, OperandFlag.Definition, 0, result.start, result.end);
}

function bindOperand(
  context: Context,
  operand: Operand,
  isLabel: boolean,
  isStored: boolean,
  number: number,
): void {
  const { start, end } = operand;
  const add = (place: Place, flags: number, payload: number): void => {
    if (number >= 0) addOperand(context.code, place, flags, payload, start, end);
  };
  switch (operand.kind) {
    case 'value': {
      const e = valueOf(context, operand.name);
      read(context, e, operand.name, number);
      add(e.place!, OperandFlag.Use, negation(operand.isNegated));
      break;
    }
    case 'register':
    case 'physical': {
      const e =
        operand.kind === 'register' ? registerOf(context, operand.name) : physicalOf(context, operand);
      if (isStored) write(context, e, operand.name, number);
      else read(context, e, operand.name, number);
      if (e.place !== undefined)
        add(e.place, isStored ? OperandFlag.Definition : OperandFlag.Use, negation(operand.isNegated));
      break;
    }
    case 'location': {
      const { space, index, component, name, vectorEnd } = operand;
      const e = vectorOf(context, space, index, vectorName(operand));
      record(context.table, e, name.start, vectorEnd, isStored ? Role.Write : Role.Read, number);
      if (number < 0) break;
      add(NoRegister.Symbol, 0, locationPayload(space, index, component) | negation(operand.isNegated));
      break;
    }
    case 'number':
      add(NoRegister.Immediate, 0, operand.bits);
      break;
    case 'word':
      if (!isLabel) break;
      bindTarget(context, operand.name, number);
      if (number >= 0) context.code.targets.set(number, placedLabel(context, operand.name.text));
      add(NoRegister.Label, 0, 0);
      break;
    case 'missing':
      break;
  }
}

function bindTarget(context: Context, name: Name, number: number): void {
  const e = labelOf(context, name.text);
  e.reads++;
  record(context.table, e, name.start, name.end, Role.Reference, number);
}

const negation = (isNegated: boolean): number => (isNegated ? NEGATED : 0);

function read(context: Context, e: Entity, name: Name, number: number): void {
  e.reads++;
  record(context.table, e, name.start, name.end, Role.Read, number);
}

function write(context: Context, e: Entity, name: Name, number: number): void {
  e.writes++;
  e.declaration ??= name;
  record(context.table, e, name.start, name.end, Role.Write, number);
}
