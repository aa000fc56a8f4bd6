/**
 * The free list of Beignet's context (facts A.7, context.cpp, SimpleAllocator): places by the byte, first fit from the
 * low or from the high end, free neighbours merge, and an allocated block can be cut so that its pieces are given back
 * one by one. Registers smaller than a GRF share one this way.
 *
 * The file is 4096 bytes, so the list has at most a few hundred entries and is walked as it is.
 */
export class FreeList {
  /** Free blocks, ascending and never touching: `[from, to)`. */
  private readonly from: number[] = [];
  private readonly to: number[] = [];
  /** Length of each allocated block, by its first byte. */
  private readonly allocated = new Map<number, number>();

  /** Manages bytes `first .. end`. Byte 0 belongs to g0 and is never handed out, so that 0 can say "no room". */
  constructor(first: number, end: number) {
    if (first < end) {
      this.from.push(first);
      this.to.push(end);
    }
  }

  /** First byte of a new block of `bytes` at a multiple of `alignment`, or 0 where none fits. */
  allocate(bytes: number, alignment: number, fromTail = false): number {
    const count = this.from.length;
    for (let n = 0; n < count; n++) {
      const k = fromTail ? count - 1 - n : n;
      const at = fromTail
        ? Math.floor((this.to[k] - bytes) / alignment) * alignment
        : Math.ceil(this.from[k] / alignment) * alignment;
      if (at < this.from[k] || at + bytes > this.to[k]) continue;
      this.take(k, at, bytes);
      return at;
    }
    return 0;
  }

  /** Allocates exactly the bytes `at .. at + bytes`; false where some of them are not free. */
  allocateAt(at: number, bytes: number): boolean {
    for (let k = 0; k < this.from.length && this.from[k] <= at; k++) {
      if (at + bytes > this.to[k]) continue;
      this.take(k, at, bytes);
      return true;
    }
    return false;
  }

  /** Cuts the block that begins at `block` behind its first `bytes` bytes; the rest becomes a block of its own. */
  split(block: number, bytes: number): void {
    const length = this.allocated.get(block);
    if (length === undefined || bytes <= 0 || bytes >= length) return;
    this.allocated.set(block, bytes);
    this.allocated.set(block + bytes, length - bytes);
  }

  /** Gives the block that begins at `block` back. */
  free(block: number): void {
    const length = this.allocated.get(block);
    if (length === undefined) return;
    this.allocated.delete(block);
    let k = 0;
    while (k < this.from.length && this.from[k] < block) k++;
    const end = block + length;
    const joinsBefore = k > 0 && this.to[k - 1] === block;
    const joinsBehind = k < this.from.length && this.from[k] === end;
    if (joinsBefore && joinsBehind) {
      this.to[k - 1] = this.to[k];
      this.from.splice(k, 1);
      this.to.splice(k, 1);
    } else if (joinsBefore) this.to[k - 1] = end;
    else if (joinsBehind) this.from[k] = block;
    else {
      this.from.splice(k, 0, block);
      this.to.splice(k, 0, end);
    }
  }

  /** Free bytes from `at` on without a gap. */
  freeBytesAt(at: number): number {
    for (let k = 0; k < this.from.length && this.from[k] <= at; k++)
      if (at < this.to[k]) return this.to[k] - at;
    return 0;
  }

  get freeBytes(): number {
    return this.from.reduce((sum, from, k) => sum + this.to[k] - from, 0);
  }

  private take(k: number, at: number, bytes: number): void {
    const end = at + bytes;
    this.allocated.set(at, bytes);
    const [from, to] = [this.from[k], this.to[k]];
    if (from === at && to === end) {
      this.from.splice(k, 1);
      this.to.splice(k, 1);
    } else if (from === at) this.from[k] = end;
    else if (to === end) this.to[k] = at;
    else {
      this.to[k] = at;
      this.from.splice(k + 1, 0, end);
      this.to.splice(k + 1, 0, to);
    }
  }
}
