import { virtual, type VirtualRegister } from '../../../ir/place.js';
import type { Instruction, Operand, Program, Register } from '../program.js';
import { virtualOperand } from './emitted.js';
import { familyOf } from './families.js';
import type { FlagAllocation } from './flags.js';
import type { Insertions } from './insertions.js';
import { endsBefore, idOf } from './intervals.js';
import { chainsOf, covers, cutAt, type Reference, type References } from './references.js';
import { reloadMessage, storeMessage } from './spill-messages.js';

/**
 * Registers that have lost their place: short-lived ones stand in for them, each for some of their references, and the
 * value goes through scratch between these. In i965's manner each reference has one of its own; where values are kept,
 * one serves the references of a block from one reload to the next moment at which its place is wanted.
 */
export interface SplitOptions {
  /** Reloaded and defined values are kept for later uses in the block. */
  readonly keeps: boolean;
  /** Values of immediates and of arguments are computed again. */
  readonly recomputes: boolean;
}

export interface Piece {
  readonly owner: SplitRegister;
  readonly references: readonly Reference[];
}

export interface SplitRegister {
  readonly register: VirtualRegister;
  /** Instruction at whose pressure it had to go first. */
  readonly peak: number;
  /** Computes the value again, in all lanes. */
  readonly maker: Instruction | undefined;
  pieces: Piece[];
}

/** A program in which pieces stand in for split registers. */
export interface Rewritten {
  readonly instructions: readonly Instruction[];
  readonly insertions: Insertions;
  /** Piece p is register `base + p`. */
  readonly base: number;
  readonly pieces: readonly Piece[];
  readonly added: readonly { readonly register: Register; readonly min: number; readonly max: number }[];
  /** Registers that serve one operand. */
  readonly single: ReadonlySet<number>;
}

export class SplitRegisters {
  readonly all = new Map<VirtualRegister, SplitRegister>();

  constructor(
    private readonly program: Program,
    private readonly flags: FlagAllocation,
    private readonly references: References,
    private readonly blockOf: Int32Array,
    private readonly isPayload: Uint8Array,
    private readonly options: SplitOptions,
  ) {}

  /** Takes the place of a register of the program away, `at` the instruction that has none. */
  split(register: VirtualRegister, at: number): void {
    const owner: SplitRegister = { register, peak: at, maker: this.makerOf(register), pieces: [] };
    const references = this.references.of[register];
    const chains = this.options.keeps
      ? chainsOf(references, this.blockOf).flatMap((chain) => this.cut(chain, at))
      : references.map((reference) => [reference]);
    owner.pieces = chains.map((chain) => ({ owner, references: chain }));
    this.all.set(register, owner);
  }

  /** Takes the place of pieces away; each is cut at its instruction, or, where `isFinal`, into single references. */
  cutPieces(cuts: ReadonlyMap<Piece, number>, isFinal: boolean): void {
    for (const owner of new Set([...cuts.keys()].map((piece) => piece.owner)))
      owner.pieces = owner.pieces.flatMap((piece) => {
        const at = cuts.get(piece);
        if (at === undefined) return [piece];
        const parts = isFinal
          ? piece.references.map((reference) => [reference])
          : this.cut(piece.references, at, true);
        return parts.map((references) => ({ owner, references }));
      });
  }

  private cut(chain: readonly Reference[], at: number, always = false): (readonly Reference[])[] {
    if (chain.length < 2 || (!always && (chain[0].at >= at || chain[chain.length - 1].at < at)))
      return chain.length > 1 && chain[0].at === at ? this.parts(chain, at) : [chain];
    return this.parts(chain, at);
  }

  private parts(chain: readonly Reference[], at: number): (readonly Reference[])[] {
    const [before, behind] = cutAt(chain, at);
    return [before, ...chainsOf(behind, this.blockOf)];
  }

  /** The only definition, where it gives the same value anywhere: a move of a number or of an argument. */
  makerOf(register: VirtualRegister): Instruction | undefined {
    if (!this.options.recomputes) return undefined;
    const definitions = this.references.of[register].filter(({ isSource }) => !isSource);
    if (definitions.length !== 1 || definitions[0].lanes === 'some') return undefined;
    const instruction = this.flags.instructions[definitions[0].at];
    const { opcode, condition, predicate, sources, writesAccumulator } = instruction;
    if (opcode.name !== 'mov' || condition || predicate || writesAccumulator) return undefined;
    const [source] = sources;
    return source.file === 'immediate' || this.argumentOf(source) !== undefined ? instruction : undefined;
  }

  /** The uniform argument that an operand reads, if nothing ever writes it. */
  private argumentOf(source: Operand): VirtualRegister | undefined {
    if (source.file !== 'virtual' || !this.program.registers[source.register].isUniform) return undefined;
    const isConstant = this.references.of[source.register].every(({ isSource }) => isSource);
    return this.isPayload[source.register] && isConstant ? source.register : undefined;
  }

  /** Arguments that values are computed from must stay as long as these. */
  stretch(min: Int32Array, max: Int32Array): void {
    for (const { register, maker } of this.all.values()) {
      const argument = maker && this.argumentOf(maker.sources[0]);
      if (argument === undefined) continue;
      min[argument] = Math.min(min[argument], min[register]);
      max[argument] = Math.max(max[argument], max[register]);
    }
  }

  rewrite(): Rewritten {
    const base = this.program.registers.length + (this.flags.one === undefined ? 0 : 1);
    const instructions = [...this.flags.instructions];
    const insertions = this.flags.insertions.copy();
    const pieces: Piece[] = [];
    const added: { register: Register; min: number; max: number }[] = [];
    const single = new Set<number>();
    for (const owner of this.all.values())
      for (const piece of owner.pieces) {
        const number = virtual(base + pieces.length);
        pieces.push(piece);
        if (piece.references.length === 1) single.add(number);
        const { references } = piece;
        added.push({
          register: this.program.registers[owner.register],
          min: firstPoint(references[0]),
          max: this.lastPoint(references[references.length - 1]),
        });
        for (const { at, isSource, index } of references)
          instructions[at] = withOperand(instructions[at], isSource, index, number);
      }
    return { instructions, insertions, base, pieces, added, single };
  }

  private lastPoint({ at, isSource, index }: Reference): number {
    if (!isSource) return idOf(at) + 1;
    const instruction = this.flags.instructions[at];
    return this.options.keeps && endsBefore(instruction, instruction.sources[index])
      ? idOf(at) - 1
      : idOf(at);
  }

  /** Reloads, which go in front of everything else that is put before an instruction's copies. */
  reloads({ insertions, pieces, base }: Rewritten, offset: ReadonlyMap<VirtualRegister, number>): void {
    pieces.forEach(({ owner: { register, maker }, references: [{ at, isSource }] }, p) => {
      if (!isSource) return;
      const number = virtual(base + p);
      const instruction =
        maker === undefined
          ? reloadMessage(
              this.program,
              virtualOperand(number, this.typeOf(register)),
              this.grfs(register),
              offset.get(register) ?? 0,
            )
          : { ...withOperand(maker, false, 0, number), noMask: true, origin: -1 };
      insertions.before(at, instruction, register);
    });
  }

  /** Stores, which go behind the copies of answers; `sites` hears of each. */
  stores(
    { insertions, pieces, base }: Rewritten,
    offset: ReadonlyMap<VirtualRegister, number>,
    visit: (register: VirtualRegister, at: number) => void,
  ): void {
    pieces.forEach(({ owner, references }, p) => {
      if (!needsMemory(owner)) return;
      const { register } = owner;
      const isOverwritten = this.options.keeps ? this.overwritten(references) : [];
      references.forEach((reference, n) => {
        if (reference.isSource || isOverwritten[n]) return;
        const { at, from, registers } = reference;
        const type = this.typeOf(register);
        const source = { ...virtualOperand(virtual(base + p), type), offset: 32 * from };
        const instruction = this.flags.instructions[at];
        const store = storeMessage(
          this.program,
          instruction,
          source,
          registers,
          (offset.get(register) ?? 0) + 32 * from,
        );
        insertions.after(at, store, register);
        visit(register, at);
      });
    });
  }

  /** By reference of a piece: a later definition of it writes at least the same lanes. */
  private overwritten(references: readonly Reference[]): boolean[] {
    let later: Reference['lanes'] = 'some';
    const found = new Array<boolean>(references.length).fill(false);
    for (let n = references.length - 1; n >= 0; n--) {
      const { at, isSource, lanes } = references[n];
      if (isSource) continue;
      found[n] = covers(later, this.flags.instructions[at].noMask ? 'all' : 'executing');
      if (!covers(later, lanes)) later = lanes;
    }
    return found;
  }

  private typeOf(register: VirtualRegister): 'UQ' | 'UD' {
    return familyOf(this.program, this.program.registers[register]) === 'qword' ? 'UQ' : 'UD';
  }

  private grfs(register: VirtualRegister): number {
    return Math.max(1, this.program.registers[register].bytes / 32);
  }
}

/** Somebody reloads it. */
export const needsMemory = ({ pieces, maker }: SplitRegister): boolean =>
  maker === undefined && pieces.some(({ references }) => references[0].isSource);

const firstPoint = ({ at, isSource }: Reference): number => (isSource ? idOf(at) - 1 : idOf(at));

function withOperand(
  instruction: Instruction,
  isSource: boolean,
  index: number,
  register: VirtualRegister,
): Instruction {
  const replace = (operands: readonly Operand[]): readonly Operand[] =>
    operands.map((operand, k) =>
      k === index && operand.file === 'virtual' ? { ...operand, register } : operand,
    );
  return isSource
    ? { ...instruction, sources: replace(instruction.sources) }
    : { ...instruction, destinations: replace(instruction.destinations) };
}
