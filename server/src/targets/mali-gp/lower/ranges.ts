/**
 * What is known of a number without knowing its inputs: bounds, whether it is whole, whether it may be infinite.
 * NaN is left out, as everywhere (a program that meets one is not specified). Rounding to float32 is monotone, so that
 * the rounded bounds bound the rounded result.
 */
import type { Node } from '../graph.js';
import { Op } from '../operations.js';
import { sameOperand, type Draft, type Operand } from './draft.js';

export interface Range {
  readonly low: number;
  readonly high: number;
  readonly isWhole: boolean;
}

const ANYTHING: Range = { low: -Infinity, high: Infinity, isWhole: false };
const WHOLE: Range = { low: -Infinity, high: Infinity, isWhole: true };
const BOOLEAN: Range = { low: 0, high: 1, isWhole: true };

export const isBoolean = (range: Range): boolean => range.isWhole && range.low >= 0 && range.high <= 1;

export const isFinite = (range: Range): boolean => range.low > -Infinity && range.high < Infinity;

const opposite = ({ low, high, isWhole }: Range): Range => ({ low: -high, high: -low, isWhole });

export function rangeOf(operand: Operand, byNode: readonly Range[], byRegister?: readonly Range[]): Range {
  let range = ANYTHING;
  if (operand.kind === 'node') range = byNode[operand.node];
  else if (operand.kind === 'register') range = byRegister?.[operand.register] ?? ANYTHING;
  else if (operand.kind === 'constant' && !Number.isNaN(operand.value))
    range = { low: operand.value, high: operand.value, isWhole: Number.isInteger(operand.value) };
  return operand.negate ? opposite(range) : range;
}

/** The range of a new node, from those of its inputs. */
export function rangeOfNode(node: Node, byNode: readonly Range[], byRegister?: readonly Range[]): Range {
  const inputs = node.inputs.map((input) => rangeOf(input, byNode, byRegister));
  const [a, b] = inputs;
  const isSquare = node.op === Op.Mul && sameOperand(node.inputs[0], node.inputs[1]);
  switch (node.op) {
    case Op.Ge:
    case Op.Lt:
      return BOOLEAN;
    case Op.Sign:
      return { low: Math.max(-1, Math.sign(a.low)), high: Math.min(1, Math.sign(a.high)), isWhole: true };
    case Op.Floor:
      return { low: Math.floor(a.low), high: Math.floor(a.high), isWhole: true };
    case Op.Min:
      return bounded(Math.min(a.low, b.low), Math.min(a.high, b.high), a.isWhole && b.isWhole);
    case Op.Max:
      return bounded(Math.max(a.low, b.low), Math.max(a.high, b.high), a.isWhole && b.isWhole);
    case Op.Select:
      return bounded(
        Math.min(b.low, inputs[2].low),
        Math.max(b.high, inputs[2].high),
        b.isWhole && inputs[2].isWhole,
      );
    case Op.Add:
      return bounded(a.low + b.low, a.high + b.high, a.isWhole && b.isWhole);
    case Op.Mul:
      return isSquare ? { ...product(a, b), low: 0 } : product(a, b);
    case Op.Rsqrt:
    case Op.Exp2:
      return { low: 0, high: Infinity, isWhole: false };
    default:
      return ANYTHING;
  }
}

/** Sums of whole numbers stay whole: beyond 2^24 every float32 is. */
function bounded(low: number, high: number, isWhole: boolean): Range {
  return {
    low: Number.isNaN(low) ? -Infinity : Math.fround(low),
    high: Number.isNaN(high) ? Infinity : Math.fround(high),
    isWhole,
  };
}

function product(a: Range, b: Range): Range {
  const corners = [a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high].map((corner) =>
    Number.isNaN(corner) ? 0 : corner,
  );
  return bounded(Math.min(...corners), Math.max(...corners), a.isWhole && b.isWhole);
}

/** Passes over the program after which no register counts as whole. */
const MOST_PASSES = 16;

export interface Ranges {
  readonly ofNodes: readonly Range[];
  readonly ofRegisters: readonly Range[];
}

/**
 * The ranges of all nodes, and which registers are always whole numbers: those that are only ever given whole ones,
 * if the registers that these are made of are whole.
 */
export function rangesOf(draft: Draft): Ranges {
  const ofRegisters = draft.registers.map(({ isLiveIn }) => (isLiveIn ? ANYTHING : WHOLE));
  for (let pass = 0; ; pass++) {
    if (pass === MOST_PASSES) ofRegisters.fill(ANYTHING);
    const ofNodes: Range[] = [];
    let isChanged = false;
    for (const { nodes, stores } of draft.blocks) {
      for (const id of nodes) ofNodes[id] = rangeOfNode(draft.nodes[id], ofNodes, ofRegisters);
      for (const { to, value } of stores) {
        if (to.kind !== 'register' || !ofRegisters[to.register].isWhole) continue;
        if (rangeOf(value, ofNodes, ofRegisters).isWhole) continue;
        ofRegisters[to.register] = ANYTHING;
        isChanged = true;
      }
    }
    if (!isChanged) return { ofNodes, ofRegisters };
  }
}
