const SMALL = 1 << 16;

/** Numbers of registers to indices, in order of appearance. Any number is taken; small ones cost an array access. */
export class NumberIndex {
  readonly numbers: number[] = [];
  private small = new Int32Array(256).fill(-1);
  private readonly large = new Map<number, number>();

  indexOf(number: number): number {
    if (number < this.small.length) return this.small[number];
    return number < SMALL ? -1 : (this.large.get(number) ?? -1);
  }

  add(number: number): number {
    const known = this.indexOf(number);
    if (known >= 0) return known;
    const fresh = this.numbers.push(number) - 1;
    if (number >= SMALL) this.large.set(number, fresh);
    else {
      if (number >= this.small.length) {
        const larger = new Int32Array(Math.min(SMALL, 2 * number)).fill(-1);
        larger.set(this.small);
        this.small = larger;
      }
      this.small[number] = fresh;
    }
    return fresh;
  }
}
