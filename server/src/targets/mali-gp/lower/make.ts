/**
 * Makes the nodes of one block after another. A node is brought into a normal form (signs pulled out to the readers,
 * commutative operands sorted), simplified if a rule applies (rules.ts), and made only if the block has none like it.
 *
 * The normal form of signs: a multiplication has positive operands; a sum, minimum, maximum or selection has a
 * positive first (data) operand, because -(a + b) = -a + -b, -min(a, b) = max(-a, -b), -(c ? a : b) = (c ? -a : -b).
 */
import type { Node } from '../graph.js';
import { Op } from '../operations.js';
import { conditionOf } from './conditions.js';
import { negated, nodeOperand, operandKey, positive, sameValue, valueKey, type Operand } from './draft.js';
import { rangeOf, rangeOfNode, type Range } from './ranges.js';
import { simplify } from './rules.js';

export class NodeMaker {
  readonly nodes: Node[] = [];
  private readonly ranges: Range[] = [];
  private order: number[] = [];
  private table = new Map<string, number>();

  /** Starts the next block. */
  startBlock(): void {
    this.order = [];
    this.table = new Map();
  }

  /** Nodes of the block so far, each before its readers. */
  get blockNodes(): readonly number[] {
    return this.order;
  }

  range(operand: Operand): Range {
    return rangeOf(operand, this.ranges);
  }

  /** The node behind an operand if it is one of `op`, else undefined. */
  nodeOf(operand: Operand, op: Op): Node | undefined {
    if (operand.kind !== 'node') return undefined;
    const node = this.nodes[operand.node];
    return node.op === op ? node : undefined;
  }

  /** The value of `op` on `inputs`, as a new node, a known one, or an operand. */
  make(op: Op, inputs: readonly Operand[], instruction: number): Operand {
    switch (op) {
      case Op.Neg:
        return negated(inputs[0]);
      case Op.Mul: {
        const sign = inputs[0].negate !== inputs[1].negate;
        return signed(this.commuted(op, positive(inputs[0]), positive(inputs[1]), instruction), sign);
      }
      case Op.Add:
      case Op.Min:
      case Op.Max:
        return this.commuted(op, inputs[0], inputs[1], instruction);
      case Op.Ge:
      case Op.Lt: {
        // ge(-a, -b) is ge(b, a), and of ge(-a, b) and ge(-b, a), which are equal, one form is kept
        const [a, b] = inputs;
        const turn = a.negate && (b.negate || compareValues(a, b) > 0);
        return this.finish(op, turn ? [negated(b), negated(a)] : [a, b], instruction);
      }
      case Op.Select: {
        const { condition, isInverted } = conditionOf(this, inputs[0], instruction);
        const [yes, no] = isInverted ? [inputs[2], inputs[1]] : [inputs[1], inputs[2]];
        const sign = yes.negate;
        return signed(this.finish(op, [condition, signed(yes, sign), signed(no, sign)], instruction), sign);
      }
      case Op.Sign:
        return signed(this.finish(op, [positive(inputs[0])], instruction), inputs[0].negate);
      default:
        return this.finish(op, inputs, instruction);
    }
  }

  private commuted(op: Op, x: Operand, y: Operand, instruction: number): Operand {
    const [a, b] = compareValues(x, y) > 0 ? [y, x] : [x, y];
    if (!a.negate) return this.finish(op, [a, b], instruction);
    const turned = op === Op.Min ? Op.Max : op === Op.Max ? Op.Min : op;
    return negated(this.finish(turned, [negated(a), negated(b)], instruction));
  }

  private finish(op: Op, inputs: readonly Operand[], instruction: number): Operand {
    const simpler = simplify(this, op, inputs, instruction);
    if (simpler !== undefined) return simpler;
    let key = String(op);
    for (const input of inputs) key += operandKey(input);
    const known = this.table.get(key);
    if (known !== undefined) return nodeOperand(known);
    const id = this.nodes.length;
    const node: Node = { id, op, inputs, instruction };
    this.nodes.push(node);
    this.ranges.push(rangeOfNode(node, this.ranges));
    this.order.push(id);
    this.table.set(key, id);
    return nodeOperand(id);
  }
}

const signed = (operand: Operand, sign: boolean): Operand => (sign ? negated(operand) : operand);

/** Results before leaves, later results first: a total order on values, whatever it is. */
function compareValues(a: Operand, b: Operand): number {
  if (a.kind === 'node' || b.kind === 'node')
    return (b.kind === 'node' ? b.node : -1) - (a.kind === 'node' ? a.node : -1);
  if (sameValue(a, b)) return Number(a.negate) - Number(b.negate);
  return valueKey(a) < valueKey(b) ? -1 : 1;
}
