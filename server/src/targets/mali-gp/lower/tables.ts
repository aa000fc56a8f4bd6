/**
 * Recognises what was once an indexed uniform. The language has no index that is only known when the program runs, so
 * `table[i]` arrives as selections that compare i with one number after the other, or halve its range; each costs
 * both multipliers of a word. Here the whole tree is evaluated for every i that it tells apart: where the uniforms
 * that it chooses lie at equal distances, the tree is a table.
 */
import { resultOf } from '../evaluate.js';
import type { Node } from '../graph.js';
import { Op } from '../operations.js';
import {
  constantOf,
  isFixed,
  sameOperand,
  valueKey,
  type Draft,
  type DraftBlock,
  type Operand,
} from './draft.js';
import { rangeOf, type Ranges } from './ranges.js';

/** The vector that an index chooses, relative to that of the first entry: `stride * (index - first)`. */
export interface Addressing {
  readonly index: Operand;
  readonly first: number;
  readonly last: number;
  readonly stride: number;
  /** Of every index before the first, and after the last. */
  readonly before: number;
  readonly after: number;
  /**
   * Of an index that is not whole: 'floor' if it chooses what the whole number below does, or where all of them go;
   * absent if the index is known to be whole.
   */
  readonly fraction?: 'floor' | number;
}

export interface Table {
  /** Equal for tables that one address serves. */
  readonly key: string;
  readonly addressing: Addressing;
  /** The selection at the root of the tree. */
  readonly root: number;
  /** The first entry. */
  readonly vector: number;
  readonly component: number;
}

/** Beyond this distance between compared numbers a tree is not looked at. */
const MOST_ENTRIES = 512;
/** Shorter tables are left as they are. */
const LEAST_ENTRIES = 3;

/** Tables of a block, by their roots: selections that are more than a part of another table. */
export function tablesOf(draft: Draft, block: DraftBlock, ranges: Ranges): readonly Table[] {
  const finder = new Finder(draft, block, ranges);
  return finder.roots().flatMap((root) => finder.table(root) ?? []);
}

class Finder {
  /** By selection of the block: the index that it depends on alone. */
  private readonly indexOf = new Map<number, Operand>();
  /** By node of a condition: its value for each index of a table. */
  private readonly known = new Map<string, number>();

  constructor(
    private readonly draft: Draft,
    private readonly block: DraftBlock,
    private readonly ranges: Ranges,
  ) {
    for (const id of block.nodes) {
      const node = draft.nodes[id];
      if (node.op !== Op.Select) continue;
      const index = this.indexOfSelection(node);
      if (index !== undefined) this.indexOf.set(id, index);
    }
  }

  roots(): readonly number[] {
    const isPart = new Set<number>();
    const isWanted = new Set<number>();
    for (const id of this.block.nodes) {
      const node = this.draft.nodes[id];
      const index = this.indexOf.get(id);
      node.inputs.forEach((input, n) => {
        if (input.kind !== 'node') return;
        const other = this.indexOf.get(input.node);
        const isInside = n > 0 && index !== undefined && other !== undefined && sameOperand(index, other);
        (isInside ? isPart : isWanted).add(input.node);
      });
    }
    for (const { value } of this.block.stores) if (value.kind === 'node') isWanted.add(value.node);
    return [...this.indexOf.keys()].filter((id) => isWanted.has(id) || !isPart.has(id));
  }

  table(root: number): Table | undefined {
    const index = this.indexOf.get(root)!;
    const reach = this.reachOf(root);
    if (reach > MOST_ENTRIES) return undefined;
    const places = this.entries(root, index, -reach, reach);
    if (places === undefined) return undefined;
    const component = places[0] & 3;
    const chosen = places.map((place) => place >> 2);
    const run = longestRun(chosen);
    if (run === undefined) return undefined;
    const { from, to, stride } = run;
    const [first, last] = [from - reach, to - reach];
    const before = chosen[0] - chosen[from];
    const after = chosen[chosen.length - 1] - chosen[from];
    const isWhole = rangeOf(index, this.ranges.ofNodes, this.ranges.ofRegisters).isWhole;
    const fraction = isWhole ? undefined : this.fraction(root, index, reach, places, chosen[from]);
    if (!isWhole && fraction === undefined) return undefined;
    const addressing = {
      index,
      first,
      last,
      stride,
      before,
      after,
      ...(fraction !== undefined && { fraction }),
    };
    const key = [valueKey(index), first, last, stride, before, after, fraction].join();
    return { key, addressing, root, vector: chosen[from], component };
  }

  /** What indices from `from` to `to` choose, as `4 * vector + component`, if all are of one component. */
  private entries(root: number, index: Operand, from: number, to: number): number[] | undefined {
    const places: number[] = [];
    for (let i = from; i <= to; i++) {
      const entry = this.entry(root, index, i);
      if (entry === undefined) return undefined;
      const place = 4 * entry.vector + entry.component;
      if (places.length > 0 && ((place ^ places[0]) & 3) !== 0) return undefined;
      places.push(place);
    }
    return places;
  }

  /** Numbers between two whole ones are all treated alike if they are only compared with whole ones. */
  private fraction(
    root: number,
    index: Operand,
    reach: number,
    places: readonly number[],
    first: number,
  ): 'floor' | number | undefined {
    if (!this.comparesWithWhole(root)) return undefined;
    const between = this.entries(root, index, -reach + 0.5, reach - 0.5);
    if (between === undefined || ((between[0] ^ places[0]) & 3) !== 0) return undefined;
    if (between.every((place, k) => place === places[k])) return 'floor';
    return between.every((place) => place === between[0]) ? (between[0] >> 2) - first : undefined;
  }

  private comparesWithWhole(root: number): boolean {
    const isWhole = (operand: Operand): boolean => {
      const constant = constantOf(operand);
      if (constant !== undefined) return Number.isInteger(constant);
      if (operand.kind !== 'node') return true;
      const node = this.draft.nodes[operand.node];
      return !asks(node) || node.inputs.every(isWhole);
    };
    return this.selections(root).every((id) => isWhole(this.draft.nodes[id].inputs[0]));
  }

  /** The selections of the tree. */
  private selections(root: number): readonly number[] {
    const seen = new Set([root]);
    for (const id of seen)
      for (const data of this.draft.nodes[id].inputs.slice(1)) if (data.kind === 'node') seen.add(data.node);
    return [...seen];
  }

  /** The one number that a selection's conditions ask about, if its data are uniforms or such selections of it. */
  private indexOfSelection({ inputs: [condition, yes, no] }: Node): Operand | undefined {
    const index = this.indexOfCondition(condition);
    if (index === undefined) return undefined;
    for (const data of [yes, no]) {
      if (data.kind === 'uniform' && isFixed(data) && !data.negate) continue;
      if (data.kind !== 'node' || data.negate) return undefined;
      const other = this.indexOf.get(data.node);
      if (other === undefined || !sameOperand(other, index)) return undefined;
    }
    return index;
  }

  private indexOfCondition(condition: Operand): Operand | undefined {
    const found: Operand[] = [];
    const visit = (operand: Operand): void => {
      if (operand.kind === 'constant') return;
      const node = operand.kind === 'node' ? this.draft.nodes[operand.node] : undefined;
      if (node !== undefined && asks(node)) node.inputs.forEach(visit);
      else found.push({ ...operand, negate: false });
    };
    visit(condition);
    return found.length > 0 && found.every((operand) => sameOperand(operand, found[0]))
      ? found[0]
      : undefined;
  }

  /** Every index whose amount is greater is treated like the one of this amount and its sign. */
  private reachOf(root: number): number {
    const sum = (operand: Operand): number => {
      const constant = constantOf(operand);
      if (constant !== undefined) return Math.abs(constant);
      if (operand.kind !== 'node') return 0;
      const node = this.draft.nodes[operand.node];
      return asks(node) ? node.inputs.reduce((total, input) => total + sum(input), 0) : 0;
    };
    const sums = this.selections(root).map((id) => sum(this.draft.nodes[id].inputs[0]));
    return Math.ceil(Math.max(...sums)) + 2;
  }

  private entry(
    root: number,
    index: Operand,
    i: number,
  ): (Operand & { readonly kind: 'uniform' }) | undefined {
    for (let at: Operand = { kind: 'node', node: root, negate: false }; ;) {
      if (at.kind === 'uniform') return at;
      if (at.kind !== 'node') return undefined;
      const [condition, yes, no]: readonly Operand[] = this.draft.nodes[at.node].inputs;
      at = this.valueFor(condition, index, i) !== 0 ? yes : no;
    }
  }

  private valueFor(operand: Operand, index: Operand, i: number): number {
    const value = this.unsignedValueFor(operand, index, i);
    return operand.negate ? -value : value;
  }

  private unsignedValueFor(operand: Operand, index: Operand, i: number): number {
    if (operand.kind === 'constant') return operand.value;
    if (operand.kind !== 'node' || (index.kind === 'node' && index.node === operand.node)) return i;
    const key = `${operand.node} ${i}`;
    let value = this.known.get(key);
    if (value !== undefined) return value;
    const { op, inputs } = this.draft.nodes[operand.node];
    const [a, b] = inputs.map((input) => this.valueFor(input, index, i));
    value = resultOf(op, a, b, 0);
    this.known.set(key, value);
    return value;
  }
}

/** Whether a node only compares, so that what it compares is what matters. */
function asks({ op, inputs }: Node): boolean {
  switch (op) {
    case Op.Ge:
    case Op.Lt:
    case Op.Min:
    case Op.Max:
      return true;
    case Op.Add:
      return inputs.some((input) => input.kind === 'constant');
    default:
      return false;
  }
}

/** The longest stretch of equal steps, if the entries before it are all the same one, and those after it. */
function longestRun(
  chosen: readonly number[],
): { readonly from: number; readonly to: number; readonly stride: number } | undefined {
  let best = { from: 0, to: 0, stride: 0 };
  for (let from = 0; from + 1 < chosen.length;) {
    const stride = chosen[from + 1] - chosen[from];
    let to = from + 1;
    while (to + 1 < chosen.length && chosen[to + 1] - chosen[to] === stride) to++;
    if (stride !== 0 && to - from > best.to - best.from) best = { from, to, stride };
    from = to;
  }
  if (best.to - best.from + 1 < LEAST_ENTRIES) return undefined;
  const isSame = (from: number, to: number): boolean =>
    chosen.slice(from, to).every((vector) => vector === chosen[from]);
  return isSame(0, best.from) && isSame(best.to + 1, chosen.length) ? best : undefined;
}
