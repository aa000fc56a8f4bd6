import { NoRegister } from '../../../ir/place.js';
import type { Span } from '../../../text/span.js';
import type { Constant, Instruction, Name, NameOperand, Operand } from '../tree.js';
import { typeBytes } from '../types.js';
import type { Entity } from './entities.js';

/**
 * The operands of one instruction, flattened: every name, constant and sink in text order with the operand that it
 * belongs to. One scratch object is filled again for each instruction, so that binding allocates nothing for it.
 */
export interface Leaves {
  count: number;
  /** The name operand, or undefined for constants and sinks. */
  readonly node: (NameOperand | undefined)[];
  readonly entity: (Entity | undefined)[];
  readonly span: Span[];
  readonly constant: (Constant | undefined)[];
  /** Bytes that 1 of the constant stands for: an index counts elements. */
  readonly scale: number[];
  /** `!p`, or the `-x` of video instructions. */
  readonly operator: ('' | '!' | '-')[];
  /** Index in `Instruction.operands`. */
  readonly operand: number[];
  /** Inside address brackets. */
  readonly isAddress: boolean[];
  /** The `p` of `d|p`. */
  readonly isSecond: boolean[];
  /** What stands there when it is no register. */
  readonly place: number[];
  hasMissing: boolean;
  /** Names inside constant expressions. */
  names: Name[];
}

export const emptyLeaves = (): Leaves => ({
  count: 0,
  node: [],
  entity: [],
  span: [],
  constant: [],
  scale: [],
  operator: [],
  operand: [],
  isAddress: [],
  isSecond: [],
  place: [],
  hasMissing: false,
  names: [],
});

export type Resolve = (node: NameOperand) => Entity;

export function collect(leaves: Leaves, instruction: Instruction, resolve: Resolve): void {
  leaves.count = 0;
  leaves.hasMissing = false;
  if (leaves.names.length > 0) leaves.names = [];
  const { operands } = instruction;
  for (let i = 0; i < operands.length; i++) visit(leaves, operands[i], i, false, false, resolve);
}

function add(
  leaves: Leaves,
  node: NameOperand | undefined,
  entity: Entity | undefined,
  span: Span,
  operand: number,
  isAddress: boolean,
  isSecond: boolean,
  place: number,
): void {
  const at = leaves.count++;
  leaves.node[at] = node;
  leaves.entity[at] = entity;
  leaves.span[at] = span;
  leaves.constant[at] = undefined;
  leaves.scale[at] = 1;
  leaves.operator[at] = '';
  leaves.operand[at] = operand;
  leaves.isAddress[at] = isAddress;
  leaves.isSecond[at] = isSecond;
  leaves.place[at] = place;
}

function visit(
  leaves: Leaves,
  node: Operand,
  operand: number,
  isAddress: boolean,
  isSecond: boolean,
  resolve: Resolve,
): void {
  switch (node.kind) {
    case 'name':
      add(leaves, node, resolve(node), node, operand, isAddress, isSecond, NoRegister.Unknown);
      if (node.index !== undefined) {
        const e = leaves.entity[leaves.count - 1];
        constant(leaves, node.index, operand, isAddress, isSecond);
        leaves.scale[leaves.count - 1] = e === undefined ? 1 : Math.max(1, typeBytes(e.type) * e.vector);
      }
      if (node.offset !== undefined) constant(leaves, node.offset, operand, isAddress, isSecond);
      break;
    case 'constant':
      constant(leaves, node.value, operand, isAddress, isSecond);
      break;
    case 'address':
      if (node.base !== undefined) visit(leaves, node.base, operand, true, false, resolve);
      if (node.offset !== undefined) constant(leaves, node.offset, operand, true, false);
      for (const more of node.more) visit(leaves, more, operand, true, false, resolve);
      break;
    case 'vector':
    case 'list':
      for (const element of node.elements) visit(leaves, element, operand, isAddress, isSecond, resolve);
      break;
    case 'pair':
      visit(leaves, node.first, operand, isAddress, false, resolve);
      visit(leaves, node.second, operand, isAddress, true, resolve);
      break;
    case 'not':
      visit(leaves, node.operand, operand, isAddress, isSecond, resolve);
      leaves.operator[leaves.count - 1] = node.operator;
      break;
    case 'sink':
      add(leaves, undefined, undefined, node, operand, isAddress, isSecond, NoRegister.Sink);
      break;
    case 'missing':
      leaves.hasMissing = true;
      break;
  }
}

function constant(
  leaves: Leaves,
  value: Constant,
  operand: number,
  isAddress: boolean,
  isSecond: boolean,
): void {
  if (value.names.length > 0) leaves.names.push(...value.names);
  add(leaves, undefined, undefined, value, operand, isAddress, isSecond, NoRegister.Immediate);
  leaves.constant[leaves.count - 1] = value;
}

const componentIndex: Readonly<Record<string, number>> = { x: 0, r: 0, y: 1, g: 1, z: 2, b: 2, w: 3, a: 3 };

/** Element of a vector that `.x` ... `.w` or `.r` ... `.a` names; -1 for another word. The text may carry its dot. */
export function componentOf(text: string): number {
  const name = text.startsWith('.') ? text.slice(1) : text;
  return Object.hasOwn(componentIndex, name) ? componentIndex[name] : -1;
}
