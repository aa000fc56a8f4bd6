/** A binary heap, the smallest item on top. */
export class Heap<Item> {
  private readonly items: Item[] = [];

  constructor(private readonly compare: (a: Item, b: Item) => number) {}

  push(item: Item): void {
    const { items, compare } = this;
    let at = items.length;
    items.push(item);
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (compare(items[above], item) <= 0) break;
      items[at] = items[above];
      at = above;
    }
    items[at] = item;
  }

  pop(): Item | undefined {
    const { items, compare } = this;
    const top = items[0];
    const item = items.pop();
    if (item === undefined || items.length === 0) return top;
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      if (below >= items.length) break;
      if (below + 1 < items.length && compare(items[below + 1], items[below]) < 0) below++;
      if (compare(items[below], item) >= 0) break;
      items[at] = items[below];
      at = below;
    }
    items[at] = item;
    return top;
  }
}
