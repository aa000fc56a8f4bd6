import { opcodeOf } from '../../server/src/targets/gen/opcodes.js';
import { platforms, type PlatformName } from '../../server/src/targets/gen/platforms.js';
import type {
  Condition,
  Family,
  FlagReference,
  Instruction,
  Operand,
  Program,
  Register,
  Type,
} from '../../server/src/targets/gen/program.js';
import { noMessage } from '../../server/src/targets/gen/program.js';
import { registerBytes } from '../../server/src/targets/gen/scalar/families.js';
import {
  hardwareOperand,
  immediate,
  otherOperand,
  virtualOperand,
} from '../../server/src/targets/gen/scalar/emitted.js';
import { virtual, type VirtualRegister } from '../../server/src/ir/place.js';

/**
 * Selection programs from text, for tests of the scalar back-end without the language:
 *
 *     dword a b          declares registers of a family; `uniform dword n` one value for all lanes
 *     L0 -> 1 2          starts block 0 (blocks stand in order) with its successors
 *     add c:F = a:F b:F
 *     cmp.l.p null = a:F 0
 *     (-p) mov(8) c+32:D = g3:D !group8 !nomask
 *
 * An operand is NAME, gN, null or an integer, with `+BYTES`, `<STRIDE>` and `:TYPE`; UD and stride 1 by default
 * (0 for uniform sources). The width in parentheses is the program's where it is left out. A flag is a bool's name, or
 * f0.1.
 */
export interface SelectionOptions {
  readonly width?: 8 | 16;
  readonly platform?: PlatformName;
  readonly registerLimit?: number;
  readonly firstFree?: number;
  readonly dialect?: 'selection' | 'scalar';
  readonly pool?: { readonly first: number; readonly count: number };
  readonly liveOut?: readonly string[];
  readonly scratchBytes?: number;
}

export interface Selection {
  readonly program: Program;
  /** The number of a declared register. */
  readonly of: (name: string) => VirtualRegister;
}

export function selection(text: string, options: SelectionOptions = {}): Selection {
  const reader = new Reader(options);
  for (const line of text.split('\n')) reader.line(line.trim());
  return reader.finish();
}

const familyNames = ['bool', 'byte', 'word', 'dword', 'qword', 'oword', 'hword', 'reg'];

class Reader {
  private readonly registers: Register[] = [];
  private readonly numbers = new Map<string, VirtualRegister>();
  private readonly instructions: Instruction[] = [];
  private readonly blockStart: number[] = [];
  private readonly successors: number[][] = [];
  private readonly width: 8 | 16;

  constructor(private readonly options: SelectionOptions) {
    this.width = options.width ?? 8;
  }

  line(text: string): void {
    if (text === '') return;
    const words = text.split(/\s+/);
    const isUniform = words[0] === 'uniform';
    if (isUniform) words.shift();
    if (familyNames.includes(words[0])) {
      const family = words[0] as Family;
      for (const name of words.slice(1).filter(Boolean)) this.declare(name, family, isUniform);
      return;
    }
    const block = /^L\d+( -> (?<to>[\d ]+))?$/.exec(text);
    if (block) {
      this.blockStart.push(this.instructions.length);
      this.successors.push((block.groups?.to ?? '').split(' ').filter(Boolean).map(Number));
      return;
    }
    if (this.blockStart.length === 0) this.line('L0');
    this.instructions.push(this.instruction(text));
  }

  private declare(name: string, family: Family, isUniform: boolean): void {
    const bytes = registerBytes(family, isUniform, this.width);
    this.numbers.set(name, virtual(this.registers.length));
    this.registers.push({ name, bytes, alignment: Math.max(4, Math.min(32, bytes)), family, isUniform });
  }

  private instruction(text: string): Instruction {
    const parts = /^(?:\((?<guard>[-+]\S+)\) )?(?<head>\S+)(?<rest>.*)$/.exec(text)!.groups!;
    const [, name, execSize, test, flag] =
      /^([a-z]\w*)(?:\((\d+)\))?(?:\.(z|nz|g|ge|l|le)\.(\S+))?$/.exec(parts.head) ?? fail(text);
    const marks: readonly string[] = parts.rest.match(/!\w+/g) ?? [];
    const operands = parts.rest.replace(/!\w+/g, '');
    const [left, right = ''] = operands.includes('=') ? operands.split('=') : ['', operands];
    const group = marks.map((mark) => /^!group(\d+)$/.exec(mark)).find(Boolean);
    return {
      opcode: opcodeOf(name),
      execSize: Number(execSize ?? this.width) as Instruction['execSize'],
      group: group ? Number(group[1]) : 0,
      noMask: marks.includes('!nomask'),
      saturate: marks.includes('!sat'),
      ...(test !== undefined && { condition: { test: test as Condition, flag: this.flag(flag) } }),
      ...(parts.guard && {
        predicate: {
          flag: this.flag(parts.guard.slice(1)),
          inverse: parts.guard.startsWith('-'),
          mode: 'normal' as const,
        },
      }),
      destinations: this.operands(left, true),
      sources: this.operands(right, false),
      message: { ...noMessage, isEndOfThread: marks.includes('!eot') },
      noDDClear: false,
      noDDCheck: false,
      writesAccumulator: marks.includes('!acc'),
      switchesThread: false,
      target: -1,
      origin: this.instructions.length,
    };
  }

  private flag(text: string): FlagReference {
    const hardware = /^f([01])\.([01])$/.exec(text);
    if (hardware)
      return { kind: 'hardware', flag: (2 * Number(hardware[1]) + Number(hardware[2])) as 0 | 1 | 2 | 3 };
    return { kind: 'virtual', register: this.number(text) };
  }

  private operands(text: string, isDestination: boolean): Operand[] {
    return text
      .split(/\s+/)
      .filter(Boolean)
      .map((operand) => this.operand(operand, isDestination));
  }

  private operand(text: string, isDestination: boolean): Operand {
    const parts = /^(?<name>-?\w+)(?:\+(?<offset>\d+))?(?:<(?<stride>\d+)>)?(?::(?<type>\w+))?$/.exec(
      text,
    )?.groups;
    if (parts === undefined) return fail(text);
    const { name, offset = '0', stride } = parts;
    const type = (parts.type as Type | undefined) ?? 'UD';
    if (/^-?\d+$/.test(name)) return immediate(type, Number(name) >>> 0);
    if (name === 'null') return otherOperand('null', 0, type);
    const hardware = /^g(\d+)$/.exec(name);
    const step = stride === undefined ? undefined : Number(stride);
    if (hardware) return { ...hardwareOperand(Number(hardware[1]), type, step ?? 1), offset: Number(offset) };
    const register = this.number(name);
    const usual = this.registers[register].isUniform && !isDestination ? 0 : 1;
    return { ...virtualOperand(register, type, step ?? usual), offset: Number(offset) };
  }

  private number(name: string): VirtualRegister {
    return this.numbers.get(name) ?? fail(name);
  }

  finish(): Selection {
    const { options } = this;
    if (this.blockStart.length === 0) this.line('L0');
    const program: Program = {
      name: 'test',
      dialect: options.dialect ?? 'selection',
      platform: platforms[options.platform ?? 'ivb'],
      width: this.width,
      phase: 'virtual',
      registers: this.registers,
      instructions: this.instructions,
      blockStart: Int32Array.from([...this.blockStart, this.instructions.length]),
      successors: this.successors,
      isGraphComplete: true,
      firstFree: options.firstFree ?? 1,
      registerLimit: options.registerLimit ?? 128,
      uniforms: 0,
      liveOut: (options.liveOut ?? []).map((name) => virtualOperand(this.number(name), 'UD')),
      ...(options.pool && { pool: options.pool }),
      scratchBytes: options.scratchBytes ?? 0,
    };
    return { program, of: (name) => this.number(name) };
  }
}

function fail(text: string): never {
  throw new Error(`cannot be read: ${text}`);
}

const flagNames = ['f0.0', 'f0.1', 'f1.0', 'f1.1'];

/** An instruction in the same notation, for expectations; modifiers that say nothing are left out. */
export function shown(instruction: Instruction, program: Program): string {
  const { opcode, execSize, predicate, condition, noMask, group, message } = instruction;
  const flag = (reference: FlagReference): string =>
    reference.kind === 'hardware' ? flagNames[reference.flag] : program.registers[reference.register].name;
  const guard = predicate ? `(${predicate.inverse ? '-' : '+'}${flag(predicate.flag)}) ` : '';
  const test = condition ? `.${condition.test}.${flag(condition.flag)}` : '';
  const width = execSize === program.width ? '' : `(${execSize})`;
  const list = (operands: readonly Operand[]): string =>
    operands.map((o) => shownOperand(o, program)).join(' ');
  const destinations = instruction.destinations.length ? ` ${list(instruction.destinations)} =` : '';
  const sources = instruction.sources.length ? ` ${list(instruction.sources)}` : '';
  const scratch = message.scratchOffset === undefined ? '' : ` @${message.scratchOffset}`;
  const marks = `${noMask ? ' !nomask' : ''}${group ? ` !group${group}` : ''}`;
  return `${guard}${opcode.name}${width}${test}${destinations}${sources}${scratch}${marks}`;
}

function shownOperand(operand: Operand, program: Program): string {
  if (operand.file === 'immediate') return String(operand.low | 0);
  if (operand.file === 'null') return 'null';
  if (operand.file === 'slot') return `s${operand.number}`;
  const offset = operand.offset ? `+${operand.offset}` : '';
  const stride = operand.stride === 1 ? '' : `<${operand.stride}>`;
  const name =
    operand.file === 'grf'
      ? `g${operand.grf}`
      : operand.file === 'virtual'
        ? program.registers[operand.register].name
        : `${operand.file}${operand.number}`;
  return `${name}${offset}${stride}`;
}

export const listing = (program: Program): string[] =>
  program.instructions.map((instruction) => shown(instruction, program));
