import { virtual, type VirtualRegister } from '../../../ir/place.js';
import {
  typeSize,
  type Family,
  type Instruction,
  type Operand,
  type Program,
  type Register,
  type Type,
  type VirtualOperand,
} from '../program.js';
import { emitted, virtualOperand } from './emitted.js';
import { familyOf, registerBytes } from './families.js';
import type { Insertions } from './insertions.js';
import { idOf, type Intervals } from './intervals.js';

/**
 * Vectors (facts A.9): a message takes its payload from neighbouring registers and answers into neighbouring ones, so
 * the operands of one side of a message must be placed together. All vectors of the program are treated by falling
 * length. One that is a run inside a vector placed before shares its registers; else each operand joins, or, where it
 * cannot, a fresh temporary takes its place and a `mov` copies the value.
 */
export interface Vector {
  readonly instruction: number;
  readonly isSource: boolean;
  /** First operand of the side. */
  readonly first: number;
  /** What the operands hold after temporaries have been put in. */
  readonly components: readonly VirtualRegister[];
}

export interface VectorPlan {
  readonly vectors: readonly Vector[];
  /** By virtual register: the vector that places it, -1 for registers that are placed alone. */
  readonly vectorOf: Int32Array;
  /** Input registers, what flags.ts added, temporaries. */
  readonly registers: readonly Register[];
  /** Intervals of all of them. */
  readonly min: Int32Array;
  readonly max: Int32Array;
  readonly instructions: readonly Instruction[];
}

export interface VectorOptions {
  /** A pool for spill code is reserved: then sources are always copied, so that the original may be spilled alone. */
  readonly spills: boolean;
  readonly isPayload: Uint8Array;
  /** Registers that live for the message alone: they join whatever `spills` says. */
  readonly joins?: ReadonlySet<number>;
  /** Registers and their intervals that passes before this one have added to the program's. */
  readonly added: readonly { readonly register: Register; readonly min: number; readonly max: number }[];
}

/** Which operands of a side are the message's, as [first, how many fewer at the end]. Names as in opcodes.ts (facts A.5, A.9). */
interface Sides {
  readonly sources?: readonly [first: number, without: number];
  readonly destinations?: true;
}

const all = [0, 0] as const;
const butLast = [0, 1] as const;
const sides: Readonly<Record<string, Sides>> = {
  untyped_read: { sources: butLast, destinations: true },
  untyped_reada64: { sources: all, destinations: true },
  read64: { sources: butLast, destinations: true },
  read64a64: { sources: all, destinations: true },
  byte_gather: { sources: butLast, destinations: true },
  byte_gathera64: { sources: all, destinations: true },
  dword_gather: { sources: all, destinations: true },
  sample: { sources: all, destinations: true },
  vme: { sources: all, destinations: true },
  ime: { sources: all, destinations: true },
  obread: { sources: all, destinations: true },
  mbread: { sources: all, destinations: true },
  untyped_write: { sources: butLast },
  untyped_writea64: { sources: all },
  write64: { sources: butLast },
  write64a64: { sources: all },
  byte_scatter: { sources: butLast },
  byte_scattera64: { sources: all },
  typed_write: { sources: all },
  obwrite: { sources: all },
  mbwrite: { sources: all },
  atomic: { sources: butLast, destinations: true },
  atomica64: { sources: all, destinations: true },
  fence: { destinations: true },
  ir_load: { sources: butLast, destinations: true },
  ir_store: { sources: butLast },
};

export function planVectors(
  program: Program,
  instructions: readonly Instruction[],
  intervals: Intervals,
  insertions: Insertions,
  options: VectorOptions,
): VectorPlan {
  return new VectorPlanner(program, instructions, intervals, insertions, options).plan();
}

class VectorPlanner {
  private readonly registers: Register[];
  private readonly min: number[];
  private readonly max: number[];
  private readonly instructions: Instruction[];
  private readonly vectors: Vector[] = [];
  /** By register: the vector that places it, and where in it. */
  private readonly member = new Map<VirtualRegister, { readonly vector: number; readonly at: number }>();

  constructor(
    private readonly program: Program,
    instructions: readonly Instruction[],
    intervals: Intervals,
    private readonly insertions: Insertions,
    private readonly options: VectorOptions,
  ) {
    this.instructions = [...instructions];
    this.registers = [...program.registers, ...options.added.map(({ register }) => register)];
    this.min = [...intervals.min, ...options.added.map(({ min }) => min)];
    this.max = [...intervals.max, ...options.added.map(({ max }) => max)];
  }

  plan(): VectorPlan {
    const found = this.program.dialect === 'selection' ? this.find() : [];
    found.sort((a, b) => b.components.length - a.components.length);
    for (const vector of found) if (!this.isPlaced(vector)) this.place(vector);
    const vectorOf = new Int32Array(this.registers.length).fill(-1);
    for (const [register, { vector }] of this.member) vectorOf[register] = vector;
    return {
      vectors: this.vectors,
      vectorOf,
      registers: this.registers,
      min: Int32Array.from(this.min),
      max: Int32Array.from(this.max),
      instructions: this.instructions,
    };
  }

  private find(): Vector[] {
    const found: Vector[] = [];
    this.instructions.forEach((instruction, i) => {
      const side = sides[instruction.opcode.name] as Sides | undefined;
      if (side === undefined) return;
      if (side.destinations)
        this.runs(found, i, false, instruction.destinations, 0, instruction.destinations.length);
      if (side.sources === undefined) return;
      const [first, without] = side.sources;
      // flag temporaries of a surface that is a register stand at the end (facts A.5)
      const temporaries = hasTemporaries(instruction) ? 2 : 0;
      const end = instruction.sources.length - without - (side.destinations ? 0 : temporaries);
      this.runs(found, i, true, instruction.sources, first, end);
    });
    return found;
  }

  /** Runs of virtual registers of one size between operands `first` and `end`. */
  private runs(
    found: Vector[],
    instruction: number,
    isSource: boolean,
    operands: readonly Operand[],
    first: number,
    end: number,
  ): void {
    let from = first;
    while (from < end) {
      const components: VirtualRegister[] = [];
      let to = from;
      for (; to < end; to++) {
        const operand = operands[to];
        if (operand.file !== 'virtual') break;
        if (components.length > 0 && !this.isLike(components[0], operand.register)) break;
        components.push(operand.register);
      }
      if (components.length > 0) found.push({ instruction, isSource, first: from, components });
      from = Math.max(to, from + 1);
    }
  }

  /** Of one size as a lane's element; a uniform register stands for the full one that a copy makes of it. */
  private isLike(a: VirtualRegister, b: VirtualRegister): boolean {
    return this.fullBytes(a) === this.fullBytes(b);
  }

  private fullBytes(register: VirtualRegister): number {
    const facts = this.registers[register];
    return facts.family === undefined ? facts.bytes : registerBytes(facts.family, false, this.program.width);
  }

  /** True where the vector is a run inside one that has been placed. */
  private isPlaced({ components }: Vector): boolean {
    const start = this.member.get(components[0]);
    if (start === undefined) return false;
    const other = this.vectors[start.vector].components;
    return (
      start.at + components.length <= other.length &&
      components.every((register, k) => other[start.at + k] === register)
    );
  }

  private place(vector: Vector): void {
    const number = this.vectors.length;
    const components = vector.components.map((register, k) => {
      const joined = this.mustCopy(vector, register) ? this.copy(vector, k, register) : register;
      this.member.set(joined, { vector: number, at: k });
      return joined;
    });
    this.vectors.push({ ...vector, components });
  }

  private mustCopy({ isSource }: Vector, register: VirtualRegister): boolean {
    const facts = this.registers[register];
    return (
      this.member.has(register) ||
      facts.isUniform ||
      facts.family === 'bool' ||
      this.options.isPayload[register] === 1 ||
      (this.options.spills && isSource && this.options.joins?.has(register) !== true)
    );
  }

  private copy(vector: Vector, k: number, register: VirtualRegister): VirtualRegister {
    const { program } = this;
    const at = vector.instruction;
    const id = idOf(at);
    const family = familyOf(program, this.registers[register]) ?? 'dword';
    const bytes = registerBytes(family, false, program.width);
    const temporary = virtual(this.registers.length);
    this.registers.push({
      name: `${this.registers[register].name}'`,
      bytes,
      alignment: Math.min(32, bytes),
      family,
      isUniform: false,
    });
    this.min.push(vector.isSource ? id - 1 : id);
    this.max.push(vector.isSource ? id : id + 1);
    const operandNumber = vector.first + k;
    const instruction = this.instructions[at];
    if (vector.isSource) {
      for (const move of copiesIn(instruction.sources[operandNumber], temporary, family, bytes))
        this.insertions.before(at, move, register);
      const sources = renamed(instruction.sources, operandNumber, temporary);
      this.instructions[at] = { ...instruction, sources };
    } else {
      const { isUniform } = this.registers[register];
      const move = copyOut(instruction, operandNumber, temporary, family, isUniform ? 1 : program.width);
      this.insertions.after(at, move, register);
      const destinations = renamed(instruction.destinations, operandNumber, temporary);
      this.instructions[at] = { ...instruction, destinations };
    }
    return temporary;
  }
}

const hasTemporaries = ({ sources, destinations, opcode }: Instruction): boolean =>
  opcode.memory === 'write' && destinations.length === 2 && sources.length > 2;

/** A type that copies the bits of a family's lane. */
const copyTypes: Partial<Record<Family, Type>> = { bool: 'UW', byte: 'UW', word: 'UW', qword: 'UQ' };

/**
 * Copies of all lanes of a source, whatever they execute. One element for all lanes is spread over them; the wide
 * families take one `mov` for each 32 dwords.
 */
function copiesIn(source: Operand, temporary: VirtualRegister, family: Family, bytes: number): Instruction[] {
  if (source.file !== 'virtual') return [];
  const type = copyTypes[family] ?? 'UD';
  const size = typeSize(type);
  const isSpread = source.stride === 0 || source.offset !== 0 || source.region !== undefined;
  const moves: Instruction[] = [];
  for (let offset = 0; offset < bytes; offset += 32 * size) {
    const from = isSpread
      ? { ...source, type }
      : { ...virtualOperand(source.register, type), offset, operand: source.operand };
    moves.push(
      emitted('mov', {
        execSize: Math.min(32, (bytes - offset) / size) as Instruction['execSize'],
        noMask: true,
        destinations: [{ ...virtualOperand(temporary, type), offset }],
        sources: [from],
      }),
    );
  }
  return moves;
}

/** The copy of an answer: in the lanes that got one. */
function copyOut(
  instruction: Instruction,
  k: number,
  temporary: VirtualRegister,
  family: Family,
  lanes: number,
): Instruction {
  const destination = instruction.destinations[k] as VirtualOperand;
  const type = copyTypes[family] ?? 'UD';
  const { predicate, noMask, group } = instruction;
  return emitted('mov', {
    execSize: lanes as Instruction['execSize'],
    noMask: noMask || lanes === 1,
    group,
    ...(predicate && lanes > 1 && { predicate }),
    destinations: [{ ...virtualOperand(destination.register, type), offset: destination.offset }],
    sources: [virtualOperand(temporary, type)],
  });
}

/**
 * The operands with a temporary in place of operand k. One element for all lanes stays one, to be read as it was: the
 * copy has it in every lane, as the payload needs it.
 */
const renamed = (operands: readonly Operand[], k: number, register: VirtualRegister): readonly Operand[] =>
  operands.map((operand, n) =>
    n === k && operand.file === 'virtual'
      ? {
          ...virtualOperand(register, operand.type, operand.stride === 0 ? 0 : 1),
          operand: operand.operand,
        }
      : operand,
  );
