/**
 * The compiled program as JSON (docs/compile.schema.json): enough for another program to execute it and to check it
 * against the program before register allocation, and that against the text. Every operand with its place, every store
 * and reload, every block and edge; for each instruction before allocation the instructions of the text that it
 * executes.
 */
import { CodeKind, Elision } from '../ir/allocated.js';
import { InstructionFlag, OperandFlag, type Function } from '../ir/function.js';
import { isPhysical, isVirtual, NoRegister, physicalClass, physicalIndex, type Place } from '../ir/place.js';
import type { AllocatedCompilation, Derivation } from '../targets/target.js';
import { targetOf, type CompiledFunction } from './functions.js';

const kinds: Readonly<Record<CodeKind, string>> = {
  [CodeKind.Original]: 'original',
  [CodeKind.Store]: 'store',
  [CodeKind.Reload]: 'reload',
  [CodeKind.Copy]: 'copy',
  [CodeKind.Recompute]: 'recompute',
  [CodeKind.Elided]: 'elided',
};

const elisions: Readonly<Record<Elision, string | undefined>> = {
  [Elision.None]: undefined,
  [Elision.Copy]: 'copy',
  [Elision.Recomputed]: 'recomputed',
  [Elision.Dead]: 'dead',
};

const noRegisters: Readonly<Record<NoRegister, string>> = {
  [NoRegister.Immediate]: 'immediate',
  [NoRegister.SpecialConstant]: 'special',
  [NoRegister.SpecialVolatile]: 'special',
  [NoRegister.Symbol]: 'symbol',
  [NoRegister.Label]: 'label',
  [NoRegister.Sink]: 'sink',
  [NoRegister.Unknown]: 'unknown',
};

const roles: readonly (readonly [OperandFlag, string])[] = [
  [OperandFlag.Use, 'use'],
  [OperandFlag.Definition, 'definition'],
  [OperandFlag.Partial, 'partial'],
  [OperandFlag.Predicated, 'predicated'],
  [OperandFlag.Guard, 'guard'],
  [OperandFlag.Address, 'address'],
];

export function functionJson(compiled: CompiledFunction, compilation: AllocatedCompilation): object {
  const { input, unit, line } = compiled;
  const { allocated, stats, code } = compilation;
  const { source } = allocated;
  const placements = compilation.codePlacements ?? compilation.placements;
  const lineOf = (offset: number): number => input.document.lines.lineAt(unit.start + offset) + 1;
  const written = (i: number): Written => ({
    line: lineOf(compilation.source.spanStart[i]),
    text: unit.parsed.text.slice(compilation.source.spanStart[i], compilation.source.spanEnd[i]),
  });
  return {
    file: input.path,
    name: source.name,
    line,
    language: input.document.language.id,
    target: targetOf(compiled),
    limit: stats.limit,
    isEntry: source.isEntry,
    attributes: source.attributes,
    classes: source.classes.map(({ name, unit: unitName }, c) => ({
      name,
      unit: unitName,
      unitsUsed: allocated.unitsUsed[c],
      slotUnits: allocated.slotUnits[c],
    })),
    registers: source.registerNames.map((name, r) => ({
      name,
      class: source.classes[source.registerClass[r]].name,
      width: source.registerWidth[r],
      ...(code && registerOrigin(compilation.source, code, r)),
      placement: placementJson(source, placements[r]),
    })),
    source: {
      blocks: blocksJson(
        source.blockCount,
        source.blockStart,
        source.successorStart,
        source.successors,
        (b) => source.blockNames[b],
      ),
      instructions: Array.from({ length: source.instructionCount }, (_, i) => ({
        opcode: source.opcodes.text(source.opcode[i]),
        ...(code === undefined ? written(i) : derivedJson(compilation.source, code, i, written)),
        operands: operandsOf(source, i).map((o) => sourceOperand(source, unit.parsed.text, o)),
      })),
    },
    code: {
      blocks: blocksJson(
        allocated.blockCount,
        allocated.blockStart,
        allocated.successorStart,
        allocated.successors,
        (b) => (b < source.blockCount ? source.blockNames[b] : ''),
      ),
      instructions: Array.from({ length: allocated.count }, (_, k) => codeJson(compilation, k)),
    },
    spills: compilation.spills.map((spill) => ({
      register: compilation.source.registerNames[spill.register],
      bytes: spill.bytes,
      cost: spill.cost,
      reason: spill.reason,
      peakInstruction: spill.peakInstruction,
      stores: spill.stores,
      reloads: spill.reloads,
    })),
  };
}

interface Written {
  readonly line: number;
  readonly text: string;
}

/** An instruction that the back-end made: what it stands for in the text, and all that it executes where that is more. */
function derivedJson(
  source: Function,
  { origin, executesStart, executes }: Derivation,
  i: number,
  written: (instruction: number) => Written,
): object {
  const list = executes.subarray(executesStart[i], executesStart[i + 1]);
  const isPlain = list.length === 1 && list[0] === origin[i];
  const executed = (number: number, k: number): object => {
    const instruction = number < 0 ? ~number : number;
    const branch = k + 1 < list.length && isBranch(source, instruction);
    return {
      instruction,
      ...written(instruction),
      ...(branch ? { nextIf: number < 0 ? 'taken' : 'notTaken' } : {}),
    };
  };
  return {
    ...(origin[i] < 0 ? {} : written(origin[i])),
    origin: origin[i],
    ...(isPlain ? {} : { executes: Array.from(list, executed) }),
  };
}

const isBranch = (source: Function, instruction: number): boolean =>
  (source.instructionFlags[instruction] & InstructionFlag.Branch) !== 0;

/** The register of the text whose value it holds. */
function registerOrigin(source: Function, { registerOrigin: origins }: Derivation, r: number): object {
  const origin = origins[r];
  return origin >= 0 ? { origin: source.registerNames[origin] } : {};
}

function operandsOf(source: Function, instruction: number): number[] {
  const from = source.operandStart[instruction];
  return Array.from({ length: source.operandStart[instruction + 1] - from }, (_, k) => from + k);
}

function sourceOperand(source: Function, text: string, o: number): object {
  const flags = source.operandFlags[o];
  const start = source.operandSpanStart[o];
  return {
    ...placeJson(source, source.operandPlace[o]),
    roles: roles.filter(([flag]) => (flags & flag) !== 0).map(([, name]) => name),
    ...(source.operandWidth[o] > 0 ? { width: source.operandWidth[o], offset: source.operandOffset[o] } : {}),
    ...(source.operandTied[o] >= 0 ? { tied: source.operandTied[o] } : {}),
    ...(start >= 0 ? { text: text.slice(start, source.operandSpanEnd[o]) } : {}),
  };
}

/** A place: virtual or physical register, or what stands instead of one. */
function placeJson(source: Function, place: Place): object {
  if (isVirtual(place)) return { register: place };
  if (isPhysical(place))
    return { class: source.classes[physicalClass(place)].name, unit: physicalIndex(place) };
  return { kind: noRegisters[place] ?? 'unknown' };
}

function codeJson({ allocated }: AllocatedCompilation, k: number): object {
  const { source } = allocated;
  const operands: object[] = [];
  for (let o = allocated.operandStart[k]; o < allocated.operandStart[k + 1]; o++)
    operands.push(placeJson(source, allocated.operandPlace[o]));
  const elision = elisions[allocated.elision[k] as Elision];
  return {
    kind: kinds[allocated.kind[k] as CodeKind],
    instruction: allocated.instruction[k],
    ...(allocated.register[k] >= 0 ? { register: allocated.register[k] } : {}),
    ...(allocated.slot[k] >= 0 ? { slot: allocated.slot[k] } : {}),
    ...(elision === undefined ? {} : { elision }),
    operands,
  };
}

function blocksJson(
  count: number,
  start: Int32Array,
  successorStart: Int32Array,
  successors: Int32Array,
  nameOf: (block: number) => string,
): object[] {
  return Array.from({ length: count }, (_, b) => ({
    name: nameOf(b),
    start: start[b],
    end: start[b + 1],
    successors: Array.from(successors.subarray(successorStart[b], successorStart[b + 1])),
  }));
}

function placementJson(
  source: Function,
  placement: CompiledFunction['compilation']['placements'][number],
): object {
  if (placement.kind !== 'register') return placement;
  return { kind: placement.kind, class: source.classes[placement.registerClass].name, unit: placement.index };
}
