import type { Function } from '../../../ir/function.js';
import { Memory } from '../../../ir/memory.js';
import { byteSize, factOf, functionFact, type VariableFact } from '../declarations.js';
import type { FunctionItem, Initializer, PtxUnit } from '../tree.js';
import { typeBytes } from '../types.js';
import { decodeFunction, type DecodedFunction, type ModuleNames, type SymbolPlace } from './decode.js';
import { fromNumber } from './arithmetic.js';
import { F32, F64 } from './float.js';

/**
 * A PTX module made ready for one thread: variables have addresses, functions are decoded when they are first
 * called. Each state space has addresses of its own; generic addresses put shared, local and parameter memory into
 * windows far above global and constant memory, where generic and own addresses are the same.
 */
export interface ProgramUnit {
  readonly parsed: PtxUnit;
  /** The function as lowered from this very unit. */
  readonly function?: Function | undefined;
}

export interface ProgramOptions {
  /** Values of special registers by name (`%tid.x`); others have the defaults of a grid of one warp. */
  readonly special?: Readonly<Record<string, bigint>>;
  /** Contents of global memory that the module does not initialise. */
  readonly filling?: (address: bigint) => number;
}

const FIRST: Readonly<Record<string, bigint>> = {
  global: 0x10_0000_0000n,
  const: 0x20_0000_0000n,
  shared: 0x400n,
};
export const WINDOW: Readonly<Record<string, bigint>> = {
  shared: 0x100_0000_0000n,
  local: 0x200_0000_0000n,
  param: 0x300_0000_0000n,
};
const WINDOW_SIZE = 1n << 32n;
const FUNCTIONS = 0xf000_0000_0000n;

const DEFAULTS: Readonly<Record<string, bigint>> = {
  WARP_SZ: 32n,
  '%ntid.x': 32n,
  '%ntid.y': 1n,
  '%ntid.z': 1n,
  '%nctaid.x': 4n,
  '%nctaid.y': 1n,
  '%nctaid.z': 1n,
  '%nwarpid': 1n,
  '%nsmid': 1n,
  '%lanemask_eq': 1n,
  '%lanemask_le': 1n,
  '%lanemask_ge': 0xffff_ffffn,
  '%lanemask_gt': 0xffff_fffen,
  '%cluster_nctaid.x': 1n,
  '%cluster_nctaid.y': 1n,
  '%cluster_nctaid.z': 1n,
  '%nclusterid.x': 4n,
  '%total_smem_size': 1024n,
};

interface FunctionEntry {
  readonly item: FunctionItem;
  readonly source: Function;
  decoded: DecodedFunction | undefined;
}

export class PtxProgram {
  readonly memory: Memory;
  private readonly variables = new Map<string, SymbolPlace>();
  private readonly functions = new Map<string, FunctionEntry>();
  private readonly functionNumbers = new Map<string, number>();
  private readonly functionNames: string[] = [];
  private readonly next = { ...FIRST };
  private readonly names: ModuleNames;
  private ticks = 0n;

  constructor(
    units: readonly ProgramUnit[],
    private readonly options: ProgramOptions = {},
  ) {
    this.memory = new Memory({
      global: options.filling === undefined ? {} : { filling: options.filling },
      const: { isPrivate: true },
      shared: {},
      local: {},
      param: { isPrivate: true },
    });
    this.names = {
      variable: (name) => this.variables.get(name),
      isFunction: (name) => this.functionNumbers.has(name),
      place: (name, fact) => this.place(name, fact),
    };
    for (const unit of units) this.declare(unit);
    for (const unit of units) this.initialize(unit);
    this.memory.log.length = 0;
  }

  /** The function of this name that has a body, or undefined. */
  function(name: string): DecodedFunction | undefined {
    const entry = this.functions.get(name);
    if (entry === undefined) return undefined;
    return (entry.decoded ??= decodeFunction(entry.source, entry.item, this.names));
  }

  functionAt(address: bigint): string | undefined {
    return this.functionNames[Number((address - FUNCTIONS) >> 4n)];
  }

  addressOfFunction(name: string): bigint {
    return FUNCTIONS + BigInt(this.functionNumbers.get(name) ?? 0) * 16n;
  }

  special(name: string): bigint {
    if (name.startsWith('%clock') || name.startsWith('%globaltimer')) return (this.ticks += 64n);
    return this.options.special?.[name] ?? DEFAULTS[name] ?? 0n;
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
    this.next[space] = start + BigInt(Math.max(1, bytes));
    return { name, space, address: start, isInFrame: false, bytes, elementBytes };
  }

  private initialize({ parsed }: ProgramUnit): void {
    for (const item of parsed.items) {
      if (item.kind !== 'variable') continue;
      for (const declarator of item.declarators) {
        const place = this.variables.get(declarator.name.text);
        if (place === undefined || declarator.initializer === undefined) continue;
        const width = Math.max(1, typeBytes(item.type?.text ?? ''));
        this.fill(place, place.address, declarator.initializer, width, item.type?.text ?? '');
      }
    }
  }

  /** Writes an initialiser at `at` and returns the address behind it. */
  private fill(place: SymbolPlace, at: bigint, node: Initializer, width: number, type: string): bigint {
    switch (node.kind) {
      case 'list':
        for (const element of node.elements) at = this.fill(place, at, element, width, type);
        return at;
      case 'string':
        for (const c of node.text) this.memory.write(place.space, at++, 1, BigInt(c.charCodeAt(0)));
        return at;
      case 'symbol': {
        const symbol = this.variables.get(node.name.text);
        const own = symbol?.address ?? this.addressOfFunction(node.name.text);
        const address =
          node.operator === 'generic' && symbol !== undefined ? generic(symbol.space, own) : own;
        this.memory.write(place.space, at, width, address + (node.offset?.integer ?? 0n));
        return at + BigInt(width);
      }
      case 'constant': {
        const { value } = node;
        const isFloat = type === '.f32' || type === '.f64';
        const number = value.float ?? Number(value.integer ?? 0n);
        const bits = isFloat ? fromNumber(type === '.f32' ? F32 : F64, number) : (value.integer ?? 0n);
        this.memory.write(place.space, at, width, bits);
        return at + BigInt(width);
      }
    }
  }
}

export const generic = (space: string, address: bigint): bigint => (WINDOW[space] ?? 0n) + address;

/** The state space and address that a generic address means. */
export function resolve(address: bigint): { readonly space: string; readonly address: bigint } {
  for (const [space, start] of Object.entries(WINDOW))
    if (address >= start && address < start + WINDOW_SIZE) return { space, address: address - start };
  const isConstant = address >= FIRST.const && address < FIRST.const + WINDOW_SIZE;
  return { space: isConstant ? 'const' : 'global', address };
}
