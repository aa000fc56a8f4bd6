import type { BlockTask, Value } from '../../../../server/src/targets/mali-gp/graph.js';
import { operations, type Op } from '../../../../server/src/targets/mali-gp/operations.js';
import { BlockBuilder, attribute, constant, uniform } from '../../../support/gp-block.js';

/** A random block: numbers choose operations, operands and stores. The first `taken` registers hold values for later. */
export function randomTask(
  choices: readonly number[],
  registers: number,
  far: boolean,
  taken = registers,
): BlockTask {
  const builder = new BlockBuilder();
  for (let r = 0; r < registers; r++) builder.register(r);
  let at = 0;
  const next = (limit: number): number => choices[at++ % choices.length] % limit;
  const values: Value[] = [];
  const operand = (): Value => {
    const kind = next(8);
    if (values.length > 0 && kind < 5) {
      return values[far ? next(values.length) : Math.max(0, values.length - 1 - next(6))];
    }
    if (kind === 5) return constant([0, 1, 2.5, -1, 0.5, -0][next(6)]);
    if (kind === 6) return attribute(next(4), next(4));
    if (kind === 7 && registers > 0) return { kind: 'register', register: next(registers), stored: false };
    return uniform(next(8), next(4));
  };
  const count = 1 + (choices.length >> 2);
  for (let i = 0; i < count; i++) {
    const op = next(14) as Op;
    const inputs = Array.from({ length: operations[op].inputs }, (_, k) => ({
      ...operand(),
      negate: (operations[op].negates >> k) % 2 === 1 && next(3) === 0,
    }));
    values.push(builder.node(op, ...inputs));
  }
  const stored = new Set<string>();
  const stores = 1 + next(8);
  for (let i = 0; i < stores; i++) {
    const isRegister = registers > 0 && next(2) === 0;
    const vector = next(3);
    const component = next(4);
    const register = isRegister ? next(registers) : 0;
    const key = isRegister ? `r${register}` : `v${vector}.${component}`;
    if (stored.has(key)) continue;
    stored.add(key);
    const value = next(6) === 0 ? operand() : values[values.length - 1 - next(Math.min(values.length, 9))];
    builder.store(
      isRegister ? { kind: 'register', register } : { kind: 'varying', vector, component },
      value,
    );
  }
  if (next(3) === 0) builder.branchTo(1, next(2) === 0 ? undefined : operand());
  const liveOut = Uint8Array.from({ length: 64 }, (_, place) => Number(place < taken));
  return { ...builder.task(), liveIn: liveOut, liveOut };
}
