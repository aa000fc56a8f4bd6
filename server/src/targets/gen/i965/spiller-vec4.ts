import { virtual, type VirtualRegister } from '../../../ir/place.js';
import { hasHazard, isConditional, writesFlag } from '../access.js';
import { partedChannels } from '../live/parted.js';
import type { LiveRanges } from '../live/ranges.js';
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
import { SpillRanges, positionOf } from './positions.js';
import { channelsOf } from './reuse.js';
import { SpillCode } from './spill-code.js';
import { reload, store } from './scratch-vec4.js';

/**
 * The store cannot tell what the instruction has left alone: its predicate's flag is changed by the instruction itself,
 * or it writes one vertex (messages are always of both).
 */
const needsOldValue = (instruction: Instruction): boolean =>
  (isConditional(instruction) && writesFlag(instruction)) || instruction.execSize !== 8;

/** A temporary that holds the spilled value, for reads that follow. */
interface Cached {
  readonly temporary: VirtualRegister;
  /** Channels that its head surely wrote. */
  readonly channels: number;
  /** Written in all lanes. */
  readonly noMask: boolean;
  /** `ordinal` of the instruction that may read it without a new reload; the one that was there last may again. */
  next: number;
  last: number;
}

/**
 * A SIMD4x2 program into which spill code goes, one register at a time (facts B.10, B.10a): a fresh temporary for each
 * reload and each definition. Reads that follow one another share a reload, and those behind a definition take its
 * temporary, as `ReuseChains` says of the costs.
 *
 * As in the reference, reloads and stores execute in the channels of the instruction that they serve. That is enough
 * as long as control flow parts whole vertices. Where it may have parted the channels of one (`partedChannels`; the
 * reference never does), a swizzle can read a channel that does not execute: reloads are NoMask there, and what reads
 * behind a definition has a reload of its own.
 */
export class Vec4Spiller {
  /** Registers of the input, then temporaries. */
  readonly registers: Register[];
  readonly ranges: SpillRanges;
  /** Destinations and sources that must not share a byte though their ranges touch only; grows with each spill. */
  readonly hazards: Pair[] = [];
  private readonly code: SpillCode;
  /** By instruction: how many that are no scratch messages come before it; blocks are set apart. */
  private readonly ordinal: Int32Array;
  private readonly mentions: Mentions;
  private readonly parted: Uint8Array;

  constructor(
    private readonly program: Program,
    live: LiveRanges,
  ) {
    this.registers = [...program.registers];
    this.code = new SpillCode(program);
    this.ranges = new SpillRanges(program, live);
    this.ordinal = ordinals(program);
    this.mentions = mentionsOf(program);
    this.parted = partedChannels(program);
    for (const instruction of program.instructions) this.addHazards(instruction);
  }

  /** Puts reloads and stores of a register of the input into the code. A slot is 32 bytes. */
  spill(register: VirtualRegister, slot: number): SpillSites {
    const stores: number[] = [];
    const reloads: number[] = [];
    let cached: Cached | undefined;
    const { start, instruction: mentions } = this.mentions;
    for (let k = start[register]; k < start[register + 1]; k++) {
      const at = mentions[k];
      const instruction = this.at(at);
      const sources = instruction.sources.map((source): Operand => {
        if (source.file !== 'virtual' || source.register !== register) return source;
        if (cached === undefined || !this.serves(cached, at, source)) {
          cached = this.reload(at, slot, register, source);
          reloads.push(at);
        }
        cached.next = this.ordinal[at] + 1;
        cached.last = at;
        this.ranges.reach(cached.temporary, positionOf(at));
        return { ...source, register: cached.temporary };
      });
      const destinations = instruction.destinations.map((destination): Operand => {
        if (destination.file !== 'virtual' || destination.register !== register) return destination;
        cached = this.define(at, slot, destination);
        if (this.merges(at, destination)) reloads.push(at);
        stores.push(at);
        return { ...destination, register: cached.temporary, offset: destination.offset % GRF_BYTES };
      });
      const changed = { ...instruction, sources, destinations };
      this.code.own[at] = changed;
      this.addHazards(changed);
    }
    this.ranges.remove(register);
    return { stores, reloads };
  }

  private at(at: number): Instruction {
    return this.code.own[at] ?? this.program.instructions[at];
  }

  /** The definition is made in the old value, all of which is stored. In 64-bit values a channel is two of scratch. */
  private merges(at: number, { type }: VirtualOperand): boolean {
    return needsOldValue(this.at(at)) || (this.parted[at] === 1 && typeSize(type) === 8);
  }

  private serves(cached: Cached, at: number, source: VirtualOperand): boolean {
    return (
      (cached.next === this.ordinal[at] || cached.last === at) &&
      (channelsOf(source) & ~cached.channels) === 0 &&
      (cached.noMask || !this.at(at).noMask)
    );
  }

  private reload(at: number, slot: number, register: VirtualRegister, operand: VirtualOperand): Cached {
    const noMask = this.at(at).noMask || this.parted[at] === 1;
    const { platform } = this.program;
    const temporary = this.temporary(register);
    const made = reload(platform, slot, operand.type, temporary, () => this.temporary(register), noMask);
    this.insert(at, 'before', made, register);
    return { temporary, channels: 15, noMask, next: -1, last: -1 };
  }

  /**
   * The definition goes to a temporary, which is stored under the same predicate; or the old value is loaded before and
   * all is stored.
   */
  private define(at: number, slot: number, destination: VirtualOperand): Cached {
    const instruction = this.at(at);
    const { platform } = this.program;
    const { register } = destination;
    const temporary = this.temporary(register);
    const fresh = (): VirtualRegister => this.temporary(register);
    const operand = { ...destination, register: temporary, offset: destination.offset % GRF_BYTES };
    const merges = this.merges(at, destination);
    const isParted = this.parted[at] === 1 && !instruction.noMask;
    const noMask = instruction.noMask || (merges && isParted);
    const isUnsure = isConditional(instruction) && !merges;
    if (merges)
      this.insert(at, 'before', reload(platform, slot, operand.type, temporary, fresh, noMask), register);
    this.ranges.define(temporary, positionOf(at));
    const how = { predicate: isUnsure ? instruction.predicate : undefined, noMask };
    this.insert(at, 'after', store(platform, slot, operand, how, fresh), register);
    if (isUnsure) this.ranges.reachUp(temporary, at);
    return {
      temporary,
      channels: merges ? 15 : isUnsure || isParted ? 0 : operand.mask,
      noMask,
      next: this.ordinal[at] + 1,
      last: -1,
    };
  }

  /** A new register of the size of `like`. */
  private temporary(like: VirtualRegister): VirtualRegister {
    const { bytes } = this.registers[like];
    this.registers.push({ name: '', bytes, alignment: GRF_BYTES, isUniform: false });
    this.ranges.add();
    return virtual(this.registers.length - 1);
  }

  private insert(
    at: number,
    where: 'before' | 'after',
    made: readonly Instruction[],
    carries: VirtualRegister,
  ): void {
    for (const instruction of made) {
      const position = where === 'before' ? this.ranges.insertBefore(at) : this.ranges.insertAfter(at);
      for (const operand of [...instruction.sources, ...instruction.destinations])
        if (operand.file === 'virtual') this.ranges.define(operand.register, position);
      this.code.insert(at, where, instruction, carries);
      this.addHazards(instruction);
    }
  }

  private addHazards(instruction: Instruction): void {
    if (!hasHazard(instruction, 'vec4')) return;
    for (const destination of instruction.destinations)
      for (const source of instruction.sources)
        if (destination.file === 'virtual' && source.file === 'virtual')
          this.hazards.push([destination.register, source.register]);
  }

  finish(): ReturnType<SpillCode['finish']> {
    return this.code.finish(this.registers);
  }
}

function ordinals(program: Program): Int32Array {
  const ordinal = new Int32Array(program.instructions.length);
  let count = 0;
  for (let block = 0; block + 1 < program.blockStart.length; block++) {
    count += 2;
    for (let i = program.blockStart[block]; i < program.blockStart[block + 1]; i++) {
      ordinal[i] = count;
      if (program.instructions[i].opcode.scratch === undefined) count++;
    }
  }
  return ordinal;
}
