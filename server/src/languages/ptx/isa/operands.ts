import type { AddressOperand, Constant, NameOperand, Operand } from '../tree.js';
import { OperandFlag, Shape, type OperandSpec } from './operand-pattern.js';
import {
  accepts,
  acceptsWider,
  classOfName,
  isBitsType,
  isCarriedType,
  isFloatType,
  isIntegerType,
  NameClass,
  spaceOfName,
  typeBits,
  typeId,
  typeOfName,
  vectorOfName,
  type NameType,
} from './types.js';

/** What a name stands for, packed (types.ts); 0 when it is not declared. A component (`v.x`, `%tid.x`) gives its own type. */
export type TypeOf = (operand: NameOperand) => NameType;

/** Why an operand does not fit; 0 when it does. */
export const enum Misfit {
  None,
  /** Half typed: the parser has said it. */
  Missing,
  Kind,
  Type,
  /** A constant where a register must stand. */
  ConstantNotAllowed,
  ConstantWanted,
  ConstantKind,
  ConstantRange,
  ReadOnlyRegister,
  SpecialRegister,
  VectorWanted,
  VectorSize,
  SinkNotAllowed,
  PairNotAllowed,
  PairWanted,
  NotNotAllowed,
  MinusNotAllowed,
  AddressWanted,
  Space,
  ImmediateAddress,
  AddressRegister,
  /** 32 bits where an address has 64. */
  AddressWidth,
  SymbolNotAllowed,
  BracesNotAllowed,
  VectorMixed,
}

const predicate = typeId('pred');
const f16x2 = typeId('f16x2');

/** Whether an operand fits its specification. Allocates nothing. */
export function misfit(operand: Operand, spec: OperandSpec, typeOf: TypeOf): Misfit {
  if (operand.kind === 'missing') return Misfit.Missing;
  switch (spec.shape) {
    case Shape.Value:
      return operand.kind === 'pair'
        ? pairMisfit(operand.first, operand.second, spec, typeOf)
        : plain(operand, spec, typeOf);
    case Shape.Address:
      return addressMisfit(operand, spec, typeOf);
    case Shape.Any:
      return Misfit.None;
    case Shape.List:
      return operand.kind === 'list' ? Misfit.None : Misfit.Kind;
    default:
      return nameMisfit(operand, spec, typeOf);
  }
}

function plain(operand: Operand, spec: OperandSpec, typeOf: TypeOf): Misfit {
  if ((spec.flags & OperandFlag.PairRequired) !== 0) return Misfit.PairWanted;
  if (spec.count > 1) return vectorMisfit(operand, spec, typeOf);
  if (operand.kind === 'vector') {
    if (operand.elements.length !== 1) return Misfit.VectorSize;
    if ((spec.flags & OperandFlag.Braces) === 0) return Misfit.BracesNotAllowed;
    return elementsMisfit(operand.elements, spec, typeOf);
  }
  return scalarMisfit(operand, spec, typeOf);
}

function pairMisfit(first: Operand, second: Operand, spec: OperandSpec, typeOf: TypeOf): Misfit {
  if ((spec.flags & (OperandFlag.PairOptional | OperandFlag.PairRequired)) === 0)
    return Misfit.PairNotAllowed;
  if (first.kind === 'missing' || second.kind === 'missing') return Misfit.Missing;
  if (second.kind === 'name') {
    const name = typeOf(second);
    const nameClass = classOfName(name);
    if (
      nameClass !== NameClass.Unknown &&
      (nameClass !== NameClass.Register || typeOfName(name) !== predicate)
    )
      return Misfit.Type;
  } else if (second.kind !== 'sink') return Misfit.Kind;
  if (first.kind === 'sink' && spec.count === 1) return Misfit.None;
  return spec.count > 1 ? vectorMisfit(first, spec, typeOf) : scalarMisfit(first, spec, typeOf);
}

function scalarMisfit(operand: Operand, spec: OperandSpec, typeOf: TypeOf): Misfit {
  switch (operand.kind) {
    case 'missing':
      return Misfit.Missing;
    case 'name': {
      if (isReference(spec.type)) return referenceMisfit(typeOf(operand), spec);
      if (operand.index !== undefined)
        return spec.flags & OperandFlag.Symbol ? Misfit.None : Misfit.SymbolNotAllowed;
      const name = typeOf(operand);
      switch (classOfName(name)) {
        case NameClass.Unknown:
          return operand.name.text === 'WARP_SZ' && (spec.flags & OperandFlag.Written) !== 0
            ? Misfit.ConstantNotAllowed
            : Misfit.None;
        case NameClass.Register:
          if ((spec.flags & OperandFlag.ConstantOnly) !== 0) return Misfit.ConstantWanted;
          if (vectorOfName(name) !== 0) return Misfit.VectorSize;
          return registerFits(spec, typeOfName(name)) ? Misfit.None : Misfit.Type;
        case NameClass.SpecialRegister:
          if ((spec.flags & OperandFlag.Written) !== 0) return Misfit.ReadOnlyRegister;
          if ((spec.flags & OperandFlag.Special) === 0) return Misfit.SpecialRegister;
          if (vectorOfName(name) !== 0) return Misfit.VectorSize;
          return specialFits(spec, typeOfName(name)) ? Misfit.None : Misfit.Type;
        case NameClass.Label:
          return Misfit.Kind;
        default:
          if ((spec.flags & OperandFlag.Symbol) === 0) return Misfit.SymbolNotAllowed;
          if (spec.spaces !== 0 && (spec.spaces & (1 << spaceOfName(name))) === 0) return Misfit.Space;
          return symbolMisfit(operand, name, spec);
      }
    }
    case 'constant':
      return constantMisfit(operand.value, spec);
    case 'not':
      if ((spec.flags & (operand.operator === '!' ? OperandFlag.Negatable : OperandFlag.Minus)) === 0)
        return operand.operator === '!' ? Misfit.NotNotAllowed : Misfit.MinusNotAllowed;
      return scalarMisfit(operand.operand, spec, typeOf);
    case 'sink':
      return (spec.flags & OperandFlag.Sink) !== 0 && (spec.flags & OperandFlag.Braces) === 0
        ? Misfit.None
        : Misfit.SinkNotAllowed;
    default:
      return Misfit.Kind;
  }
}

const registerFits = (spec: OperandSpec, type: number): boolean =>
  spec.type === 0 ||
  type === 0 ||
  (((spec.flags & OperandFlag.Wider) !== 0 ? acceptsWider(spec.type, type) : accepts(spec.type, type)) &&
    (type !== f16x2 || (spec.flags & OperandFlag.Fixed) === 0 || !isIntegerType(spec.type)) &&
    (type === spec.type || (spec.flags & OperandFlag.Exact) === 0));

/** A 32-bit special register may also be read by a 16-bit instruction: its low half. */
const specialFits = (spec: OperandSpec, type: number): boolean =>
  registerFits(spec, type) || (typeBits(type) === 32 && typeBits(spec.type) < 32 && !isFloatType(spec.type));

/**
 * An address is an integer; one narrower than 64 bits is cut off. That of a .global variable is not cut to 32 bits,
 * for ptxas takes that for 32-bit code; but it does cut a sum, and to 16 bits.
 */
function symbolMisfit(operand: NameOperand, name: NameType, spec: OperandSpec): Misfit {
  if (spec.type === 0) return Misfit.None;
  const bits = typeBits(spec.type);
  if (!(isIntegerType(spec.type) || isBitsType(spec.type)) || bits < 16) return Misfit.Type;
  const isGlobal = classOfName(name) === NameClass.Variable && spaceOfName(name) === global;
  return isGlobal && bits === 32 && operand.offset === undefined ? Misfit.AddressWidth : Misfit.None;
}

function constantMisfit(value: Constant, spec: OperandSpec): Misfit {
  if ((spec.flags & (OperandFlag.RegisterOnly | OperandFlag.Written)) !== 0) return Misfit.ConstantNotAllowed;
  const { type } = spec;
  if (isCarriedType(type) || (isFloatType(type) && !isPlainFloat(type))) return Misfit.ConstantNotAllowed;
  if (value.isFloat) {
    if (type === 0 || isPlainFloat(type)) return Misfit.None;
    // A float constant is a bit pattern too, for .bN of its width.
    return isBitsType(type) && value.floatWidth === typeBits(type) ? Misfit.None : Misfit.ConstantKind;
  }
  if (isPlainFloat(type)) return Misfit.ConstantKind;
  if (
    spec.low !== undefined &&
    value.integer !== undefined &&
    (value.integer < spec.low || value.integer > spec.high!)
  )
    return Misfit.ConstantRange;
  if (spec.values !== undefined && value.integer !== undefined && !spec.values.includes(value.integer))
    return Misfit.ConstantRange;
  return Misfit.None;
}

const f32 = typeId('f32');
const f64 = typeId('f64');
/** f32 and f64 alone have constants. */
const isPlainFloat = (type: number): boolean => type === f32 || type === f64;

function vectorMisfit(operand: Operand, spec: OperandSpec, typeOf: TypeOf): Misfit {
  if (operand.kind === 'name' && operand.component === undefined) {
    const name = typeOf(operand);
    if (classOfName(name) === NameClass.Unknown) return Misfit.None;
    if (vectorOfName(name) === 0) return Misfit.VectorWanted;
    if (vectorOfName(name) !== spec.count) return Misfit.VectorSize;
    return vectorFits(spec, typeOfName(name));
  }
  if (operand.kind === 'sink' && (spec.flags & OperandFlag.WholeSink) !== 0) return Misfit.None;
  if (operand.kind !== 'vector') return Misfit.VectorWanted;
  if (operand.elements.length !== spec.count) return Misfit.VectorSize;
  return elementsMisfit(operand.elements, spec, typeOf);
}

/**
 * A braced list has one type, which its elements make together, and only that type must fit: one `.b32` register
 * lets all others of 32 bits stand in the list, and a constant takes the type of the registers around it. Of
 * neighbours, one must be bits or both of one kind.
 */
function elementsMisfit(elements: readonly Operand[], spec: OperandSpec, typeOf: TypeOf): Misfit {
  let type = 0;
  let previous = 0;
  let constant: Constant | undefined;
  let sinks = 0;
  for (const element of elements) {
    if (element.kind === 'sink') {
      if ((spec.flags & OperandFlag.Sink) === 0) return Misfit.SinkNotAllowed;
      sinks++;
      continue;
    }
    const why = elementMisfit(element, spec, typeOf);
    if (why !== Misfit.None) return why;
    if (element.kind === 'constant') constant ??= element.value;
    const next = elementType(element, typeOf);
    if (next === 0) continue;
    if (previous !== 0 && !mayBeNeighbours(previous, next)) return mixedMisfit(elements, spec, typeOf);
    type = joined(type, next);
    previous = next;
  }
  if (sinks === elements.length) return Misfit.SinkNotAllowed;
  switch (type) {
    case 0:
    case anyWidth:
      return Misfit.None;
    case integerElement:
    case floatElement:
      return constant === undefined ? Misfit.None : constantMisfit(constant, spec);
    default:
      return vectorFits(spec, type);
  }
}

/** An element that would not fit alone tells more than that the elements do not go together. */
function mixedMisfit(elements: readonly Operand[], spec: OperandSpec, typeOf: TypeOf): Misfit {
  for (const element of elements) if (scalarMisfit(element, spec, typeOf) === Misfit.Type) return Misfit.Type;
  return Misfit.VectorMixed;
}

/** What an element may be, its type apart. Special registers may stand here even where they may not stand alone. */
function elementMisfit(element: Operand, spec: OperandSpec, typeOf: TypeOf): Misfit {
  switch (element.kind) {
    case 'name': {
      const name = typeOf(element);
      const isWritten = (spec.flags & OperandFlag.Written) !== 0;
      switch (classOfName(name)) {
        case NameClass.Register:
          if (vectorOfName(name) !== 0) return Misfit.VectorSize;
          return typeOfName(name) === predicate && spec.type !== predicate ? Misfit.Type : Misfit.None;
        case NameClass.SpecialRegister:
          if (isWritten) return Misfit.ReadOnlyRegister;
          return vectorOfName(name) === 0 ? Misfit.None : Misfit.VectorSize;
        default:
          return scalarMisfit(element, spec, typeOf);
      }
    }
    case 'constant':
      return (spec.flags & OperandFlag.Written) === 0 ? Misfit.None : Misfit.ConstantNotAllowed;
    default:
      return scalarMisfit(element, spec, typeOf);
  }
}

/** Constants among the types of elements, and an integer one before registers, whose width no longer counts. */
const integerElement = -1;
const floatElement = -2;
const anyWidth = -3;

/** The type that an element brings with it to its vector; 0 for what adapts. */
function elementType(element: Operand, typeOf: TypeOf): number {
  if (element.kind === 'constant') return element.value.isFloat ? floatElement : integerElement;
  return element.kind === 'name' ? typeOfName(typeOf(element)) : 0;
}

/** A constant stands beside registers of its kind, whatever their width. */
function mayBeNeighbours(a: number, b: number): boolean {
  if (a < 0 || b < 0) return isLikeConstant(a, b < 0 ? b : a) && isLikeConstant(b, a < 0 ? a : b);
  if (typeBits(a) !== typeBits(b)) return false;
  return a === b || isBitsType(a) || isBitsType(b) || (isIntegerType(a) && isIntegerType(b));
}

const isLikeConstant = (type: number, constant: number): boolean =>
  type === constant ||
  (type > 0 && (isBitsType(type) || (constant === floatElement ? isPlainFloat(type) : isIntegerType(type))));

/** The type of a vector after one more element: bits win, and a constant gives way. */
function joined(type: number, next: number): number {
  if (type === 0 || (type === floatElement && next !== integerElement)) return next;
  if (type === integerElement && next > 0) return anyWidth;
  return type > 0 && isBitsType(next) ? next : type;
}

/** ptxas takes vectors of integers where `loose` ones of floats are wanted, though not single registers. */
const vectorFits = (spec: OperandSpec, type: number): Misfit =>
  registerFits(spec, type) ||
  ((spec.flags & OperandFlag.Loose) !== 0 &&
    isPlainFloat(spec.type) &&
    isIntegerType(type) &&
    typeBits(type) === typeBits(spec.type))
    ? Misfit.None
    : Misfit.Type;

function addressMisfit(operand: Operand, spec: OperandSpec, typeOf: TypeOf): Misfit {
  if (operand.kind !== 'address') {
    // `ld.global.u32 r, table[2]`: an array element needs no brackets.
    if (operand.kind === 'name' && operand.index !== undefined && spec.elements.length === 1)
      return Misfit.None;
    return Misfit.AddressWanted;
  }
  const base = baseMisfit(operand, spec, typeOf);
  if (base !== Misfit.None) return base;
  if (operand.more.length !== spec.elements.length - 1) return Misfit.Kind;
  for (let i = 0; i < operand.more.length; i++) {
    const why = misfit(operand.more[i], spec.elements[i + 1], typeOf);
    if (why !== Misfit.None) return why;
  }
  return Misfit.None;
}

const global = 2;
const local = 3;
/** Variables that a generic address may name: .global, .shared and .local, but not .const and .param. */
const genericSpaces = 1 | (1 << 2) | (1 << local) | (1 << 5);

/** A texture, sampler or surface may be named by a 64-bit handle. */
const references = ['texref', 'samplerref', 'surfref'].map(typeId);
const isReference = (type: number): boolean => references.includes(type);

/** A texture, sampler or surface: a variable of that type, or a register that holds its handle. */
function referenceMisfit(name: NameType, spec: OperandSpec): Misfit {
  const type = typeOfName(name);
  switch (classOfName(name)) {
    case NameClass.Unknown:
      return Misfit.None;
    case NameClass.Register:
      return vectorOfName(name) === 0 && typeBits(type) === 64 && !isFloatType(type)
        ? Misfit.None
        : Misfit.Type;
    case NameClass.Variable:
      return type === spec.type ? Misfit.None : Misfit.Type;
    default:
      return Misfit.Kind;
  }
}

function baseMisfit(operand: AddressOperand, spec: OperandSpec, typeOf: TypeOf): Misfit {
  const { base } = operand;
  if (base === undefined) return Misfit.Missing;
  if (base.kind === 'constant') {
    if (spec.type !== 0) return Misfit.ImmediateAddress;
    if (spec.spaces === 0 || (spec.spaces & (1 << local)) !== 0) return Misfit.None;
    return Misfit.ImmediateAddress;
  }
  const name = typeOf(base);
  if (isReference(spec.type)) return referenceMisfit(name, spec);
  switch (classOfName(name)) {
    case NameClass.Unknown:
      return Misfit.None;
    case NameClass.Register: {
      const type = typeOfName(name);
      if (spec.type !== 0) return accepts(spec.type, type) ? Misfit.None : Misfit.Type;
      if (type === 0) return Misfit.None;
      const fits = (isIntegerType(type) || isBitsType(type)) && typeBits(type) <= 64;
      if (!fits || vectorOfName(name) !== 0) return Misfit.AddressRegister;
      return (spec.flags & OperandFlag.Wide) !== 0 && typeBits(type) === 32
        ? Misfit.AddressWidth
        : Misfit.None;
    }
    case NameClass.Variable:
      if (spec.spaces === 0 || (spec.spaces & (1 << spaceOfName(name))) !== 0) return Misfit.None;
      return spec.spaces === 1 && (genericSpaces & (1 << spaceOfName(name))) !== 0
        ? Misfit.None
        : Misfit.Space;
    case NameClass.SpecialRegister:
      return isSpecialBase(base, name, spec) ? Misfit.None : Misfit.SpecialRegister;
    default:
      return Misfit.AddressRegister;
  }
}

/** ptxas takes `[%clock64+4]`: any special register that is one integer; `[%tid.x]` is no address. */
function isSpecialBase(base: NameOperand, name: NameType, spec: OperandSpec): boolean {
  const type = typeOfName(name);
  return (
    spec.type === 0 &&
    base.component === undefined &&
    vectorOfName(name) === 0 &&
    (isIntegerType(type) || isBitsType(type))
  );
}

function nameMisfit(operand: Operand, spec: OperandSpec, typeOf: TypeOf): Misfit {
  if (operand.kind !== 'name') return Misfit.Kind;
  const nameClass = classOfName(typeOf(operand));
  if (nameClass === NameClass.Unknown) return Misfit.None;
  switch (spec.shape) {
    case Shape.Label:
      return nameClass === NameClass.Label ? Misfit.None : Misfit.Kind;
    case Shape.Function:
      return nameClass === NameClass.Function || nameClass === NameClass.Register ? Misfit.None : Misfit.Kind;
    case Shape.Targets:
      return nameClass === NameClass.Targets ? Misfit.None : Misfit.Kind;
    case Shape.Prototype:
      return nameClass === NameClass.Prototype ? Misfit.None : Misfit.Kind;
    default:
      return Misfit.None;
  }
}
