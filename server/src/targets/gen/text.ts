import type { Function } from '../../ir/function.js';
import { bitsToFloat } from '../../ir/payload.js';
import { selects } from './access.js';
import {
  GRF_BYTES,
  XYZW,
  type Dialect,
  type FlagReference,
  type HardwareOperand,
  type ImmediateOperand,
  type Instruction,
  type Operand,
  type OtherOperand,
  type Program,
  type RegisterOperand,
  type Type,
  type VirtualOperand,
} from './program.js';

/**
 * Instructions and operands as text, in the syntax of their dialect (facts B.2, B.3, A.3), with the fields that a
 * dump leaves out as attributes in braces (D.2): what the language can read again.
 */
export interface Writer {
  readonly program: Program;
  /** Where the words of opaque operands stand. */
  readonly source?: Function;
}

export function instructionText(writer: Writer, instruction: Instruction): string {
  const { dialect } = writer.program;
  if (dialect === 'selection') return selectionText(writer, instruction);
  const head = dialect === 'vec4' ? vec4Head(instruction) : scalarHead(instruction);
  const destination = instruction.destinations.map((operand) => operandText(writer, operand, true));
  const sources = instruction.sources.map((operand) => operandText(writer, operand, false));
  const operands = [destination.length === 0 ? '(null):UD' : destination.join(', '), ...sources].join(', ');
  const isBare = instruction.opcode.kind === 'marker' && destination.length === 0 && sources.length === 0;
  return [
    predicateText(instruction) + head + (isBare ? '' : ` ${operands}`),
    ...flagsText(writer.program, instruction),
    ...attributesText(instruction),
  ].join(' ');
}

export const flagText = (flag: FlagReference): string =>
  flag.kind === 'virtual' ? `f%${flag.register}` : `f${flag.flag >> 1}.${flag.flag & 1}`;

function predicateText({ predicate }: Instruction): string {
  if (predicate === undefined) return '';
  const mode = predicate.mode === 'normal' ? '' : `.${predicate.mode}`;
  return `(${predicate.inverse ? '-' : '+'}${flagText(predicate.flag)}${mode}) `;
}

/** The dump names the flag only where a condition is stored in one that the predicate does not name already. */
function modifiers({ saturate, condition, predicate, opcode }: Instruction): string {
  const test = condition === undefined ? '' : `.${condition.test}`;
  const isNamed =
    condition !== undefined &&
    predicate === undefined &&
    !selects(opcode) &&
    opcode.flow !== 'if' &&
    opcode.flow !== 'while';
  return `${saturate ? '.sat' : ''}${test}${isNamed ? `.${flagText(condition.flag)}` : ''}`;
}

const vec4Head = (instruction: Instruction): string =>
  `${instruction.opcode.name}(${instruction.execSize})${modifiers(instruction)}`;

function scalarHead(instruction: Instruction): string {
  const { mlen, exMlen, baseMrf, isEndOfThread } = instruction.message;
  const isPlain = baseMrf < 0 || instruction.opcode.scratch === 'write';
  return [
    `${instruction.opcode.name}${modifiers(instruction)}(${instruction.execSize})`,
    ...(mlen > 0 && isPlain ? [`(mlen: ${mlen})`] : []),
    ...(exMlen > 0 ? [`(ex_mlen: ${exMlen})`] : []),
    ...(isEndOfThread ? ['(EOT)'] : []),
  ].join(' ');
}

function flagsText({ dialect, width }: Program, { noMask, group, execSize }: Instruction): string[] {
  const usual = dialect === 'vec4' ? 8 : width;
  return [...(noMask ? ['NoMask'] : []), ...(execSize === usual ? [] : [`group${group}`])];
}

function attributesText(instruction: Instruction): string[] {
  const { message, opcode } = instruction;
  const isMessage = message.mlen > 0 || opcode.scratch !== undefined;
  const words = [
    ...(message.mlen > 0 ? [`mlen ${message.mlen}`] : []),
    ...(message.exMlen > 0 ? [`ex_mlen ${message.exMlen}`] : []),
    ...(isMessage && message.baseMrf >= 0 ? [`base_mrf ${message.baseMrf}`] : []),
    ...(message.header > 0 ? [`header ${message.header}`] : []),
    ...(message.rlen !== undefined && message.rlen > 0 ? [`rlen ${message.rlen}`] : []),
    ...(message.isEndOfThread ? ['eot'] : []),
    ...(message.scratchOffset === undefined ? [] : [`offset ${message.scratchOffset}`]),
    ...(instruction.noDDClear ? ['NoDDClr'] : []),
    ...(instruction.noDDCheck ? ['NoDDChk'] : []),
    ...(instruction.writesAccumulator && !opcode.modifiesAccumulator ? ['AccWrEn'] : []),
    ...(instruction.switchesThread ? ['Switch'] : []),
    ...(message.sharedFunction === undefined ? [] : [`sfid ${message.sharedFunction}`]),
    ...(message.descriptor === undefined ? [] : [`desc 0x${hex(message.descriptor, 1)}`]),
  ];
  return words.length === 0 ? [] : [`{${words.join(', ')}}`];
}

/** An operand in the dialect's own words. */
export function operandText(writer: Writer, operand: Operand, isDestination: boolean): string {
  const { dialect } = writer.program;
  if (operand.file === 'immediate') return immediateText(operand, dialect);
  if (operand.file === 'none') return `(null):${operand.type}`;
  if (operand.file === 'word') return wordText(writer, operand);
  const signs = `${operand.negate ? '-' : ''}${operand.absolute ? (dialect === 'selection' ? '(abs)' : '|') : ''}`;
  const bar = operand.absolute && dialect !== 'selection' ? '|' : '';
  const register = registerText(writer, operand);
  const offset = offsetText(operand, dialect);
  switch (dialect) {
    case 'vec4': {
      const channels = isDestination ? maskText(operand.mask) : swizzleText(operand.swizzle);
      return `${signs}${register}${offset}${channels}${bar}:${operand.type}`;
    }
    case 'scalar':
      return `${signs}${register}${offset}${bar}${strideText(operand)}:${operand.type}`;
    case 'selection':
      if (isUntyped(operand)) return register.padEnd(8);
      return `${signs}${register}${offset}${regionText(operand, isDestination)}:${selectionType(operand.type)}`;
  }
}

function wordText({ source }: Writer, operand: OtherOperand): string {
  const payload = operand.operand < 0 ? undefined : source?.operandPayload?.[operand.operand];
  const text = payload === undefined ? undefined : source?.operandTexts?.text(payload);
  return text === undefined ? '???' : text.replace(/^word:/, '').replace(/:[A-Z]+$/, '');
}

function registerText({ program }: Writer, operand: RegisterOperand): string {
  switch (operand.file) {
    case 'virtual':
      return virtualName(program, operand);
    case 'grf':
      return `g${operand.grf}`;
    case 'message':
      return `m${operand.number}`;
    case 'uniform':
      return `u${operand.number}`;
    case 'attribute':
      return `attr${operand.number}`;
    case 'flag':
      return `f${operand.number >> 1}.${operand.number & 1}`;
    case 'accumulator':
      return `acc${operand.number}`;
    case 'address':
      return `a0.${operand.offset}`;
    case 'architecture':
      return `arf${operand.number}.${operand.offset}`;
    case 'slot':
      return `s${operand.number}`;
    case 'null':
    case 'none':
    case 'word':
      return 'null';
  }
}

const virtualName = ({ registers }: Program, { register }: VirtualOperand): string =>
  registers[register].name;

/** `+R.B`: registers and bytes; uniforms count vectors of 16 bytes in vec4, dwords in scalar code. */
function offsetText(operand: RegisterOperand, dialect: Dialect): string {
  if (operand.offset === 0 || operand.file === 'address' || operand.file === 'architecture') return '';
  if (dialect === 'selection') return `.${operand.offset}`;
  const unit = operand.file === 'uniform' ? (dialect === 'vec4' ? 16 : 4) : GRF_BYTES;
  return `+${Math.floor(operand.offset / unit)}.${operand.offset % unit}`;
}

const letters = 'xyzw';

export const maskText = (mask: number): string =>
  mask === 15 ? '' : `.${[...letters].filter((_, c) => (mask & (1 << c)) !== 0).join('')}`;

export const swizzleText = (swizzle: number): string =>
  `.${[0, 1, 2, 3].map((c) => letters[(swizzle >>> (2 * c)) & 3]).join('')}`;

const strideText = ({ stride, region }: RegisterOperand): string =>
  region !== undefined ? `<${region.join(',')}>` : stride === 1 ? '' : `<${stride}>`;

/** Beignet prints regions in full, `<8,8,1>` also for two registers of a SIMD16 operand. */
function regionText({ stride, region }: RegisterOperand, isDestination: boolean): string {
  if (isDestination) return `<${stride}>`;
  return region !== undefined
    ? `<${region.join(',')}>`
    : stride === 0
      ? '<0,1,0>'
      : `<${8 * stride},8,${stride}>`;
}

const isUntyped = ({ file }: RegisterOperand): boolean =>
  file === 'null' || file === 'accumulator' || file === 'architecture' || file === 'flag';

const selectionTypes: Partial<Record<Type, string>> = { UQ: 'UL', Q: 'L', DF: 'V', HF: '' };
const selectionType = (type: Type): string => selectionTypes[type] ?? type;

const hex = (value: number, digits: number): string => (value >>> 0).toString(16).padStart(digits, '0');

function immediateText(operand: ImmediateOperand, dialect: Dialect): string {
  if (operand.vector !== undefined) return `[${operand.vector.map((value) => `${value}F`).join(', ')}]`;
  const value = immediateValue(operand);
  if (dialect === 'selection') return `${selectionImmediate(operand, value)}:${selectionType(operand.type)}`;
  const suffix = suffixes[operand.type] ?? ['U', 'u'];
  if (operand.type === 'V' || operand.type === 'UV') return `${hex(operand.low, 8)}${operand.type}`;
  return `${value}${suffix[dialect === 'vec4' ? 0 : 1]}`;
}

/** In vec4 and in scalar dumps. */
const suffixes: Partial<Record<Type, readonly [string, string]>> = {
  F: ['F', 'f'],
  DF: ['DF', 'df'],
  HF: ['hf', 'hf'],
  D: ['D', 'd'],
  W: ['D', 'd'],
  UD: ['U', 'u'],
  UW: ['U', 'u'],
  UQ: ['uq', 'uq'],
  Q: ['q', 'q'],
};

const pair = new DataView(new ArrayBuffer(8));

function immediateValue({ type, low, high }: ImmediateOperand): string {
  switch (type) {
    case 'F':
      return floatText(bitsToFloat(low));
    case 'DF':
      pair.setInt32(0, high);
      pair.setInt32(4, low);
      return floatText(pair.getFloat64(0));
    case 'Q':
      return ((BigInt(high) << 32n) | BigInt(low >>> 0)).toString();
    case 'UQ':
      return ((BigInt(high >>> 0) << 32n) | BigInt(low >>> 0)).toString();
    case 'W':
      return String((low << 16) >> 16);
    case 'UW':
      return String(low & 0xffff);
    case 'D':
      return String(low);
    default:
      return String(low >>> 0);
  }
}

/** Six decimals, as the reference prints them, where they say the number exactly; else as many digits as it needs. */
function floatText(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value < 0 ? '-inf' : 'inf';
  const fixed = Math.abs(value) < 1e9 ? value.toFixed(6) : '';
  const isExact = fixed !== '' && Number(fixed) === value;
  return isExact ? (Object.is(value, -0) ? `-${fixed}` : fixed) : String(value);
}

function selectionImmediate({ type, low, high }: ImmediateOperand, value: string): string {
  if (type === 'UD' || type === 'UW' || type === 'UB' || type === 'HF' || type === 'V')
    return `0x${hex(low, 1)}`;
  return type === 'UQ' && high === 0 ? String(low >>> 0) : value;
}

function selectionText(writer: Writer, instruction: Instruction): string {
  const { opcode, predicate, target } = instruction;
  if (opcode.flow === 'label') return `  ${labelOf(writer, instruction)}:`;
  const guard =
    predicate === undefined ? '    ' : `(${predicate.inverse ? '-' : ''}${flagText(predicate.flag)})`;
  const test = instruction.condition === undefined ? '' : `.${instruction.condition.test}`;
  const flag =
    instruction.condition === undefined || selects(opcode) ? '' : `[${flagText(instruction.condition.flag)}]`;
  const head = `${opcode.name.toUpperCase()}${test}(${instruction.execSize})${flag}`;
  const label = opcode.kind === 'flow' ? labelText(writer, target) : '';
  const operands = (all: readonly Operand[], isDestination: boolean): string =>
    all.map((operand) => `${operandText(writer, operand, isDestination)}\t`).join('');
  return [
    `${guard}\t${head.padEnd(20)}${operands(instruction.destinations, true)}:\t${operands(instruction.sources, false)}`.trimEnd(),
    ...attributesText(instruction),
    ...(label === '' ? [] : [`; jip=${label}`]),
  ].join(' ');
}

/** A block's label as the selection writes it, `L3`; GEN IR has `$3`. Empty where the block has none. */
const labelText = ({ source }: Writer, block: number): string =>
  block < 0 ? '' : (source?.blockNames.at(block) ?? '').replace('$', 'L');

function labelOf(writer: Writer, { origin }: Instruction): string {
  const starts = writer.source?.blockStart;
  const block = starts === undefined || origin < 0 ? -1 : lastAtOrBelow(starts, origin);
  return labelText(writer, block) || 'label';
}

function lastAtOrBelow(starts: Int32Array, at: number): number {
  let [low, high] = [0, starts.length - 1];
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if (starts[middle] <= at) low = middle;
    else high = middle;
  }
  return low;
}

/** `g12.xyz`, for problems and hovers. */
export const placeText = (operand: HardwareOperand): string => `g${operand.grf}${maskText(operand.mask)}`;

export const isIdentity = (swizzle: number): boolean => swizzle === XYZW;
