import { byOpcode } from '../../../../ir/by-opcode.js';
import { InstructionFlag, OperandFlag, type Function } from '../../../../ir/function.js';
import { NoRegister } from '../../../../ir/place.js';
import { isDefinition } from '../../../../passes/occurrences.js';
import { operandText } from '../operands.js';

/**
 * Calls and the parameter memory around them, as they are lowered: `call (results), callee, (arguments), prototype`
 * has its results first, as definitions; a parameter variable is a symbol.
 */
export interface CallSite {
  /** The function that is called, '' when it is in a register. */
  readonly callee: string;
  /** Operand number of the callee, or -1. */
  readonly calleeAt: number;
}

export const isCall = (f: Function, i: number): boolean =>
  (f.instructionFlags[i] & InstructionFlag.Call) !== 0;

/** Whether anything in the function is called. O(instructions). */
export function hasCall(f: Function): boolean {
  for (const flags of f.instructionFlags) if ((flags & InstructionFlag.Call) !== 0) return true;
  return false;
}

/** What instruction `i`, a call, calls. */
export function callSite(f: Function, i: number): CallSite {
  for (let o = f.operandStart[i]; o < f.operandStart[i + 1]; o++) {
    if (isDefinition(f, o)) continue;
    const isSymbol = f.operandPlace[o] === (NoRegister.Symbol as number);
    return { callee: isSymbol ? operandText(f, o) : '', calleeAt: o };
  }
  return { callee: '', calleeAt: -1 };
}

export const enum ParameterAccess {
  None,
  Load,
  Store,
}

const accesses = byOpcode(accessOf);

/** Whether the opcode is a plain load or store of the parameter space. */
export const parameterAccess = (f: Function, i: number): ParameterAccess => accesses(f.opcodes, f.opcode[i]);

function accessOf(opcode: string): ParameterAccess {
  if (/^ld\.param(?:::func)?\./.test(opcode)) return ParameterAccess.Load;
  return /^st\.param(?:::func)?\./.test(opcode) ? ParameterAccess.Store : ParameterAccess.None;
}

/** The parameter variable that a load or store of the parameter space names; '' for a register or a number. */
export function parameterName(f: Function, i: number): string {
  for (let o = f.operandStart[i]; o < f.operandStart[i + 1]; o++)
    if (
      f.operandPlace[o] === (NoRegister.Symbol as number) &&
      (f.operandFlags[o] & OperandFlag.Address) !== 0
    )
      return operandText(f, o);
  return '';
}
