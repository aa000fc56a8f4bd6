import { opcodeOf } from '../opcodes.js';
import { rewrite, type Instruction, type Operand, type Program } from '../program.js';
import { NewRegisters } from './new-registers.js';

/**
 * `simd4x2_merge dst.M, r0, r1`: vertex 0 of the destination from the low half of r0, vertex 1 from the low half of
 * r1, in the channels of the mask, and nothing else of the destination (facts C.2). It becomes two masked four-wide
 * moves, one for each vertex, whose groups 0 and 4 let each half obey its own vertex's channel enables (C.3).
 *
 * The first move must not destroy what the second reads. Where the destination is the second source, vertex 1 is moved
 * first: it writes only the other half. Where neither order is safe, vertex 1 goes through a register of its own; an
 * allocated program has none, and keeps the merge (`mergeOrder` says so beforehand).
 *
 * The moves never carry NoDDClr or NoDDChk: the last of them executes with an empty mask when there is no vertex 1,
 * which the rule for such runs forbids. `unsafety` in dependency-control.ts refuses half-wide instructions therefore.
 */
export function lowerMerges(program: Program): Program {
  if (!program.instructions.some(isMerge)) return program;
  const made = new NewRegisters(program);
  const lowered = rewrite(program, (instruction) => {
    if (!isMerge(instruction)) return [instruction];
    const [destination] = instruction.destinations;
    if (destination.file === 'immediate' || destination.mask === 0) return [];
    const [first, second] = instruction.sources;
    const low = vertexMove(instruction, destination, first, 0);
    const high = vertexMove(instruction, destination, second, 1);
    switch (mergeOrder(instruction)) {
      case 'vertex 0 first':
        return [low, high];
      case 'vertex 1 first':
        return [high, low];
      case 'neither': {
        if (program.phase !== 'virtual' || second.file === 'immediate') return [instruction];
        const kept = made.operand(second.type);
        const { swizzle, negate, absolute } = second;
        const asItIs = { ...second, swizzle: kept.swizzle, negate: false, absolute: false };
        const copy: Instruction = {
          ...vertexMove(instruction, kept, asItIs, 0),
          noMask: true,
          saturate: false,
          predicate: undefined,
        };
        return [copy, low, vertexMove(instruction, destination, { ...kept, swizzle, negate, absolute }, 1)];
      }
    }
  });
  return made.addTo(lowered);
}

const HALF = 16;

const isMerge = ({ opcode, destinations, sources }: Instruction): boolean =>
  opcode.name === 'simd4x2_merge' && destinations.length === 1 && sources.length === 2;

/** The move of one vertex into its half of the destination, with the merge's mask, predicate and saturation. */
function vertexMove(
  merge: Instruction,
  destination: Exclude<Operand, { file: 'immediate' }>,
  source: Operand,
  vertex: 0 | 1,
): Instruction {
  return {
    ...merge,
    opcode: opcodeOf('mov'),
    execSize: 4,
    group: merge.group + 4 * vertex,
    destinations: [{ ...destination, offset: destination.offset + HALF * vertex }],
    sources: [source],
    noDDClear: false,
    noDDCheck: false,
  };
}

/** Which vertex a merge may move first without destroying the other's. */
export function mergeOrder(instruction: Instruction): 'vertex 0 first' | 'vertex 1 first' | 'neither' {
  const [destination] = instruction.destinations;
  const [first, second] = instruction.sources;
  if (!overlaps(destination, 0, second)) return 'vertex 0 first';
  return overlaps(destination, HALF, first) ? 'neither' : 'vertex 1 first';
}

/** Whether 16 bytes from `at` in the destination are among the 16 that a source begins with. */
function overlaps(destination: Operand, at: number, source: Operand): boolean {
  const written = byteOf(destination);
  const read = byteOf(source);
  return (
    written !== undefined &&
    read !== undefined &&
    written.space === read.space &&
    Math.abs(written.byte + at - read.byte) < HALF
  );
}

/** A byte address that two operands can be compared by; undefined for files that nothing overlaps with. */
function byteOf(operand: Operand): { readonly space: string; readonly byte: number } | undefined {
  switch (operand.file) {
    case 'virtual':
      return { space: `v${operand.register}`, byte: operand.offset };
    case 'grf':
      return { space: 'grf', byte: 32 * operand.grf + operand.offset };
    case 'message':
      return { space: 'message', byte: 32 * operand.number + operand.offset };
    default:
      return undefined;
  }
}
