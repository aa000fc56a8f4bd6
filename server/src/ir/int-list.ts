/**
 * A growing Int32Array, where it is not known beforehand how much will be said: one number a push, no object. Up to 16
 * numbers the engine keeps in its own heap, which costs a tenth of memory from outside.
 */
export class IntList {
  private data: Int32Array;
  length = 0;

  constructor(capacity = 16) {
    this.data = new Int32Array(Math.max(1, capacity));
  }

  /** A list of these numbers, with room for `spare` more. */
  static of(numbers: ArrayLike<number>, spare = 0): IntList {
    const list = new IntList(numbers.length + spare);
    list.data.set(numbers);
    list.length = numbers.length;
    return list;
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

  set(index: number, value: number): void {
    this.data[index] = value;
  }

  /** The numbers so far, without spare room. */
  toArray(): Int32Array {
    return this.data.slice(0, this.length);
  }

  /** The numbers, without a copy where little room is spare. Nothing may be pushed or set any more. */
  finish(): Int32Array {
    return this.length === this.data.length
      ? this.data
      : 2 * this.length >= this.data.length
        ? this.view()
        : this.toArray();
  }

  /** The numbers so far; a view that later pushes may leave behind. */
  view(): Int32Array {
    return this.data.subarray(0, this.length);
  }
}

/** 0, 1, 2, ..., `count` numbers. */
export function ascending(count: number): Int32Array {
  const numbers = new Int32Array(count);
  for (let k = 0; k < count; k++) numbers[k] = k;
  return numbers;
}
