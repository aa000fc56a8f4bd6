import { bytesRead, bytesWritten, isConditional, registersTouched, writesFlag } from '../access.js';
import { GRF_BYTES, type Instruction, type Operand, type Program } from '../program.js';
import { familyOf } from './families.js';

/** One operand that mentions a virtual register, and what it asks of a register that stands in for it. */
export interface Reference {
  readonly at: number;
  readonly isSource: boolean;
  /** Number of the operand on its side. */
  readonly index: number;
  /** GRFs that it touches, counted from the register's first. */
  readonly from: number;
  readonly registers: number;
  /**
   * Definitions: the lanes that hold the new value behind it, `all`, those that execute in the block, or only `some`.
   * Sources: the lanes that are looked at, `all` or those that execute.
   */
  readonly lanes: 'all' | 'executing' | 'some';
}

/** What is lane by lane, so that a lane which does not execute is not looked at. */
const laneWise =
  /^(untyped_(read|write)|byte_(gather|scatter)|dword_gather|read64|write64|atomic|typed_write|sample)(a64)?$/;
const aroundLanes = /shuffle|subgroup|broadcast|swizzle|indirect|simd/;

export interface References {
  /** By virtual register, in program order; in one instruction sources come first. */
  readonly of: readonly (readonly Reference[])[];
  /** By virtual register: 1 where a store behind an instruction would not store what it wrote, or a reload not all. */
  readonly isUnfit: Uint8Array;
}

export function referencesOf(program: Program, instructions: readonly Instruction[]): References {
  const of: Reference[][] = program.registers.map(() => []);
  const isUnfit = new Uint8Array(program.registers.length);
  const add = (
    operand: Operand,
    bytes: number,
    at: number,
    isSource: boolean,
    index: number,
    lanes: Reference['lanes'],
  ): void => {
    if (operand.file !== 'virtual' || operand.register >= of.length) return;
    const from = Math.floor(operand.offset / GRF_BYTES);
    const registers = Math.max(1, registersTouched(operand.offset, bytes));
    of[operand.register].push({ at, isSource, index, from, registers, lanes });
    const register = program.registers[operand.register];
    // halves of 64-bit values lie apart in scratch: only all of it can be moved
    if (familyOf(program, register) === 'qword' && registers * GRF_BYTES !== register.bytes)
      isUnfit[operand.register] = 1;
  };
  instructions.forEach((instruction, at) => {
    instruction.sources.forEach((operand, index) => {
      const lanes = looksAround(instruction, operand) ? 'all' : 'executing';
      add(operand, bytesRead(instruction, index, program.dialect), at, true, index, lanes);
    });
    instruction.destinations.forEach((operand, index) => {
      const bytes = bytesWritten(instruction, index, program.dialect);
      const lanes = lanesWritten(program, instruction, operand, bytes);
      add(operand, bytes, at, false, index, lanes);
      if (operand.file === 'virtual' && changesItsFlag(instruction)) isUnfit[operand.register] = 1;
    });
  });
  return { of, isUnfit };
}

function looksAround({ opcode, noMask }: Instruction, operand: Operand): boolean {
  if (operand.file === 'immediate') return false;
  if (noMask || operand.stride !== 1 || operand.region !== undefined) return true;
  if (opcode.kind === 'message') return !laneWise.test(opcode.name);
  return (opcode.kind !== 'alu' && opcode.kind !== 'math') || aroundLanes.test(opcode.name);
}

function lanesWritten(
  { width, registers }: Program,
  instruction: Instruction,
  operand: Operand,
  bytes: number,
): Reference['lanes'] {
  const { execSize, group, noMask } = instruction;
  if (operand.file !== 'virtual' || isConditional(instruction) || execSize !== width || group !== 0)
    return 'some';
  if (operand.offset !== 0 || bytes !== registers[operand.register].bytes) return 'some';
  return noMask ? 'all' : 'executing';
}

/** Writes the flag that guards it: a store behind it would be guarded by the new one. */
function changesItsFlag(instruction: Instruction): boolean {
  const { predicate, condition } = instruction;
  if (!isConditional(instruction) || !writesFlag(instruction)) return false;
  const [guard, written] = [predicate?.flag, condition?.flag];
  return guard?.kind === 'hardware' && written?.kind === 'hardware' && guard.flag === written.flag;
}

/**
 * References that can share one register, in program order: of one block, and so that every source finds the lanes that
 * it looks at, from a reload (all of them) in front of the first or from the definitions since.
 */
export function chainsOf(references: readonly Reference[], blockOf: Int32Array): Reference[][] {
  const chains: Reference[][] = [];
  let chain: Reference[] = [];
  let filled: Reference['lanes'] = 'some';
  for (const reference of references) {
    const last = chain.at(-1);
    const isNew =
      last === undefined ||
      blockOf[last.at] !== blockOf[reference.at] ||
      (reference.isSource && !covers(filled, reference.lanes));
    if (isNew) {
      chains.push((chain = []));
      filled = reference.isSource ? 'all' : reference.lanes;
    } else if (!reference.isSource && !covers(filled, reference.lanes)) filled = reference.lanes;
    chain.push(reference);
  }
  return chains;
}

const rank = { some: 0, executing: 1, all: 2 } as const;

export const covers = (filled: Reference['lanes'], wanted: Reference['lanes']): boolean =>
  filled !== 'some' && rank[filled] >= rank[wanted];

/** The references in front of instruction `at`, and the others; both sides get at least one. */
export function cutAt(
  chain: readonly Reference[],
  at: number,
): readonly [before: readonly Reference[], from: readonly Reference[]] {
  let cut = chain.findIndex((reference) => reference.at >= at);
  if (cut < 0) cut = chain.length - 1;
  if (cut === 0) {
    cut = chain.findIndex((reference) => reference.at > chain[0].at);
    if (cut < 0) cut = 1;
  }
  return [chain.slice(0, cut), chain.slice(cut)];
}
