/**
 * Lists of numbers by node in one array: each has room of its own and moves to the end, with twice the room, when that
 * is full. Millions of edges cost the collector of garbage nothing.
 */
export class Adjacency {
  /** Node n's list is `data[start[n] .. start[n] + length[n]]`; all three change with `push`. */
  data: Int32Array;
  start: Int32Array;
  length: Int32Array;
  private room: Int32Array;
  private used = 0;

  /** `degrees`: how long the lists of the first nodes will be at least. */
  constructor(degrees: Int32Array) {
    this.start = new Int32Array(degrees.length);
    this.length = new Int32Array(degrees.length);
    this.room = new Int32Array(degrees.length);
    for (let node = 0; node < degrees.length; node++) {
      this.start[node] = this.used;
      this.room[node] = degrees[node] + (degrees[node] >> 1) + 8;
      this.used += this.room[node];
    }
    this.data = new Int32Array(this.used + (this.used >> 1) + 64);
  }

  has(node: number, value: number): boolean {
    if (node >= this.length.length) return false;
    const { data } = this;
    const end = this.start[node] + this.length[node];
    for (let k = this.start[node]; k < end; k++) if (data[k] === value) return true;
    return false;
  }

  lengthOf(node: number): number {
    return node < this.length.length ? this.length[node] : 0;
  }

  push(node: number, value: number): void {
    this.reserve(node + 1);
    if (this.length[node] === this.room[node]) this.move(node);
    this.data[this.start[node] + this.length[node]++] = value;
  }

  /** The list as it is now; not to be changed, and not valid after the next `push`. */
  list(node: number): Int32Array {
    if (node >= this.length.length) return none;
    return this.data.subarray(this.start[node], this.start[node] + this.length[node]);
  }

  /** Takes a value out; the last of the list takes its place. */
  remove(node: number, value: number): void {
    const { data } = this;
    const from = this.start[node];
    const last = from + this.length[node] - 1;
    let at = from;
    while (at <= last && data[at] !== value) at++;
    if (at > last) return;
    data[at] = data[last];
    this.length[node]--;
  }

  clear(node: number): void {
    if (node < this.length.length) this.length[node] = 0;
  }

  /** Has lists for so many nodes, at least. */
  reserve(count: number): void {
    if (count > this.length.length) this.addNodes(count);
  }

  private addNodes(count: number): void {
    const size = Math.max(count, this.length.length * 2);
    this.start = grown(this.start, size);
    this.length = grown(this.length, size);
    this.room = grown(this.room, size);
  }

  private move(node: number): void {
    const room = Math.max(8, this.room[node] * 2);
    if (this.used + room > this.data.length)
      this.data = grown(this.data, Math.max(this.used + room, this.data.length * 2));
    this.data.copyWithin(this.used, this.start[node], this.start[node] + this.length[node]);
    this.start[node] = this.used;
    this.room[node] = room;
    this.used += room;
  }
}

const none = new Int32Array(0);

function grown(array: Int32Array, size: number): Int32Array {
  const larger = new Int32Array(size);
  larger.set(array);
  return larger;
}
