import type { Place } from '../../../ir/place.js';
import { RegisterClassNumber, registerClassOf, registerUnits } from '../types.js';
import type { Entity } from './entities.js';
import { IntList } from '../../../ir/int-list.js';
import { noPayloads, type Payloads } from './payload.js';

/**
 * The instructions of one body with every operand resolved, stored flat while names are bound, so that lowering
 * never looks at a name again. Operands stand in text order, element by element; the guard comes last.
 */
export interface Code {
  readonly opcodes: string[];
  readonly spanStart: IntList;
  readonly spanEnd: IntList;
  readonly operandStart: IntList;
  readonly place: IntList;
  /** Bits of `OperandFlag`. */
  readonly flags: IntList;
  /** By operand: what it says beside its place, a number in `payloads.texts`. */
  readonly payload: IntList;
  readonly payloads: Payloads;
  readonly operandSpanStart: IntList;
  readonly operandSpanEnd: IntList;
  /** Labels that an instruction may jump to, and the ones that were reached, in text order. */
  readonly targets: Map<number, readonly Entity[]>;
  readonly labels: Entity[];
  /** What a memory operand's base stands for where it is no register, by instruction. */
  readonly memory: Map<number, Entity>;
  /** Instructions in front of which `.pragma "nounroll"` stands, ascending. */
  readonly nounroll: IntList;
  readonly registerNames: string[];
  readonly registerClasses: IntList;
  readonly registerWidths: IntList;
}

/** Room for about so many instructions, of three operands each. */
export const emptyCode = (instructions: number): Code => ({
  opcodes: [],
  spanStart: new IntList(instructions),
  spanEnd: new IntList(instructions),
  operandStart: new IntList(instructions),
  place: new IntList(3 * instructions),
  flags: new IntList(3 * instructions),
  payload: new IntList(3 * instructions),
  payloads: noPayloads(),
  operandSpanStart: new IntList(3 * instructions),
  operandSpanEnd: new IntList(3 * instructions),
  targets: new Map(),
  labels: [],
  memory: new Map(),
  nounroll: new IntList(1),
  registerNames: [],
  registerClasses: new IntList(instructions),
  registerWidths: new IntList(instructions),
});

/** Starts an instruction; its operands follow. Returns its number. */
export function addInstruction(code: Code, opcode: string, start: number, end: number): number {
  code.opcodes.push(opcode);
  code.spanStart.push(start);
  code.spanEnd.push(end);
  code.operandStart.push(code.place.length);
  return code.opcodes.length - 1;
}

export function addOperand(
  code: Code,
  place: Place | number,
  flags: number,
  start: number,
  end: number,
  payload = 0,
): void {
  code.place.push(place);
  code.flags.push(flags);
  code.payload.push(payload);
  code.operandSpanStart.push(start);
  code.operandSpanEnd.push(end);
}

const componentSuffixes = ['.x', '.y', '.z', '.w', '.4', '.5', '.6', '.7'];

/** The virtual register of a register name (the first one of a vector), made at its first use. */
export function registerOf(code: Code, e: Entity): number {
  if (e.register >= 0) return e.register;
  e.register = code.registerNames.length;
  const registerClass = registerClassOf(e.type);
  const width = registerClass === RegisterClassNumber.General ? registerUnits(e.type) : 1;
  for (let i = 0; i < e.vector; i++) {
    code.registerNames.push(e.vector === 1 ? e.name : e.name + componentSuffixes[i]);
    code.registerClasses.push(registerClass);
    code.registerWidths.push(width);
  }
  return e.register;
}
