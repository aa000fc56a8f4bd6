/** A growing Int32Array, for passes that do not know beforehand how much they will say. */
export class IntBuffer {
  private data: Int32Array;
  length = 0;

  constructor(capacity = 64) {
    this.data = new Int32Array(Math.max(1, capacity));
  }

  push(value: number): void {
    if (this.length === this.data.length) {
      const larger = new Int32Array(this.data.length * 2);
      larger.set(this.data);
      this.data = larger;
    }
    this.data[this.length++] = value;
  }

  at(index: number): number {
    return this.data[index];
  }

  /** The numbers so far; a view that later pushes may leave behind. */
  view(): Int32Array {
    return this.data.subarray(0, this.length);
  }
}
