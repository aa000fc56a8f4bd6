/**
 * Doubling is the one product that is as exactly a sum: where a block keeps its multipliers busier than its adders,
 * 2 * x becomes x + x, which also leaves the uniform port to others; and the other way round.
 */
import type { Block, Input, Node, Program } from '../graph.js';
import { Op } from '../operations.js';
import { slotsOf } from './estimate.js';

export function balance(program: Program): Program {
  const nodes = [...program.nodes];
  for (const block of program.blocks) balanceBlock(nodes, block);
  return { ...program, nodes };
}

function balanceBlock(nodes: Node[], block: Block): void {
  let excess = 0;
  for (const id of block.nodes) {
    const [multipliers, adders] = slotsOf(nodes[id].op);
    excess += multipliers - adders;
  }
  for (const id of block.nodes) {
    const turned = excess >= 2 ? asSum(nodes[id]) : excess <= -2 ? asProduct(nodes[id]) : undefined;
    if (turned === undefined) continue;
    nodes[id] = turned;
    excess += turned.op === Op.Add ? -2 : 2;
  }
}

function asSum(node: Node): Node | undefined {
  if (node.op !== Op.Mul) return undefined;
  const [a, b] = node.inputs;
  const [x, two] = isTwo(b) ? [a, b] : [b, a];
  if (!isTwo(two)) return undefined;
  const operand: Input = { ...x, negate: (a.negate !== b.negate) !== two.value < 0 };
  return { ...node, op: Op.Add, inputs: [operand, operand] };
}

function asProduct(node: Node): Node | undefined {
  const [a, b] = node.inputs;
  if (node.op !== Op.Add || a.kind !== 'node' || b.kind !== 'node') return undefined;
  if (a.node !== b.node || a.negate !== b.negate) return undefined;
  return { ...node, op: Op.Mul, inputs: [a, { kind: 'constant', value: 2, negate: false }] };
}

const isTwo = (input: Input): input is Input & { readonly kind: 'constant' } =>
  input.kind === 'constant' && Math.abs(input.value) === 2;
