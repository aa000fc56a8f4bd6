import { InstructionFlag, OperandFlag, type Function, type OpcodeTable } from '../../../../ir/function.js';
import { NoRegister } from '../../../../ir/place.js';
import { sequenceOfOpcode } from './sequences.js';
import { formsOf, Op, Slots, type Form } from '../fold/forms.js';
import { operandText } from '../operands.js';

/**
 * What the uniform datapath of sm_75 to sm_90 can do: integer arithmetic, logic, shifts and comparisons on one value
 * for the whole warp, with operands from uniform registers, immediates, the constant bank (ULDC) and special
 * registers that do not differ between lanes (S2UR). No floating point, no memory, no shuffles.
 *
 * Measured with ptxas 13.0: one small kernel for each operation, whose result is used by one vector instruction.
 */
export interface Datapath {
  /** The datapath has the operation, or a short sequence for it. */
  readonly isUniform: boolean;
  /** The result is the same in all lanes where the operands are. */
  readonly isPure: boolean;
  /** A load gives all lanes the same where they read one address; not so in local memory, which each has for itself. */
  readonly isSharedLoad: boolean;
  readonly form: Form;
}

/** Operations that `Form` knows by no name of their own. UFLO, UPOPC, UBREV, UPRMT, ULEA, UIADD3. */
const further = new Set(['iadd3', 'lea', 'popc', 'brev', 'bfind', 'prmt']);

const operations = new Set([
  Op.Move,
  Op.Pack,
  Op.ParameterLoad,
  Op.Add,
  Op.Subtract,
  Op.Multiply,
  Op.MultiplyWide,
  Op.MultiplyAdd,
  Op.MultiplyAddWide,
  Op.Negate,
  Op.And,
  Op.Or,
  Op.Xor,
  Op.Not,
  Op.Logic3,
  Op.ShiftLeft,
  Op.ShiftRight,
  Op.Funnel,
  Op.Minimum,
  Op.Maximum,
  Op.Compare,
  Op.Select,
]);

const isInteger = (kind: string): boolean => kind === 'u' || kind === 's' || kind === 'b';

function datapathOf(text: string, form: Form): Datapath {
  const root = text.split('.', 1)[0];
  // the answer of a vote is the warp's
  const isPure = form.isPure || form.op === Op.ParameterLoad || root === 'vote' || root === 'activemask';
  const isSharedLoad = form.op === Op.Load && !text.includes('.local');
  const isWhole = isInteger(form.kind) && form.bits >= 32;
  if (form.op === Op.Convert) {
    const isUniform = isWhole && isInteger(form.fromKind) && form.fromBits >= 32 && !text.includes('.sat');
    return { isUniform, isPure, isSharedLoad, form };
  }
  const isKnown = operations.has(form.op) || further.has(root) || (root === 'mul' && text.includes('.hi'));
  return { isUniform: isKnown && isWhole, isPure, isSharedLoad, form };
}

const cache = new WeakMap<OpcodeTable, Datapath[]>();

/** By opcode number; the text is looked at once in the table's life. */
export function datapathsOf(opcodes: OpcodeTable): (opcode: number) => Datapath {
  let known = cache.get(opcodes);
  if (!known) cache.set(opcodes, (known = []));
  const found = known;
  const forms = formsOf(opcodes);
  return (opcode) => (found[opcode] ??= datapathOf(opcodes.text(opcode), forms(opcode)));
}

/** Special registers that differ between the lanes of a warp. */
const laneDependent = /^%(?:tid|laneid|lanemask)/;

/** Whether a source that is no register is the same in all lanes. */
export function isSameInAllLanes(f: Function, operand: number): boolean {
  const place = f.operandPlace[operand] as NoRegister;
  if (place === NoRegister.Immediate || place === NoRegister.Symbol) return true;
  if (place !== NoRegister.SpecialConstant) return false;
  const name = operandText(f, operand);
  return name !== '' && !laneDependent.test(name);
}

/** A source that takes the one field for constants of a vector instruction; zero is a register (RZ). */
export function takesField(f: Function, instruction: number, operand: number): boolean {
  switch (f.operandPlace[operand] as NoRegister) {
    case NoRegister.Symbol:
    case NoRegister.SpecialConstant:
      return true;
    case NoRegister.Immediate: {
      const n = operand - f.operandStart[instruction];
      return operandText(f, operand) !== '0' && !hasOwnField(f.opcodes.text(f.opcode[instruction]), n);
    }
    default:
      return false;
  }
}

/** Numbers with fields of their own: the table of LOP3, the shift of LEA. */
const hasOwnField = (text: string, operand: number): boolean =>
  (operand === 4 && text === 'lop3.b32') || (operand === 2 && text.startsWith('lea.'));

/**
 * Whether a vector instruction can read operand `o` from a uniform register, if nothing else takes the field: where a
 * constant can stand, but not as the value that is shifted. A sequence of instructions such as a division wants its
 * operands in vector registers.
 */
export function hasUniformField(f: Function, i: number, o: number, { op, slots }: Form): boolean {
  if (op === Op.Pure && sequenceOfOpcode(f.opcodes, f.opcode[i]).temporaries > 0) return false;
  if (slots !== Slots.One || (f.operandFlags[o] & (OperandFlag.Guard | OperandFlag.Address)) !== 0)
    return false;
  if ((f.instructionFlags[i] & (InstructionFlag.Branch | InstructionFlag.Call)) !== 0) return false;
  const isShift = op === Op.ShiftLeft || op === Op.ShiftRight || op === Op.Funnel;
  return !(isShift && o === f.operandStart[i] + 1);
}
