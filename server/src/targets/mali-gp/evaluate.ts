/**
 * Executes a lowered program block by block, as its graphs say and without a machine: the meaning that scheduling has
 * to keep, and that lowering has to have kept.
 */
import { arithmetic, type Arithmetic } from './arithmetic.js';
import type { Input, Leaf, Program, Value } from './graph.js';
import { opNames, type Op } from './operations.js';

/** By `Op`. */
const functions: readonly Arithmetic[] = opNames.map((name) => arithmetic[name as keyof typeof arithmetic]);

export const resultOf = (op: Op, a: number, b: number, c: number): number => functions[op](a, b, c);

export interface EvaluationInputs {
  /** By `4 * vector + component`. */
  readonly attribute: (place: number) => number;
  readonly uniform: (place: number) => number;
  /** By number in `Program.registers`: what is handed over, NaN where nothing is. */
  readonly register?: (register: number) => number;
}

export interface Evaluation {
  /** By `4 * vector + component`, what was stored last. */
  readonly varyings: ReadonlyMap<number, number>;
  /** By number in `Program.registers`, at the end; NaN where nothing was stored. */
  readonly registers: Float64Array;
  /** False where the limit of blocks ended the run. */
  readonly hasEnded: boolean;
}

export function evaluate(program: Program, inputs: EvaluationInputs, blockLimit = 10_000): Evaluation {
  const { blocks, nodes } = program;
  const registers = new Float64Array(program.registers.length).fill(NaN);
  if (inputs.register !== undefined)
    for (let r = 0; r < registers.length; r++) registers[r] = inputs.register(r);
  const temporaries = new Map<number, number>();
  const varyings = new Map<number, number>();
  const addresses = new Float64Array(4);
  const offsetOf = (register: number | undefined): number =>
    register === undefined ? 0 : Math.trunc(addresses[register]);
  const results = new Float64Array(nodes.length);
  let number = 0;
  for (let executed = 0; number < blocks.length; executed++) {
    if (executed >= blockLimit) return { varyings, registers, hasEnded: false };
    const block = blocks[number];

    const leaf = (value: Leaf): number => {
      switch (value.kind) {
        case 'constant':
          return Math.fround(value.value);
        case 'uniform':
          return inputs.uniform(4 * (value.vector + offsetOf(value.address)) + value.component);
        case 'attribute':
          return inputs.attribute(4 * value.vector + value.component);
        case 'register':
          return value.stored ? stored(value) : registers[value.register];
        case 'temporary':
          return value.stored ? stored(value) : (temporaries.get(4 * value.vector + value.component) ?? NaN);
      }
    };
    const valueOf = (value: Value): number => (value.kind === 'node' ? results[value.node] : leaf(value));
    // nodes before their readers, so a stored value is computed when a reader asks for it
    const stored = (value: Leaf): number => {
      const store = block.stores.find(({ to }) =>
        to.kind === 'register'
          ? value.kind === 'register' && to.register === value.register
          : value.kind === 'temporary' &&
            to.kind === 'temporary' &&
            to.vector === value.vector &&
            to.component === value.component,
      );
      return store === undefined ? NaN : valueOf(store.value);
    };
    const inputOf = (input: Input | undefined): number => {
      if (input === undefined) return 0;
      return input.negate ? -valueOf(input) : valueOf(input);
    };

    for (const id of block.nodes) {
      const { op, inputs: operands } = nodes[id];
      results[id] = resultOf(op, inputOf(operands[0]), inputOf(operands[1]), inputOf(operands[2]));
    }
    const values = block.stores.map((store) => valueOf(store.value));
    const { branch } = block;
    const isTaken =
      branch !== undefined && (branch.condition === undefined || valueOf(branch.condition) !== 0);
    block.stores.forEach(({ to }, k) => {
      if (to.kind === 'register') registers[to.register] = values[k];
      else if (to.kind === 'address') addresses[to.vector] = values[k];
      else (to.kind === 'varying' ? varyings : temporaries).set(4 * to.vector + to.component, values[k]);
    });
    number = isTaken ? branch.target : number + 1;
  }
  return { varyings, registers, hasEnded: true };
}
