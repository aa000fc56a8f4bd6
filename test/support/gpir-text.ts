import { FunctionBuilder } from '../../server/src/ir/builder.js';
import { InstructionFlag, OpcodeTable, OperandFlag, type Function } from '../../server/src/ir/function.js';
import { floatBits, locationPayload, NEGATED, Space } from '../../server/src/ir/payload.js';
import { NoRegister, physical, virtual } from '../../server/src/ir/place.js';
import { arithmetic } from '../../server/src/targets/mali-gp/arithmetic.js';

/**
 * A second reader of gpir, for well-formed programs only: it makes a function for the passes of the machine without
 * the language, and executes the text line by line, so that lowering is judged by something that shares nothing
 * with it.
 */
interface Line {
  readonly result: string | undefined;
  readonly op: string;
  readonly operands: readonly string[];
}

interface TextBlock {
  readonly name: string;
  readonly lines: Line[];
}

export interface GpirText {
  readonly blocks: readonly TextBlock[];
  readonly liveOut: readonly string[];
  readonly uniforms: number;
}

export function readGpir(text: string): GpirText {
  const blocks: TextBlock[] = [];
  const liveOut: string[] = [];
  let uniforms = 0;
  for (const raw of text.split('\n')) {
    let line = raw.replace(/(;|\/\/).*/, '').trim();
    for (const [, vector] of line.matchAll(/\bu(\d+)\b/g)) uniforms = Math.max(uniforms, Number(vector) + 1);
    if (line.startsWith('.live_out'))
      liveOut.push(
        ...line
          .slice(9)
          .trim()
          .split(/\s*,\s*/),
      );
    if (line === '' || line.startsWith('.')) continue;
    const label = /^([\w.]+)\s*:\s*/.exec(line);
    if (label !== null) {
      blocks.push({ name: label[1], lines: [] });
      line = line.slice(label[0].length);
      if (line === '') continue;
    }
    if (blocks.length === 0) blocks.push({ name: '', lines: [] });
    const [, result, op, rest] = /^(?:(%[\w.]+)\s*=\s*)?(\w+)\s*(.*)$/.exec(line)!;
    blocks.at(-1)!.lines.push({ result, op, operands: rest === '' ? [] : rest.split(/\s*,\s*/) });
  }
  return { blocks, liveOut, uniforms };
}

const components = 'xyzw';
const spaces: Readonly<Record<string, Space>> = {
  a: Space.Attribute,
  u: Space.Uniform,
  v: Space.Varying,
  t: Space.Temporary,
};
const STORES = new Set(['st_var', 'st_reg', 'st_tmp']);
/** Of a special function in steps, the `*_impl` computes the result and the others hand it on. */
const COPIES = new Set(['complex1', 'complex2', 'preexp2', 'postlog2']);
/** The machine has them to the base 2 only; the factor costs a rounding, in every compiler. */
const emulated: Readonly<Partial<Record<string, (x: number, y: number, z: number) => number>>> = {
  exp: (x) => arithmetic.exp2(arithmetic.mul(x, Math.fround(Math.LOG2E))),
  log: (x) => arithmetic.mul(arithmetic.log2(x), Math.fround(Math.LN2)),
};
const isRegister = (word: string): boolean => /^[@$]/.test(word);

function number(word: string): number {
  const sign = word.startsWith('-') ? -1 : 1;
  const digits = word.replace(/^[+-]/, '');
  if (!/^0x/i.test(digits)) return sign * Math.fround(Number(digits));
  const view = new DataView(new ArrayBuffer(4));
  view.setUint32(0, Number(digits));
  return sign * view.getFloat32(0);
}

/** The function as the language lowers it; instruction numbers count the lines of all blocks. */
export function functionOfGpir(text: string | GpirText, opcodes = new OpcodeTable()): Function {
  const source = typeof text === 'string' ? readGpir(text) : text;
  const builder = new FunctionBuilder(
    { name: 'program', isEntry: true, attributes: { uniforms: source.uniforms } },
    opcodes,
    [
      { name: 'value', unit: 'value' },
      { name: 'register', unit: 'register component' },
    ],
  );
  const registers = new Map<string, number>();
  const operand = (word: string, flags: number): void => {
    const isNegated = word.startsWith('-');
    const name = word.replace(/^-/, '');
    const location = /^([auvt])(\d+)\.([xyzw])$/.exec(name);
    const place = /^\$(\d+)\.([xyzw])$/.exec(name);
    const payload = isNegated ? NEGATED : 0;
    if (location !== null) {
      const at = locationPayload(spaces[location[1]], Number(location[2]), components.indexOf(location[3]));
      builder.operand(NoRegister.Symbol, flags, { payload: payload | at });
    } else if (place !== null)
      builder.operand(physical(1, 4 * Number(place[1]) + components.indexOf(place[2])), flags, {
        payload,
        width: 1,
      });
    else if (/^[%@]/.test(name)) {
      if (!registers.has(name)) registers.set(name, builder.register(name, name.startsWith('@') ? 1 : 0, 1));
      builder.operand(virtual(registers.get(name)!), flags, { payload });
    } else builder.operand(NoRegister.Immediate, flags, { payload: floatBits(number(word)) });
  };
  const labels = new Map(source.blocks.map(({ name }, b) => [name, b]));
  let line = 0;
  source.blocks.forEach((block, b) => {
    builder.block(block.name);
    if (b === 0 && source.liveOut.length > 0) {
      builder.instruction('entry', InstructionFlag.Entry, line, line);
      for (const word of registersReadFirst(source)) operand(word, OperandFlag.Definition);
    }
    let taken: number | undefined;
    let next: number | undefined = b + 1 < source.blocks.length ? b + 1 : undefined;
    for (const { result, op, operands } of block.lines) {
      const isBranch = op === 'branch' || op === 'branch_cond';
      builder.instruction(
        op,
        isBranch ? InstructionFlag.Branch : STORES.has(op) ? InstructionFlag.SideEffect : 0,
        line,
        line + 1,
      );
      line++;
      if (result !== undefined) operand(result, OperandFlag.Definition);
      operands.forEach((word, k) => {
        if (isBranch && k === 0) builder.operand(NoRegister.Label, OperandFlag.Use);
        else operand(word, STORES.has(op) && k === 0 ? OperandFlag.Definition : OperandFlag.Use);
      });
      if (op === 'branch_cond') taken = labels.get(operands[0])!;
      if (op === 'branch') next = labels.get(operands[0])!;
    }
    if (next !== undefined) builder.successor(b, next);
    if (taken !== undefined) builder.successor(b, taken);
  });
  if (source.liveOut.length > 0) {
    builder.instruction('live_out', InstructionFlag.SideEffect, line, line);
    for (const word of source.liveOut) operand(word, OperandFlag.Use);
  }
  return builder.finish();
}

/** Registers that some path reads, or hands back at the end, before it writes them. */
function registersReadFirst({ blocks, liveOut }: GpirText): string[] {
  const labels = new Map(blocks.map(({ name }, b) => [name, b]));
  const found = new Set<string>();
  /** By block, what is written on all paths to it that were walked so far. */
  const written: (Set<string> | undefined)[] = [new Set()];
  const work = [0];
  for (let b = work.pop(); b !== undefined; b = work.pop()) {
    const now = new Set(written[b]);
    const read = (word: string): void => {
      const name = word.replace(/^-/, '');
      if (isRegister(name) && !now.has(name)) found.add(name);
    };
    const reach = (to: number): void => {
      const before = written[to];
      const common =
        before === undefined ? new Set(now) : new Set([...before].filter((name) => now.has(name)));
      if (before !== undefined && common.size === before.size) return;
      written[to] = common;
      work.push(to);
    };
    let next: number | undefined = b + 1;
    for (const { op, operands } of blocks[b]?.lines ?? []) {
      operands.forEach((word, k) => {
        if (!(STORES.has(op) && k === 0)) read(word);
      });
      if (op === 'st_reg') now.add(operands[0]);
      if (op.startsWith('branch')) reach(labels.get(operands[0])!);
      if (op === 'branch') next = undefined;
    }
    if (b >= blocks.length) liveOut.forEach(read);
    else if (next !== undefined) reach(next);
  }
  return [...found];
}

export interface TextRun {
  /** By name, such as `v0.x`. */
  readonly varyings: ReadonlyMap<string, number>;
  /** By name as written: values, registers, temporaries. */
  readonly cells: ReadonlyMap<string, number>;
  readonly hasEnded: boolean;
  /** Whether any result was NaN, or a place was read that nothing had written. */
  readonly meetsNaN: boolean;
}

/** Executes the text; `input` gives attributes, uniforms and registers handed over, by name. */
export function runGpir(source: GpirText, input: (name: string) => number, limit = 100_000): TextRun {
  const cells = new Map<string, number>();
  const varyings = new Map<string, number>();
  const labels = new Map(source.blocks.map(({ name }, b) => [name, b]));
  let meetsNaN = false;
  const read = (word: string): number => {
    if (/^[+-]?[\d.]/.test(word)) return number(word);
    const name = word.replace(/^-/, '');
    const value = cells.get(name) ?? (/^[au@$]/.test(name) ? input(name) : NaN);
    if (Number.isNaN(value)) meetsNaN = true;
    return word.startsWith('-') ? -value : value;
  };
  let b = 0;
  let steps = 0;
  while (b < source.blocks.length) {
    let next = b + 1;
    for (const { result, op, operands } of source.blocks[b].lines) {
      if (++steps > limit) return { varyings, cells, hasEnded: false, meetsNaN };
      if (op === 'branch') next = labels.get(operands[0])!;
      if (op === 'branch_cond' && read(operands[1]) !== 0) {
        next = labels.get(operands[0])!;
        break;
      }
      if (op.startsWith('branch')) continue;
      if (op === 'st_var') varyings.set(operands[0], read(operands[1]));
      else if (STORES.has(op)) cells.set(operands[0], read(operands[1]));
      else {
        const [x, y, z] = operands.map(read);
        const isCopy = op.startsWith('ld_') || op === 'const' || COPIES.has(op);
        const name = op.replace(/_impl$/, '') as keyof typeof arithmetic;
        const value = isCopy ? x : (emulated[op] ?? arithmetic[name])(x, y, z);
        if (Number.isNaN(value)) meetsNaN = true;
        cells.set(result!, value);
      }
    }
    b = next;
  }
  return { varyings, cells, hasEnded: true, meetsNaN };
}
