/**
 * Checks of constants that bounds and lists in a pattern cannot say: multiples, and values that depend on another
 * operand or on a modifier. Each rests on an error of ptxas 13.0.88.
 */
import type { Instruction } from '../tree.js';
import type { Check, CheckFailure } from './checks.js';
import type { ResolvedForm } from './opcode.js';
import { OperandFlag, Shape } from './operand-pattern.js';
import { typeName } from './types.js';

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

/** Operands of these names want their braces, even around one register. */
const braced =
  (names: readonly string[], message: string): Check =>
  ({ operands }, form) => {
    for (let operand = 0; operand < form.operands.length; operand++) {
      const spec = form.operands[operand];
      if (spec.count !== 1 || spec.shape !== Shape.Value || !names.includes(spec.name)) continue;
      const { kind } = operands[operand];
      if (kind !== 'vector' && kind !== 'missing') return { operand, message };
    }
    return undefined;
  };

const bracedFragments = braced(
  ['d', 'a', 'b', 'c'],
  'a matrix fragment stands in braces, even a single register',
);

/** What may be selected, by the number of lanes (1, 2 or 4): of a source, and of a destination with a mask. */
const sourceSelectors = new Map([
  [1, /^(b[0-3]|h[01])$/],
  [2, /^h[0-3]{2}$/],
  [4, /^b[0-7]{4}$/],
]);
const destinationSelectors = new Map([
  [1, /^(b[0-3]|h[01])$/],
  [2, /^h(1|1?0)$/],
  [4, /^b(?=.)3?2?1?0?$/],
]);
const examples = new Map([
  [1, '.b0 to .b3, .h0 and .h1'],
  [2, 'two half-words of the four of both sources, such as .h10'],
  [4, 'four bytes of the eight of both sources, such as .b3210'],
]);

/** A selector fits the lanes of its instruction. */
const selectors: Check = ({ operands }, form) => {
  const lanes = Number(/[24]$/.exec(form.entry.opcode)?.[0] ?? 1);
  for (let operand = 0; operand < form.operands.length; operand++) {
    const spec = form.operands[operand];
    if ((spec.flags & OperandFlag.Part) === 0) continue;
    const node = operands[operand];
    const register = node.kind === 'not' ? node.operand : node;
    const component = register.kind === 'name' ? register.component : undefined;
    if (component === undefined) continue;
    const isWritten = (spec.flags & OperandFlag.Written) !== 0;
    const allowed = (isWritten ? destinationSelectors : sourceSelectors).get(lanes)!;
    if (allowed.test(component.text.replace(/^\./, ''))) continue;
    const list =
      isWritten && lanes > 1
        ? 'the lanes to write, highest first, such as .h10 or .b20'
        : examples.get(lanes)!;
    return { operand, message: `${form.entry.opcode} selects ${list}` };
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
  bracedGradients: braced(['dx', 'dy'], 'a gradient stands in braces, even a single one'),
  selectors,
  /** Accumulators of constants alone: a decimal one is of 64 bits and makes no f32. */
  singleConstants: ({ operands }, form) => {
    const operand = form.operands.findIndex((spec) => spec.name === 'c' && typeName(spec.type) === 'f32');
    const fragment = operands[operand];
    if (fragment?.kind !== 'vector') return undefined;
    const last = fragment.elements.at(-1);
    if (last?.kind !== 'constant' || last.value.floatWidth !== 64) return undefined;
    if (fragment.elements.some((element) => element.kind !== 'constant')) return undefined;
    return { operand, message: 'a fragment of f32 constants takes them as bits: write 0f00000000, not 0.0' };
  },
  /** vmad negates its product or its addend, and rounds neither. */
  videoNegation: ({ operands }, form) => {
    const isNegated = (operand: number): boolean => operands[operand]?.kind === 'not';
    const product = isNegated(1) !== isNegated(2);
    if (isNegated(3) && (isNegated(1) || isNegated(2)))
      return { operand: 3, message: 'vmad negates either its product or its addend, not both' };
    if ((product || isNegated(3)) && form.modifiers.includes('po'))
      return { operand: isNegated(3) ? 3 : 1, message: '.po and a negated operand exclude each other' };
    return undefined;
  },
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
