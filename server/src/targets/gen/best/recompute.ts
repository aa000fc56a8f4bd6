import { isConditional, writesFlag } from '../access.js';
import type { Instruction, Program } from '../program.js';
import type { Atoms } from './atoms.js';
import { Role, type References } from './references.js';
import type { Regions } from './regions.js';

/**
 * Values that can be computed again instead of being stored (Chaitin's never-killed values, and Briggs, Cooper and
 * Torczon, "Rematerialization", PLDI 1992, who follow chains of them): pure arithmetic over immediates, uniforms,
 * payload registers that nobody overwrites, and other such values. They are the same in every iteration and under
 * every mask, so that they may be computed in all lanes wherever they are wanted.
 */
export interface Recomputable {
  /** By instruction: operations to compute its result from nothing; 0 where that cannot be done. */
  readonly cost: Int32Array;
  /** By atom: the only instruction that defines it, if that can be computed again; else -1. */
  readonly definition: Int32Array;
  /**
   * By reference (a use): the instruction whose result it reads, where that is known to be the only one and can be
   * computed again; -1 elsewhere.
   */
  readonly reads: Int32Array;
}

/** No chain is longer: beyond this a load is as good. */
const LONGEST = 6;

export function recomputableOf(
  program: Program,
  references: References,
  atoms: Atoms,
  regions: Regions,
): Recomputable {
  const { instructions } = program;
  const written = writtenHardware(program);
  const cost = new Int32Array(instructions.length);
  const reads = new Int32Array(references.cell.length).fill(-1);
  // by atom: the last instruction of the present block that wrote it whole, with nothing written to it since
  const local = new Int32Array(atoms.count).fill(-1);
  for (let i = 0; i < instructions.length; i++) {
    const instruction = instructions[i];
    let sum = isPure(instruction) && hasConstantSources(instruction, written) ? 1 : 0;
    let definedAtom = -1;
    let isWhole = false;
    for (let r = references.start[i]; r < references.start[i + 1]; r++) {
      const atom = atoms.atomOf[references.cell[r]];
      if (references.role[r] & Role.Use) {
        reads[r] = producer(atom, i);
        sum = sum === 0 || reads[r] < 0 ? 0 : sum + cost[reads[r]];
      } else {
        const isSingle = atoms.atomOf[references.cell[r] + references.count[r] - 1] === atom;
        isWhole = isSingle && (references.role[r] & Role.Kills) !== 0 && coversAtom(r, atom);
        definedAtom = isSingle ? atom : -1;
        if (!isSingle)
          for (let c = 0; c < references.count[r]; c++) local[atoms.atomOf[references.cell[r] + c]] = -1;
      }
    }
    if (definedAtom >= 0) {
      const isOnly = atoms.definitionStart[definedAtom + 1] - atoms.definitionStart[definedAtom] === 1;
      cost[i] =
        sum > 0 && sum <= LONGEST && (isOnly || isWhole) && !isSelfDependent(i, definedAtom) ? sum : 0;
      local[definedAtom] = isWhole ? i : -1;
    }
  }
  const definition = new Int32Array(atoms.count).fill(-1);
  for (let atom = 0; atom < atoms.count; atom++) {
    if (atoms.definitionStart[atom + 1] - atoms.definitionStart[atom] !== 1) continue;
    const only = atoms.definition[atoms.definitionStart[atom]];
    if (cost[only] > 0) definition[atom] = only;
  }
  return { cost, definition, reads };

  /** The definition that a use of `atom` at `i` reads, if there is but one and it can be computed again. */
  function producer(atom: number, i: number): number {
    const first = atoms.definitionStart[atom];
    if (atoms.definitionStart[atom + 1] - first === 1) {
      const only = atoms.definition[first];
      return only < i && cost[only] > 0 ? only : -1;
    }
    const last = local[atom];
    return last >= 0 && regions.blockOf[last] === regions.blockOf[i] && cost[last] > 0 ? last : -1;
  }

  function coversAtom(r: number, atom: number): boolean {
    const whole = program.dialect === 'vec4' ? 15 : 255;
    return references.count[r] === atoms.size[atom] && references.parts[r] === whole;
  }

  function isSelfDependent(i: number, atom: number): boolean {
    for (let r = references.start[i]; r < references.start[i + 1]; r++)
      if (references.role[r] & Role.Use && atoms.atomOf[references.cell[r]] === atom) return true;
    return false;
  }
}

/** Its result depends on its sources alone, and it has no other effect. */
export function isPure(instruction: Instruction): boolean {
  const { opcode } = instruction;
  if (opcode.kind !== 'alu' && opcode.kind !== 'math') return false;
  if (opcode.expands || opcode.hasSideEffects || opcode.readsAccumulator || opcode.modifiesAccumulator)
    return false;
  if (instruction.predicate !== undefined || instruction.writesAccumulator || writesFlag(instruction))
    return false;
  if (
    isConditional(instruction) ||
    opcode.name === 'nop' ||
    opcode.name.startsWith('ddx') ||
    opcode.name.startsWith('ddy')
  )
    return false;
  return instruction.destinations.length === 1 && instruction.destinations[0].file === 'virtual';
}

function hasConstantSources(instruction: Instruction, written: Uint8Array): boolean {
  return instruction.sources.every((source) => {
    switch (source.file) {
      case 'virtual':
      case 'immediate':
      case 'uniform':
      case 'none':
      case 'null':
        return true;
      case 'grf':
        // an operand may reach over two payload registers and more (interpolation takes four)
        return [0, 1, 2, 3].every((next) => written[Math.min(127, source.grf + next)] === 0);
      default:
        return false;
    }
  });
}

/** By hardware register: some instruction writes it. */
export function writtenHardware(program: Program): Uint8Array {
  const written = new Uint8Array(128);
  for (const { destinations, message, opcode } of program.instructions)
    for (const destination of destinations)
      // scratch writes of vec4 name g0 as their destination, which they do not write
      if (destination.file === 'grf' && opcode.scratch !== 'write') {
        const count = Math.max(2, message.rlen ?? 0, 1);
        written.fill(1, Math.max(0, destination.grf), Math.min(128, destination.grf + count + 2));
      }
  return written;
}
