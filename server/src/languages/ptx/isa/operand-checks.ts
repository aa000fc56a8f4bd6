/**
 * Checks of constants that bounds and lists in a pattern cannot say: multiples, and values that depend on another
 * operand or on a modifier. Each rests on an error of ptxas 13.0.88.
 */
import type { Instruction } from '../tree.js';
import type { Check, CheckFailure } from './checks.js';
import type { ResolvedForm } from './opcode.js';

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
};
