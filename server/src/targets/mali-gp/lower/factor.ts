/**
 * Chooses before computing where both ways compute the same: `c ? f(a) : f(b)` is f(c ? a : b), and the operands that
 * both have in common are not chosen at all. One operation less, and for a special function three slots; it is what
 * branches leave behind once both of their arms are executed. With `x` on the one side and `x * k` (or -x) on the other,
 * the factor 1 or k is chosen, if more than one selection shares it.
 */
import type { Node } from '../graph.js';
import { Op } from '../operations.js';
import {
  constantOperand,
  negated,
  operandKey,
  sameOperand,
  type Draft,
  type DraftBlock,
  type Operand,
} from './draft.js';
import { rebuild } from './rebuild.js';

/** The draft with selections moved towards the operands, or the same one if there is nothing to do. */
export function factorSelections(draft: Draft): Draft {
  const nodes = [...draft.nodes];
  const blocks = draft.blocks.map((block) => {
    const order = new Factorer(nodes, block).factored();
    return order === block.nodes ? block : { ...block, nodes: order };
  });
  if (nodes.length === draft.nodes.length && nodes.every((node, id) => node === draft.nodes[id]))
    return draft;
  return rebuild({ ...draft, blocks, nodes });
}

class Factorer {
  /** By node: readers in the block, and of the block. */
  private readonly uses = new Map<number, number>();
  /** By node: selections to make before it, each after the ones that read it. */
  private readonly before = new Map<number, number[]>();

  constructor(
    private readonly nodes: Node[],
    private readonly block: DraftBlock,
  ) {
    const read = (operand: Operand): void => {
      if (operand.kind === 'node') this.uses.set(operand.node, (this.uses.get(operand.node) ?? 0) + 1);
    };
    for (const { value } of block.stores) read(value);
    if (block.exit.kind === 'choice') read(block.exit.condition);
    for (const id of block.nodes.toReversed()) if (this.uses.has(id)) nodes[id].inputs.forEach(read);
  }

  factored(): readonly number[] {
    const { block, nodes } = this;
    const selections = block.nodes.filter((id) => nodes[id].op === Op.Select && this.uses.has(id));
    for (const id of selections) this.factor(id);
    this.shareFactors(selections.filter((id) => nodes[id].op === Op.Select));
    if (this.before.size === 0) return block.nodes;
    return block.nodes.flatMap((id) => [...(this.before.get(id)?.toReversed() ?? []), id]);
  }

  /**
   * Turns selection `first` into the operation that both of its data are, and what this selects likewise; the new
   * selections are made before `first`.
   */
  private factor(first: number): void {
    for (let id: number | undefined = first; id !== undefined;) id = this.factorOne(id, first);
  }

  private factorOne(id: number, place: number): number | undefined {
    const {
      inputs: [condition, yes, no],
      instruction,
    } = this.nodes[id];
    const [a, b] = [this.only(yes), this.only(no)];
    if (a === undefined || b === undefined || a.op !== b.op || a.op === Op.Select) return undefined;
    // the first is positive in normal form; a product takes the sign of the second into the factor
    if (no.negate && a.op !== Op.Mul) return undefined;
    const differing = difference(a, b);
    if (differing === undefined) return undefined;
    const [p, q, common] = differing;
    const chosen = this.select(condition, p, no.negate ? negated(q) : q, place, instruction);
    const inputs =
      common === undefined ? [chosen] : isSecond(a, common) ? [chosen, common] : [common, chosen];
    this.nodes[id] = { id, op: a.op, inputs, instruction };
    return chosen.node;
  }

  /** c ? x : x * k and c ? x : -x, for several x with one c and k. */
  private shareFactors(selections: readonly number[]): void {
    const groups = new Map<
      string,
      { readonly id: number; readonly x: Operand; readonly factors: readonly Operand[] }[]
    >();
    for (const id of selections) {
      const found = this.scaled(id);
      if (found === undefined) continue;
      const key = found.factors.map(operandKey).join() + operandKey(this.nodes[id].inputs[0]);
      const group = groups.get(key) ?? [];
      group.push({ id, ...found });
      groups.set(key, group);
    }
    for (const group of groups.values()) {
      if (group.length < 2) continue;
      for (const { id, x, factors } of group) {
        const { inputs, instruction } = this.nodes[id];
        const factor = this.select(inputs[0], factors[0], factors[1], id, instruction);
        this.nodes[id] = { ...this.nodes[id], op: Op.Mul, inputs: [x, factor] };
      }
    }
  }

  private scaled(id: number): { readonly x: Operand; readonly factors: readonly Operand[] } | undefined {
    const [, yes, no] = this.nodes[id].inputs;
    const one = constantOperand(1);
    if (sameOperand(yes, negated(no))) return { x: yes, factors: [one, negated(one)] };
    for (const [plain, other, isYes] of [
      [yes, no, true],
      [no, yes, false],
    ] as const) {
      const product = this.only(other);
      if (product?.op !== Op.Mul) continue;
      for (const [x, k] of [product.inputs, product.inputs.toReversed()]) {
        const isSame = sameOperand(x, plain);
        if (!isSame && !sameOperand(x, negated(plain))) continue;
        const factor = isSame === !other.negate ? k : negated(k);
        return { x: plain, factors: isYes ? [one, factor] : [factor, one] };
      }
    }
    return undefined;
  }

  /** The node behind an operand that nothing else reads. */
  private only(operand: Operand): Node | undefined {
    return operand.kind === 'node' && this.uses.get(operand.node) === 1
      ? this.nodes[operand.node]
      : undefined;
  }

  /** A new selection before node `place`. */
  private select(
    condition: Operand,
    yes: Operand,
    no: Operand,
    place: number,
    instruction: number,
  ): Operand & { readonly kind: 'node' } {
    const id = this.nodes.length;
    this.nodes.push({ id, op: Op.Select, inputs: [condition, yes, no], instruction });
    this.uses.set(id, 1);
    const before = this.before.get(place);
    if (before === undefined) this.before.set(place, [id]);
    else before.push(id);
    return { kind: 'node', node: id, negate: false };
  }
}

/** The one operand in which two nodes of one operation differ, and the other one, if there is one, that they share. */
function difference(a: Node, b: Node): readonly [Operand, Operand, Operand | undefined] | undefined {
  const [x, y] = a.inputs;
  const [v, w] = b.inputs;
  if (a.inputs.length === 1) return [x, v, undefined];
  if (sameOperand(x, v)) return [y, w, x];
  if (sameOperand(y, w)) return [x, v, y];
  if (a.op === Op.Ge || a.op === Op.Lt) return undefined;
  if (sameOperand(x, w)) return [y, v, x];
  return sameOperand(y, v) ? [x, w, y] : undefined;
}

const isSecond = (node: Node, operand: Operand): boolean => sameOperand(node.inputs[1], operand);
