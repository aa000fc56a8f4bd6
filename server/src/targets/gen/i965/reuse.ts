import { isConditional } from '../access.js';
import { swizzled, type Instruction, type VirtualOperand } from '../program.js';

/**
 * Which reads find a value that an earlier instruction of the block has left (facts B.10a): consecutive instructions
 * that read a register need one reload, and those behind its definition none. Looking back from a read, scratch
 * messages are passed over; an instruction that writes the register decides: the value is there if the write was sure
 * and wrote all the channels that are read; an instruction that neither reads nor writes it ends the chain, which is
 * good if it has a reader.
 *
 * Kept forward, one small state a register, so that a long chain costs no more than its length.
 */
export class ReuseChains {
  /** By register: how many instructions (scratch messages not counted) had passed when its chain was last extended. */
  private readonly passed: Int32Array;
  /** By register: channels that the chain's head surely wrote, ANY for a chain of readers alone. */
  private readonly channels: Uint8Array;
  private count = 0;

  constructor(registers: number) {
    this.passed = new Int32Array(registers).fill(-1);
    this.channels = new Uint8Array(registers);
  }

  /** A block begins: nothing of what came before counts. */
  startBlock(): void {
    this.count += 2;
  }

  /** Source `s` of the next instruction, of register `register`, needs no reload. */
  isThere(instruction: Instruction, s: number, register: number, source: VirtualOperand): boolean {
    if (this.passed[register] === this.count)
      return this.channels[register] === ANY || (channelsOf(source) & ~this.channels[register]) === 0;
    for (let k = 0; k < s; k++) {
      const earlier = instruction.sources[k];
      if (earlier.file === 'virtual' && earlier.register === register) return true;
    }
    return false;
  }

  /** The instruction has been passed. */
  pass(instruction: Instruction): void {
    const isScratch = instruction.opcode.scratch !== undefined;
    if (!isScratch) {
      for (const source of instruction.sources)
        if (source.file === 'virtual') {
          if (this.passed[source.register] !== this.count) this.channels[source.register] = ANY;
          this.passed[source.register] = this.count + 1;
        }
      this.count++;
    }
    for (const destination of instruction.destinations)
      if (destination.file === 'virtual') {
        this.passed[destination.register] = this.count;
        this.channels[destination.register] = isConditional(instruction) ? 0 : destination.mask;
      }
  }
}

const ANY = 0xff;

/** Channels that a swizzle reads. */
export function channelsOf({ swizzle }: VirtualOperand): number {
  let channels = 0;
  for (let c = 0; c < 4; c++) channels |= 1 << swizzled(swizzle, c);
  return channels;
}
