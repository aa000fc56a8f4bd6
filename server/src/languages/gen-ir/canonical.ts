import { startByte } from './access.js';
import type { Operand } from './operand.js';
import { FULL_MASK, FULL_SWIZZLE, type Attributes, type Instruction } from './tree.js';

/**
 * Heads and operands in the canonical text that targets read: everything that an instruction means beside the places
 * of its registers, always in the same order and spelling, so that equal meanings are equal texts.
 *
 *   head      NAME(WIDTH) and, each after a blank: sat, cond=ge.f0.0, pred=+f0.0.any4h, nomask, group=4, mlen=2,
 *             ex_mlen=1, base_mrf=14, header=1, rlen=1, eot, offset=64, NoDDClr, NoDDChk, AccWrEn, Switch, sfid=NAME,
 *             desc=HEX, align1, align16, target=BLOCK
 *   operand   [-][|]FILE[+BYTES][.CHANNELS][|][<STRIDE>]:TYPE, or #TYPE:BITS
 */
const flagNames = ['f0.0', 'f0.1', 'f1.0', 'f1.1'] as const;

/** `sel` chooses by its condition and `if` jumps by it: no flag is written. */
const comparesOnly: ReadonlySet<string> = new Set(['sel', 'csel', 'if', 'while']);

/** The flag that the condition writes, or -1. A predicated instruction writes the flag that it reads. */
export function writtenFlag(instruction: Instruction): number {
  if (instruction.condition === undefined || comparesOnly.has(instruction.opcode.text)) return -1;
  return conditionFlag(instruction);
}

const conditionFlag = ({ condition, predicate }: Instruction): number =>
  condition !== undefined && condition.flag >= 0 ? condition.flag : (predicate?.flag ?? 0);

/** Heads without anything behind them, by mnemonic and logarithm of the width: most are of few kinds. */
const plainHeads = new Map<string, string[]>();
const MOST_HEADS = 1024;

function plainHead(name: string, width: number): string {
  let known = plainHeads.get(name);
  if (known === undefined) {
    if (plainHeads.size >= MOST_HEADS) plainHeads.clear();
    known = [1, 2, 4, 8, 16, 32].map((size) => `${name}(${size})`);
    plainHeads.set(name, known);
  }
  return known[31 - Math.clz32(width)];
}

export function headText(instruction: Instruction, isFlow: boolean, target: number): string {
  const { opcode, width, condition, predicate, attributes, group } = instruction;
  let text = plainHead(opcode.text, width);
  if (instruction.saturate) text += ' sat';
  if (condition !== undefined) text += ` cond=${condition.test}.${flagNames[conditionFlag(instruction)]}`;
  if (predicate !== undefined)
    text += ` pred=${predicate.isInverse ? '-' : '+'}${flagNames[predicate.flag]}${predicate.mode === '' ? '' : `.${predicate.mode}`}`;
  if (instruction.noMask) text += ' nomask';
  if (group > 0) text += ` group=${group}`;
  if (attributes !== undefined) text += attributesText(attributes);
  if (isFlow) text += ` target=${target}`;
  return text;
}

function attributesText(a: Attributes): string {
  let text = '';
  if (a.mlen !== undefined) text += ` mlen=${a.mlen}`;
  if (a.exMlen !== undefined) text += ` ex_mlen=${a.exMlen}`;
  if (a.baseMrf !== undefined) text += ` base_mrf=${a.baseMrf}`;
  if (a.header !== undefined) text += ` header=${a.header}`;
  if (a.rlen !== undefined) text += ` rlen=${a.rlen}`;
  if (a.isEndOfThread === true) text += ' eot';
  if (a.offset !== undefined) text += ` offset=${a.offset}`;
  if (a.noDDClear === true) text += ' NoDDClr';
  if (a.noDDCheck === true) text += ' NoDDChk';
  if (a.writesAccumulator === true) text += ' AccWrEn';
  if (a.switchesThread === true) text += ' Switch';
  if (a.sharedFunction !== undefined) text += ` sfid=${a.sharedFunction}`;
  if (a.descriptor !== undefined) text += ` desc=${hex(a.descriptor)}`;
  if (a.align1 === true) text += ' align1';
  if (a.align16 === true) text += ' align16';
  return text;
}

export const hex = (bits: number): string => (bits >>> 0).toString(16).padStart(8, '0');

const CHANNELS = 'xyzw';

const masks: readonly string[] = Array.from(
  { length: 16 },
  (_, mask) => '.' + [...CHANNELS].filter((_, c) => (mask & (1 << c)) !== 0).join(''),
);

const swizzles: readonly string[] = Array.from(
  { length: 256 },
  (_, swizzle) =>
    `.${CHANNELS[swizzle & 3]}${CHANNELS[(swizzle >> 2) & 3]}${CHANNELS[(swizzle >> 4) & 3]}${CHANNELS[swizzle >> 6]}`,
);

/** `unit`: bytes of one register of the file, 16 or 4 for uniforms. `word`: the text of a bare word. */
export function operandText(operand: Operand, isDestination: boolean, unit: number, word: string): string {
  if (operand.file === 'immediate') {
    const { type, low, high } = operand;
    const isLong = type === 'DF' || type === 'Q' || type === 'UQ';
    return `#${type}:${isLong ? hex(high) : ''}${hex(low)}`;
  }
  if (operand.file === 'word') return `word:${word}`;
  let text = operand.negate ? '-' : '';
  if (operand.absolute) text += '|';
  text += fileText(operand);
  const bytes =
    operand.file === 'grf' || operand.subregister < 0
      ? startByte(operand, unit)
      : operand.file === 'architecture'
        ? 0
        : operand.subregister;
  if (bytes !== 0) text += `+${bytes}`;
  if (operand.channelsStart >= 0) {
    if (isDestination ? operand.channels !== FULL_MASK : operand.channels !== FULL_SWIZZLE)
      text += isDestination ? masks[operand.channels] : swizzles[operand.channels];
  }
  if (operand.absolute) text += '|';
  if (operand.regionWidth >= 0)
    text += `<${operand.stride},${operand.regionWidth},${operand.regionHorizontal}>`;
  else if (operand.stride >= 0 && operand.stride !== 1) text += `<${operand.stride}>`;
  return `${text}:${operand.typeStart < 0 ? 'UD' : operand.type}`;
}

function fileText(operand: Operand): string {
  const { number } = operand;
  switch (operand.file) {
    case 'virtual':
      return 'v';
    case 'grf':
      return `g${number}`;
    case 'message':
      return `m${number}`;
    case 'uniform':
      return `u${number}`;
    case 'attribute':
      return `attr${number}`;
    case 'flag':
      return flagNames[number];
    case 'accumulator':
      return `acc${number}`;
    case 'address':
      return `a${number}`;
    case 'architecture':
      return `arf${number}.${Math.max(operand.subregister, 0)}`;
    case 'slot':
      return `s${number}`;
    case 'null':
      return 'null';
    default:
      return 'none';
  }
}
