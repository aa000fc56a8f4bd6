import { InstructionFlag, OperandFlag, type Function } from '../../../ir/function.js';
import { blockOf } from '../../../ir/function.js';
import type { DynamicAllocation, FrameFlow, FrameRegister, SoftFrame } from './frame.js';
import { registerAt } from './local.js';
import { opcodeFact, Transfer } from './opcodes.js';
import { alignmentOfMask } from './origin.js';
import type { Origins } from './origins.js';
import { isStacksSlot, SlotContent, storedValue } from './slot-flow.js';
import { soleDefinition, type ReachingDefinitions } from '../../../passes/reaching.js';

/**
 * The soft frame: a prologue loads the slot, subtracts, may clear low bits, and may store the lower pointer back. It
 * is found from the first load of the slot to the first access to other memory; what is published counts wherever it
 * stands.
 */
export function softFrameOf(f: Function, { reaching, origins, slot }: FrameFlow): SoftFrame | undefined {
  const loads: number[] = [];
  const loaded = new Set<number>();
  const publishes: number[] = [];
  const restores: number[] = [];
  const otherStores: number[] = [];
  for (let i = 0; i < f.instructionCount; i++) {
    if (!isStacksSlot(origins, i)) continue;
    if (!opcodeFact(f.opcodes, f.opcode[i]).isStore) {
      loads.push(i);
      loaded.add(i);
    } else if (slot.stored[i] === (SlotContent.Caller as number) && isLoaded(f, reaching, loaded, i))
      restores.push(i);
    else if ((slot.stored[i] & (SlotContent.Caller | SlotContent.Own)) !== 0) publishes.push(i);
    else otherStores.push(i);
  }
  const first = loads.at(0);
  if (first === undefined)
    return otherStores.length > 0
      ? { ...empty, array: arrayOf(origins, otherStores[0]), otherStores }
      : undefined;
  const steps = fixedSteps(f, origins, first);
  const published = publishes.flatMap((i) => offsetOf(origins, storedValue(f, origins, i)));
  const bytes = Math.max(
    0,
    ...[...steps.map(({ offset }) => offset), ...published].map((offset) => 0 - offset),
  );
  const registers = steps.map(({ instruction, operand }) => registerAt(f, instruction, operand, true));
  const base = frameStep(f, steps);
  const saved = definitionOf(f, first);
  const pointer = publishes.length > 0 ? storedRegister(f, publishes[0]) : registers.at(-1);
  return {
    array: arrayOf(origins, first),
    loads,
    slot: addressRegister(f, first),
    saved: saved < 0 ? undefined : registerAt(f, first, saved, true),
    frame: base === undefined ? undefined : registerAt(f, base.instruction, base.operand, true),
    stack: pointer,
    bytes,
    outgoing: base === undefined ? 0 : bytes + base.offset,
    alignment: Math.max(
      Math.min(ABI_ALIGNMENT, lowestBit(bytes)),
      ...steps.map(({ alignment }) => alignment),
    ),
    prologue: prologueOf(f, reaching, first, steps, publishes),
    publishes,
    restores,
    otherStores,
  };
}

/** Every pointer in a slot is a multiple of it, as long as every frame's size is: GCC rounds sizes up to 16 bytes. */
const ABI_ALIGNMENT = 16;

const lowestBit = (n: number): number => (n === 0 ? 1 : n & -n);

const arrayOf = ({ table, ofAddress }: Origins, i: number): SoftFrame['array'] => {
  const origin = table.of(ofAddress[i]);
  return origin?.kind === 'slot' ? origin.array : 'stacks';
};

const empty: SoftFrame = {
  array: 'stacks',
  loads: [],
  slot: undefined,
  saved: undefined,
  frame: undefined,
  stack: undefined,
  bytes: 0,
  outgoing: 0,
  alignment: 1,
  prologue: [],
  publishes: [],
  restores: [],
  otherStores: [],
};

interface Step {
  readonly instruction: number;
  readonly operand: number;
  readonly offset: number;
  readonly alignment: number;
}

/** Subtractions from the loaded pointer and masks on it, up to the first access to memory that is no slot. */
function fixedSteps(f: Function, origins: Origins, load: number): Step[] {
  const steps: Step[] = [];
  const end = f.blockStart[blockOf(f, load) + 1];
  for (let i = load + 1; i < end; i++) {
    const fact = opcodeFact(f.opcodes, f.opcode[i]);
    const flags = f.instructionFlags[i];
    const touches =
      (InstructionFlag.ReadsMemory as number) | InstructionFlag.WritesMemory | InstructionFlag.Call;
    if ((flags & touches) !== 0 && !isStacksSlot(origins, i)) break;
    const operand = definitionOf(f, i);
    if (operand < 0) continue;
    const origin = origins.table.of(origins.ofOperand[operand]);
    if (origin?.kind !== 'soft' || !origin.isCertain || origin.allocation >= 0) continue;
    if (origin.offset === undefined) continue;
    const isStep =
      fact.transfer === Transfer.Subtract ||
      fact.transfer === Transfer.And ||
      (fact.transfer === Transfer.Add && readsCaller(f, origins, i));
    if (!isStep) continue;
    const alignment = fact.transfer === Transfer.And ? maskOf(f, origins, i) : 1;
    steps.push({ instruction: i, operand, offset: origin.offset, alignment });
  }
  return steps;
}

function readsCaller(f: Function, origins: Origins, i: number): boolean {
  for (let k = f.operandStart[i] + 1; k < f.operandStart[i + 1]; k++)
    if (offsetOf(origins, origins.ofOperand[k]).includes(0)) return true;
  return false;
}

function maskOf(f: Function, origins: Origins, i: number): number {
  let alignment = 1;
  for (let k = f.operandStart[i] + 1; k < f.operandStart[i + 1]; k++)
    alignment = Math.max(alignment, alignmentOfMask(origins.table.of(origins.ofOperand[k])));
  return alignment;
}

function offsetOf({ table }: Origins, value: number): readonly number[] {
  const origin = table.of(value);
  return origin?.kind === 'soft' && origin.allocation < 0 && origin.isCertain && origin.offset !== undefined
    ? [origin.offset]
    : [];
}

/** The step that gives the lowest address of the variables: the first, and those behind it that work on the same register. */
const frameStep = (f: Function, steps: readonly Step[]): Step | undefined => {
  const register = steps.length === 0 ? -1 : f.operandPlace[steps[0].operand];
  return steps.findLast(({ operand }) => f.operandPlace[operand] === register);
};

function prologueOf(
  f: Function,
  reaching: ReachingDefinitions,
  load: number,
  steps: readonly Step[],
  publishes: readonly number[],
): number[] {
  const found = new Set<number>([load]);
  for (const { instruction } of steps) found.add(instruction);
  const end = f.blockStart[blockOf(f, load) + 1];
  const publish = publishes.at(0);
  if (publish !== undefined && publish > load && publish < end) found.add(publish);
  // what computes the slot's address
  const pending = [load];
  while (pending.length > 0) {
    const i = pending.pop()!;
    for (let k = f.operandStart[i]; k < f.operandStart[i + 1]; k++) {
      if (f.operandPlace[k] < 0 || (f.operandFlags[k] & OperandFlag.Guard) !== 0) continue;
      const definition = soleDefinition(reaching, k);
      if (definition < 0) continue;
      const from = instructionOf(f, definition);
      if (found.has(from) || (f.instructionFlags[from] & InstructionFlag.SideEffect) !== 0) continue;
      found.add(from);
      pending.push(from);
    }
  }
  return [...found].sort((a, b) => a - b);
}

/** Instructions that take memory of a run-time size: from the stack pointer, or from one that already was lowered. */
export function allocationsOf(f: Function, origins: Origins): Set<number> {
  const found = new Set<number>();
  const lowest = lowestFixed(f, origins);
  for (let i = 0; i < f.instructionCount; i++) {
    const fact = opcodeFact(f.opcodes, f.opcode[i]);
    if (fact.transfer !== Transfer.Subtract) continue;
    const operand = f.operandStart[i];
    const origin = origins.table.of(origins.ofOperand[operand]);
    if (origin?.kind !== 'soft' || origin.allocation < 0) continue;
    const from = origins.table.of(origins.ofOperand[operand + 1]);
    if (from?.kind !== 'soft') continue;
    const isStack =
      from.allocation >= 0
        ? f.operandPlace[operand] === f.operandPlace[operand + 1]
        : from.offset !== undefined && from.offset <= lowest;
    if (isStack) found.add(i);
  }
  return found;
}

function lowestFixed(f: Function, origins: Origins): number {
  for (let i = 0; i < f.instructionCount; i++)
    if (isStacksSlot(origins, i) && !opcodeFact(f.opcodes, f.opcode[i]).isStore)
      return Math.min(0, ...fixedSteps(f, origins, i).map(({ offset }) => offset));
  return 0;
}

export function dynamicOf(
  f: Function,
  { origins }: FrameFlow,
  allocations: ReadonlySet<number>,
): DynamicAllocation[] {
  const publishes = new Map<number, number[]>();
  const found: DynamicAllocation[] = [];
  for (let i = 0; i < f.instructionCount; i++) {
    const span = { start: f.spanStart[i], end: f.spanEnd[i] };
    if (allocations.has(i)) {
      const stores: number[] = [];
      publishes.set(i, stores);
      found.push({ instruction: i, span, space: 'soft', publishes: stores });
    } else if (opcodeFact(f.opcodes, f.opcode[i]).transfer === Transfer.Allocate)
      found.push({ instruction: i, span, space: 'local', publishes: [] });
  }
  for (let i = 0; i < f.instructionCount && publishes.size > 0; i++) {
    if (!isStacksSlot(origins, i) || !opcodeFact(f.opcodes, f.opcode[i]).isStore) continue;
    const origin = origins.table.of(storedValue(f, origins, i));
    if (origin?.kind === 'soft') publishes.get(origin.allocation)?.push(i);
  }
  return found;
}

/** Whether the value that a store puts into the slot is the one that a load took out of it, not another equal to it. */
function isLoaded(
  f: Function,
  reaching: ReachingDefinitions,
  loads: ReadonlySet<number>,
  store: number,
): boolean {
  const register = valueOperand(f, store);
  if (register < 0) return false;
  let definition = soleDefinition(reaching, register);
  while (definition >= 0) {
    const i = instructionOf(f, definition);
    if (loads.has(i)) return true;
    if ((f.instructionFlags[i] & InstructionFlag.Copy) === 0) return false;
    definition = soleDefinition(reaching, f.operandStart[i] + 1);
  }
  return false;
}

const valueOperand = (f: Function, i: number): number => {
  for (let k = f.operandStart[i]; k < f.operandStart[i + 1]; k++)
    if ((f.operandFlags[k] & ((OperandFlag.Address as number) | OperandFlag.Guard)) === 0)
      return f.operandPlace[k] >= 0 ? k : -1;
  return -1;
};

function storedRegister(f: Function, i: number): FrameRegister | undefined {
  const operand = valueOperand(f, i);
  return operand < 0 ? undefined : registerAt(f, i, operand, true);
}

function addressRegister(f: Function, i: number): FrameRegister | undefined {
  for (let k = f.operandStart[i]; k < f.operandStart[i + 1]; k++)
    if ((f.operandFlags[k] & OperandFlag.Address) !== 0 && f.operandPlace[k] >= 0)
      return registerAt(f, i, k, false);
  return undefined;
}

/** The first operand where it is a register that the instruction writes, or -1. */
export const definitionOf = (f: Function, i: number): number => {
  const k = f.operandStart[i];
  return k < f.operandStart[i + 1] &&
    f.operandPlace[k] >= 0 &&
    (f.operandFlags[k] & OperandFlag.Definition) !== 0
    ? k
    : -1;
};

/** The instruction of an operand; O(log instructions). */
export function instructionOf(f: Function, operand: number): number {
  let low = 0;
  let high = f.instructionCount;
  while (low + 1 < high) {
    const middle = (low + high) >>> 1;
    if (f.operandStart[middle] <= operand) low = middle;
    else high = middle;
  }
  return low;
}
