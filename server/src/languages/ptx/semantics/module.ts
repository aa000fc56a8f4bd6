import type { Function } from '../../../ir/function.js';
import { byteSize, factOf, functionFact, type VariableFact } from '../declarations.js';
import type { FunctionItem, Initializer, PtxUnit } from '../tree.js';
import { typeBytes } from '../types.js';
import { fromNumber } from './arithmetic.js';
import { decodeFunction, type DecodedFunction, type ModuleNames, type SymbolPlace } from './decode.js';
import { F32, F64 } from './float.js';

/**
 * A PTX module made ready for execution: variables have addresses, each in its own state space and none adjacent to
 * another, functions have numbers, and are decoded when somebody first asks for them. Holds no contents of memory.
 */
export interface ProgramUnit {
  readonly parsed: PtxUnit;
  /** The function as lowered from this very unit. */
  readonly function?: Function | undefined;
}

/** Where variables of each space begin, as addresses of that space. */
export const FIRST: Readonly<Record<string, bigint>> = {
  global: 0x10_0000_0000n,
  const: 0x20_0000_0000n,
  shared: 0x400n,
};
const FUNCTIONS = 0xf000_0000_0000n;
/** Bytes that belong to nobody behind each variable, so that running over its end is seen. */
const GAP = 16n;

/** Stores `bytes` bytes of an initialiser. */
export type Fill = (space: string, address: bigint, bytes: number, value: bigint) => void;

interface FunctionEntry {
  readonly item: FunctionItem;
  readonly source: Function;
  decoded: DecodedFunction | undefined;
}

export class PtxModule {
  /** Variables outside of frames, in the order of their addresses within each space. */
  readonly placed: SymbolPlace[] = [];
  private readonly variables = new Map<string, SymbolPlace>();
  private readonly functions = new Map<string, FunctionEntry>();
  private readonly functionNumbers = new Map<string, number>();
  private readonly functionNames: string[] = [];
  private readonly next = { ...FIRST };
  private readonly names: ModuleNames = {
    variable: (name) => this.variables.get(name),
    isFunction: (name) => this.functionNumbers.has(name),
    place: (name, fact) => this.place(name, fact),
  };

  constructor(private readonly units: readonly ProgramUnit[]) {
    for (const unit of units) this.declare(unit);
  }

  /** The function of this name that has a body, or undefined. */
  function(name: string): DecodedFunction | undefined {
    const entry = this.functions.get(name);
    if (entry === undefined) return undefined;
    return (entry.decoded ??= decodeFunction(entry.source, entry.item, this.names));
  }

  /** Names of the functions that have a body. */
  defined(): readonly string[] {
    return [...this.functions.keys()];
  }

  variable(name: string): SymbolPlace | undefined {
    return this.variables.get(name);
  }

  functionAt(address: bigint): string | undefined {
    return (address & 15n) === 0n ? this.functionNames[Number((address - FUNCTIONS) >> 4n)] : undefined;
  }

  addressOfFunction(name: string): bigint {
    return FUNCTIONS + BigInt(this.functionNumbers.get(name) ?? 0) * 16n;
  }

  /** Stores the initial values of variables. */
  initialize(fill: Fill): void {
    for (const { parsed } of this.units) {
      for (const item of parsed.items) {
        if (item.kind !== 'variable') continue;
        const type = item.type?.text ?? '';
        for (const declarator of item.declarators) {
          const place = this.variables.get(declarator.name.text);
          if (place === undefined || declarator.initializer === undefined) continue;
          this.initial(place, place.address, declarator.initializer, type, fill);
        }
      }
    }
  }

  private declare({ parsed, function: source }: ProgramUnit): void {
    for (const declaration of parsed.declares) {
      const fact = factOf(declaration);
      if (fact.kind === 'function' && !this.functionNumbers.has(declaration.name)) {
        this.functionNumbers.set(declaration.name, this.functionNames.length);
        this.functionNames.push(declaration.name);
      }
      if (fact.kind === 'variable' && !this.variables.has(declaration.name))
        this.variables.set(declaration.name, this.place(declaration.name, fact));
    }
    for (const item of parsed.items) {
      if (item.kind !== 'function' || item.body === undefined || source === undefined) continue;
      if (functionFact(item).isDefinition && item.name?.text === source.name)
        this.functions.set(source.name, { item, source, decoded: undefined });
    }
  }

  private place(name: string, fact: VariableFact): SymbolPlace {
    const space = fact.space.split('::')[0].slice(1);
    const elementBytes = Math.max(1, typeBytes(fact.type) * fact.vector);
    const alignment = BigInt(Math.max(16, fact.alignment));
    const bytes = byteSize(fact);
    const start = (((this.next[space] ?? 0n) + alignment - 1n) / alignment) * alignment;
    this.next[space] = start + BigInt(Math.max(1, bytes)) + GAP;
    const place = { name, space, address: start, isInFrame: false, bytes, elementBytes };
    this.placed.push(place);
    return place;
  }

  /** Writes an initialiser at `at` and returns the address behind it. */
  private initial(place: SymbolPlace, at: bigint, node: Initializer, type: string, fill: Fill): bigint {
    const width = Math.max(1, typeBytes(type));
    switch (node.kind) {
      case 'list':
        for (const element of node.elements) at = this.initial(place, at, element, type, fill);
        return at;
      case 'string':
        for (const c of node.text) fill(place.space, at++, 1, BigInt(c.charCodeAt(0)));
        return at;
      case 'symbol': {
        const symbol = this.variables.get(node.name.text);
        // global and constant memory, which alone may be named here, are where generic addresses say they are
        const address = symbol?.address ?? this.addressOfFunction(node.name.text);
        fill(place.space, at, width, address + (node.offset?.integer ?? 0n));
        return at + BigInt(width);
      }
      case 'constant': {
        const { value } = node;
        const isFloat = type === '.f32' || type === '.f64';
        const number = value.float ?? Number(value.integer ?? 0n);
        const bits = isFloat ? fromNumber(type === '.f32' ? F32 : F64, number) : (value.integer ?? 0n);
        fill(place.space, at, width, bits);
        return at + BigInt(width);
      }
    }
  }
}
