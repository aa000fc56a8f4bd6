import { opcodeOf } from '../../server/src/targets/gen/opcodes.js';
import { platforms, type PlatformName } from '../../server/src/targets/gen/platforms.js';
import {
  XYZW,
  type Condition,
  type ImmediateOperand,
  type Instruction,
  type Message,
  type Operand,
  type OtherOperand,
  type Program,
  type Region,
  type Type,
} from '../../server/src/targets/gen/program.js';

/**
 * Programs of a few lines for tests of single passes, without the language: operands are written as in i965's dumps
 * (`v3.xy:F` virtual, `g4.xyzw:F`, `m2`, `u1`, `acc0`, `null`, `-|g5|`, `+32` bytes of offset, `<2>` a stride),
 * numbers are immediates.
 */
export interface Made {
  readonly execSize?: Instruction['execSize'];
  readonly group?: number;
  readonly noMask?: boolean;
  readonly saturate?: boolean;
  readonly condition?: Condition;
  readonly predicate?: 'normal';
  readonly message?: Partial<Message>;
  readonly noDDClear?: boolean;
  readonly noDDCheck?: boolean;
  readonly writesAccumulator?: boolean;
}

const channels = 'xyzw';

/** `destination` '' is none. */
export function instruction(
  name: string,
  destination: string,
  sources: readonly (string | number)[] = [],
  made: Made = {},
): Instruction {
  const flag = { kind: 'hardware', flag: 0 } as const;
  return {
    opcode: opcodeOf(name),
    execSize: made.execSize ?? 8,
    group: made.group ?? 0,
    noMask: made.noMask ?? false,
    saturate: made.saturate ?? false,
    ...(made.condition === undefined ? {} : { condition: { test: made.condition, flag } }),
    ...(made.predicate === undefined ? {} : { predicate: { flag, inverse: false, mode: made.predicate } }),
    destinations: destination === '' ? [] : [register(destination, true)],
    sources: sources.map((source) =>
      typeof source === 'number' ? immediate(source) : register(source, false),
    ),
    message: {
      mlen: 0,
      exMlen: 0,
      baseMrf: -1,
      header: 0,
      isEndOfThread: false,
      assumed: [],
      ...made.message,
    },
    noDDClear: made.noDDClear ?? false,
    noDDCheck: made.noDDCheck ?? false,
    writesAccumulator: made.writesAccumulator ?? false,
    switchesThread: false,
    target: -1,
    origin: -1,
  };
}

export function immediate(value: number, type: Type = 'D'): ImmediateOperand {
  const bits = new DataView(new ArrayBuffer(4));
  if (type === 'F') bits.setFloat32(0, value);
  else bits.setInt32(0, value);
  return { file: 'immediate', type, low: bits.getUint32(0), high: 0, operand: -1 };
}

export function register(text: string, isDestination: boolean): Operand {
  const parts =
    /^(-?)(\|?)(v|g|m|u|acc|f|a|null|word)(\d*)(?:\+(\d+))?(?:\.([xyzw]+))?\|?(?:<(\d+)>)?(?::(\w+))?$/.exec(
      text,
    );
  if (parts === null) throw new Error(`no operand: ${text}`);
  const [, minus, bar, file, number, offset, letters, stride, type] = parts as (string | undefined)[];
  const region: Region = {
    type: (type ?? 'F') as Type,
    offset: Number(offset ?? 0),
    negate: minus === '-',
    absolute: bar === '|',
    swizzle: isDestination || letters === undefined ? XYZW : swizzleOf(letters),
    mask: isDestination && letters !== undefined ? maskOf(letters) : 15,
    stride: Number(stride ?? 1),
    operand: -1,
  };
  const n = Number(number === '' ? 0 : number);
  switch (file) {
    case 'v':
      return { file: 'virtual', register: n as never, ...region };
    case 'g':
      return { file: 'grf', grf: n, ...region };
    default:
      return { file: files[file ?? ''], number: n, ...region };
  }
}

const files: Readonly<Record<string, OtherOperand['file']>> = {
  m: 'message',
  u: 'uniform',
  acc: 'accumulator',
  f: 'flag',
  a: 'address',
  null: 'null',
  word: 'word',
};

/** Fewer than four letters: the last is repeated. */
const swizzleOf = (letters: string): number =>
  [0, 1, 2, 3].reduce(
    (bits, c) => bits | (channels.indexOf(letters[Math.min(c, letters.length - 1)]) << (2 * c)),
    0,
  );

const maskOf = (letters: string): number =>
  [...letters].reduce((bits, letter) => bits | (1 << channels.indexOf(letter)), 0);

/** One block, or blocks given as lists; straight-line edges only. */
export function programOf(
  code: readonly Instruction[] | readonly (readonly Instruction[])[],
  options: Partial<Omit<Program, 'platform' | 'registers'>> & {
    readonly platform?: PlatformName;
    /** Bytes by virtual register. */
    readonly registers?: readonly number[];
  } = {},
): Program {
  const blocks = (
    code.length > 0 && Array.isArray(code[0]) ? code : [code]
  ) as readonly (readonly Instruction[])[];
  const instructions = blocks.flat().map((each, origin) => ({ ...each, origin }));
  const blockStart = [0];
  for (const block of blocks) blockStart.push((blockStart.at(-1) ?? 0) + block.length);
  const { platform, registers, ...rest } = options;
  return {
    name: 'test',
    dialect: 'vec4',
    width: 8,
    phase: 'virtual',
    instructions,
    blockStart: Int32Array.from(blockStart),
    successors: blocks.map((_, block) => (block + 1 < blocks.length ? [block + 1] : [])),
    isGraphComplete: true,
    firstFree: 4,
    registerLimit: 112,
    uniforms: 0,
    liveOut: [],
    scratchBytes: 0,
    ...rest,
    platform: platforms[platform ?? 'ivb'],
    registers: (registers ?? []).map((bytes, number) => ({
      name: `vgrf${number}`,
      bytes,
      alignment: 32,
      isUniform: false,
    })),
  };
}

/** Blocks with the numbers of their successors; register sizes in GRFs. */
export const graphOf = (
  grfs: readonly number[],
  blocks: readonly (readonly [code: readonly Instruction[], ...successors: number[]])[],
  options: Parameters<typeof programOf>[1] = {},
): Program =>
  programOf(
    blocks.map(([code]) => code),
    {
      registers: grfs.map((size) => 32 * size),
      successors: blocks.map(([, ...successors]) => successors),
      ...options,
    },
  );

/** Under `(+f0.0)`. */
export const predicated = (plain: Instruction): Instruction => ({
  ...plain,
  predicate: { flag: { kind: 'hardware', flag: 0 }, inverse: false, mode: 'normal' },
});
