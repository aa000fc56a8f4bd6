import { listedNames } from '../target-lists.js';
import { OperandFlag, type Function } from '../../../ir/function.js';
import { isVirtual } from '../../../ir/place.js';
import { byteSize, parameterFact, variableFact, type VariableFact } from '../declarations.js';
import type { Block, Constant, Declarator, FunctionItem, Instruction, Operand, Statement } from '../tree.js';
import { typeBytes } from '../types.js';

/**
 * Instructions of a function made ready for execution: the dotted opcode taken apart, and each operand of the text
 * joined to the operand number that `ir/` gave it, by the place of its name. Names of variables are resolved by
 * the scopes of the text. Done once a function.
 */
export interface Decoded {
  readonly mnemonic: string;
  /** Without dots: `rn`, `ftz`, `f32`. */
  readonly modifiers: readonly string[];
  /** Those of them that are types, in order. */
  readonly types: readonly string[];
  /** The state space among them, without its part (`shared` of `shared::cta`). */
  readonly space: string | undefined;
  /** Elements of `.v2`, `.v4`, `.v8`; 1 without. */
  readonly vector: number;
  readonly guard: { readonly operand: number; readonly isNegated: boolean } | undefined;
  readonly operands: readonly Argument[];
  /** The carry flag's operand number, or -1. */
  readonly carry: number;
  /** Operands that `ret` reads: the function's results in registers. */
  readonly results: readonly number[];
  readonly text: string;
}

export type Argument =
  | { readonly kind: 'register'; readonly operand: number }
  | { readonly kind: 'constant'; readonly value: Constant }
  | { readonly kind: 'special'; readonly name: string }
  | { readonly kind: 'symbol'; readonly symbol: SymbolPlace; readonly offset: bigint }
  | { readonly kind: 'function'; readonly name: string }
  | { readonly kind: 'vector'; readonly elements: readonly Argument[] }
  | {
      readonly kind: 'address';
      readonly base: Argument | undefined;
      readonly offset: bigint;
      readonly hasMore: boolean;
    }
  | { readonly kind: 'pair'; readonly first: Argument; readonly second: Argument }
  | { readonly kind: 'not'; readonly operand: Argument }
  | { readonly kind: 'list'; readonly elements: readonly Argument[] }
  | { readonly kind: 'sink' }
  | { readonly kind: 'name'; readonly name: string };

/** Where a variable lies: at an address of its state space, counted from the frame for parameters and local memory of a call. */
export interface SymbolPlace {
  readonly name: string;
  readonly space: string;
  readonly address: bigint;
  readonly isInFrame: boolean;
  readonly bytes: number;
  readonly elementBytes: number;
}

/** What a function needs of its module. */
export interface ModuleNames {
  variable(name: string): SymbolPlace | undefined;
  isFunction(name: string): boolean;
  /** Places a variable of shared, global or constant memory that is declared in a function. */
  place(name: string, fact: VariableFact): SymbolPlace;
}

export interface DecodedFunction {
  readonly name: string;
  readonly source: Function;
  readonly code: readonly (Decoded | undefined)[];
  readonly inputs: readonly Parameter[];
  readonly outputs: readonly Parameter[];
  /** Labels of `.branchtargets` lists by the list's label. */
  readonly branchTargets: ReadonlyMap<string, readonly string[]>;
  readonly paramBytes: number;
  readonly localBytes: number;
  /** Variables in the frame, parameters included. */
  readonly variables: readonly SymbolPlace[];
}

/** A parameter: its place in the frame, or its register when it is passed in one (-1 when nothing mentions it). */
export interface Parameter {
  readonly place: SymbolPlace | undefined;
  readonly register: number;
  readonly bytes: number;
}

const TYPE =
  /^(?:[usb](?:8|16|32|64|128)|[us]16x2|[us]8x4|b?f16(?:x2)?|f32(?:x2)?|f64|tf32|e\dm\d(?:x2)?|pred)$/;

const SPACES = new Set(['global', 'shared', 'local', 'const', 'param']);
const VECTOR = /^v[248]$/;
const vectorLength = (modifier: string | undefined): number =>
  modifier === undefined ? 1 : Number(modifier.slice(1));

interface Frame {
  param: number;
  local: number;
  readonly variables: SymbolPlace[];
}

interface Scope {
  readonly names: Map<string, SymbolPlace>;
  readonly outer: Scope | undefined;
}

export function decodeFunction(f: Function, item: FunctionItem, module: ModuleNames): DecodedFunction {
  const frame: Frame = { param: 0, local: 0, variables: [] };
  const scope: Scope = { names: new Map(), outer: undefined };
  const byStart = new Map<number, number>();
  for (let i = 0; i < f.instructionCount; i++) byStart.set(f.spanStart[i], i);
  const code = new Array<Decoded | undefined>(f.instructionCount).fill(undefined);
  const branchTargets = new Map<string, readonly string[]>();

  const parameter = (p: FunctionItem['parameters'][number]): Parameter => {
    const fact = parameterFact(p);
    const bytes = byteSize(fact);
    if (fact.space === '.reg')
      return { place: undefined, register: f.registerNames.indexOf(fact.name), bytes };
    const place = inFrame(frame, 'param', { ...fact, kind: 'variable', linkage: [] }, fact.name);
    scope.names.set(fact.name, place);
    return { place, register: -1, bytes };
  };
  const outputs = item.returns.map(parameter);
  const inputs = item.parameters.map(parameter);

  const statement = (s: Statement, at: Scope): void => {
    if (s.kind === 'instruction') {
      const number = byStart.get(s.start);
      if (number !== undefined) code[number] = decodeInstruction(f, number, s, at, module);
    } else if (s.kind === 'variable' && s.space.text !== '.reg') {
      for (const declarator of s.declarators) {
        const fact = variableFact(s, declarator.dimensions);
        const space = fact.space.split('::')[0].slice(1);
        const isInFrame = space === 'param' || space === 'local';
        for (const text of namesOf(declarator))
          at.names.set(text, isInFrame ? inFrame(frame, space, fact, text) : module.place(text, fact));
      }
    } else if (s.kind === 'targets') {
      branchTargets.set(
        s.label.text,
        s.targets.flatMap((target) => [...listedNames(target)]),
      );
    }
  };
  const open: { block: Block; next: number; scope: Scope }[] = [];
  if (item.body !== undefined) open.push({ block: item.body, next: 0, scope });
  while (open.length > 0) {
    const top = open[open.length - 1];
    if (top.next === top.block.statements.length) {
      open.pop();
      continue;
    }
    const s = top.block.statements[top.next++];
    if (s.kind === 'block') open.push({ block: s, next: 0, scope: { names: new Map(), outer: top.scope } });
    else statement(s, top.scope);
  }
  return {
    name: f.name,
    source: f,
    code,
    inputs,
    outputs,
    branchTargets,
    paramBytes: frame.param,
    localBytes: frame.local,
    variables: frame.variables,
  };
}

/** `x`, or `x0` to `x3` of `x<4>`. */
export function namesOf({ name, range }: Declarator): readonly string[] {
  if (range === undefined) return [name.text];
  const count = Math.min(Number(range.integer ?? 0n), MOST_NAMES);
  return Array.from({ length: count }, (_, k) => `${name.text}${k}`);
}

const MOST_NAMES = 65_536;

/** The next place of the frame, aligned. */
function inFrame(frame: Frame, space: 'param' | 'local', fact: VariableFact, name: string): SymbolPlace {
  const elementBytes = Math.max(1, typeBytes(fact.type) * fact.vector);
  const alignment = Math.max(16, fact.alignment);
  const start = Math.ceil(frame[space] / alignment) * alignment;
  const bytes = byteSize(fact);
  frame[space] = start + Math.max(1, bytes);
  const place = { name, space, address: BigInt(start), isInFrame: true, bytes, elementBytes };
  frame.variables.push(place);
  return place;
}

function decodeInstruction(
  f: Function,
  number: number,
  node: Instruction,
  scope: Scope,
  module: ModuleNames,
): Decoded {
  const first = f.operandStart[number];
  const end = f.operandStart[number + 1];
  const byName = new Map<number, number[]>();
  let carry = -1;
  const results: number[] = [];
  for (let o = first; o < end; o++) {
    if (!isVirtual(f.operandPlace[o])) continue;
    const start = f.operandSpanStart[o];
    if (start >= 0) {
      const known = byName.get(start);
      if (known === undefined) byName.set(start, [o]);
      else known.push(o);
    } else if (f.registerNames[f.operandPlace[o]] === '%cc') carry = o;
    else if ((f.operandFlags[o] & OperandFlag.Use) !== 0) results.push(o);
  }
  const [mnemonic, ...modifiers] = node.opcode.text.split('.');
  const context: Context = { byName, scope, module };
  const guard = node.guard;
  const guardOperand = guard === undefined ? undefined : byName.get(guard.name.start)?.at(-1);
  return {
    mnemonic,
    modifiers,
    types: modifiers.filter((m) => TYPE.test(m)),
    space: modifiers.map((m) => m.split('::')[0]).find((m) => SPACES.has(m)),
    vector: vectorLength(modifiers.find((m) => VECTOR.test(m))),
    guard: guard === undefined ? undefined : { operand: guardOperand ?? -1, isNegated: guard.isNegated },
    operands: node.operands.map((o) => argument(o, context)),
    carry,
    results,
    text: node.opcode.text,
  };
}

interface Context {
  readonly byName: ReadonlyMap<number, readonly number[]>;
  readonly scope: Scope;
  readonly module: ModuleNames;
}

const SINK: Argument = { kind: 'sink' };

function argument(node: Operand, context: Context): Argument {
  switch (node.kind) {
    case 'name': {
      const registers = context.byName.get(node.name.start) ?? context.byName.get(node.start);
      if (registers !== undefined && registers.length === 1)
        return { kind: 'register', operand: registers[0] };
      if (registers !== undefined)
        return { kind: 'vector', elements: registers.map((operand) => ({ kind: 'register', operand })) };
      return named(node, context);
    }
    case 'constant':
      return { kind: 'constant', value: node.value };
    case 'address':
      return {
        kind: 'address',
        base: node.base === undefined ? undefined : argument(node.base, context),
        offset: node.offset?.integer ?? 0n,
        hasMore: node.more.length > 0,
      };
    case 'vector':
      return { kind: 'vector', elements: node.elements.map((e) => argument(e, context)) };
    case 'list':
      return { kind: 'list', elements: node.elements.map((e) => argument(e, context)) };
    case 'pair':
      return { kind: 'pair', first: argument(node.first, context), second: argument(node.second, context) };
    case 'not':
      return { kind: 'not', operand: argument(node.operand, context) };
    case 'sink':
    case 'missing':
      return SINK;
  }
}

function named(node: Extract<Operand, { kind: 'name' }>, { scope, module }: Context): Argument {
  const { text } = node.name;
  let symbol: SymbolPlace | undefined;
  for (let s: Scope | undefined = scope; s !== undefined && symbol === undefined; s = s.outer)
    symbol = s.names.get(text);
  symbol ??= module.variable(text);
  if (symbol !== undefined) {
    const index = (node.index?.integer ?? 0n) * BigInt(symbol.elementBytes);
    return { kind: 'symbol', symbol, offset: index + (node.offset?.integer ?? 0n) };
  }
  if (module.isFunction(text)) return { kind: 'function', name: text };
  if (text.startsWith('%') || text === 'WARP_SZ')
    return {
      kind: 'special',
      name: node.component === undefined ? text : `${text}.${node.component.text.replace('.', '')}`,
    };
  return { kind: 'name', name: text };
}
