import type { LiveRanges } from '../live/ranges.js';

/** Answers which registers have an instruction in their range; registers ascending. */
export class LiveIndex {
  /** By bucket of 64 instructions: the registers whose range touches it. */
  private readonly start: Int32Array;
  private readonly registers: Int32Array;

  constructor(
    private readonly live: Pick<LiveRanges, 'start' | 'end'>,
    instructionCount: number,
    /** Registers that are left out, by a mark. */
    isLeftOut: Uint8Array,
  ) {
    const buckets = (instructionCount >> 6) + 1;
    this.start = new Int32Array(buckets + 1);
    for (let r = 0; r < live.start.length; r++)
      if (live.start[r] >= 0 && isLeftOut[r] === 0)
        for (let bucket = live.start[r] >> 6; bucket <= live.end[r] >> 6; bucket++) this.start[bucket + 1]++;
    for (let bucket = 0; bucket < buckets; bucket++) this.start[bucket + 1] += this.start[bucket];
    const fill = this.start.slice(0, buckets);
    this.registers = new Int32Array(this.start[buckets]);
    for (let r = 0; r < live.start.length; r++)
      if (live.start[r] >= 0 && isLeftOut[r] === 0)
        for (let bucket = live.start[r] >> 6; bucket <= live.end[r] >> 6; bucket++)
          this.registers[fill[bucket]++] = r;
  }

  forEachLive(instruction: number, visit: (register: number) => void): void {
    const bucket = instruction >> 6;
    for (let k = this.start[bucket]; k < this.start[bucket + 1]; k++) {
      const register = this.registers[k];
      if (this.live.start[register] <= instruction && this.live.end[register] >= instruction) visit(register);
    }
  }
}
