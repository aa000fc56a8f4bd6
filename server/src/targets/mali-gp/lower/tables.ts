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
  positive,
  sameOperand,
  valueKey,
  type Draft,
  type DraftBlock,
  type Operand,
} from './draft.js';
import { isBoolean, rangeOf, type Range, type Ranges } from './ranges.js';

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

/** What a condition or a selection depends on, if that is one number alone, beside constants. */
interface Question {
  readonly index: Operand;
  /** Every index of a greater amount is treated like the one of this amount and its sign. */
  readonly reach: number;
  /** Whether all numbers between two whole ones are treated alike. */
  readonly isWhole: boolean;
  readonly depth: number;
}

/** Conditions that are deeper are no questions of an index. */
const DEEPEST = 32;
/** Choices that a block's tables may take to evaluate. */
const MOST_STEPS = 1 << 20;

class Finder {
  /** By node that compares. */
  private readonly questions = new Map<number, Question>();
  /** By selection of the block that depends on one number alone, and chooses among uniforms. */
  private readonly trees = new Map<number, Question>();
  /** By node of a condition and index: its value. */
  private readonly known = new Map<string, number>();
  private steps = 0;

  constructor(
    private readonly draft: Draft,
    private readonly block: DraftBlock,
    private readonly ranges: Ranges,
  ) {
    for (const id of block.nodes) {
      const node = draft.nodes[id];
      const question = node.op === Op.Select ? this.tree(node) : this.question(node);
      if (question !== undefined) (node.op === Op.Select ? this.trees : this.questions).set(id, question);
    }
  }

  roots(): readonly number[] {
    const isPart = new Set<number>();
    const isWanted = new Set<number>();
    for (const id of this.block.nodes) {
      const node = this.draft.nodes[id];
      const index = this.trees.get(id)?.index;
      node.inputs.forEach((input, n) => {
        if (input.kind !== 'node') return;
        const other = this.trees.get(input.node)?.index;
        const isInside = n > 0 && index !== undefined && other !== undefined && sameOperand(index, other);
        (isInside ? isPart : isWanted).add(input.node);
      });
    }
    for (const { value } of this.block.stores) if (value.kind === 'node') isWanted.add(value.node);
    return [...this.trees.keys()].filter((id) => isWanted.has(id) || !isPart.has(id));
  }

  table(root: number): Table | undefined {
    const { index, reach: most, isWhole: isUniform } = this.trees.get(root)!;
    if (!(most <= MOST_ENTRIES)) return undefined;
    const reach = Math.ceil(most) + 2;
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
    const { isWhole } = this.range(index);
    const fraction =
      isWhole || !isUniform ? undefined : this.fraction(root, index, reach, places, chosen[from]);
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

  /** Where numbers between two whole ones go. */
  private fraction(
    root: number,
    index: Operand,
    reach: number,
    places: readonly number[],
    first: number,
  ): 'floor' | number | undefined {
    const between = this.entries(root, index, -reach + 0.5, reach - 0.5);
    if (between === undefined || ((between[0] ^ places[0]) & 3) !== 0) return undefined;
    if (between.every((place, k) => place === places[k])) return 'floor';
    return between.every((place) => place === between[0]) ? (between[0] >> 2) - first : undefined;
  }

  private tree({ inputs: [condition, yes, no] }: Node): Question | undefined {
    const asked = this.questionOf(condition);
    const { index } = asked;
    let { reach, isWhole } = asked;
    if (index.kind === 'constant') return undefined;
    for (const data of [yes, no]) {
      if (data.kind === 'uniform' && isFixed(data) && !data.negate) continue;
      if (data.kind !== 'node' || data.negate) return undefined;
      const part = this.trees.get(data.node);
      if (part === undefined || !sameOperand(part.index, index)) return undefined;
      reach = Math.max(reach, part.reach);
      isWhole &&= part.isWhole;
    }
    return { index, reach, isWhole, depth: 0 };
  }

  private question(node: Node): Question | undefined {
    if (!asks(node)) return undefined;
    const [a, b] = node.inputs.map((input) => this.questionOf(input));
    const [asked, other] = a.index.kind === 'constant' ? [b, a] : [a, b];
    const depth = 1 + Math.max(a.depth, b.depth);
    if (asked.index.kind === 'constant' || depth > DEEPEST) return undefined;
    const isOne = other.index.kind === 'constant';
    if (!isOne && !sameOperand(asked.index, other.index)) return undefined;
    // of two that depend on the index only truth values change at whole numbers alone
    const isEven = isOne || node.inputs.every((input) => isBoolean(this.range(input)));
    const isWhole = asked.isWhole && other.isWhole && isEven;
    return { index: asked.index, reach: asked.reach + other.reach, isWhole, depth };
  }

  private questionOf(operand: Operand): Question {
    const constant = constantOf(operand);
    if (constant !== undefined)
      return { index: operand, reach: Math.abs(constant), isWhole: Number.isInteger(constant), depth: 0 };
    const known = operand.kind === 'node' ? this.questions.get(operand.node) : undefined;
    return known ?? { index: positive(operand), reach: 0, isWhole: true, depth: 0 };
  }

  private range(operand: Operand): Range {
    return rangeOf(operand, this.ranges.ofNodes, this.ranges.ofRegisters);
  }

  private entry(
    root: number,
    index: Operand,
    i: number,
  ): (Operand & { readonly kind: 'uniform' }) | undefined {
    for (let at: Operand = { kind: 'node', node: root, negate: false }; ;) {
      if (at.kind === 'uniform') return at;
      if (at.kind !== 'node' || ++this.steps > MOST_STEPS) return undefined;
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
