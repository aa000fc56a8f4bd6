import type { Problem } from '../../../text/problem.js';
import { count } from '../../../text/words.js';
import type { Instruction, Operand } from '../tree.js';
import type { CheckFailure } from './checks.js';
import { describeOperand, wayOut } from './describe-operand.js';
import { floatBits, operandFixes } from './fixes.js';
import { gateProblem } from './gates.js';
import type { Match, MatchEnvironment } from './match.js';
import { OperandFlag, Shape, type OperandSpec } from './operand-pattern.js';
import type { Opcode, ResolvedForm } from './opcode.js';
import { Misfit, misfit, type TypeOf } from './operands.js';
import { spaceNames, typeBits, typeName } from './types.js';

/** Why the operands of an instruction do not fit its opcode: against the form that comes nearest. */
export function explainOperands(
  opcode: Opcode,
  instruction: Instruction,
  typeOf: TypeOf,
  environment: MatchEnvironment,
  text: string,
): Match {
  const { operands } = instruction;
  // A half-typed operand is the parser's to report, and it hides how many there are.
  const isHalfTyped = operands.some((operand) => operand.kind === 'missing') || !instruction.isTerminated;
  const nearest = nearestForm(opcode.forms, operands, typeOf);
  const answer = (problem: Problem | undefined): Match => ({
    form: nearest,
    roles: nearest.roles,
    problems: problem === undefined ? [] : [problem],
  });
  if (operands.length !== nearest.operands.length) {
    if (isHalfTyped) return answer(undefined);
    return answer(countProblem(opcode, instruction));
  }
  for (let i = 0; i < operands.length; i++) {
    const why = misfit(operands[i], nearest.operands[i], typeOf);
    if (why === Misfit.None || why === Misfit.Missing) continue;
    return answer(operandProblem(opcode, nearest, i, operands[i], why, typeOf, text));
  }
  return answer(gateProblem(nearest, instruction, environment));
}

/** The form with the right number of operands, if any, and then with the longest run of fitting ones. */
function nearestForm(
  forms: readonly ResolvedForm[],
  operands: readonly Operand[],
  typeOf: TypeOf,
): ResolvedForm {
  let best = forms[0];
  let bestScore = -Infinity;
  for (const form of forms) {
    let score = -1000 * Math.abs(form.operands.length - operands.length);
    for (let i = 0; i < Math.min(operands.length, form.operands.length); i++) {
      const why = misfit(operands[i], form.operands[i], typeOf);
      if (why === Misfit.None || why === Misfit.Missing) score += 10;
      else if (why === Misfit.Type || why >= Misfit.Kind) score += why === Misfit.Kind ? 0 : 3;
    }
    if (score > bestScore) {
      best = form;
      bestScore = score;
    }
  }
  return best;
}

function countProblem(opcode: Opcode, instruction: Instruction): Problem {
  const given = instruction.operands.length;
  const counts = [...new Set(opcode.forms.map((form) => form.operands.length))].sort((a, b) => a - b);
  const names = opcode.forms.find((form) => form.operands.length === counts[counts.length - 1])!.operands;
  const list =
    counts.length === 1 && names.length > 0 ? ` (${names.map((spec) => spec.name).join(', ')})` : '';
  const number =
    counts.length === 1
      ? String(counts[0])
      : `${counts.slice(0, -1).join(', ')} or ${counts[counts.length - 1]}`;
  const plural = counts.length === 1 && counts[0] === 1 ? 'operand' : 'operands';
  const takes =
    counts.length === 1 && counts[0] === 0 ? 'takes no operand' : `takes ${number} ${plural}${list}`;
  const last = instruction.operands[given - 1];
  const tooMany = given > counts[counts.length - 1];
  return {
    code: 'isa/operand-count',
    severity: 'error',
    span:
      tooMany && last !== undefined
        ? { start: instruction.operands[counts[counts.length - 1]].start, end: last.end }
        : { start: instruction.opcode.start, end: instruction.opcode.end },
    message: `${opcode.base} ${takes}; ${given === 0 ? 'none was' : given === 1 ? '1 was' : `${given} were`} given${opcode.base === 'ret' ? ': values are returned through the return parameters' : ''}`,
  };
}

export function explainCheck(instruction: Instruction, failure: CheckFailure): Problem {
  const at = instruction.operands[failure.operand] ?? instruction.opcode;
  return {
    code: failure.code ?? 'isa/operand',
    severity: 'error',
    span: { start: at.start, end: at.end },
    message: failure.message,
  };
}

function operandProblem(
  opcode: Opcode,
  form: ResolvedForm,
  index: number,
  operand: Operand,
  why: Misfit,
  typeOf: TypeOf,
  text: string,
): Problem {
  const spec = form.operands[index];
  const fault = faultyPart(operand, spec, typeOf);
  const code =
    why === Misfit.Type ? 'type/mismatch' : why === Misfit.AddressWidth ? 'type/address' : 'isa/operand';
  const fixes = text === '' ? [] : operandFixes(fault.operand, fault.spec, why, typeOf, text);
  return {
    code,
    severity: 'error',
    span: { start: fault.operand.start, end: fault.operand.end },
    message: message(opcode, index, fault.operand, fault.spec, why, typeOf, text),
    ...(fixes.length > 0 && { fixes }),
  };
}

/** The element of a vector, pair or address that is at fault, or the operand itself. */
function faultyPart(
  operand: Operand,
  spec: OperandSpec,
  typeOf: TypeOf,
): { operand: Operand; spec: OperandSpec } {
  const scalar = {
    ...spec,
    count: 1,
    flags: spec.flags & ~(OperandFlag.PairOptional | OperandFlag.PairRequired),
  };
  if (operand.kind === 'vector' && spec.shape === Shape.Value && operand.elements.length === spec.count) {
    for (const element of operand.elements)
      if (misfit(element, scalar, typeOf) !== Misfit.None) return { operand: element, spec: scalar };
  }
  if (operand.kind === 'pair') {
    if (misfit(operand.first, scalar, typeOf) !== Misfit.None)
      return { operand: operand.first, spec: scalar };
    return { operand: operand.second, spec: scalar };
  }
  if (operand.kind === 'address' && spec.shape === Shape.Address) {
    for (let i = 0; i < operand.more.length && i + 1 < spec.elements.length; i++)
      if (misfit(operand.more[i], spec.elements[i + 1], typeOf) !== Misfit.None)
        return faultyPart(operand.more[i], spec.elements[i + 1], typeOf);
  }
  return { operand, spec };
}

function message(
  opcode: Opcode,
  index: number,
  operand: Operand,
  spec: OperandSpec,
  why: Misfit,
  typeOf: TypeOf,
  text: string,
): string {
  const what = describeOperand(operand, typeOf, text);
  const base =
    operand.kind === 'address' && operand.base !== undefined ? describeOperand(operand.base, typeOf) : what;
  const type = typeName(spec.type);
  const place = `${opcode.text}: operand ${index + 1} (${spec.name})`;
  const isWritten = (spec.flags & OperandFlag.Written) !== 0;
  switch (why) {
    case Misfit.Type:
      return wayOut(opcode, index, operand, spec, typeOf);
    case Misfit.ConstantNotAllowed:
      return isWritten
        ? `destination of ${opcode.base} must be a register, not ${what}`
        : `${place} must be a register, not ${what}`;
    case Misfit.ConstantWanted:
      return `${place} must be a constant, not ${what}`;
    case Misfit.ConstantKind:
      return operand.kind === 'constant' && operand.value.isFloat
        ? `${opcode.text} takes an integer constant here; ${what.replace(/^the constant /, '')} is a floating-point constant`
        : `${opcode.text} takes a floating-point constant here: write ${floatText(operand, spec)}`;
    case Misfit.ConstantRange:
      return `${place} must be ${bounds(spec)}; ${what.replace(/^the constant /, '')} is outside`;
    case Misfit.ReadOnlyRegister:
      return `${what} is read-only: it cannot be the destination of ${opcode.base}`;
    case Misfit.SpecialRegister:
      return `${opcode.base} cannot read ${what} directly: move it to a register with mov first`;
    case Misfit.VectorWanted:
      return `${opcode.text} needs a braced list of ${count(spec.count, 'register')} here, not ${what}`;
    case Misfit.VectorSize:
      return operand.kind === 'vector'
        ? `${opcode.text} needs ${count(spec.count, 'register')} in braces; ${count(operand.elements.length, 'was', 'were')} given`
        : spec.count === 1
          ? `${what} is a vector: ${opcode.text} needs one of its components, such as .x`
          : `${opcode.text} needs ${count(spec.count, 'register')} here; ${what} does not have as many`;
    case Misfit.SinkNotAllowed:
      return `${opcode.base} cannot discard its result: '_' is not allowed here`;
    case Misfit.PairNotAllowed:
      return `${opcode.text} has no second destination: '|' is not allowed here`;
    case Misfit.PairWanted:
      return `${opcode.text} needs two destinations, ${spec.name}|p`;
    case Misfit.NotNotAllowed:
      return `'!' stands only before predicates that are read; ${place} cannot be negated`;
    case Misfit.MinusNotAllowed:
      return `${opcode.base} does not negate an operand: use neg or sub first, or write a negative constant`;
    case Misfit.AddressWanted:
      return `${opcode.base} needs an address in brackets${operand.kind === 'name' ? `: [${operand.name.text}]` : ''}`;
    case Misfit.Space:
      return spec.spaces === 1
        ? `${base} has no generic address that ${opcode.base} may name: add its state space to the opcode`
        : `${base} is not in ${spaceList(spec.spaces)}, where ${opcode.text} accesses memory`;
    case Misfit.ImmediateAddress:
      return `a constant address is allowed only in .local; move it to a register first`;
    case Misfit.AddressRegister:
      return `an address must be in an integer register; ${base} is not`;
    case Misfit.AddressWidth:
      return operand.kind === 'address'
        ? `${opcode.text}: the address '${operand.base?.kind === 'name' ? operand.base.name.text : ''}' has 32 bits; ${wideAddresses}: use a .u64 register (cvt.u64.u32 widens)`
        : `${opcode.text}: the address of ${what} does not fit in 32 bits; ${wideAddresses}: use mov.u64 and a .u64 register`;
    case Misfit.VectorMixed:
      return `the elements of a vector must have one width and one kind: integers and floats do not mix in ${opcode.text}`;
    case Misfit.BracesNotAllowed:
      return `${opcode.base} takes no braces: write the register alone`;
    case Misfit.SymbolNotAllowed:
      return `${place} must be a register; move the address of ${what} to one with mov${type === '' ? '' : ` first`}`;
    default:
      return `${place} cannot be ${what}; ${expected(spec)} is wanted`;
  }
}

const wideAddresses = 'addresses in .global and generic memory have 64';

const bounds = (spec: OperandSpec): string =>
  spec.values?.join(' or ') ?? (spec.low === spec.high ? String(spec.low) : `${spec.low}..${spec.high}`);

function floatText(operand: Operand, spec: OperandSpec): string {
  const integer = operand.kind === 'constant' ? operand.value.integer : undefined;
  if (integer === undefined)
    return typeBits(spec.type) === 64 ? '1.0 or 0d3FF0000000000000' : '1.0 or 0f3F800000';
  const value = Number(integer);
  const plain = Number.isSafeInteger(value) ? `${value}.0 or ` : '';
  return plain + floatBits(value, typeBits(spec.type) === 64);
}

const spaceList = (spaces: number): string =>
  spaceNames.flatMap((name, bit) => ((spaces & (1 << bit)) !== 0 ? [`.${name}`] : [])).join(' or ');

function expected(spec: OperandSpec): string {
  switch (spec.shape) {
    case Shape.Label:
      return 'a label';
    case Shape.Function:
      return 'a function';
    case Shape.List:
      return 'a list in parentheses';
    case Shape.Targets:
      return 'the label of a .branchtargets list';
    case Shape.Prototype:
      return 'the label of a .callprototype or .calltargets';
    case Shape.Address:
      return 'an address in brackets';
    default:
      return spec.count > 1
        ? `a braced list of ${spec.count}`
        : spec.type === 0
          ? 'a register'
          : `a .${typeName(spec.type)}`;
  }
}
