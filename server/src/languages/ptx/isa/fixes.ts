import type { Fix } from '../../../text/problem.js';
import type { Span } from '../../../text/span.js';
import type { AddressOperand, Instruction, Operand } from '../tree.js';
import { opcodeOf, type Opcode } from './opcode.js';
import type { OperandSpec } from './operand-pattern.js';
import { Misfit, misfit, type TypeOf } from './operands.js';
import { isBitsType, isIntegerType, typeBits, typeId } from './types.js';

/**
 * Repairs that the instruction tables can prove: each is tried against them before it is offered. A value that is
 * kept as it is makes a repair safe; where the tables allow several, none is.
 */
const spanOf = ({ start, end }: Span): Span => ({ start, end });

/** What to write for one operand that does not fit. `text` is that of the unit. */
export function operandFixes(
  operand: Operand,
  spec: OperandSpec,
  why: Misfit,
  typeOf: TypeOf,
  text: string,
): readonly Fix[] {
  switch (why) {
    case Misfit.AddressWanted:
      return bracketFix(operand, spec, typeOf, text);
    case Misfit.ConstantKind:
      return constantFixes(operand, spec, text);
    default:
      return [];
  }
}

function bracketFix(operand: Operand, spec: OperandSpec, typeOf: TypeOf, text: string): readonly Fix[] {
  if (operand.kind !== 'name' || operand.index !== undefined || operand.component !== undefined) return [];
  const { start, end } = operand;
  const address: AddressOperand = {
    kind: 'address',
    start,
    end,
    base: operand,
    offset: operand.offset,
    more: [],
  };
  if (misfit(address, spec, typeOf) !== Misfit.None) return [];
  const written = `[${text.slice(start, end)}]`;
  return [
    { title: `Write ${written}`, preferred: true, edits: [{ span: { start, end }, newText: written }] },
  ];
}

/** The same value as a constant of the other kind; a hexadecimal integer may be meant as the bits of a float. */
function constantFixes(operand: Operand, spec: OperandSpec, text: string): readonly Fix[] {
  if (operand.kind !== 'constant') return [];
  const { integer, float } = operand.value;
  const written = text.slice(operand.start, operand.end);
  const change = (newText: string, note: string, preferred: boolean): Fix => ({
    title: `Write ${newText}${note}`,
    ...(preferred && { preferred }),
    edits: [{ span: spanOf(operand), newText }],
  });
  if (integer === undefined) {
    const isWhole = float !== undefined && Number.isSafeInteger(float);
    return isWhole && (isIntegerType(spec.type) || isBitsType(spec.type))
      ? [change(String(float), '', false)]
      : [];
  }
  const is64 = typeBits(spec.type) === 64;
  const value = Number(integer);
  const isExact = Number.isSafeInteger(value) && (is64 || Math.fround(value) === value);
  const isHex = /^-?0[xX]/.test(written);
  const fixes: Fix[] = [];
  if (isExact) fixes.push(change(floatBits(value, is64), ` (${value}.0)`, !isHex));
  if (isHex && integer >= 0n && integer < 1n << (is64 ? 64n : 32n)) {
    const digits = integer
      .toString(16)
      .toUpperCase()
      .padStart(is64 ? 16 : 8, '0');
    fixes.push(change((is64 ? '0d' : '0f') + digits, ' (these bits)', false));
  }
  return fixes;
}

/** `0f3F800000` for 1. */
export function floatBits(value: number, is64: boolean): string {
  const view = new DataView(new ArrayBuffer(8));
  if (is64) view.setFloat64(0, value);
  else view.setFloat32(0, value);
  const digits = (at: number): string => view.getUint32(at).toString(16).toUpperCase().padStart(8, '0');
  return is64 ? `0d${digits(0)}${digits(4)}` : `0f${digits(0)}`;
}

const ALTERNATIVES = 8;

/** The opcode with each of the modifiers that may be missing, where that makes an instruction of it. */
export function missingModifierFixes(
  base: string,
  modifiers: readonly string[],
  values: readonly string[],
  span: Span,
): readonly Fix[] {
  if (values.length > ALTERNATIVES) return [];
  const opcodes = values.flatMap((value) => completed(base, modifiers, value) ?? []);
  return opcodes.map((text) => ({
    title: `Write ${text}`,
    ...(opcodes.length === 1 && { preferred: true }),
    edits: [{ span: spanOf(span), newText: text }],
  }));
}

/** Types come last; all else stands before the types. */
function completed(base: string, modifiers: readonly string[], value: string): string | undefined {
  const isType = (name: string): boolean => typeId(name) !== 0;
  const firstType = modifiers.findIndex(isType);
  const usual = isType(value) || firstType < 0 ? modifiers.length : firstType;
  const places = [usual, ...modifiers.keys(), modifiers.length];
  for (const at of places) {
    const text = [base, ...modifiers.slice(0, at), value, ...modifiers.slice(at)].join('.');
    if (opcodeOf(text).forms.length > 0) return text;
  }
  return undefined;
}

/** `shfl.sync` for `shfl`, for all lanes of the warp: right where they arrive together, which only people know. */
export function syncFix({ opcode, operands }: Instruction, base: string): readonly Fix[] {
  const last = operands.at(-1);
  const text = opcode.text.replace(base, `${base}.sync`);
  const made: Opcode = opcodeOf(text);
  if (last === undefined || !made.forms.some((form) => form.operands.length === operands.length + 1))
    return [];
  return [
    {
      title: `Write ${text} for all 32 lanes`,
      edits: [
        { span: spanOf(opcode), newText: text },
        { span: { start: last.end, end: last.end }, newText: ', 0xffffffff' },
      ],
    },
  ];
}
