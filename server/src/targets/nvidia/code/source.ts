import { functionWith, InstructionFlag, OperandFlag, type Function } from '../../../ir/function.js';
import { NoRegister } from '../../../ir/place.js';
import { codeOf, withAttributes } from '../../../ir/same-code.js';
import { classify } from '../classify.js';
import { machineClasses } from './code.js';

/**
 * The source as the machine's back-end begins with it: copies marked, operands bounded, the machine's register
 * classes. Numbers stay what they are.
 */
export function machineSource(written: Function): Function {
  const code = codeOf(written);
  let source = sources.get(code);
  if (source === undefined) sources.set(code, (source = sourceOf(code)));
  return withAttributes(source, written.attributes);
}

const sources = new WeakMap<Function, Function>();

const sourceOf = (written: Function): Function =>
  functionWith(machineCopies(boundOperands(written)), { classes: machineClasses });

/** More registers than any instruction of the machine names (tcgen05 and wgmma name up to 256). */
const MOST_OPERANDS = 1024;

/**
 * The same function, in which the operands of an instruction behind the 1024th count as not known: text can name more
 * registers at once than there could ever be places. (`hw/operands` reports the instruction all the same.)
 */
function boundOperands(f: Function): Function {
  let operandPlace: Int32Array | undefined;
  for (let i = 0; i < f.instructionCount; i++) {
    const first = f.operandStart[i] + MOST_OPERANDS;
    if (first >= f.operandStart[i + 1]) continue;
    operandPlace ??= f.operandPlace.slice();
    operandPlace.fill(NoRegister.Unknown, first, f.operandStart[i + 1]);
  }
  return operandPlace ? functionWith(f, { operandPlace }) : f;
}

/** The same function, in which what copies on this machine is marked as a copy. */
function machineCopies(f: Function): Function {
  let instructionFlags: Uint16Array | undefined;
  for (let i = 0; i < f.instructionCount; i++) {
    if (classify(f.opcodes, f.opcode[i]).isCopy !== true || !isPlainCopy(f, i)) continue;
    instructionFlags ??= f.instructionFlags.slice();
    instructionFlags[i] |= InstructionFlag.Copy;
  }
  return instructionFlags ? functionWith(f, { instructionFlags }) : f;
}

/** One register written whole and unconditionally from one register of the same kind. */
function isPlainCopy(f: Function, i: number): boolean {
  const o = f.operandStart[i];
  if (f.operandStart[i + 1] - o !== 2) return false;
  const [to, from] = [f.operandPlace[o], f.operandPlace[o + 1]];
  return (
    to >= 0 &&
    from >= 0 &&
    f.operandFlags[o] === OperandFlag.Definition &&
    f.operandFlags[o + 1] === OperandFlag.Use &&
    f.registerClass[to] === f.registerClass[from] &&
    f.registerWidth[to] === f.registerWidth[from] &&
    f.operandWidth[o] === f.registerWidth[to] &&
    f.operandWidth[o + 1] === f.registerWidth[from]
  );
}
