import type { Operand } from '../tree.js';
import { OperandFlag, type OperandSpec } from './operand-pattern.js';
import type { Opcode } from './opcode.js';
import type { TypeOf } from './operands.js';
import {
  classOfName,
  isBitsType,
  isFloatType,
  isIntegerType,
  NameClass,
  spaceNames,
  spaceOfName,
  typeBits,
  typeName,
  typeOfName,
  vectorOfName,
  type TypeId,
} from './types.js';

/** Operands in the words of messages; constants as they are written in `text`, where there is one. */
export function describeOperand(operand: Operand, typeOf: TypeOf, text = ''): string {
  switch (operand.kind) {
    case 'name': {
      const text =
        operand.name.text +
        (operand.component === undefined ? '' : '.' + operand.component.text.replace(/^\./, ''));
      const name = typeOf(operand);
      switch (classOfName(name)) {
        case NameClass.SpecialRegister:
          return `special register ${text}`;
        case NameClass.Variable: {
          const space = spaceOfName(name);
          return `'${text}' (a ${space > 0 ? `.${spaceNames[space]} ` : ''}variable)`;
        }
        case NameClass.Label:
          return `the label '${text}'`;
        case NameClass.Function:
          return `the function '${text}'`;
        case NameClass.Prototype:
          return `the prototype '${text}'`;
        case NameClass.Targets:
          return `the target list '${text}'`;
        default: {
          const vector = vectorOfName(name);
          const type = typeOfName(name);
          if (type === 0) return `'${text}'`;
          return vector === 0 ? `'${text}'` : `'${text}' (.v${vector} .${typeName(type)})`;
        }
      }
    }
    case 'constant': {
      const { integer, float } = operand.value;
      const written = text.slice(operand.start, operand.end) || String(integer ?? float ?? '');
      return written === '' ? 'a constant' : `the constant ${written}`;
    }
    case 'address':
      return 'an address in brackets';
    case 'vector':
      return 'a braced list';
    case 'list':
      return 'a list in parentheses';
    case 'pair':
      return "a pair 'd|p'";
    case 'not':
      return 'a negated operand';
    case 'sink':
      return "the sink '_'";
    case 'missing':
      return 'nothing';
  }
}

/** What a register must be to hold a type, in words. */
export function wantedRegister(type: TypeId): string {
  const bits = typeBits(type);
  if (typeName(type) === 'pred') return 'a .pred register';
  if (isIntegerType(type)) return `a ${bits}-bit integer register`;
  if (isFloatType(type)) return `a .${typeName(type)} or .b${bits} register`;
  return `a ${bits}-bit register`;
}

/** A type mismatch, and how to get from the one type to the other. */
export function wayOut(
  opcode: Opcode,
  index: number,
  operand: Operand,
  spec: OperandSpec,
  typeOf: TypeOf,
): string {
  if (operand.kind !== 'name')
    return `${opcode.text}: operand ${index + 1} (${spec.name}) has the wrong type`;
  const name = describeOperand(operand, typeOf);
  const given = typeOfName(typeOf(operand));
  const wanted = spec.type;
  const isWritten = (spec.flags & OperandFlag.Written) !== 0;
  if (typeName(given) === 'pred')
    return `${opcode.text}: ${name} is a predicate; use selp.${typeName(wanted)} to turn it into a number`;
  if (typeName(wanted) === 'pred') {
    const verb = isWritten ? 'writes' : 'reads';
    return `${opcode.base} ${verb} a .pred register${isWritten ? '' : ' here'}; ${name} is .${typeName(given)}${isWritten ? '' : ' (setp makes a predicate of it)'}`;
  }
  const place = `${opcode.text}: operand ${index + 1} ${name} is .${typeName(given)}`;
  if (typeBits(given) !== typeBits(wanted)) {
    return `${place} (${typeBits(given)} bits), expected ${typeBits(wanted)} bits${hint(opcode, given, wanted, isWritten)}`;
  }
  const move =
    isFloatType(given) !== isFloatType(wanted) || isBitsType(given)
      ? `; mov.b${typeBits(wanted)} moves the bits, cvt converts the value`
      : '';
  return `${place}, expected ${wantedRegister(wanted)}${move}`;
}

function hint(opcode: Opcode, given: TypeId, wanted: TypeId, isWritten: boolean): string {
  const [from, to] = isWritten ? [wanted, given] : [given, wanted];
  const convertible = (type: TypeId): boolean => isIntegerType(type) || isFloatType(type);
  if (!convertible(from) || !convertible(to)) return '';
  const cvt = `cvt.${isFloatType(from) && isFloatType(to) && typeBits(to) < typeBits(from) ? 'rn.' : ''}${typeName(to)}.${typeName(from)}`;
  const wide = opcode.base === 'add' && typeBits(to) > typeBits(from) ? ' or mad.wide' : '';
  return `; use ${cvt}${wide}`;
}
