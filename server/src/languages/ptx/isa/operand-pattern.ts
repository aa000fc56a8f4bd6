import { bitsType, spaceNames, typeId, wideType, type TypeId } from './types.js';

/**
 * Operand patterns (notation in schema.ts), compiled in two steps: once a form to a template, and once an opcode
 * text, when the sets are known, to the specifications that operands are checked against.
 */
export const enum Shape {
  Value,
  Address,
  Label,
  Function,
  List,
  Targets,
  Prototype,
  Any,
}

export const enum OperandFlag {
  Written = 1 << 0,
  Read = 1 << 1,
  RegisterOnly = 1 << 2,
  ConstantOnly = 1 << 3,
  Negatable = 1 << 4,
  Special = 1 << 5,
  Symbol = 1 << 6,
  Sink = 1 << 7,
  Wider = 1 << 8,
  /** A second predicate destination may, or must, follow after `|`. */
  PairOptional = 1 << 9,
  PairRequired = 1 << 10,
  /** A single element may stand in braces. */
  Braces = 1 << 11,
  /** The type is fixed and not named by a modifier: an .f16x2 register is no integer then. */
  Fixed = 1 << 12,
  /** `_` may stand for a whole vector. */
  WholeSink = 1 << 13,
  /** A byte or half of the register may be selected: `a.b0`, `a.h1`. */
  Part = 1 << 14,
  /** A register of this very type, no other of its width. */
  Exact = 1 << 15,
  /** `-` may stand before the register. */
  Minus = 1 << 16,
  /** A braced list of integers may stand for floats of their width. */
  Loose = 1 << 17,
  /** An address whose register may not have 32 bits. */
  Wide = 1 << 18,
}

/** What may stand at one operand of a resolved form. */
export interface OperandSpec {
  readonly name: string;
  readonly shape: Shape;
  /** Bits of OperandFlag. */
  readonly flags: number;
  readonly type: TypeId;
  /** Number of elements in braces; 1 is a scalar. */
  readonly count: number;
  /** For addresses: bit n is the space of number n in `spaceNames`; 0 is any. */
  readonly spaces: number;
  readonly low: bigint | undefined;
  readonly high: bigint | undefined;
  /** The only values of a constant, where they are no range. */
  readonly values: readonly bigint[] | undefined;
  /** For addresses with more elements: the first one is `elements[0]`. */
  readonly elements: readonly OperandSpec[];
}

interface Template {
  readonly name: string;
  readonly pair: '' | 'optional' | 'required';
  readonly words: readonly string[];
  readonly elements: readonly Template[] | undefined;
  readonly condition: { readonly modifiers: readonly string[]; readonly stands: boolean } | undefined;
}

type Item = Template | { readonly optional: readonly Item[] };

/** All operand lists that a pattern allows, longest first. */
export interface OperandPattern {
  readonly lists: readonly (readonly Template[])[];
}

/** @throws Error when the pattern is not well formed: a fault of the tables, which a test finds. */
export function compileOperands(pattern: string): OperandPattern {
  const parser = new PatternParser(pattern);
  const items = parser.items('');
  return { lists: expand(items) };
}

function expand(items: readonly Item[]): Template[][] {
  let lists: Template[][] = [[]];
  for (const item of items) {
    const choices = 'optional' in item ? [...expand(item.optional), []] : [[item]];
    lists = lists.flatMap((list) => choices.map((choice) => [...list, ...choice]));
  }
  return lists;
}

class PatternParser {
  private at = 0;
  constructor(private readonly text: string) {}

  private fail(why: string): never {
    throw new Error(`operand pattern '${this.text}': ${why} at ${this.at}`);
  }

  private skip(): void {
    while (this.text[this.at] === ' ' || this.text[this.at] === ',') this.at++;
  }

  items(end: string): Item[] {
    const items: Item[] = [];
    for (;;) {
      this.skip();
      if (this.at >= this.text.length) {
        if (end !== '') this.fail(`'${end}' is missing`);
        return items;
      }
      if (this.text[this.at] === end) {
        this.at++;
        return items;
      }
      if (this.text[this.at] === '{') {
        this.at++;
        items.push({ optional: this.items('}') });
      } else items.push(this.operand());
    }
  }

  private operand(): Template {
    if (this.text[this.at] === '[') {
      this.at++;
      const elements: Template[] = [];
      for (const item of this.items(']')) {
        if ('optional' in item) this.fail('no optional elements in an address');
        elements.push(item);
      }
      if (elements.length === 0) this.fail('an address without a name');
      const { words, condition } = this.words();
      return { name: elements[0].name, pair: '', words, elements, condition };
    }
    const head =
      /^([A-Za-z_]\w*)(\{\|\w+\}|\|\w+)?/.exec(this.text.slice(this.at)) ?? this.fail('expected a name');
    this.at += head[0].length;
    const pair = head[2] === undefined ? '' : head[2].startsWith('{') ? 'optional' : 'required';
    if (this.text[this.at] === ':') this.at++;
    return { name: head[1], pair, ...this.words(), elements: undefined };
  }

  private words(): Pick<Template, 'words' | 'condition'> {
    const text = /^[^,{}[\]]*/.exec(this.text.slice(this.at))![0];
    this.at += text.length;
    const words = text.split(' ').filter((word) => word !== '');
    const at = words.findIndex((word) => word === 'if' || word === 'unless');
    if (at < 0) return { words, condition: undefined };
    const modifier = words[at + 1];
    if (modifier?.startsWith('.') !== true || words.length !== at + 2)
      this.fail(`'${words[at]}' needs a modifier`);
    return {
      words: words.slice(0, at),
      condition: {
        modifiers: modifier.split('|').map((name) => name.replace('.', '')),
        stands: words[at] === 'if',
      },
    };
  }
}

const predicate = typeId('pred');

const flagOf: Readonly<Record<string, OperandFlag>> = {
  r: OperandFlag.RegisterOnly,
  i: OperandFlag.ConstantOnly,
  n: OperandFlag.Negatable,
  s: OperandFlag.Special,
  y: OperandFlag.Symbol,
  _: OperandFlag.Sink,
  __: OperandFlag.WholeSink,
  part: OperandFlag.Part,
  exact: OperandFlag.Exact,
  '-': OperandFlag.Minus,
  loose: OperandFlag.Loose,
};

const shapeOf: Readonly<Record<string, Shape>> = {
  label: Shape.Label,
  function: Shape.Function,
  list: Shape.List,
  targets: Shape.Targets,
  prototype: Shape.Prototype,
  any: Shape.Any,
};

/** What the modifiers of an opcode say to the operand pattern. */
export interface Modifiers {
  readonly all: readonly string[];
  readonly sets: ReadonlyMap<string, string>;
  /** Names of all sets of the form, bound or not. */
  readonly known: Readonly<Record<string, string>>;
}

/** The operand lists that this opcode allows. @throws Error when a word is not known. */
export function resolveOperands(pattern: OperandPattern, modifiers: Modifiers): OperandSpec[][] {
  const lists: OperandSpec[][] = [];
  for (const list of pattern.lists) {
    const specs: OperandSpec[] = [];
    for (const template of list) {
      const { condition } = template;
      if (
        condition !== undefined &&
        condition.modifiers.some((name) => modifiers.all.includes(name)) !== condition.stands
      )
        continue;
      specs.push(resolve(template, modifiers));
    }
    if (
      !lists.some((other) => other.length === specs.length && other.every((o, i) => o.name === specs[i].name))
    )
      lists.push(specs);
  }
  return lists;
}

function resolve(template: Template, modifiers: Modifiers): OperandSpec {
  for (const word of Object.keys(modifiers.known))
    if (Object.hasOwn(flagOf, word) || word === 'w')
      throw new Error(`'${word}' cannot name a set: it is a word`);
  let flags = template.pair === 'optional' ? OperandFlag.PairOptional : 0;
  if (template.pair === 'required') flags |= OperandFlag.PairRequired;
  let shape = Shape.Value;
  let type: TypeId = 0;
  let count = 1;
  let spaces = 0;
  let low: bigint | undefined;
  let high: bigint | undefined;
  let values: readonly bigint[] | undefined;
  let isWritten = false;
  let isRead = false;
  for (const word of template.words) {
    if (word === 'w') isWritten = true;
    else if (word === 'rw') isWritten = isRead = true;
    else if (Object.hasOwn(flagOf, word)) flags |= flagOf[word];
    else if (Object.hasOwn(shapeOf, word)) shape = shapeOf[word];
    else if (/^v\d+$/.test(word)) [count, flags] = [Number(word.slice(1)), flags | OperandFlag.Braces];
    else if (word.startsWith('v$'))
      [count, flags] = [countOf(word.slice(2), modifiers), flags | OperandFlag.Braces];
    else if (/^-?\d+\.\.-?\d+$/.test(word)) [low, high] = word.split('..').map(BigInt);
    else if (/^-?\d+(\|-?\d+)+$/.test(word)) values = word.split('|').map(BigInt);
    else if (word.startsWith('$')) spaces = spaceBit(modifiers.sets.get(word.slice(1)) ?? 'generic');
    else if (spaceBit(word) !== 0) spaces |= spaceBit(word);
    else {
      if (word.endsWith('+')) flags |= OperandFlag.Wider;
      if (typeId(word) !== 0 && !modifiers.all.includes(word)) flags |= OperandFlag.Fixed;
      type = resolveType(word.endsWith('+') ? word.slice(0, -1) : word, modifiers);
      if (type === 0 && !Object.hasOwn(modifiers.known, word))
        throw new Error(`operand ${template.name}: '${word}' is neither a word nor a type`);
    }
  }
  if (isWritten) flags |= OperandFlag.Written;
  if (isRead || !isWritten) flags |= OperandFlag.Read;
  if (type === predicate && !isWritten) flags |= OperandFlag.Negatable;
  if (template.elements === undefined)
    return { name: template.name, shape, flags, type, count, spaces, low, high, values, elements: [] };
  const elements = template.elements.map((element) => resolve(element, modifiers));
  return {
    name: template.name,
    shape: Shape.Address,
    flags: OperandFlag.Read,
    type: elements[0].type,
    count: 1,
    spaces: elements[0].spaces,
    low,
    high,
    values,
    elements,
  };
}

/** The number that a set gives to its value (`x1=4`), else the digits at the end of the value, else 1. */
function countOf(set: string, modifiers: Modifiers): number {
  const value = modifiers.sets.get(set);
  if (value === undefined) return 1;
  const named = modifiers.known[set]?.split(' ').find((word) => word.startsWith(value + '='));
  return Number(named?.slice(value.length + 1) ?? /\d+$/.exec(value)?.[0] ?? 1);
}

function spaceBit(name: string): number {
  const colon = name.indexOf('::');
  const at = (spaceNames as readonly string[]).indexOf(colon < 0 ? name : name.slice(0, colon));
  return at < 0 ? 0 : 1 << at;
}

function resolveType(word: string, modifiers: Modifiers): TypeId {
  const call = /^(wide|bits)\(([\w$]+)\)$/.exec(word);
  if (call !== null) {
    const inner = resolveType(call[2], modifiers);
    return call[1] === 'wide' ? wideType(inner) : bitsType(inner);
  }
  if (!Object.hasOwn(modifiers.known, word)) return typeId(word);
  return typeId(modifiers.sets.get(word) ?? '');
}
