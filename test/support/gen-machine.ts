import { virtual } from '../../server/src/ir/place.js';
import { opcodeOf } from '../../server/src/targets/gen/opcodes.js';
import { platforms, type PlatformName } from '../../server/src/targets/gen/platforms.js';
import {
  XYZW,
  type Dialect,
  type HardwareOperand,
  type ImmediateOperand,
  type Instruction,
  type OtherOperand,
  type Program,
  type Region,
  type Register,
  type RegisterOperand,
  type Type,
  type VirtualOperand,
} from '../../server/src/targets/gen/program.js';

/** Gen programs made by hand, for tests of what works on `Program` alone: the models, the checker, the interpreter. */
const region: Region = {
  type: 'F',
  offset: 0,
  negate: false,
  absolute: false,
  swizzle: XYZW,
  mask: 15,
  stride: 1,
  operand: -1,
};

export const v = (register: number, more: Partial<Region> = {}): VirtualOperand => ({
  ...region,
  ...more,
  file: 'virtual',
  register: virtual(register),
});

export const g = (grf: number, more: Partial<Region> = {}): HardwareOperand => ({
  ...region,
  ...more,
  file: 'grf',
  grf,
});

export const other = (file: OtherOperand['file'], number = 0, more: Partial<Region> = {}): OtherOperand => ({
  ...region,
  ...more,
  file,
  number,
});

export const m = (number: number, more: Partial<Region> = {}): OtherOperand => other('message', number, more);
export const u = (number: number, more: Partial<Region> = {}): OtherOperand => other('uniform', number, more);
export const nowhere = (type: Type = 'F'): OtherOperand => other('null', 0, { type });

const bits = new DataView(new ArrayBuffer(8));

/** An immediate of type F, D, UD, W, UW or DF. */
export function imm(value: number, type: Type = 'F'): ImmediateOperand {
  bits.setUint32(4, 0, true);
  if (type === 'F') bits.setFloat32(0, value, true);
  else if (type === 'DF') bits.setFloat64(0, value, true);
  else bits.setInt32(0, value, true);
  return {
    file: 'immediate',
    type,
    low: bits.getInt32(0, true),
    high: bits.getInt32(4, true),
    operand: -1,
  };
}

/** A swizzle or write mask by its letters. */
export const swizzle = (letters: string): number =>
  [...letters].reduce((sum, letter, k) => sum | ('xyzw'.indexOf(letter) << (2 * k)), 0);
export const mask = (letters: string): number =>
  [...letters].reduce((sum, letter) => sum | (1 << 'xyzw'.indexOf(letter)), 0);

export type InstructionOptions = Partial<Omit<Instruction, 'message'>> & {
  readonly message?: Partial<Instruction['message']>;
};

/** An instruction with at most one destination; everything else as `more` says, 8 channels by default. */
export function ins(
  name: string,
  destination: RegisterOperand | undefined,
  sources: readonly Instruction['sources'][number][] = [],
  more: InstructionOptions = {},
): Instruction {
  return {
    execSize: 8,
    group: 0,
    noMask: false,
    saturate: false,
    noDDClear: false,
    noDDCheck: false,
    writesAccumulator: false,
    switchesThread: false,
    target: -1,
    origin: -1,
    ...more,
    opcode: opcodeOf(name),
    destinations: more.destinations ?? (destination === undefined ? [] : [destination]),
    sources,
    message: {
      mlen: 0,
      exMlen: 0,
      baseMrf: -1,
      header: 0,
      isEndOfThread: false,
      assumed: [],
      ...more.message,
    },
  };
}

export const f0 = { kind: 'hardware', flag: 0 } as const;

export interface ProgramOptions {
  readonly dialect?: Dialect;
  readonly platform?: PlatformName;
  readonly width?: 8 | 16 | 32;
  /** Bytes of each virtual register. */
  readonly bytes?: readonly number[];
  readonly phase?: Program['phase'];
  readonly firstFree?: number;
  readonly registerLimit?: number;
  readonly liveOut?: readonly RegisterOperand[];
  readonly pool?: Program['pool'];
  readonly registers?: readonly Register[];
}

/** A program of `instructions`; blocks and edges are found from the control flow (facts B.6). */
export function program(instructions: readonly Instruction[], options: ProgramOptions = {}): Program {
  const { blockStart, successors } = blocksOf(instructions);
  const registers =
    options.registers ??
    (options.bytes ?? []).map((bytes, r) => ({
      name: `v${r}`,
      bytes,
      alignment: 32,
      isUniform: false,
    }));
  return {
    name: 'test',
    dialect: options.dialect ?? 'vec4',
    platform: platforms[options.platform ?? 'ivb'],
    width: options.width ?? 8,
    phase: options.phase ?? 'virtual',
    registers,
    instructions: instructions.map((instruction, i) => ({
      ...instruction,
      origin: instruction.origin < 0 && options.phase === undefined ? i : instruction.origin,
    })),
    blockStart,
    successors,
    isGraphComplete: true,
    firstFree: options.firstFree ?? 4,
    registerLimit: options.registerLimit ?? ((options.dialect ?? 'vec4') === 'vec4' ? 112 : 128),
    uniforms: 8,
    liveOut: options.liveOut ?? [],
    ...(options.pool && { pool: options.pool }),
    scratchBytes: 0,
  };
}

const endsBlock = new Set(['if', 'else', 'break', 'continue', 'while', 'do', 'jump', 'end']);
const startsBlock = new Set(['endif', 'do', 'label']);

/** Blocks as the reference cuts them, with its physical edges; a loop's own `do` is a block. */
export function blocksOf(instructions: readonly Instruction[]): {
  readonly blockStart: Int32Array;
  readonly successors: readonly (readonly number[])[];
} {
  const starts = [0];
  instructions.forEach(({ opcode }, i) => {
    const { flow } = opcode;
    if (i > 0 && flow !== undefined && startsBlock.has(flow) && starts[starts.length - 1] !== i)
      starts.push(i);
    if (flow !== undefined && endsBlock.has(flow) && i + 1 < instructions.length) starts.push(i + 1);
  });
  const blockOf = (i: number): number => starts.findLastIndex((start) => start <= i);
  const successors = starts.map((): number[] => []);
  const edge = (from: number, to: number) => {
    if (to < starts.length && !successors[from].includes(to)) successors[from].push(to);
  };
  const open: { readonly at: number; readonly breaks: number[] }[] = [];
  const pending: { from: number; at: number }[] = [];
  starts.forEach((_, b) => {
    const last = (b + 1 < starts.length ? starts[b + 1] : instructions.length) - 1;
    const first = instructions[starts[b]] as Instruction | undefined;
    if (first?.opcode.flow === 'endif') {
      const opened = open.pop();
      if (opened !== undefined) for (const p of pending) if (p.at === opened.at) edge(p.from, b);
    }
    const flow = last >= 0 ? instructions[last].opcode.flow : undefined;
    const isPredicated = last >= 0 && instructions[last].predicate !== undefined;
    if (flow === 'if') {
      open.push({ at: last, breaks: [] });
      edge(b, b + 1);
      pending.push({ from: b, at: last });
    } else if (flow === 'else') {
      const opened = open[open.length - 1];
      // The if goes to the else's block; the else to the endif, and physically to what follows it.
      for (const p of pending)
        if (p.at === opened.at) {
          edge(p.from, b + 1);
          p.at = -1;
        }
      edge(b, b + 1);
      pending.push({ from: b, at: opened.at });
    } else if (flow === 'do') {
      open.push({ at: last, breaks: [] });
      edge(b, b + 1);
    } else if (flow === 'while') {
      const opened = open.pop()!;
      edge(b, blockOf(opened.at) + 1);
      edge(b, b + 1);
      for (const from of opened.breaks) edge(from, b + 1);
    } else if (flow === 'break' || flow === 'continue') {
      const loop = open.findLast(({ at }) => instructions[at].opcode.flow === 'do')!;
      if (isPredicated || flow === 'continue') edge(b, b + 1);
      if (flow === 'break') loop.breaks.push(b);
      edge(b, blockOf(loop.at) + 1);
    } else if (flow === 'jump') {
      if (isPredicated) edge(b, b + 1);
      if (instructions[last].target >= 0) edge(b, instructions[last].target);
    } else if (flow !== 'end') edge(b, b + 1);
  });
  return { blockStart: Int32Array.from([...starts, instructions.length]), successors };
}
