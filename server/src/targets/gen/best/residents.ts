/** The atoms that are in registers now, each with its version, and how many registers they take. */
export class Residents {
  /** By atom: its version, -1 where it is not in registers. */
  readonly version: Int32Array;
  /** In no order. */
  readonly list: number[] = [];
  cells = 0;
  private readonly slot: Int32Array;

  constructor(private readonly size: Int32Array) {
    this.version = new Int32Array(size.length).fill(-1);
    this.slot = new Int32Array(size.length);
  }

  arrive(atom: number, version: number): void {
    if (this.version[atom] < 0) {
      this.slot[atom] = this.list.length;
      this.list.push(atom);
      this.cells += this.size[atom];
    }
    this.version[atom] = version;
  }

  leave(atom: number): void {
    const last = this.list[this.list.length - 1];
    this.list.length--;
    if (last !== atom) {
      this.list[this.slot[atom]] = last;
      this.slot[last] = this.slot[atom];
    }
    this.version[atom] = -1;
    this.cells -= this.size[atom];
  }

  clear(): void {
    for (const atom of this.list) this.version[atom] = -1;
    this.list.length = 0;
    this.cells = 0;
  }

  /** Atoms and their versions, in turn. */
  snapshot(): Int32Array {
    const found = new Int32Array(2 * this.list.length);
    for (let k = 0; k < this.list.length; k++) {
      found[2 * k] = this.list[k];
      found[2 * k + 1] = this.version[this.list[k]];
    }
    return found;
  }
}
