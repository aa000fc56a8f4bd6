import type { FlagReference, Instruction, Operand, Program } from '../program.js';

/**
 * What the scoreboard keeps a time for, numbered for typed arrays: the 128 general registers (those of a message
 * window stand for the message registers too), message registers of machines that have them, two accumulators, the
 * flag registers by channel group of eight (in align16 one for all), then the registers of a program that is not
 * allocated yet, GRF by GRF.
 */
const MESSAGE = 128;
const ACCUMULATOR = MESSAGE + 24;
const FLAG = ACCUMULATOR + 2;
const VIRTUAL = FLAG + 8;

export interface Resources {
  readonly count: number;
  /** By virtual register: the resource of its first GRF. */
  readonly firstOfRegister: Int32Array;
}

export function resourcesOf(program: Program): Resources {
  const firstOfRegister = new Int32Array(program.registers.length);
  let count = VIRTUAL;
  program.registers.forEach(({ bytes }, register) => {
    firstOfRegister[register] = count;
    count += Math.max(1, Math.ceil(bytes / 32));
  });
  return { count, firstOfRegister };
}

/** For reports: `g12`, `m3`, `acc0`, `f0.0`, `vgrf7`. */
export function nameOfResource(program: Program, resources: Resources, resource: number): string {
  if (resource >= VIRTUAL) {
    const register = lastAtMost(resources.firstOfRegister, resource);
    return program.registers[register].name;
  }
  if (resource >= FLAG)
    return program.dialect === 'vec4' ? 'f0' : `f${(resource - FLAG) >> 2}.${((resource - FLAG) >> 1) & 1}`;
  if (resource >= ACCUMULATOR) return `acc${resource - ACCUMULATOR}`;
  if (resource >= MESSAGE) return `m${resource - MESSAGE}`;
  const window = program.platform.messageWindow;
  return window !== undefined && program.dialect === 'vec4' && resource >= window
    ? `m${resource - window}`
    : `g${resource}`;
}

function lastAtMost(sorted: Int32Array, value: number): number {
  let low = 0;
  let high = sorted.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (sorted[middle] <= value) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The resource of message register `m<number>`, or -1 for one that does not exist. */
export function messageResource(program: Program, number: number): number {
  const { messageWindow, messageRegisters } = program.platform;
  if (number < 0 || number >= messageRegisters) return -1;
  return messageWindow === undefined ? MESSAGE + number : messageWindow + number;
}

/**
 * First resource of a register operand, -1 for files that nothing waits for (payload that is not numbered yet,
 * immediates, null).
 */
export function firstResource(program: Program, resources: Resources, operand: Operand): number {
  switch (operand.file) {
    case 'virtual':
      return resources.firstOfRegister[operand.register] + (operand.offset >> 5);
    case 'grf':
      return Math.min(127, operand.grf + (operand.offset >> 5));
    case 'message':
      return messageResource(program, operand.number + (operand.offset >> 5));
    case 'accumulator':
      return ACCUMULATOR + Math.min(1, operand.number);
    case 'flag':
      return program.dialect === 'vec4' ? FLAG : FLAG + 2 * (operand.number & 3);
    default:
      return -1;
  }
}

/** First and last flag resource of a flag as one instruction sees it. */
export function flagResources(
  program: Program,
  instruction: Instruction,
  flag: FlagReference,
): readonly [first: number, last: number] | undefined {
  const numbers = flagNumbers(program, instruction, flag);
  if (numbers === undefined) return undefined;
  // the estimate of align16 code knows one flag
  return program.dialect === 'vec4' ? [FLAG, FLAG] : [FLAG + numbers[0], FLAG + numbers[1]];
}

/** First and last byte (eight channels each, f0.0 first) of the flags that one instruction uses; none for virtual ones. */
export function flagNumbers(
  program: Program,
  instruction: Instruction,
  flag: FlagReference,
): readonly [first: number, last: number] | undefined {
  if (flag.kind === 'virtual') return undefined;
  if (program.dialect === 'vec4') return [2 * flag.flag, 2 * flag.flag];
  const first = flag.flag * 16 + instruction.group;
  const last = first + Math.max(1, instruction.execSize) - 1;
  return [Math.min(7, first >> 3), Math.min(7, last >> 3)];
}

/** Accumulators that an instruction uses by itself: integers take two, since each lane has 64 bits there. */
export const accumulatorResources = (
  instruction: Instruction,
  isFloat: boolean,
): readonly [first: number, last: number] => {
  const bytes = isFloat ? 4 : 8;
  const part = (lane: number): number => ((lane * bytes) >> 5) & 1;
  const first = part(instruction.group);
  const last = part(instruction.group + instruction.execSize - 1);
  return [ACCUMULATOR + Math.min(first, last), ACCUMULATOR + Math.max(first, last)];
};

export const isAccumulator = (resource: number): boolean => resource >= ACCUMULATOR && resource < FLAG;
export const isFlag = (resource: number): boolean => resource >= FLAG && resource < VIRTUAL;
