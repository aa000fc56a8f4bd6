import { byOpcode } from '../../../../ir/by-opcode.js';
import { InstructionFlag, OperandFlag, type Function, type OpcodeTable } from '../../../../ir/function.js';
import { NoRegister } from '../../../../ir/place.js';
import { IntList } from '../../../../ir/int-list.js';

/**
 * Which accesses to memory may meet, as far as ptxas tells them apart (measured with ptxas 13.0 by loads that it does
 * or does not move over stores): state spaces never overlap, except that generic addresses may mean global, shared
 * or local memory; constant, parameter, texture and `.nc` reads meet no store; two accesses from one base
 * register or symbol meet when their bytes do; anything else may meet.
 */
export const enum Space {
  None = 0,
  Global = 1,
  Shared = 2,
  Local = 3,
  Parameter = 4,
  Surface = 5,
  Generic = 6,
  /** Nothing that is written while the kernel runs. */
  ReadOnly = 7,
}

interface AccessKind {
  readonly space: Space;
  readonly bytes: number;
}

const typeBytes = (word: string): number => {
  const match = /^[busf]f?(8|16|32|64|128)(x2)?$/.exec(word);
  return match === null ? 0 : (Number(match[1]) / 8) * (match[2] === undefined ? 1 : 2);
};

function accessKindOf(text: string): AccessKind {
  const words = text.split('.');
  const root = words[0];
  let bytes = 0;
  let elements = 1;
  for (const word of words) {
    bytes = typeBytes(word) || bytes;
    if (/^v[248]$/.test(word)) elements = Number(word.slice(1));
  }
  bytes *= elements;
  if (root === 'ldmatrix' || root === 'stmatrix' || root === 'wmma' || bytes === 0) bytes = Infinity;
  const has = (word: string): boolean => words.some((w) => w === word || w.startsWith(word + '::'));
  if (root === 'tex' || root === 'tld4' || root === 'ldu' || has('const') || has('nc'))
    return { space: Space.ReadOnly, bytes };
  if (root === 'suld' || root === 'sust' || root === 'sured')
    return { space: Space.Surface, bytes: Infinity };
  const isMixed = has('shared') && has('global');
  if (isMixed) return { space: Space.Generic, bytes: Infinity };
  if (has('shared')) return { space: Space.Shared, bytes };
  if (has('global')) return { space: Space.Global, bytes };
  if (has('local')) return { space: Space.Local, bytes };
  if (has('param')) return { space: Space.Parameter, bytes };
  return { space: Space.Generic, bytes };
}

const kindOf = byOpcode(accessKindOf);

/** Values of immediates, each text read once in the table's life. */
const numbers = new WeakMap<OpcodeTable, Float64Array>();

function numberOf(texts: OpcodeTable, payload: number): number {
  let known = numbers.get(texts);
  if (known === undefined || payload >= known.length) {
    const more = new Float64Array(Math.max(64, 2 * texts.size)).fill(NaN);
    if (known !== undefined) more.set(known);
    numbers.set(texts, (known = more));
  }
  if (Number.isNaN(known[payload])) {
    const text = texts.text(payload);
    known[payload] = /^-?\d+$/.test(text) ? Number(text) : Infinity;
  }
  return known[payload];
}

const enum Fence {
  None = 0,
  /** Memory stays on its side. */
  Memory = 1,
}

const isMemory = InstructionFlag.ReadsMemory | InstructionFlag.WritesMemory;

/** Loads or stores that a later access is compared with, at most; beyond them it counts as meeting all. */
const REMEMBERED = 64;

/**
 * The memory accesses of one window in order; `add` calls `edge(before, after)` for each earlier access that the new
 * one may meet.
 */
export class MemoryOrder {
  private loads: number[] = [];
  private stores: number[] = [];
  private fence = -1;
  private readonly sinceFence = new IntList();
  /** By instruction of the window. */
  private readonly space: Space[] = [];
  private readonly base: number[] = [];
  private readonly from: number[] = [];
  private readonly to: number[] = [];

  constructor(private readonly f: Function) {}

  clear(): void {
    this.loads = [];
    this.stores = [];
    this.fence = -1;
    this.sinceFence.length = 0;
  }

  /** `n`: number in the window; `valueAt`: the value that a register operand reads. */
  add(
    n: number,
    instruction: number,
    valueAt: (operand: number) => number,
    edge: (before: number, after: number) => void,
  ): void {
    const { f } = this;
    const flags = f.instructionFlags[instruction];
    if (this.fenceOf(instruction, flags) === Fence.Memory) {
      for (let k = 0; k < this.sinceFence.length; k++) edge(this.sinceFence.at(k), n);
      if (this.fence >= 0) edge(this.fence, n);
      this.clear();
      this.fence = n;
      return;
    }
    if ((flags & isMemory) === 0) return;
    const kind = kindOf(f.opcodes, f.opcode[instruction]);
    if (kind.space === Space.ReadOnly) return;
    this.describe(n, instruction, kind, valueAt);
    if (this.fence >= 0) edge(this.fence, n);
    this.sinceFence.push(n);
    const writes = (flags & InstructionFlag.WritesMemory) !== 0;
    for (const before of this.stores) if (this.meet(before, n)) edge(before, n);
    if (!writes) {
      this.loads.push(n);
      if (this.loads.length > REMEMBERED) this.summarise(n, edge);
      return;
    }
    for (const before of this.loads) if (this.meet(before, n)) edge(before, n);
    this.stores.push(n);
    if (this.stores.length > REMEMBERED) this.summarise(n, edge);
  }

  /** The access stays behind everything that is remembered, and what follows stays behind it. */
  private summarise(n: number, edge: (before: number, after: number) => void): void {
    for (let k = 0; k < this.sinceFence.length; k++)
      if (this.sinceFence.at(k) !== n) edge(this.sinceFence.at(k), n);
    this.clear();
    this.fence = n;
  }

  private fenceOf(instruction: number, flags: number): Fence {
    if ((flags & InstructionFlag.Barrier) !== 0) return Fence.Memory;
    if ((flags & InstructionFlag.SideEffect) !== 0 && (flags & InstructionFlag.WritesMemory) === 0)
      return Fence.Memory;
    for (let o = this.f.operandStart[instruction]; o < this.f.operandStart[instruction + 1]; o++)
      if (this.f.operandPlace[o] === (NoRegister.SpecialVolatile as number)) return Fence.Memory;
    return Fence.None;
  }

  private describe(
    n: number,
    instruction: number,
    kind: AccessKind,
    valueAt: (operand: number) => number,
  ): void {
    const { f } = this;
    let base = -1;
    let offset = 0;
    let bases = 0;
    for (let o = f.operandStart[instruction]; o < f.operandStart[instruction + 1]; o++) {
      if ((f.operandFlags[o] & OperandFlag.Address) === 0) continue;
      const place = f.operandPlace[o];
      const payload = f.operandPayload?.[o] ?? 0;
      if (place === (NoRegister.Immediate as number))
        offset += payload > 0 && f.operandTexts ? numberOf(f.operandTexts, payload) : Infinity;
      else {
        bases++;
        if (place >= 0) base = 2 * valueAt(o);
        else if (place === (NoRegister.Symbol as number) && payload > 0) base = 2 * payload + 1;
        else offset = Infinity;
      }
    }
    const isKnown = bases === 1 && Number.isFinite(offset) && Number.isFinite(kind.bytes);
    this.space[n] = kind.space;
    this.base[n] = isKnown ? base : -1;
    this.from[n] = offset;
    this.to[n] = offset + kind.bytes;
  }

  private meet(a: number, b: number): boolean {
    const spaceA = this.space[a];
    const spaceB = this.space[b];
    if (spaceA !== spaceB) {
      if (spaceA === Space.Generic) return spaceB <= Space.Local;
      return spaceB === Space.Generic && spaceA <= Space.Local;
    }
    const baseA = this.base[a];
    const baseB = this.base[b];
    if (baseA < 0 || baseB < 0) return true;
    if (baseA === baseB) return this.from[a] < this.to[b] && this.from[b] < this.to[a];
    return (baseA & 1) === 0 || (baseB & 1) === 0;
  }
}
