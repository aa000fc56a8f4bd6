/**
 * Packs sets of at most four values into vectors of four, so that each set lies in one vector and vectors are few.
 * A value may lie in several vectors.
 *
 * Finding the fewest is as hard as bin packing. Here large sets come first, and each goes into the vector to which
 * it adds least, a set without a common value into the fullest with room. Then vectors are dissolved one after
 * another, if all their sets fit elsewhere. Deterministic; time follows the number of sets.
 */
export interface Packing {
  /** By set. */
  readonly vectorOf: readonly number[];
  /** By vector: its values by component. */
  readonly vectors: readonly (readonly number[])[];
}

const CAPACITY = 4;

/** Of the vectors that hold a value, or have room, so many are looked at, the youngest. */
const LOOKED_AT = 64;

interface Vector {
  readonly number: number;
  values: readonly number[];
  sets: readonly number[];
}

export function packSets(sets: readonly (readonly number[])[]): Packing {
  const order = sets.map((_, s) => s).sort((a, b) => sets[b].length - sets[a].length || a - b);
  const packer = new Packer(sets);
  for (const s of order) packer.place(s);
  packer.dissolve();
  return packer.packing();
}

class Packer {
  private readonly vectors: Vector[] = [];
  /** By value: the vectors that hold it or held it. */
  private readonly holders = new Map<number, Vector[]>();
  /** By number of values: vectors that have or had so many. */
  private readonly filled: Vector[][] = Array.from({ length: CAPACITY }, () => []);

  constructor(private readonly sets: readonly (readonly number[])[]) {}

  place(s: number): void {
    const values = this.sets[s];
    const found = this.find(values, (vector) => vector.values);
    if (found !== undefined) {
      this.add(found, s, union(found.values, values));
      return;
    }
    const vector: Vector = { number: this.vectors.length, values: [], sets: [] };
    this.vectors.push(vector);
    this.add(vector, s, values);
  }

  /** The vector to which the set adds least, of those the fullest, of those the oldest. */
  private find(values: readonly number[], contents: (v: Vector) => readonly number[]): Vector | undefined {
    let best: Vector | undefined;
    let least = CAPACITY + 1;
    let fullest = 0;
    const consider = (vector: Vector): void => {
      const held = contents(vector);
      if (held.length === 0) return;
      const added = values.reduce((n, value) => n + Number(!held.includes(value)), 0);
      if (held.length + added > CAPACITY || added > least) return;
      const isBetter =
        added < least ||
        held.length > fullest ||
        (held.length === fullest && best !== undefined && vector.number < best.number);
      if (!isBetter) return;
      best = vector;
      least = added;
      fullest = held.length;
    };
    for (const value of values) this.holders.get(value)?.slice(-LOOKED_AT).forEach(consider);
    for (let count = CAPACITY - values.length; best === undefined && count > 0; count--)
      this.filled[count].slice(-LOOKED_AT).forEach(consider);
    return best;
  }

  private add(vector: Vector, s: number, values: readonly number[]): void {
    for (const value of values) {
      if (vector.values.includes(value)) continue;
      const list = this.holders.get(value);
      if (list === undefined) this.holders.set(value, [vector]);
      else list.push(vector);
    }
    if (values.length !== vector.values.length && values.length < CAPACITY)
      this.filled[values.length].push(vector);
    vector.values = values;
    vector.sets = [...vector.sets, s];
  }

  /** Empties each vector whose sets all fit into others, those with the fewest values first. */
  dissolve(): void {
    const order = [...this.vectors].sort((a, b) => a.values.length - b.values.length || b.number - a.number);
    for (const vector of order) {
      const grown = new Map<Vector, readonly number[]>([[vector, []]]);
      const contents = (v: Vector): readonly number[] => grown.get(v) ?? v.values;
      const moves: [Vector, number][] = [];
      for (const s of vector.sets) {
        const to = this.find(this.sets[s], contents);
        if (to === undefined) break;
        grown.set(to, union(contents(to), this.sets[s]));
        moves.push([to, s]);
      }
      if (moves.length < vector.sets.length) continue;
      for (const [to, s] of moves) this.add(to, s, union(to.values, this.sets[s]));
      vector.values = [];
      vector.sets = [];
    }
  }

  packing(): Packing {
    const kept = this.vectors.filter(({ values }) => values.length > 0);
    const vectorOf = this.sets.map(() => 0);
    kept.forEach(({ sets }, v) => {
      for (const s of sets) vectorOf[s] = v;
    });
    return { vectorOf, vectors: kept.map(({ values }) => values) };
  }
}

const union = (a: readonly number[], b: readonly number[]): readonly number[] => [
  ...a,
  ...b.filter((value) => !a.includes(value)),
];
