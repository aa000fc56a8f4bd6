import { CodeKind, Elision, type AllocatedFunction } from '../../server/src/ir/allocated.js';
import { InstructionFlag, OperandFlag, type Function } from '../../server/src/ir/function.js';
import { isVirtual, physical } from '../../server/src/ir/place.js';

/** Allocated programs as lists that tests can take apart and put together again. */
export interface Code {
  readonly kind: CodeKind;
  readonly elision: Elision;
  readonly instruction: number;
  readonly register: number;
  readonly slot: number;
  readonly places: readonly number[];
}

export interface CodeBlock {
  readonly code: readonly Code[];
  readonly successors: readonly number[];
}

export function assemble(
  source: Function,
  blocks: readonly CodeBlock[],
  unitsUsed: readonly number[],
  slotUnits: readonly number[],
): AllocatedFunction {
  const code = blocks.flatMap((b) => b.code);
  const sums = (sizes: readonly number[]): Int32Array => {
    const start = new Int32Array(sizes.length + 1);
    sizes.forEach((n, k) => (start[k + 1] = start[k] + n));
    return start;
  };
  return {
    source,
    blockCount: blocks.length,
    blockStart: sums(blocks.map((b) => b.code.length)),
    successorStart: sums(blocks.map((b) => b.successors.length)),
    successors: Int32Array.from(blocks.flatMap((b) => b.successors)),
    count: code.length,
    kind: Uint8Array.from(code, (c) => c.kind),
    elision: Uint8Array.from(code, (c) => c.elision),
    instruction: Int32Array.from(code, (c) => c.instruction),
    register: Int32Array.from(code, (c) => c.register),
    slot: Int32Array.from(code, (c) => c.slot),
    operandStart: sums(code.map((c) => c.places.length)),
    operandPlace: Int32Array.from(code.flatMap((c) => c.places)),
    unitsUsed: Int32Array.from(unitsUsed),
    slotUnits: Int32Array.from(slotUnits),
  };
}

export function takeApart(a: AllocatedFunction): CodeBlock[] {
  return Array.from({ length: a.blockCount }, (_, b) => ({
    successors: [...a.successors.subarray(a.successorStart[b], a.successorStart[b + 1])],
    code: Array.from({ length: a.blockStart[b + 1] - a.blockStart[b] }, (_unused, k) => {
      const at = a.blockStart[b] + k;
      return {
        kind: a.kind[at],
        elision: a.elision[at],
        instruction: a.instruction[at],
        register: a.register[at],
        slot: a.slot[at],
        places: [...a.operandPlace.subarray(a.operandStart[at], a.operandStart[at + 1])],
      };
    }),
  }));
}

export const spillCode = (
  kind: CodeKind,
  instruction: number,
  register: number,
  slot: number,
  ...places: number[]
): Code => ({ kind, elision: Elision.None, instruction, register, slot, places });

const KEEPS = OperandFlag.Predicated | OperandFlag.Partial;

/**
 * The simplest correct allocation: every register lives in its slot, is reloaded before each instruction that reads
 * it (or keeps a part of its old value) and stored after each that writes it.
 */
export function spillEverything(f: Function): AllocatedFunction {
  const slotOf: number[] = [];
  const slotUnits = f.classes.map(() => 0);
  for (let r = 0; r < f.registerCount; r++) {
    slotOf.push(slotUnits[f.registerClass[r]]);
    slotUnits[f.registerClass[r]] += f.registerWidth[r];
  }
  const unitsUsed = f.classes.map(() => 0);
  const blocks = Array.from({ length: f.blockCount }, (_, b) => {
    const code: Code[] = [];
    for (let i = f.blockStart[b]; i < f.blockStart[b + 1]; i++) {
      const next = f.classes.map(() => 0);
      const placeOf = new Map<number, number>();
      const before = new Set<number>();
      const after = new Set<number>();
      for (let o = f.operandStart[i]; o < f.operandStart[i + 1]; o++) {
        const r = f.operandPlace[o];
        if (!isVirtual(r)) continue;
        const c = f.registerClass[r];
        if (!placeOf.has(r)) {
          const width = f.registerWidth[r];
          const index = Math.ceil(next[c] / width) * width;
          placeOf.set(r, physical(c, index));
          next[c] = index + width;
          unitsUsed[c] = Math.max(unitsUsed[c], next[c]);
        }
        const flags = f.operandFlags[o];
        const isDefinition = (flags & OperandFlag.Definition) !== 0;
        if ((flags & OperandFlag.Use) !== 0 || (isDefinition && (flags & KEEPS) !== 0)) before.add(r);
        if (isDefinition) after.add(r);
      }
      for (const r of before) code.push(spillCode(CodeKind.Reload, i, r, slotOf[r], placeOf.get(r)!));
      const places = [...f.operandPlace.subarray(f.operandStart[i], f.operandStart[i + 1])];
      code.push({
        kind: CodeKind.Original,
        elision: Elision.None,
        instruction: i,
        register: -1,
        slot: -1,
        places: places.map((p) => placeOf.get(p) ?? p),
      });
      for (const r of after) code.push(spillCode(CodeKind.Store, i, r, slotOf[r], placeOf.get(r)!));
    }
    return { code, successors: [...f.successors.subarray(f.successorStart[b], f.successorStart[b + 1])] };
  });
  return assemble(f, blocks, unitsUsed, slotUnits);
}

/**
 * Every register in a place of its own. Results that no instruction names are dropped, and constants with one
 * definition are recomputed in front of every reader, so that elisions and recomputation are exercised.
 */
export function keepEverything(f: Function): AllocatedFunction {
  const placeOf: number[] = [];
  const units = f.classes.map(() => 0);
  const used = new Set<number>();
  const definitions = new Map<number, number[]>();
  for (let r = 0; r < f.registerCount; r++) {
    const c = f.registerClass[r];
    const width = f.registerWidth[r];
    const index = Math.ceil(units[c] / width) * width;
    placeOf.push(physical(c, index));
    units[c] = index + width;
  }
  for (let i = 0; i < f.instructionCount; i++)
    for (let o = f.operandStart[i]; o < f.operandStart[i + 1]; o++) {
      const r = f.operandPlace[o];
      if (!isVirtual(r)) continue;
      if ((f.operandFlags[o] & OperandFlag.Use) !== 0) used.add(r);
      if ((f.operandFlags[o] & OperandFlag.Definition) !== 0)
        definitions.set(r, [...(definitions.get(r) ?? []), i]);
    }
  const isConstant = (i: number): boolean => (f.instructionFlags[i] & InstructionFlag.Constant) !== 0;
  const recomputed = (r: number): number => {
    const all = definitions.get(r) ?? [];
    return all.length === 1 && isConstant(all[0]) ? all[0] : -1;
  };
  const original = (i: number, kind: CodeKind, register: number): Code => ({
    kind,
    elision: Elision.None,
    instruction: i,
    register,
    slot: -1,
    places: [...f.operandPlace.subarray(f.operandStart[i], f.operandStart[i + 1])].map((p) =>
      isVirtual(p) ? placeOf[p] : p,
    ),
  });
  const elided = (i: number, elision: Elision): Code => ({
    kind: CodeKind.Elided,
    elision,
    instruction: i,
    register: -1,
    slot: -1,
    places: [],
  });
  const blocks = Array.from({ length: f.blockCount }, (_, b) => {
    const code: Code[] = [];
    for (let i = f.blockStart[b]; i < f.blockStart[b + 1]; i++) {
      const named = [...f.operandPlace.subarray(f.operandStart[i], f.operandStart[i + 1])].filter((p) =>
        isVirtual(p),
      );
      const isPure = [0, InstructionFlag.Constant, InstructionFlag.Copy].includes(f.instructionFlags[i]);
      const defines = named.filter((r) => definitions.get(r)?.includes(i));
      if (isConstant(i) && recomputed(named[0]) === i) {
        code.push(elided(i, Elision.Recomputed));
        continue;
      }
      if (isPure && defines.every((r) => !used.has(r))) {
        code.push(elided(i, Elision.Dead));
        continue;
      }
      for (const r of new Set(named))
        if (recomputed(r) >= 0) code.push(original(recomputed(r), CodeKind.Recompute, r));
      code.push(original(i, CodeKind.Original, -1));
    }
    return { code, successors: [...f.successors.subarray(f.successorStart[b], f.successorStart[b + 1])] };
  });
  return assemble(
    f,
    blocks,
    units,
    f.classes.map(() => 0),
  );
}
