import { registerBound } from './limits.js';
import { OperandFlag, type Function } from '../../ir/function.js';
import { NoRegister, isPhysical, isVirtual, physicalClass, physicalIndex, virtual } from '../../ir/place.js';
import { familyBytes } from './access.js';
import { readHead, readOperand, type Head, type OperandText } from './decode-text.js';
import { messageDefaults, type MessageContext } from './message-defaults.js';
import { opcodeOf } from './opcodes.js';
import { platforms, type Platform, type PlatformName } from './platforms.js';
import {
  noMessage,
  GRF_BYTES,
  type Dialect,
  type Family,
  type FlagReference,
  type Instruction,
  type Operand,
  type Program,
  type Register,
  type RegisterOperand,
} from './program.js';

/**
 * `ir.Function` in the language's canonical texts -> `Program`. Every text is read once (decode-text.ts); what a dump
 * has lost of a message is filled in as the reference would have it, and named in `Message.assumed`.
 */
export interface DecodeOptions {
  /** Wins over the file's. */
  readonly platform?: PlatformName;
  /** General registers that may be used. */
  readonly maxRegisters?: number;
}

/** Register classes as the language numbers them: 3 to 10 the families, 11 to 18 the same, uniform. */
export const families: readonly Family[] = [
  'bool',
  'byte',
  'word',
  'dword',
  'qword',
  'oword',
  'hword',
  'reg',
];
const FLAG_CLASS = 1;
const FIRST_FAMILY = 3;

const isPlatform = (name: unknown): name is PlatformName => typeof name === 'string' && name in platforms;

/** What the option says, else the file, else the first machine from Ivy Bridge on that has all of its operations. */
export function platformOf(source: Function, option?: PlatformName): Platform {
  if (option !== undefined) return platforms[option];
  const { platform } = source.attributes;
  if (isPlatform(platform)) return platforms[platform];
  let needed = 0;
  for (let opcode = 0; opcode < source.opcodes.size; opcode++) {
    const name = opcodeName(source.opcodes.text(opcode));
    needed = Math.max(needed, opcodeOf(name).generations[0]);
  }
  return [platforms.ivb, platforms.hsw].find(({ generation }) => generation >= needed) ?? platforms.bdw;
}

/** The name in a canonical head: `add` of `add(8) sat`. */
const opcodeName = (head: string): string => head.slice(0, head.indexOf('('));

export function decode(source: Function, options: DecodeOptions = {}): Program {
  const { attributes } = source;
  const number = (name: string, otherwise: number): number =>
    typeof attributes[name] === 'number' ? attributes[name] : otherwise;
  const platform = platformOf(source, options.platform);
  const dialect = (attributes.dialect ?? 'vec4') as Dialect;
  const width = number('width', 8) as Program['width'];
  const phase = (attributes.phase ?? 'virtual') as Program['phase'];
  const registers = decodeRegisters(source, width);
  const instructions = decodeInstructions(source, registers, dialect, platform);
  const registerLimit = Math.max(
    1,
    Math.min(registerBound(source, platform).most, options.maxRegisters ?? platform.registers),
  );
  const reserved = number('reserved', 0);
  return {
    name: source.name,
    dialect,
    platform,
    width,
    phase,
    registers,
    instructions,
    blockStart: source.blockStart,
    successors: Array.from({ length: source.blockCount }, (_, block) => [
      ...source.successors.subarray(source.successorStart[block], source.successorStart[block + 1]),
    ]),
    isGraphComplete: attributes.graph !== 'incomplete',
    firstFree: number('firstFree', 1),
    registerLimit,
    uniforms: number('uniforms', 0),
    liveOut: liveOut(instructions),
    pool: reserved > 0 ? { first: number('reservedAt', 128 - reserved), count: reserved } : undefined,
    scratchBytes: number('scratch', 0),
  };
}

function liveOut(instructions: readonly Instruction[]): readonly RegisterOperand[] {
  const found: RegisterOperand[] = [];
  for (const { opcode, sources } of instructions)
    if (opcode.name === 'live_out')
      for (const operand of sources) if (operand.file !== 'immediate') found.push(operand);
  return found;
}

function decodeRegisters(source: Function, width: number): Register[] {
  const registers: Register[] = [];
  for (let r = 0; r < source.registerCount; r++) {
    const registerClass = source.registerClass[r];
    const name = source.registerNames[r];
    if (registerClass < FIRST_FAMILY) {
      const bytes = source.registerWidth[r] * GRF_BYTES;
      registers.push({ name, bytes, alignment: GRF_BYTES, isUniform: false });
      continue;
    }
    const index = registerClass - FIRST_FAMILY;
    const family = families[index % families.length];
    const isUniform = index >= families.length;
    const bytes = familyBytes[family] * (isUniform || family === 'reg' ? 1 : width);
    registers.push({ name, bytes, alignment: Math.min(GRF_BYTES, Math.max(4, bytes)), family, isUniform });
  }
  return registers;
}

function decodeInstructions(
  source: Function,
  registers: readonly Register[],
  dialect: Dialect,
  platform: Platform,
): Instruction[] {
  const instructions: Instruction[] = [];
  const context: MessageContext = { dialect, platform, registers, written: 0 };
  for (let i = 0; i < source.instructionCount; i++) {
    const head = readHead(source.opcodes.text(source.opcode[i]));
    instructions.push(decodeInstruction(source, i, head, context));
  }
  return instructions;
}

function decodeInstruction(source: Function, i: number, head: Head, context: MessageContext): Instruction {
  const destinations: Operand[] = [];
  const sources: Operand[] = [];
  let guard: FlagReference | undefined;
  let written: FlagReference | undefined;
  for (let k = source.operandStart[i]; k < source.operandStart[i + 1]; k++) {
    const flags = source.operandFlags[k];
    if (flags & OperandFlag.Guard) guard = flagOf(source.operandPlace[k]);
    else if ((flags & OperandFlag.UseDefinition) === OperandFlag.Definition) {
      if (sources.length === 0 && guard === undefined) destinations.push(decodeOperand(source, k, true));
      else written = flagOf(source.operandPlace[k]);
    } else if (flags & OperandFlag.Use) sources.push(decodeOperand(source, k, false));
  }
  const instruction: Instruction = {
    opcode: head.opcode,
    execSize: head.execSize,
    group: head.group,
    noMask: head.noMask,
    saturate: head.saturate,
    condition:
      head.condition === undefined
        ? undefined
        : { test: head.condition, flag: written ?? conditionFlag(head, guard) },
    predicate: head.isPredicated
      ? { flag: guard ?? hardwareFlag(head.predicateFlag), inverse: head.inverse, mode: head.mode }
      : undefined,
    destinations,
    sources,
    message: noMessage,
    noDDClear: head.noDDClear,
    noDDCheck: head.noDDCheck,
    writesAccumulator: head.writesAccumulator || head.opcode.modifiesAccumulator,
    switchesThread: head.switchesThread,
    target: head.target,
    origin: i,
  };
  return withMessage(instruction, head, context);
}

/** A predicated instruction stores its condition in the flag that it looks at: the dump names one flag only. */
const conditionFlag = (head: Head, guard: FlagReference | undefined): FlagReference =>
  head.conditionFlag >= 0
    ? hardwareFlag(head.conditionFlag)
    : (guard ?? hardwareFlag(head.isPredicated ? head.predicateFlag : 0));

function withMessage(instruction: Instruction, head: Head, context: MessageContext): Instruction {
  const isBare = head.mlen === undefined && head.rlen === undefined && !head.isEndOfThread;
  if (isBare && head.opcode.kind !== 'message' && head.opcode.name !== 'undef') {
    for (const destination of instruction.destinations)
      if (destination.file === 'message') context.written |= 1 << destination.number;
    return instruction;
  }
  return { ...instruction, message: messageDefaults(instruction, head, context) };
}

const hardwareFlags: readonly FlagReference[] = ([0, 1, 2, 3] as const).map((flag) => ({
  kind: 'hardware',
  flag,
}));
const hardwareFlag = (flag: number): FlagReference => hardwareFlags[Math.max(0, flag)];

function flagOf(place: number): FlagReference | undefined {
  const at = place as NoRegister;
  if (isVirtual(at)) return { kind: 'virtual', register: at };
  return isPhysical(at) && physicalClass(at) === FLAG_CLASS ? hardwareFlag(physicalIndex(at) & 3) : undefined;
}

function decodeOperand(source: Function, k: number, isDestination: boolean): Operand {
  const place = source.operandPlace[k] as NoRegister;
  const payload = source.operandPayload?.[k] ?? 0;
  const text = readOperand(
    payload === 0 ? withoutText(place) : (source.operandTexts?.text(payload) ?? ''),
    isDestination,
  );
  if (text.immediate !== undefined) {
    const { type, low, high, vector } = text.immediate;
    return vector === undefined
      ? { file: 'immediate', type, low, high, operand: k }
      : { file: 'immediate', type, low, high, vector, operand: k };
  }
  const region = {
    type: text.type,
    offset: text.offset,
    negate: text.negate,
    absolute: text.absolute,
    swizzle: text.swizzle,
    mask: text.mask,
    stride: text.stride,
    region: text.region,
    operand: k,
  };
  if (isVirtual(place)) return { file: 'virtual', register: virtual(place), ...region };
  if (isPhysical(place) && physicalClass(place) === FLAG_CLASS)
    return { file: 'flag', number: physicalIndex(place), ...region, offset: 0 };
  return elsewhere(text, region);
}

function elsewhere(
  text: OperandText,
  region: Omit<RegisterOperand, 'file' | 'register' | 'grf' | 'number'>,
): Operand {
  if (text.file === 'grf') return { file: 'grf', grf: text.number, ...region };
  // A virtual text without a virtual place is a half-typed operand.
  if (text.file === 'virtual') return { file: 'word', number: 0, ...region };
  return { file: text.file, number: text.number, ...region };
}

/** What an operand is whose language gave no text: its register, packed. */
function withoutText(place: NoRegister): string {
  if (isVirtual(place)) return 'v:UD';
  if (isPhysical(place)) {
    if (physicalClass(place) === 0) return `g${physicalIndex(place)}:UD`;
    return physicalClass(place) === FLAG_CLASS ? 'f0.0:UW' : `m${physicalIndex(place)}:UD`;
  }
  return place === NoRegister.Sink ? 'none:UD' : 'word';
}
