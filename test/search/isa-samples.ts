import { Shape, OperandFlag, type OperandSpec } from '../../server/src/languages/ptx/isa/operand-pattern.js';
import { compiledForms, opcodeOf, type ResolvedForm } from '../../server/src/languages/ptx/isa/opcode.js';
import type { Element } from '../../server/src/languages/ptx/isa/modifiers.js';
import type { InstructionEntry } from '../../server/src/languages/ptx/isa/schema.js';
import {
  accepts,
  acceptsWider,
  isFloatType,
  isIntegerType,
  spaceNames,
  typeBits,
  typeId,
  typeName,
} from '../../server/src/languages/ptx/isa/types.js';
import type { Random } from './random.js';

/**
 * Instructions made from the tables: right ones, every combination of modifiers of every form up to a cap, and
 * mutants of them. They are text, over the fixed names of the prelude.
 */
export interface Sample {
  readonly text: string;
  readonly entry: string;
  readonly isMutant: boolean;
}

/** Registers of the prelude by type: four each. */
const declared = [
  'pred', 'b8', 'b16', 'u16', 's16', 'f16', 'b32', 'u32', 's32', 'f32', 'f16x2', 'b64', 'u64', 's64', 'f64', 'b128',
]; // prettier-ignore
const register = (type: string, n: number): string => `%${type}_${n}`;

/** What stands before and in each kernel. */
export const prelude = {
  module: [
    '.global .align 128 .b8 gbl[1024];',
    '.shared .align 128 .b8 shm[1024];',
    '.const .align 128 .b8 cst[1024];',
    '.global .texref tex;',
    '.global .samplerref samp;',
    '.global .surfref surf;',
    '.func fun() { ret; }',
  ].join(' '),
  registers: declared.map((type) => `.reg .${type} ${register(type, 0)}, ${[1, 2, 3].map((n) => register(type, n)).join(', ')};`).join(' '), // prettier-ignore
  local: '.local .align 128 .b8 lcl[1024];',
};

export const kernel = (n: number, instruction: string): string =>
  `.entry k${n}(.param .align 128 .b8 prm[1024]) { ${prelude.registers} ${prelude.local} L0: T0: .branchtargets L0; ${instruction}; ret; }`;

/** Choices of modifiers for a sequence of elements, as lists of words; at most `cap`, at random beyond. */
function combinations(elements: readonly Element[], cap: number, random: Random): string[][] {
  const one = (list: readonly Element[]): string[] =>
    list.flatMap((element) =>
      element.kind === 'one'
        ? [random.pick(element.values)]
        : random.chance(0.4)
          ? one(element.elements)
          : [],
    );
  const total = count(elements);
  if (total <= cap) return all(elements);
  return Array.from({ length: cap }, () => one(elements));
}

function count(elements: readonly Element[]): number {
  return elements.reduce(
    (product, element) =>
      product * (element.kind === 'one' ? element.values.length : 1 + count(element.elements)),
    1,
  );
}

function all(elements: readonly Element[]): string[][] {
  return elements.reduce<string[][]>(
    (lists, element) => {
      const choices =
        element.kind === 'one' ? element.values.map((value) => [value]) : [[], ...all(element.elements)];
      return lists.flatMap((list) => choices.map((choice) => [...list, ...choice]));
    },
    [[]],
  );
}

/** Right samples of an entry, by its tables. */
export function* samplesOf(
  entry: InstructionEntry,
  cap: number,
  random: Random,
): Generator<[Sample, ResolvedForm]> {
  for (const { form, modifiers } of compiledForms(entry)) {
    for (const words of combinations([...modifiers.name, ...modifiers.rest], cap, random)) {
      const opcode = opcodeOf([entry.opcode, ...words].join('.'));
      for (const resolved of opcode.forms) {
        if (resolved.form !== form) continue;
        const operands = resolved.operands.map((spec) => operand(spec, random));
        const text = `${opcode.text} ${operands.join(', ')}`;
        yield [{ text, entry: entry.opcode, isMutant: false }, resolved];
      }
    }
  }
}

function operand(spec: OperandSpec, random: Random): string {
  switch (spec.shape) {
    case Shape.Label:
      return 'L0';
    case Shape.Function:
      return 'fun';
    case Shape.Targets:
      return 'T0';
    case Shape.Address:
      return address(spec, random);
    case Shape.Value:
      return value(spec, random);
    default:
      return register('b64', random.below(4));
  }
}

function value(spec: OperandSpec, random: Random): string {
  if (spec.count > 1) {
    const element = { ...spec, count: 1, flags: spec.flags & ~OperandFlag.Sink };
    return `{${Array.from({ length: spec.count }, () => scalar(element, random)).join(', ')}}`;
  }
  const first = scalar(spec, random);
  const wantsPair =
    (spec.flags & OperandFlag.PairRequired) !== 0 ||
    ((spec.flags & OperandFlag.PairOptional) !== 0 && random.chance(0.5));
  return wantsPair ? `${register(typeName(spec.type) === 'b32' ? 'b32' : typeName(spec.type), 0)}|${register('pred', 3)}` : first; // prettier-ignore
}

function scalar(spec: OperandSpec, random: Random): string {
  const { flags } = spec;
  if ((flags & OperandFlag.ConstantOnly) !== 0) return constant(spec, random);
  const mayBeConstant = (flags & (OperandFlag.RegisterOnly | OperandFlag.Written)) === 0;
  if (mayBeConstant && random.chance(0.15)) return constant(spec, random);
  if ((flags & OperandFlag.Symbol) !== 0 && random.chance(0.1) && !isFloatType(spec.type)) return 'gbl';
  if ((flags & OperandFlag.Special) !== 0 && random.chance(0.1) && typeBits(spec.type) === 32)
    return '%tid.x';
  if ((flags & OperandFlag.Negatable) !== 0 && random.chance(0.2))
    return '!' + register('pred', random.below(4));
  const fits = (flags & OperandFlag.Wider) !== 0 ? acceptsWider : accepts;
  const types = declared.filter((type) => spec.type === 0 || fits(spec.type, typeId(type)));
  return types.length === 0 ? constant(spec, random) : register(random.pick(types), random.below(4));
}

function constant(spec: OperandSpec, random: Random): string {
  if (spec.values !== undefined) return String(random.pick(spec.values));
  if (typeName(spec.type) === 'f32' || typeName(spec.type) === 'f64') return '1.0';
  if (isFloatType(spec.type) && typeName(spec.type) !== 'tf32')
    return register('b' + String(typeBits(spec.type)), 0);
  if (spec.low === undefined) return String(random.below(16));
  const width = Number(spec.high! - spec.low);
  return String(spec.low + BigInt(random.below(width + 1)));
}

const variables: Readonly<Record<string, string>> = {
  generic: 'gbl',
  global: 'gbl',
  shared: 'shm',
  const: 'cst',
  local: 'lcl',
};

function address(spec: OperandSpec, random: Random): string {
  const [first, ...more] = spec.elements;
  const base = addressBase(first, spec.spaces, random);
  return `[${[base, ...more.map((element) => operand(element, random))].join(', ')}]`;
}

function addressBase(spec: OperandSpec, spaces: number, random: Random): string {
  const named = { texref: 'tex', samplerref: 'samp', surfref: 'surf' }[typeName(spec.type)];
  if (named !== undefined) return named;
  if (spec.type !== 0 && !isIntegerType(spec.type)) return register('b64', random.below(4));
  const space = spaceNames.find((_, bit) => (spaces & (1 << bit)) !== 0);
  const variable = space === undefined ? undefined : variables[space];
  const base = variable !== undefined && random.chance(0.3) ? variable : register('b64', random.below(4));
  return random.chance(0.3) ? `${base}+128` : base;
}

/** A sample with one thing changed; it may be right all the same. */
export function mutate(sample: Sample, vocabulary: readonly string[], random: Random): Sample {
  const [opcode, rest] = split(sample.text);
  const [base, ...modifiers] = opcode.split('.');
  const operands = rest;
  const at = random.below(Math.max(1, operands.length));
  const any = (): string => register(random.pick(declared), random.below(4));
  switch (random.below(operands.length === 0 ? 3 : 9)) {
    case 0:
      modifiers.splice(random.below(modifiers.length + 1), modifiers.length === 0 ? 0 : 1);
      break;
    case 1:
      modifiers.splice(
        random.below(modifiers.length + 1),
        0,
        random.pick(vocabulary.length > 0 ? vocabulary : ['u32']),
      );
      break;
    case 2:
      if (modifiers.length > 0 && vocabulary.length > 0)
        modifiers[random.below(modifiers.length)] = random.pick(vocabulary);
      break;
    case 3:
    case 4:
      operands[at] = any();
      break;
    case 5:
      operands[at] = random.pick([
        '7',
        '1.5',
        '0f3F800000',
        '%tid.x',
        'gbl',
        '_',
        `!${register('pred', 1)}`,
        'L0',
      ]);
      break;
    case 6:
      operands[at] = random.pick([`{${any()}, ${any()}}`, `[${any()}]`, `${any()}|${any()}`, `{${any()}}`]);
      break;
    case 7:
      operands.splice(at, 1);
      break;
    default:
      operands.splice(at, 0, any());
  }
  return { ...sample, text: `${[base, ...modifiers].join('.')} ${operands.join(', ')}`, isMutant: true };
}

/** Opcode and operands of a sample; commas within braces and brackets do not separate. */
function split(text: string): [string, string[]] {
  const blank = text.indexOf(' ');
  const operands: string[] = [];
  let depth = 0;
  let start = blank + 1;
  for (let i = start; i <= text.length; i++) {
    const c = text[i] ?? ',';
    if ('{[('.includes(c)) depth++;
    else if ('}])'.includes(c)) depth--;
    else if (c === ',' && (depth === 0 || i === text.length)) {
      const operand = text.slice(start, i).trim();
      if (operand !== '') operands.push(operand);
      start = i + 1;
    }
  }
  return [text.slice(0, blank), operands];
}
