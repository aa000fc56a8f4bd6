import { OperandFlag, type Function } from '../../../ir/function.js';
import { NoRegister } from '../../../ir/place.js';
import { immediateOf, isData, Value, type Addresses } from './addresses.js';
import { isGenericAccess, namesLocal } from './rules.js';

/** An instruction that stands in the way of moving the frame, and why. */
export interface Obstacle {
  readonly instruction: number;
  readonly reason: string;
}

export interface Following {
  readonly obstacles: readonly Obstacle[];
  /** A generic address of the frame is stored or handed to another function. */
  readonly escapes: boolean;
}

/**
 * Whether every local address of a function can be followed to its generic one: each is used in ways that come to the
 * same byte, and each `.local` access gets its address from this function alone. `alignment` is the largest one that
 * the frame's objects ask for, which the moved frame keeps; linear.
 */
export function follow(f: Function, addresses: Addresses, alignment: number): Following {
  const obstacles: Obstacle[] = [];
  let escapes = false;
  for (let i = 0; i < f.instructionCount; i++) {
    const opcode = f.opcodes.text(f.opcode[i]);
    const reason =
      definitionFault(f, addresses, i) ??
      useFault(f, addresses, i, opcode, alignment) ??
      originFault(f, addresses, i, opcode);
    if (reason !== undefined) obstacles.push({ instruction: i, reason: `'${opcode}' ${reason}` });
    escapes ||= handsOut(f, addresses, i);
  }
  return { obstacles, escapes };
}

const nameOf = (f: Function, operand: number): string =>
  f.operandPlace[operand] >= 0
    ? f.registerNames[f.operandPlace[operand]]
    : (f.operandTexts?.text(f.operandPayload?.[operand] ?? 0) ?? '');

const is = (addresses: Addresses, operand: number, value: Value): boolean =>
  (addresses.value[operand] & value) !== 0;

/** A local address in fewer than 64 bits: generic ones have 64. */
function definitionFault(f: Function, addresses: Addresses, i: number): string | undefined {
  for (let k = f.operandStart[i]; k < f.operandStart[i + 1]; k++)
    if (
      (f.operandFlags[k] & OperandFlag.Definition) !== 0 &&
      is(addresses, k, Value.Window) &&
      f.operandPlace[k] >= 0 &&
      f.registerWidth[f.operandPlace[k]] !== 2
    )
      return `puts a local address into ${nameOf(f, k)}, which has no 64 bits as generic addresses do; keep it in a .b64 register`;
  return undefined;
}

/** A use of a local address that would not come to the same byte. */
function useFault(
  f: Function,
  addresses: Addresses,
  i: number,
  opcode: string,
  alignment: number,
): string | undefined {
  const from = f.operandStart[i];
  const to = f.operandStart[i + 1];
  for (let k = from; k < to; k++) {
    if ((f.operandFlags[k] & OperandFlag.Use) === 0 || !is(addresses, k, Value.Window)) continue;
    // `ld.local.u32 r, array[1]` has no brackets around its address
    const isAddress =
      (f.operandFlags[k] & OperandFlag.Address) !== 0 ||
      (addresses.rules[i] === 'access' && f.operandPlace[k] === (NoRegister.Symbol as number));
    if (isAddress) {
      const fault = accessFault(f, addresses, i, k, opcode);
      if (fault !== undefined) return fault;
      continue;
    }
    const fault = dataFault(f, addresses, i, k, alignment);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function accessFault(
  f: Function,
  addresses: Addresses,
  i: number,
  operand: number,
  opcode: string,
): string | undefined {
  const name = nameOf(f, operand);
  if (is(addresses, operand, Value.Other))
    return `gets a local address in ${name} on one path and something else on another; use a register for each`;
  if (addresses.rules[i] !== 'access') return `cannot take the local address in ${name}`;
  if (namesLocal(opcode)) return undefined;
  if (isGenericAccess(opcode) && f.operandPlace[operand] === (NoRegister.Symbol as number)) return undefined;
  return `takes no local address, which ${name} is; convert it with cvta.local`;
}

function dataFault(
  f: Function,
  addresses: Addresses,
  i: number,
  operand: number,
  alignment: number,
): string | undefined {
  const name = nameOf(f, operand);
  const others: number[] = [];
  for (let k = f.operandStart[i]; k < f.operandStart[i + 1]; k++)
    if (k !== operand && isData(f, k)) others.push(k);
  const isWindow = (k: number): boolean => addresses.value[k] === (Value.Window as number);
  const immediate = others.length === 1 ? immediateOf(f, others[0]) : undefined;
  const lost = `computes with the local address in ${name} in a way that cannot be followed; add, sub and cvta.local can be`;
  switch (addresses.rules[i]) {
    case 'copy':
      return others.every((k) => immediateOf(f, k) !== undefined) ? undefined : lost;
    case 'add':
      return others.some((k) => is(addresses, k, Value.Window)) ||
        others.some((k) => others.length > 1 && k > operand)
        ? lost
        : undefined;
    case 'subtract':
      if (others.some(isWindow) && isWindow(operand)) return undefined;
      return others.some((k) => k < operand || is(addresses, k, Value.Window)) ? lost : undefined;
    case 'align':
      if (immediate !== undefined && (immediate < 0n || immediate < BigInt(alignment))) return undefined;
      return `masks the local address in ${name} with something other than a power of two; write the mask as a number`;
    case 'merge':
      if (immediate !== undefined && immediate >= 0n && immediate < BigInt(alignment)) return undefined;
      return `merges bits into the local address in ${name} that its alignment does not keep clear; use add`;
    case 'select':
      return undefined;
    case 'compare':
      return others.every(isWindow) && isWindow(operand)
        ? undefined
        : `compares the local address in ${name} with something that is no address of the frame`;
    case 'to-generic':
    case 'restore':
      return is(addresses, operand, Value.Other)
        ? `gets a local address in ${name} on one path and something else on another; use a register for each`
        : undefined;
    case 'access':
      return `stores the local address in ${name}, which whoever loads it would take for one of the local window; store what cvta.local makes of it`;
    case 'to-local':
    case 'space-test':
    case 'allocate':
    case 'save':
    case 'none':
      return lost;
  }
}

/** An address of the local window that comes from elsewhere, or a question whose answer changes. */
function originFault(f: Function, addresses: Addresses, i: number, opcode: string): string | undefined {
  const rule = addresses.rules[i];
  if (
    !(rule === 'access' && namesLocal(opcode)) &&
    rule !== 'to-generic' &&
    rule !== 'restore' &&
    rule !== 'space-test'
  )
    return undefined;
  for (let k = f.operandStart[i]; k < f.operandStart[i + 1]; k++) {
    const isRead = rule === 'access' ? (f.operandFlags[k] & OperandFlag.Address) !== 0 : isData(f, k);
    if (!isRead || is(addresses, k, Value.Window)) continue;
    if (rule === 'space-test') {
      if (is(addresses, k, Value.Generic)) return 'asks in which memory the frame lies, which changes';
      if (namesLocal(opcode))
        return `asks whether ${nameOf(f, k)} points into local memory, where frames no longer are`;
      continue;
    }
    // the offset of `[base+8]`
    if (rule === 'access' && k > f.operandStart[i] && isBase(f, k - 1) && immediateOf(f, k) !== undefined)
      continue;
    const name = nameOf(f, k);
    if (rule === 'restore') return `restores from ${name} what stacksave has not saved`;
    return `takes the local address ${name} from outside the function; pass a generic one and convert it with cvta.to.local`;
  }
  return undefined;
}

/** A register or variable in the brackets of an address. */
const isBase = (f: Function, operand: number): boolean =>
  (f.operandFlags[operand] & OperandFlag.Address) !== 0 &&
  (f.operandPlace[operand] >= 0 || f.operandPlace[operand] === (NoRegister.Symbol as number));

/** Whether a generic address of the frame leaves the function's registers. */
function handsOut(f: Function, addresses: Addresses, i: number): boolean {
  if (addresses.rules[i] !== 'access' && addresses.rules[i] !== 'none') return false;
  for (let k = f.operandStart[i]; k < f.operandStart[i + 1]; k++)
    if (isData(f, k) && is(addresses, k, Value.Generic)) return true;
  return false;
}
