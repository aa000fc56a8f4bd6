/**
 * Places in temporary memory. The encoding has no bit that tells a temporary from a uniform, so both share one
 * address space, and temporaries are numbered from its top downwards. A word reads one vector through its uniform port
 * and stores to one vector (one address register), so what is stored or read together belongs into one vector.
 */
export const TEMPORARY_TOP = 511;

export interface TemporaryPlace {
  readonly vector: number;
  readonly component: number;
}

/** How well it would be to have items `a` and `b` in one vector. */
export interface Affinity {
  readonly a: number;
  readonly b: number;
  readonly weight: number;
}

const COMPONENTS = 4;

/**
 * Places for items 0 to `count` - 1, from vector `top` downwards: the strongest affinities are joined first while
 * four components suffice, and what is left fills up vectors in the items' order. O(n log n).
 */
export function groupIntoVectors(
  count: number,
  affinities: readonly Affinity[],
  top: number,
): TemporaryPlace[] {
  const leader = Int32Array.from({ length: count }, (_, k) => k);
  const size = new Uint8Array(count).fill(1);
  const find = (item: number): number => {
    while (leader[item] !== item) item = leader[item] = leader[leader[item]];
    return item;
  };
  const strongest = [...affinities].sort((x, y) => y.weight - x.weight || x.a - y.a || x.b - y.b);
  for (const { a, b } of strongest) {
    const [from, to] = [find(a), find(b)];
    if (from === to || size[from] + size[to] > COMPONENTS) continue;
    leader[Math.max(from, to)] = Math.min(from, to);
    size[Math.min(from, to)] += size[Math.max(from, to)];
  }
  const vectors = packGroups(count, find, size);
  const places: TemporaryPlace[] = new Array<TemporaryPlace>(count);
  const used = new Map<number, number>();
  for (let item = 0; item < count; item++) {
    const vector = vectors[find(item)];
    const component = used.get(vector) ?? 0;
    used.set(vector, component + 1);
    places[item] = { vector: top - vector, component };
  }
  return places;
}

/** By leader: number of the vector that its group shares, perhaps with another group that fits beside it. */
function packGroups(count: number, find: (item: number) => number, size: Uint8Array): Int32Array {
  const vectors = new Int32Array(count).fill(-1);
  /** By free components: the last vector that has so many. */
  const open: (number | undefined)[] = [undefined, undefined, undefined, undefined];
  let next = 0;
  for (let item = 0; item < count; item++) {
    if (find(item) !== item) continue;
    const fitting = [size[item], size[item] + 1, size[item] + 2].find((n) => open[n] !== undefined);
    const vector = fitting === undefined ? next++ : open[fitting]!;
    const free = (fitting ?? COMPONENTS) - size[item];
    if (fitting !== undefined) open[fitting] = undefined;
    if (free > 0) open[free] = vector;
    vectors[item] = vector;
  }
  return vectors;
}

/** Vectors that the places take. */
export const vectorsIn = (places: readonly TemporaryPlace[]): number =>
  new Set(places.map(({ vector }) => vector)).size;

/** A store or a read of an item, by its position in an order of operations. */
export interface Access {
  readonly at: number;
  readonly item: number;
}

/** Operations between two accesses that may still fall into the same word. */
const NEAR = 6;
const FOLLOWERS = 3;

/** Affinities between items that are accessed about the same time; one operation's reads count three times. */
export function neighbours(accesses: readonly Access[], weight: number): Affinity[] {
  const sorted = [...accesses].sort((a, b) => a.at - b.at || a.item - b.item);
  const found: Affinity[] = [];
  for (let i = 0; i < sorted.length; i++) {
    for (let j = i + 1; j < sorted.length && j <= i + FOLLOWERS && sorted[j].at - sorted[i].at <= NEAR; j++) {
      if (sorted[i].item === sorted[j].item) continue;
      const isSame = sorted[i].at === sorted[j].at;
      found.push({ a: sorted[i].item, b: sorted[j].item, weight: isSame ? 3 * weight : weight });
    }
  }
  return found;
}
