/** A binary heap of numbers, least first by `isBefore`. */
export class Heap {
  private readonly items: number[] = [];

  constructor(private readonly isBefore: (a: number, b: number) => boolean) {}

  get size(): number {
    return this.items.length;
  }

  get first(): number | undefined {
    return this.items.length === 0 ? undefined : this.items[0];
  }

  push(item: number): void {
    const { items } = this;
    let at = items.length;
    items.push(item);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.isBefore(item, items[parent])) break;
      items[at] = items[parent];
      at = parent;
    }
    items[at] = item;
  }

  pop(): number | undefined {
    const { items } = this;
    const top = items[0];
    const item = items.pop();
    if (item === undefined || items.length === 0) return item;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= items.length) break;
      if (child + 1 < items.length && this.isBefore(items[child + 1], items[child])) child++;
      if (!this.isBefore(items[child], item)) break;
      items[at] = items[child];
      at = child;
    }
    items[at] = item;
    return top;
  }
}
