import { InstructionFlag, OperandFlag } from '../../../ir/function.js';
import { NoRegister } from '../../../ir/place.js';
import {
  addFlag,
  addOperand,
  addPhysical,
  addRegister,
  definition,
  isPartial,
  registerOf,
  type Emitter,
} from './emit.js';
import { flagText, headText } from './head.js';
import { conditionOf, flagsOf, selectionName } from './opcodes.js';
import { typeOf } from './selection.js';
import type { FlagName, Operand, PhysicalOperand, RegisterOperand, SelectionLine } from './tree.js';
import { immediateText, typeBytes } from './values.js';

/** One line of the selection as an instruction of `ir/`, in the canonical form. */
export function lowerSelection(
  e: Emitter,
  line: SelectionLine,
  written: FlagName | undefined,
  target: number | undefined,
): void {
  const { opcode, predicate, width } = line;
  const suffix = line.suffix?.text ?? '';
  const test = conditionOf(opcode.text, suffix);
  const isSelection = opcode.text === 'SEL' || opcode.text === 'SEL_CMP';
  const name = opcode.text === 'SEL_CMP' && test !== undefined ? 'sel' : selectionName(opcode.text, suffix);
  // a selection with a condition compares and writes no flag; what wrote one without a test is a macro
  const flag = isSelection ? undefined : written;
  const condition = isSelection
    ? test === undefined
      ? undefined
      : `${test}.f0.0`
    : flag === undefined
      ? undefined
      : `${test ?? 'nz'}.${flagWord(flag)}`;
  const text = headText({
    name,
    width,
    saturates: line.saturates,
    condition,
    predicate:
      predicate === undefined
        ? undefined
        : `${predicate.isInverse ? '-' : '+'}${flagWord(predicate.flag)}${predicate.mode === '' ? '' : `.${predicate.mode}`}`,
    noMask: line.noMask,
    group: line.group,
    writesAccumulator: line.writesAccumulator,
    target,
  });
  const constant =
    opcode.text === 'MOV' && predicate === undefined && line.sources.at(0)?.kind === 'immediate'
      ? InstructionFlag.Constant
      : 0;
  e.builder.instruction(text, flagsOf(opcode.text) | constant, line.start, line.end);
  const isPredicated = predicate !== undefined && opcode.text !== 'SEL';
  for (const operand of line.destinations) addDestination(e, line, operand, isPredicated);
  for (const operand of line.sources) addSource(e, width, operand);
  if (predicate !== undefined) addFlag(e, predicate.flag, OperandFlag.Use | OperandFlag.Guard, predicate);
  if (flag !== undefined) addFlag(e, flag, definition(false, isPredicated), opcode);
}

const flagWord = (flag: FlagName): string => (flag.kind === 'physical' ? flagText(flag.number) : 'v');

function addDestination(e: Emitter, line: SelectionLine, operand: Operand, isPredicated: boolean): void {
  const { width } = line;
  switch (operand.kind) {
    case 'register': {
      const type = typeOf(operand) ?? 'UD';
      const stride = operand.region.at(0) ?? 1;
      const r = registerOf(e, operand.register.number);
      const flags = definition(isPartial(e, r, type, stride, width, operand.byte), isPredicated);
      addRegister(
        e,
        operand.register.number,
        flags,
        regionText(operand, 'v', strideText(stride), type),
        operand,
      );
      return;
    }
    case 'physical': {
      const type = typeOf(operand) ?? 'UD';
      const stride = operand.region.at(0) ?? 1;
      const bytes = width * typeBytes(type) * Math.max(1, stride);
      const isPart = operand.byte > 0 || bytes % 32 !== 0;
      const text = regionText(operand, `g${operand.grf}`, strideText(stride), type);
      const flags = definition(isPart, isPredicated);
      addPhysical(e, operand.grf, flags, text, operand, Math.max(0, operand.byte), bytes);
      return;
    }
    case 'file': {
      const type = operand.type === '' ? typeOfSource(line) : (typeOf(operand) ?? 'UD');
      const isNull = operand.file !== 'acc';
      const place = isNull ? NoRegister.Sink : NoRegister.SpecialVolatile;
      addOperand(e, place, OperandFlag.Definition, isNull ? `null:${type}` : `acc0:${type}`, operand);
      return;
    }
    case 'immediate':
    case 'bad':
      return;
  }
}

/** The type of the first source: that of a comparison without a result. */
function typeOfSource({ sources }: SelectionLine): string {
  const first = sources.at(0);
  const type = first === undefined ? undefined : typeOf(first);
  return type === undefined || type === '' ? 'UD' : type;
}

function addSource(e: Emitter, width: number, operand: Operand): void {
  switch (operand.kind) {
    case 'register': {
      const type = typeOf(operand) ?? 'UD';
      const text = regionText(operand, 'v', sourceRegion(operand.region), type);
      addRegister(e, operand.register.number, OperandFlag.Use, text, operand);
      return;
    }
    case 'physical': {
      const type = typeOf(operand) ?? 'UD';
      const stride = sourceStride(operand.region);
      const bytes = stride === 0 ? typeBytes(type) : width * typeBytes(type) * Math.max(1, stride);
      const text = regionText(operand, `g${operand.grf}`, sourceRegion(operand.region), type);
      addPhysical(e, operand.grf, OperandFlag.Use, text, operand, Math.max(0, operand.byte), bytes);
      return;
    }
    case 'file': {
      const type = typeOf(operand) ?? '';
      if (operand.file === 'acc')
        addOperand(
          e,
          NoRegister.SpecialVolatile,
          OperandFlag.Use,
          `acc0:${type === '' ? 'UD' : type}`,
          operand,
        );
      else if (operand.file === 'null')
        addOperand(
          e,
          NoRegister.SpecialConstant,
          OperandFlag.Use,
          `null:${type === '' ? 'UD' : type}`,
          operand,
        );
      // which of the architecture registers it is, the dump does not say
      else addOperand(e, NoRegister.SpecialVolatile, OperandFlag.Use, 'word:arf', operand);
      return;
    }
    case 'immediate': {
      const type = typeOf(operand) ?? 'UD';
      addOperand(e, NoRegister.Immediate, OperandFlag.Use, immediateText(operand.text || '0', type), operand);
      return;
    }
    case 'bad':
      return;
  }
}

function regionText(
  operand: RegisterOperand | PhysicalOperand,
  file: string,
  region: string,
  type: string,
): string {
  const { negate, absolute, byte } = operand;
  const bar = absolute ? '|' : '';
  return `${negate ? '-' : ''}${bar}${file}${byte > 0 ? `+${byte}` : ''}${bar}${region}:${type}`;
}

const strideText = (stride: number): string => (stride === 1 ? '' : `<${stride}>`);

/** Stride of a source's region where one number says it, else -1. */
function sourceStride(region: readonly number[]): number {
  if (region.length < 3) return region.at(-1) ?? 1;
  const [vertical, width, horizontal] = region;
  if (vertical === 0 && (horizontal === 0 || width === 1)) return 0;
  if (width === 1) return vertical;
  return vertical === width * horizontal ? horizontal : -1;
}

function sourceRegion(region: readonly number[]): string {
  const stride = sourceStride(region);
  return stride < 0 ? `<${region.slice(0, 3).join(',')}>` : strideText(stride);
}
