import type { Lane } from './lane.js';
import { hex, type Region } from './regions.js';

/**
 * Who wrote what in an area of software stacks. Each holder of a stack (a warp, which is a value of `%tid.y` in a block
 * after GCC's convention, or a thread) has a block of it, which its stack fills from the top; `low` is how deep it
 * came. A byte belongs to the first holder that writes it: no second one may.
 */
export type Holder = 'warp' | 'thread';

export interface StackUse {
  /** Lowest and one past the highest of its bytes; low > high when it has none. */
  low: number;
  high: number;
}

export interface Trespass {
  readonly by: number;
  /** Whose bytes they are. */
  readonly owner: number;
  readonly address: number;
  readonly bytes: number;
}

/** More are not kept. */
const MOST_TRESPASSES = 100;

export class StackArea {
  /** By number of the holder in the grid. */
  readonly uses: readonly StackUse[];
  readonly trespasses: Trespass[] = [];
  /** For each byte one more than the number of the holder that wrote it first. */
  private readonly owner: Uint16Array;

  constructor(
    readonly area: Region,
    readonly holder: Holder,
    /** Holders in a block of the grid. */
    readonly perBlock: number,
    /** Size of a stack: holder k has the k-th from the bottom of the area. */
    readonly bytes: number,
  ) {
    const count = Math.floor(area.bytes.length / bytes);
    this.uses = Array.from({ length: count }, () => ({ low: Infinity, high: 0 }));
    this.owner = new Uint16Array(area.bytes.length);
  }

  /** Half-open range of a holder's stack. */
  blockOf(number: number): { readonly start: number; readonly end: number } {
    const start = this.area.start + number * this.bytes;
    return { start, end: start + this.bytes };
  }

  /** Bytes from the top of its stack that a holder came to. */
  depthOf(number: number): number {
    const { low, high } = this.uses[number];
    return low > high ? 0 : this.blockOf(number).end - low;
  }

  write(lane: Lane, address: number, bytes: number): void {
    const by = this.holder === 'thread' ? lane.thread : lane.block * this.perBlock + lane.position[1];
    const from = address - this.area.start;
    for (let k = from; k < from + bytes; k++) {
      if (this.owner[k] === 0 || this.owner[k] === by + 1) continue;
      const owner = this.owner[k] - 1;
      if (this.trespasses.length < MOST_TRESPASSES) this.trespasses.push({ by, owner, address, bytes });
      return;
    }
    this.owner.fill(by + 1, from, from + bytes);
    const use = this.uses[by];
    if (address < use.low) use.low = address;
    if (address + bytes > use.high) use.high = address + bytes;
  }

  /** Sentences about holders that overlap or left their stack. */
  violations(): readonly string[] {
    const { holder } = this;
    const found = this.trespasses.map(
      (t) =>
        `${holder} ${t.by} writes ${t.bytes} bytes at ${hex(t.address)}, which are of ${holder} ${t.owner}`,
    );
    this.uses.forEach(({ low, high }, number) => {
      const { start, end } = this.blockOf(number);
      if (low > high || (low >= start && high <= end)) return;
      found.push(
        `${holder} ${number} writes ${hex(low)} to ${hex(high)}, its stack is ${hex(start)} to ${hex(end)}`,
      );
    });
    return found;
  }
}
