import { InstructionFlag, OperandFlag, type Function } from '../../../../ir/function.js';
import { NoRegister } from '../../../../ir/place.js';
import { soleDefinition } from '../../../../passes/reaching.js';
import type { Fix, Problem } from '../../../../text/problem.js';
import { nameAt } from '../calls.js';
import type { Origin } from '../frame.js';
import { opcodeFact } from '../opcodes.js';
import { arrayNames } from '../origins.js';
import { storedValue } from '../slot-flow.js';
import { instructionOf } from '../soft.js';
import { operandSpan, opcodeSpan, REPORT_LIMIT, type FunctionRule, type Subject } from './subject.js';

/**
 * The slot of a warp is `__nvptx_stacks[%tid.y]` (8 bytes each, 4 with 32-bit addresses), its flag for uniform execution
 * `__nvptx_uni[%tid.y]` (4 bytes): a launch puts the lane in x and the warp in y. With another index warps share a stack,
 * or every lane has a slot of its own and the array ends after one warp. One constant index is right: set-up by a kernel
 * that is started with a single warp.
 */
type Slot = Extract<Origin, { kind: 'slot' }>;

export const slotIndex: FunctionRule = (subject) => {
  const { frame, flow } = subject;
  const { function: f } = frame;
  const problems: Problem[] = [];
  for (let i = 0; i < f.instructionCount && problems.length < REPORT_LIMIT; i++) {
    const origin = flow.origins.table.of(flow.origins.ofAddress[i]);
    if (origin?.kind !== 'slot') continue;
    const why = faultOf(subject, origin, i);
    if (why === undefined) continue;
    problems.push({
      code: 'stack/slot-index',
      severity: 'error',
      span: opcodeSpan(subject, i),
      message: why,
      ...fixFor(subject, origin, i),
    });
  }
  return problems;
};

export const slotBytes = (array: Slot['array'], addressSize: unknown): number =>
  array === 'uni' || addressSize === 32 ? 4 : 8;

function faultOf({ frame: { function: f }, flow }: Subject, slot: Slot, i: number): string | undefined {
  // the slot of a thread may be numbered in any way
  if (slot.array === 'lanes') return undefined;
  const name = arrayNames[slot.array];
  const bytes = slotBytes(slot.array, f.attributes['addressSize']);
  if (slot.index === undefined) return undefined;
  if (slot.index === '') {
    if (isSetUp(flow, f, i)) return undefined;
    return `every warp uses slot ${slot.offset / bytes} of ${name}; index it with %tid.y * ${bytes}`;
  }
  if (slot.index !== '%tid.y')
    return `${name} is indexed with ${slot.index}; the warp's slot is at %tid.y * ${bytes}`;
  if (slot.scale !== bytes)
    return `the slots of ${name} have ${bytes} bytes, and %tid.y is multiplied by ${slot.scale}`;
  if (slot.offset !== 0)
    return `this is the slot of another warp: ${slot.offset} bytes behind that of %tid.y`;
  return undefined;
}

/** A store of something that comes from outside: a kernel makes a stack. */
const isSetUp = ({ origins }: Subject['flow'], f: Subject['frame']['function'], i: number): boolean =>
  (f.instructionFlags[i] & InstructionFlag.WritesMemory) !== 0 &&
  origins.table.of(storedValue(f, origins, i))?.kind !== 'soft';

/** Replaces the special register where it is read for this address alone. */
function fixFor(subject: Subject, slot: Slot, i: number): { readonly fixes?: readonly Fix[] } {
  if (slot.index === undefined || slot.index === '' || slot.index === '%tid.y') return {};
  const read = specialRead(subject, i, slot.index);
  if (read < 0) return {};
  const span = operandSpan(subject.frame.function, read);
  return { fixes: [{ title: 'Index with %tid.y', edits: [{ span, newText: '%tid.y' }] }] };
}

const isAddressOperand = (f: Function, k: number): boolean => (f.operandFlags[k] & OperandFlag.Address) !== 0;

/** The operand that reads the special register on the way to an address; -1 unless there is one such way. */
function specialRead(
  { bound, frame: { function: f }, flow: { reaching } }: Subject,
  i: number,
  name: string,
): number {
  const pending = [i];
  const seen = new Set(pending);
  let found = -1;
  while (pending.length > 0) {
    const at = pending.pop()!;
    for (let k = f.operandStart[at]; k < f.operandStart[at + 1]; k++) {
      if (f.operandPlace[k] === (NoRegister.SpecialConstant as number) && nameAt(bound, f, k) === name) {
        if (found >= 0) return -1;
        found = k;
      }
      const isValue = at === i && opcodeFact(f.opcodes, f.opcode[at]).isMemory && !isAddressOperand(f, k);
      if (f.operandPlace[k] < 0 || isValue) continue;
      const definition = soleDefinition(reaching, k);
      const from = definition < 0 ? -1 : instructionOf(f, definition);
      if (from < 0 || seen.has(from)) continue;
      seen.add(from);
      pending.push(from);
    }
  }
  return found;
}
