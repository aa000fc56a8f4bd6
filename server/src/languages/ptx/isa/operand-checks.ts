/**
 * Checks of constants that bounds and lists in a pattern cannot say: multiples, and values that depend on another
 * operand or on a modifier. Each rests on an error of ptxas 13.0.88.
 */
import type { Instruction } from '../tree.js';
import type { Check, CheckFailure } from './checks.js';
import type { ResolvedForm } from './opcode.js';
import { Shape } from './operand-pattern.js';

/** The operand called `name` in the form's pattern, when it is a known integer. */
function constantOf(
  instruction: Instruction,
  form: ResolvedForm,
  name: string,
): { readonly at: number; readonly value: bigint } | undefined {
  const at = form.operands.findIndex((spec) => spec.name === name);
  const operand = instruction.operands[at];
  if (operand?.kind !== 'constant' || operand.value.integer === undefined) return undefined;
  return { at, value: operand.value.integer };
}

const multipleOf =
  (name: string, step: bigint, message: (value: bigint) => string): Check =>
  (instruction, form): CheckFailure | undefined => {
    const found = constantOf(instruction, form, name);
    if (found === undefined || found.value % step === 0n) return undefined;
    return { operand: found.at, message: message(found.value) };
  };

const fragmentNames = new Set(['d', 'a', 'b', 'c']);

/** A matrix fragment wants its braces, even for one register. */
const bracedFragments: Check = ({ operands }, form) => {
  for (let operand = 0; operand < form.operands.length; operand++) {
    const spec = form.operands[operand];
    if (spec.count !== 1 || spec.shape !== Shape.Value || !fragmentNames.has(spec.name)) continue;
    const { kind } = operands[operand];
    if (kind !== 'vector' && kind !== 'missing')
      return { operand, message: 'a matrix fragment stands in braces, even a single register' };
  }
  return undefined;
};

export const operandChecks: Readonly<Record<string, Check>> = {
  barrierThreads: multipleOf(
    'b',
    32n,
    (value) => `a barrier waits for whole warps: ${value} threads is no multiple of 32`,
  ),
  bulkSize: multipleOf('size', 16n, (value) => `a bulk copy moves multiples of 16 bytes, not ${value}`),
  /** A single tensor coordinate wants its braces, unlike other one-element vectors. */
  bracedCoordinates: ({ operands }) => {
    for (let operand = 0; operand < operands.length; operand++) {
      const address = operands[operand];
      if (address.kind !== 'address' || address.more.length === 0) continue;
      const [coordinates] = address.more;
      if (coordinates.kind === 'vector' || coordinates.kind === 'missing') return undefined;
      return { operand, message: 'tensor coordinates stand in braces, even a single one' };
    }
    return undefined;
  },
  bulkFillSize: multipleOf('size', 8n, (value) => `st.bulk fills multiples of 8 bytes, not ${value}`),
  /** A barrier of another block has no phase to return. */
  sinkDestination: ({ operands: [destination] }) =>
    destination === undefined || destination.kind === 'sink' || destination.kind === 'missing'
      ? undefined
      : {
          operand: 0,
          message: "an arrival in another block's shared memory returns nothing: the destination must be _",
        },
  bracedFragments,
  /** Scale factors come from one of four lanes of a group. */
  scaleLanes: (instruction, form, typeOf) => {
    for (const name of ['lanes_a', 'lanes_b']) {
      const operand = form.operands.findIndex((spec) => spec.name === name);
      const pair = instruction.operands[operand];
      if (pair?.kind !== 'vector') continue;
      for (const element of pair.elements) {
        const value = element.kind === 'constant' ? element.value.integer : undefined;
        if (value !== undefined && (value < 0n || value > 3n))
          return { operand, message: `the byte and the thread of scale factors are 0 to 3, not ${value}` };
      }
    }
    return bracedFragments(instruction, form, typeOf);
  },
  tensorColumns: (instruction, form) => {
    const found = constantOf(instruction, form, 'columns');
    if (found === undefined) return undefined;
    const { value } = found;
    if (value >= 32n && value <= 512n && (value & (value - 1n)) === 0n) return undefined;
    return {
      operand: found.at,
      message: `tensor memory is allocated in powers of two from 32 to 512 columns, not ${value}`,
    };
  },
};
