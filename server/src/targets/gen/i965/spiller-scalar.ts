import { virtual, type VirtualRegister } from '../../../ir/place.js';
import { bytesRead, bytesWritten, hasHazard, isConditional, registersTouched } from '../access.js';
import {
  GRF_BYTES,
  typeSize,
  type Instruction,
  type Operand,
  type Program,
  type Register,
  type VirtualOperand,
} from '../program.js';
import type { Pair, SpillSites } from './allocate.js';
import { mentionsOf, type Mentions } from './mentions.js';
import { scalarReload, scalarStore, type Lanes } from './scratch-scalar.js';
import { SpillCode } from './spill-code.js';

/**
 * A scalar program into which spill code goes, one register at a time (facts G.11). Nothing is cached: each read of a
 * register has a temporary of the GRFs that it reads, reloaded in all lanes; each write one of the GRFs that it
 * writes. Where a write leaves something of them as it was, they are reloaded before and stored whole.
 */
export class ScalarSpiller {
  /** Registers of the input, then temporaries. */
  readonly registers: Register[];
  /** By temporary, from the first on: the instruction of the input around which it lives. */
  readonly temporaryAt: number[] = [];
  /** Destinations and sources that must not share a byte though their ranges touch only; grows with each spill. */
  readonly hazards: Pair[] = [];
  private readonly temporariesOf = new Map<number, VirtualRegister[]>();
  private readonly code: SpillCode;
  private readonly mentions: Mentions;

  constructor(
    private readonly program: Program,
    /** First message register of the messages that store. */
    readonly baseMrf: number,
  ) {
    this.registers = [...program.registers];
    this.code = new SpillCode(program);
    this.mentions = mentionsOf(program);
    for (const instruction of program.instructions) this.addHazards(instruction);
  }

  /** The instruction of the input as it is now. */
  at(at: number): Instruction {
    return this.code.own[at] ?? this.program.instructions[at];
  }

  /** Temporaries around an instruction of the input, in the order in which they were made. */
  temporariesAt(at: number): readonly VirtualRegister[] {
    return this.temporariesOf.get(at) ?? [];
  }

  /** Puts reloads and stores of a register of the input into the code. `slot` is a byte offset in scratch. */
  spill(register: VirtualRegister, slot: number): SpillSites {
    const stores: number[] = [];
    const reloads: number[] = [];
    const { start, instruction: mentions } = this.mentions;
    for (let k = start[register]; k < start[register + 1]; k++) {
      const at = mentions[k];
      const instruction = this.at(at);
      if (instruction.opcode.name === 'undef') {
        this.code.own[at] = undefined;
        continue;
      }
      const sources = instruction.sources.map((source, s): Operand => {
        if (source.file !== 'virtual' || source.register !== register) return source;
        reloads.push(at);
        return this.reload(at, slot, source, bytesRead(instruction, s, this.program.dialect));
      });
      const destinations = instruction.destinations.map((destination, d): Operand => {
        if (destination.file !== 'virtual' || destination.register !== register) return destination;
        stores.push(at);
        const grfs = registersTouched(destination.offset, bytesWritten(instruction, d, this.program.dialect));
        return this.define(at, slot, destination, grfs, reloads);
      });
      const changed = { ...instruction, sources, destinations, noDDClear: false, noDDCheck: false };
      this.code.own[at] = changed;
      this.addHazards(changed);
    }
    return { stores, reloads };
  }

  private reload(at: number, slot: number, source: VirtualOperand, bytes: number): VirtualOperand {
    const grfs = Math.max(1, registersTouched(source.offset, bytes));
    const temporary = this.temporary(grfs, at);
    // messages of the largest power of two that divides the count, and of 4 GRFs at most
    const lanes = { count: Math.min(32, 8 * (grfs & -grfs)) as 8 | 16 | 32, group: 0, noMask: true };
    const from = slot + GRF_BYTES * (source.offset >> 5);
    for (const made of scalarReload(this.program.platform, temporary, grfs, from, lanes, this.baseMrf))
      this.code.insert(at, 'before', made, source.register);
    return { ...source, register: temporary, offset: source.offset % GRF_BYTES };
  }

  private define(
    at: number,
    slot: number,
    destination: VirtualOperand,
    grfs: number,
    reloads: number[],
  ): VirtualOperand {
    const instruction = this.at(at);
    const temporary = this.temporary(grfs, at);
    const to = slot + GRF_BYTES * (destination.offset >> 5);
    const [lanes, isByLane] = this.lanesOf(instruction, destination, grfs);
    if (isPartial(instruction, destination) || !(instruction.noMask || isByLane)) {
      reloads.push(at);
      for (const made of scalarReload(this.program.platform, temporary, grfs, to, lanes, this.baseMrf))
        this.code.insert(at, 'before', made, destination.register);
    }
    for (const made of scalarStore(temporary, grfs, to, lanes, this.baseMrf))
      this.code.insert(at, 'after', made, destination.register);
    return { ...destination, register: temporary, offset: destination.offset % GRF_BYTES };
  }

  /**
   * The lanes of a message that stores, and whether each of them stores just what its lane of the instruction wrote:
   * dwords side by side, as many as the instruction has lanes. Otherwise all lanes are stored.
   */
  private lanesOf(
    { execSize, group, noMask }: Instruction,
    { type, stride }: VirtualOperand,
    grfs: number,
  ): [Lanes, boolean] {
    const component = Math.ceil((execSize * Math.max(1, stride) * typeSize(type)) / GRF_BYTES);
    const most = Math.min(component, this.program.width / 8, 2);
    const count = grfs % most === 0 ? most * 8 : 8;
    const isByLane = stride === 1 && typeSize(type) === 4 && execSize === count;
    return [{ count: count as 8 | 16, group: isByLane ? group : 0, noMask: noMask || !isByLane }, isByLane];
  }

  private temporary(grfs: number, at: number): VirtualRegister {
    this.registers.push({ name: '', bytes: grfs * GRF_BYTES, alignment: GRF_BYTES, isUniform: false });
    this.temporaryAt.push(at);
    const here = this.temporariesOf.get(at);
    const temporary = virtual(this.registers.length - 1);
    if (here === undefined) this.temporariesOf.set(at, [temporary]);
    else here.push(temporary);
    return temporary;
  }

  /**
   * Sixteen lanes execute as two halves: when the destination lies one GRF off a source, the first half overwrites
   * what the second reads.
   */
  private addHazards(instruction: Instruction): void {
    if (instruction.execSize < 16 && !hasHazard(instruction, this.program.dialect)) return;
    for (const destination of instruction.destinations)
      for (const source of instruction.sources)
        if (destination.file === 'virtual' && source.file === 'virtual')
          this.hazards.push([destination.register, source.register]);
  }

  finish(): ReturnType<SpillCode['finish']> {
    return this.code.finish(this.registers);
  }
}

/** The write leaves something of the GRFs that it touches as it was, apart from lanes that do not execute. */
const isPartial = (instruction: Instruction, { type, stride, offset }: VirtualOperand): boolean =>
  isConditional(instruction) ||
  instruction.execSize * typeSize(type) < GRF_BYTES ||
  stride !== 1 ||
  offset % GRF_BYTES !== 0;
