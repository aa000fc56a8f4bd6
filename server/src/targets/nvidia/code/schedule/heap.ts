/** Of heaps that nothing was put in: most of a scheduler's stay so. Up to 8 keys the engine keeps in its own heap. */
const noKeys = new Float64Array(0);
const noItems = new Int32Array(0);

/** A binary heap of instruction numbers, the smallest key first. */
export class Heap {
  private keys = noKeys;
  private items = noItems;
  private count = 0;

  get size(): number {
    return this.count;
  }

  /** The item with the smallest key; -1 when there is none. */
  get top(): number {
    return this.count === 0 ? -1 : this.items[0];
  }

  get topKey(): number {
    return this.count === 0 ? Infinity : this.keys[0];
  }

  clear(): void {
    this.count = 0;
  }

  push(item: number, key: number): void {
    if (this.count === this.items.length) this.grow();
    const { keys, items } = this;
    let at = this.count++;
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (keys[above] <= key) break;
      keys[at] = keys[above];
      items[at] = items[above];
      at = above;
    }
    keys[at] = key;
    items[at] = item;
  }

  pop(): number {
    if (this.count === 0) return -1;
    const { keys, items } = this;
    const first = items[0];
    const last = --this.count;
    const key = keys[last];
    const item = items[last];
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      if (below >= last) break;
      if (below + 1 < last && keys[below + 1] < keys[below]) below++;
      if (keys[below] >= key) break;
      keys[at] = keys[below];
      items[at] = items[below];
      at = below;
    }
    keys[at] = key;
    items[at] = item;
    return first;
  }

  private grow(): void {
    const room = Math.max(8, 2 * this.count);
    const keys = new Float64Array(room);
    const items = new Int32Array(room);
    keys.set(this.keys);
    items.set(this.items);
    this.keys = keys;
    this.items = items;
  }
}
